"""Which label is positive in the scikit-learn adapter, and the labels of its predictions."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from .._typing import Label
from ..errors import CostreamError
from ..labels.labels import Choice, Labels, known_pair, taken_for_positive


def sides(
    classes: NDArray[Any], labels: NDArray[Any], positive: Choice | None, *, named: bool
) -> tuple[Choice | None, list[Label] | None]:
    """What a new model is given of its labels: the positive ones, and both if there may be no third.

    ``labels`` are those of the first rows; ``named`` is whether the user has named the classes. One
    label alone is left to the model, which knows some.
    """
    if positive is not None and not (named and len(classes) == 2):
        return positive, None
    check_binary(classes)
    both = classes.tolist()
    if len(both) < 2:
        return positive, None
    return (_positive_of(both, labels) if positive is None else positive), both


def check_binary(classes: NDArray[Any]) -> None:
    """Raise an error if there are more than two labels, or numbers that are none."""
    kind = type_of_target(classes, input_name="y")
    if len(classes) > 2 or kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}; for one class "
            "against the rest name it, positive=..., for all use sklearn.multiclass.OneVsRestClassifier"
        )


def check_sides(labels: Labels, y: NDArray[Any]) -> None:
    """Raise an error if all rows of `fit` are on one side."""
    _, positive = labels.seeing_many(y)
    if not positive.any():
        raise CostreamError(f"positive={labels.named!r} is not among the labels of the rows")
    if positive.all():
        raise CostreamError(f"every row is positive: positive={labels.named!r}")


def _positive_of(both: list[Label], labels: NDArray[Any]) -> Label:
    """The positive one of two labels, which nobody has named."""
    known = known_pair(both)
    if known is not None:
        return known[1]
    counts: Counter[Any] = Counter(dict.fromkeys(both, 0))
    counts.update(labels.tolist())
    if not all(counts.values()):
        raise CostreamError(
            f"it is not clear which of the labels {both[0]!r} and {both[1]!r} is positive",
            f"name it: positive={both[0]!r}, or positive={both[1]!r}",
        )
    first, last = both
    rare, common = (first, last) if counts[first] < counts[last] else (last, first)
    warnings.warn(
        taken_for_positive(rare, common, rarer=counts[rare] < counts[common]), UserWarning, stacklevel=5
    )
    return rare


def classes_of(labels: Labels) -> list[Label]:
    """The labels of predictions, in order: a side of several labels has the name of the side."""
    found = [*labels.negative, *labels.positive]
    if max(len(labels.negative), len(labels.positive)) > 1:
        found = [one for one in labels.pair if one is not None]
    return sorted(set(found), key=lambda one: (isinstance(one, str), one))


def as_array(labels: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Labels as an array of the type of the first y, where that can hold them."""
    array = np.array(labels, object)
    if len({isinstance(one, str) for one in labels}) < 2:
        array = np.array(labels)
    try:
        typed = array.astype(dtype, casting="unsafe")
    except (TypeError, ValueError):
        return array
    return typed if typed.tolist() == array.tolist() else array
