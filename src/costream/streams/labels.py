"""Which labels of a file are the positive ones.

Labels are compared as `canonical` writes them, so ``+1``, ``1`` and ``1.0`` are one label, whatever the
format of the file. Without a choice of the user the labels of the first block decide.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CostreamError
from ..labels import equal
from .hashing import clean

Label = int | float | bool | str
# (negative, positive) where nobody says which is which.
KNOWN = ((-1, 1), (0, 1), (1, 2), ("no", "yes"), ("n", "y"), ("f", "t"))
POSITIVE, REST = "positive", "rest"  # what a side of several labels is called
NAME_IT = "name the positive label with --positive, or several: --positive A,B"
WHERE_IT_IS = "name its column with --label; in LIBSVM text it stands first in each line"
SHOWN = 8


def canonical(value: Any) -> Label | None:
    """One spelling of each label; None for a missing one.

    >>> [canonical(label) for label in ("+1", 1.0, "1.5", "TRUE", " fraud ", "", float("nan"))]
    [1, 1, 1.5, True, 'fraud', None, None]
    """
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    if isinstance(value, str):
        text = clean(value.strip())
        if not text:
            return None
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        try:
            value = float(text) if "_" not in text else text
        except ValueError:
            return text
        if isinstance(value, str) or not math.isfinite(value):
            return text
    number = float(value)
    if number != number:
        return None
    return int(number) if number.is_integer() else number


def missing(label: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows have no label."""
    if label.dtype == object:
        return np.array([one is None for one in label.tolist()], np.bool_)
    return np.asarray(np.isnan(label))


def as_objects(label: NDArray[Any]) -> NDArray[Any]:
    """Labels as Python objects."""
    objects = np.empty(len(label), object)
    objects[:] = [canonical(one) for one in label.tolist()]
    return objects


def numbered(values: list[Any], codes: NDArray[Any]) -> NDArray[Any]:
    """An array of labels from distinct values and the place of each row's value among them."""
    labels = [canonical(value) for value in values]
    if all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in labels if one is not None
    ):
        numbers = np.array([math.nan if one is None else float(one) for one in labels], np.float64)
        return numbers[codes] if len(values) else np.full(len(codes), math.nan)
    objects = np.empty(len(labels), object)
    objects[:] = labels
    return np.asarray(objects[codes])


@dataclass(frozen=True)
class Target:
    """The positive labels against others, or against the rest (``negative`` is None)."""

    positive: tuple[Label, ...]
    negative: tuple[Label, ...] | None
    pair: tuple[Label, Label]  # what the two sides are called, the negative one first

    @classmethod
    def choose(cls, label: NDArray[Any], positive: str | None, source: str) -> Target:
        """From the labels of the first block, and what the user says (``--positive``)."""
        found: Counter[Any] = Counter()
        for one, count in Counter(label[~missing(label)].tolist()).items():
            found[canonical(one)] += count
        return cls._guessed(found, source) if positive is None else cls._named(positive, found)

    @classmethod
    def _named(cls, positive: str, found: Counter[Any]) -> Target:
        chosen = tuple(one for one in map(canonical, positive.split(",")) if one is not None)
        if not chosen:
            raise CostreamError(f"--positive {positive!r} names no label")
        others = [one for one in found if one not in chosen]
        name = chosen[0] if len(chosen) == 1 else POSITIVE
        return cls(chosen, None, (others[0] if len(others) == 1 else REST, name))

    @classmethod
    def _guessed(cls, found: Counter[Any], source: str) -> Target:
        by_word = {one.lower() if isinstance(one, str) else one: one for one in found}
        for pair in KNOWN:
            if set(by_word) == set(pair) and len(found) == 2:
                negative, positive = by_word[pair[0]], by_word[pair[1]]
                return cls((positive,), (negative,), (negative, positive))
        if len(found) == 1 and set(found) <= {0, 1, -1}:  # one class so far
            lone = next(iter(found))
            if lone == -1:
                return cls((1,), (-1,), (-1, 1))
            pair = (False, True) if isinstance(lone, bool) else (0, 1)
            return cls((pair[1],), (pair[0], -1) if lone == 1 else (pair[0],), pair)
        if len(found) == 2 and all(isinstance(one, str) for one in found):
            (common, many), (rare, few) = found.most_common()
            if few < many:
                return cls((rare,), (common,), (common, rare))
        if not found:
            raise CostreamError(f"{source}: no row at the start has a label", WHERE_IT_IS)
        shown = ", ".join(str(one) for one, _ in found.most_common(SHOWN))
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise CostreamError(
            f"{source}: it is not clear which label is positive (found {shown}{more})", NAME_IT
        )

    def of(self, label: NDArray[Any], where: Callable[[int], str]) -> NDArray[np.bool_]:
        """Which rows are positive; an error names a row without a label, or with an unknown one."""
        positive = np.zeros(len(label), np.bool_)
        for one in self.positive:
            positive |= equal(label, one)
        if self.negative is None:
            known = ~missing(label)
        else:
            known = positive.copy()
            for one in self.negative:
                known |= equal(label, one)
        if not known.all():
            raise self._unknown(label, int(np.argmin(known)), where)
        return positive

    def _unknown(self, label: NDArray[Any], row: int, where: Callable[[int], str]) -> CostreamError:
        one = canonical(label[row])
        if one is None:
            return CostreamError(f"{where(row)}: there is no label", "leave out rows without one")
        return CostreamError(
            f"{where(row)}: label {one} is neither {self.pair[0]} nor {self.pair[1]}", NAME_IT
        )
