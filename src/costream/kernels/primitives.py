"""The primitives that rules are made of: all arithmetic on a row ``t`` of a chunk ``x``.

Plain loops, one accumulator: the sum over a row has one order, whoever asks for it. These are plain
Python functions; the kernels compile them into whatever calls them.
"""

from __future__ import annotations

import numpy as np

from .records import Chunk, Floats

SMALLEST_SQUARE = 1e-280  # outside these a sum of squares is taken again, scaled
LARGEST_SQUARE = 1e280
SMALLEST_NORM = 1e-300  # a row below this is as good as zero, and stays as it is


def dot(vector: Floats, x: Chunk, t: int) -> float:
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        total += vector[x.index[k]] * (x.value[k] * scale)
    return total


def squared_norm(x: Chunk, t: int) -> float:
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        value = x.value[k] * scale
        total += value * value
    return total


def squared_norm_over(vector: Floats, x: Chunk, t: int) -> float:
    """x' diag(1/vector) x."""
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        value = x.value[k] * scale
        total += value * value / vector[x.index[k]]
    return total


def add(vector: Floats, factor: float, x: Chunk, t: int) -> None:
    """vector += factor x."""
    scale = x.scale[t]
    for k in range(x.start[t], x.start[t + 1]):
        vector[x.index[k]] += factor * (x.value[k] * scale)


def product(matrix: Floats, size: int, x: Chunk, t: int, out: Floats) -> float:
    """out = matrix x for a symmetric matrix; returns x' matrix x."""
    scale = x.scale[t]
    for i in range(size):
        out[i] = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        value = x.value[k] * scale
        for i in range(size):
            out[i] += matrix[j, i] * value
    return dot(out, x, t)


def quadratic_form(matrix: Floats, x: Chunk, t: int) -> float:
    """x' matrix x."""
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        for l in range(x.start[t], x.start[t + 1]):
            value = (x.value[k] * scale) * (x.value[l] * scale)
            total += value * matrix[x.index[k], x.index[l]]
    return total


def subtract_outer(matrix: Floats, size: int, vector: Floats, scale: float) -> None:
    """matrix -= scale vector vector', exactly symmetric; the vector is used up."""
    root = np.sqrt(scale)
    for i in range(size):
        vector[i] *= root
    for i in range(size):
        left = vector[i]
        if left != 0.0:
            for j in range(size):
                matrix[i, j] -= left * vector[j]


def row_scale(value: Floats, begin: int, end: int) -> float:
    """One over the L2 norm of a row; 1 for a zero row, NaN for one that is not finite."""
    total = 0.0
    for k in range(begin, end):
        total += value[k] * value[k]
    if SMALLEST_SQUARE < total < LARGEST_SQUARE:
        return 1.0 / np.sqrt(total)  # type: ignore[no-any-return]
    largest = 0.0
    for k in range(begin, end):
        if not np.isfinite(value[k]):
            return np.nan
        largest = max(largest, abs(value[k]))
    if largest < SMALLEST_NORM:
        return 1.0
    total = 0.0
    for k in range(begin, end):
        ratio = value[k] / largest
        total += ratio * ratio
    return 1.0 / largest / np.sqrt(total)  # type: ignore[no-any-return]
