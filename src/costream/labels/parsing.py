"""Labels of files, parsed: ``+1``, ``1`` and ``1.0`` are one label, whatever the format of the file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Label
from ..errors import CostreamError


def canonical(value: Any) -> Label | None:
    """The canonical form of a label; None for a missing one.

    >>> [canonical(label) for label in ("+1", 1.0, "1.5", "TRUE", " fraud ", "", float("nan"))]
    [1, 1, 1.5, True, 'fraud', None, None]
    """
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    if isinstance(value, str):
        text = value.strip().encode(errors="replace").decode()  # JSON may hold halves of characters
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


def parsed(label: Label) -> Label:
    """The canonical form of something that is a label."""
    found = canonical(label)
    if found is None:
        raise CostreamError(f"{label!r} is not a label")
    return found


def missing(label: NDArray[Any]) -> NDArray[np.bool_]:
    if label.dtype == object:
        return np.array([one is None for one in label.tolist()], np.bool_)
    return np.asarray(np.isnan(label))


def as_objects(label: NDArray[Any]) -> NDArray[Any]:
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
