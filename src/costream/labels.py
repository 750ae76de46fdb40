"""Which label is the positive one: the rare, costly class.

``positive`` or ``classes`` name it. Without them 1 and True are positive, and 0, -1 and False
negative; any other label is an error that says so.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import CostreamError

NAME_IT = "name the positive label with positive=, or both with classes=(negative, positive)"


@dataclass(frozen=True)
class Labels:
    """The two labels, each None while it is not known."""

    negative: Any = None
    positive: Any = None
    named: bool = False  # by the user: then anything else is negative

    @classmethod
    def of(cls, positive: Any, classes: Any) -> Labels:
        """From what the user says."""
        try:
            positive = _checked(positive)
        except CostreamError as error:
            raise CostreamError(f"positive={positive!r}: {error}") from None
        if classes is None:
            return cls(None, positive, named=positive is not None)
        try:
            pair = [_checked(label) for label in classes]
        except (CostreamError, TypeError):
            pair = []
        if len(pair) != 2 or None in pair or pair[0] == pair[1]:
            raise CostreamError(f"classes must be two different labels, not {classes!r}")
        if positive is not None and positive not in pair:
            raise CostreamError(f"positive={positive!r} is not one of classes={classes!r}")
        if positive is not None and positive == pair[0]:
            pair.reverse()
        return cls(pair[0], pair[1], named=True)

    @cached_property
    def codes(self) -> dict[Hashable, float]:
        """+1 and -1 for the labels known so far."""
        known = ((self.negative, -1.0), (self.positive, 1.0))
        return {label: code for label, code in known if label is not None}

    def seeing(self, label: Any) -> Labels:
        """The labels once ``label`` has been seen; an error if it can be neither."""
        label = _checked(as_plain(label))
        if label is None:
            raise CostreamError("None is not a label", "leave out rows without a label")
        if label in self.codes:
            return self
        if self.named:
            if self.negative is not None:
                known = f"{self.negative!r} and {self.positive!r}"
                raise CostreamError(f"unknown label {label!r}; the labels are {known}")
            return replace(self, negative=label)
        if isinstance(label, int | float) and label == 1:
            return replace(self, positive=label)
        if isinstance(label, int | float) and label in (0, -1):
            if self.negative is not None:
                known = f"{self.negative!r} as the negative one"
                raise CostreamError(f"unknown label {label!r}; there is {known}", NAME_IT)
            return replace(self, negative=label)
        raise CostreamError(f"it is not clear whether the label {label!r} is positive", NAME_IT)

    @cached_property
    def pair(self) -> tuple[Any, Any]:
        """(negative, positive) as they are given out; a missing one is guessed from the other."""
        negative, positive = self.negative, self.positive
        if positive is None:
            positive = True if isinstance(negative, bool) else 1
        if negative is None and not self.named:
            negative = False if isinstance(positive, bool) else 0
        return negative, positive

    def as_array(self) -> NDArray[Any]:
        """The pair as an array of the type that it suggests."""
        same = type(self.pair[0]) is type(self.pair[1])
        return np.array(self.pair, dtype=None if same else object)

    def seeing_many(self, y: NDArray[Any]) -> tuple[Labels, NDArray[np.bool_]]:
        """The labels once a batch has been seen, and which of its rows are positive."""
        labels = self
        if len(y) and not labels.codes:
            labels = self._seeing_row(y, 0)
        while True:
            positive = equal(y, labels.positive)
            known = positive | equal(y, labels.negative)
            if known.all():
                return labels, positive
            labels = labels._seeing_row(y, int(np.argmin(known)))

    def _seeing_row(self, y: NDArray[Any], row: int) -> Labels:
        try:
            return self.seeing(y[row])
        except CostreamError as error:
            raise CostreamError(f"row {row}: {error}") from None


def _checked(label: Any) -> Any:
    label = as_plain(label)
    if label is None or isinstance(label, str | int):
        return label
    if not isinstance(label, float):
        raise CostreamError(f"a label must be a number or a string, not {label!r}")
    if label != label:
        raise CostreamError(f"{label!r} is not a label", "leave out rows without a label")
    return label


def as_plain(label: Any) -> Any:
    """The Python number of a NumPy one."""
    return label.item() if isinstance(label, np.generic) else label


def equal(y: NDArray[Any], label: Any) -> NDArray[np.bool_]:
    """Which rows have this label."""
    if label is None:
        return np.zeros(len(y), np.bool_)
    try:
        return np.broadcast_to(np.asarray(y == label, np.bool_), y.shape)
    except TypeError:  # a missing value of pandas is neither equal nor not
        return np.array([isinstance(one, type(label)) and one == label for one in y.tolist()])
