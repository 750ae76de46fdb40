"""The sparse verbs: all arithmetic on a row ``t`` of a chunk ``x``.

Plain loops, one accumulator: the sum over a row has one order, whoever asks for it.
"""

from __future__ import annotations

import numpy as np

from .compile import verb
from .records import Chunk, Floats, Hinge


@verb
def dot(vector: Floats, x: Chunk, t: int) -> float:
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        total += vector[x.index[k]] * (x.value[k] * scale)
    return total


@verb
def squared_norm(x: Chunk, t: int) -> float:
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        value = x.value[k] * scale
        total += value * value
    return total


@verb
def squared_norm_over(vector: Floats, x: Chunk, t: int) -> float:
    """x' diag(1/vector) x."""
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        value = x.value[k] * scale
        total += value * value / vector[x.index[k]]
    return total


@verb
def add(vector: Floats, factor: float, x: Chunk, t: int) -> None:
    """vector += factor x."""
    scale = x.scale[t]
    for k in range(x.start[t], x.start[t + 1]):
        vector[x.index[k]] += factor * (x.value[k] * scale)


@verb
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


@verb
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


@verb
def violation(hinge: Hinge, label: float, cost: float, score: float) -> float:
    """How far label * score lies below the margin; a loss is suffered where this is > 0."""
    if hinge.cost_is_margin:
        margin = cost
    elif label > 0.0:
        margin = hinge.positive
    else:
        margin = hinge.negative
    if hinge.closed:
        margin = np.nextafter(margin, np.inf)
    return margin - label * score


@verb
def slope(hinge: Hinge, cost: float) -> float:
    """The cost of the row where it is not the margin."""
    return 1.0 if hinge.cost_is_margin else cost
