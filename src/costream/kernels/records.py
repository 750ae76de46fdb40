"""The records that compiled code works on: rows, the hinge, and one state for each kind of learner.

A state holds its arrays first, then the hinge, then its numbers; the one-row doors rely on that
order. A number that changes while learning is an element of an array. Symbols are the paper's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Chunk(NamedTuple):
    """Checked rows, compressed: entry k of row t is ``value[k] * scale[t]``, at ``index[k]``.

    ``label`` is -1 or +1; ``cost`` is the r_t of the row, 0 for a row that is only scored.
    """

    start: NDArray[np.uint64]
    index: NDArray[np.uint32]  # type: ignore[assignment]
    value: Floats
    scale: Floats
    label: Floats
    cost: Floats


class Hinge(NamedTuple):
    """When a row suffers a loss: label * score below the margin (or at it, if ``closed``)."""

    positive: float
    negative: float
    cost_is_margin: bool
    closed: bool


class FirstOrder(NamedTuple):
    """Identity geometry, fixed rate: Perceptron, PAUM, COG."""

    mu: Floats
    hinge: Hinge
    eta: float

    def weights(self) -> Floats:
        return self.mu


class Romma(NamedTuple):
    """ROMMA; the mean is ``scale[0] * direction``, and ``scale[1]`` is its squared length."""

    direction: Floats
    scale: Floats
    hinge: Hinge

    def weights(self) -> Floats:
        return np.asarray(self.scale[0] * self.direction)


class PassiveAggressive(NamedTuple):
    """PA-I."""

    mu: Floats
    hinge: Hinge
    C: float

    def weights(self) -> Floats:
        return self.mu


class PredictionBased(NamedTuple):
    """CPA_PB."""

    mu: Floats
    hinge: Hinge

    def weights(self) -> Floats:
        return self.mu


class Diagonal(NamedTuple):
    """ACOG with a diagonal Sigma; ``precision`` is 1/Sigma."""

    mu: Floats
    precision: Floats
    hinge: Hinge
    eta: float
    gamma: float
    new_sigma: bool

    def weights(self) -> Floats:
        return self.mu


class Full(NamedTuple):
    """ACOG with a full Sigma; ``Sx`` is room for Sigma x, ``size`` the features in use."""

    mu: Floats
    Sigma: Floats
    Sx: Floats
    size: Integers
    hinge: Hinge
    eta: float
    gamma: float
    new_sigma: bool

    def weights(self) -> Floats:
        return self.mu


class Arow(NamedTuple):
    """AROW, and CAROW where ``by_cost``; full Sigma."""

    mu: Floats
    Sigma: Floats
    Sx: Floats
    size: Integers
    hinge: Hinge
    gamma: float
    by_cost: bool

    def weights(self) -> Floats:
        return self.mu


class ArowDiagonal(NamedTuple):
    """CAROW with a diagonal Sigma."""

    mu: Floats
    precision: Floats
    hinge: Hinge
    gamma: float

    def weights(self) -> Floats:
        return self.mu


class Oja(NamedTuple):
    """SACOG; ``clock`` holds the round t and the rank of V, ``Vx`` is room for V x."""

    mu: Floats
    V: Floats
    Lambda: Floats
    Vx: Floats
    clock: Integers
    size: Integers
    hinge: Hinge
    eta: float
    gamma: float
    k: int

    def weights(self) -> Floats:
        return self.mu


class ArowOja(NamedTuple):
    """CAROW with a sketch; ``clock`` holds the round and the rank of V, ``Vx`` is room for V x."""

    mu: Floats
    V: Floats
    Lambda: Floats
    Vx: Floats
    clock: Integers
    size: Integers
    hinge: Hinge
    gamma: float

    def weights(self) -> Floats:
        return self.mu


class SparseOja(NamedTuple):
    """SSACOG: V = F Z, mu = w + Z'b, K = Z Z'; Z is stored with a row for each feature."""

    w: Floats
    Z: Floats
    F: Floats
    K: Floats
    b: Floats
    Lambda: Floats
    Zx: Floats
    room: Floats
    clock: Integers
    size: Integers
    hinge: Hinge
    eta: float
    gamma: float
    k: int

    def weights(self) -> Floats:
        # No BLAS: the same bits on every machine.
        weights = self.w.copy()
        for i in range(len(self.b)):
            weights += self.Z[:, i] * self.b[i]
        return weights


class Portfolio(NamedTuple):
    """CAROW at many gammas: full members, lanes with a diagonal Sigma, and what each has cost.

    ``square`` and ``seen`` give the size of a feature; ``platt`` calibrates the score. ``clock`` holds
    the rows learnt, the leader, since when it leads, the slots in use, and the best member. What is
    in ``rooms`` is room for one row.
    """

    mean: Floats
    Sigma: Floats
    mu: Floats
    variance: Floats
    square: Floats
    seen: Floats
    mistakes: Floats
    gamma: Floats
    platt: Floats
    clock: Integers
    sized: Floats
    raw: Floats
    Sx: Floats
    scores: Floats
    step: Floats
    weight: Floats
    size: Integers
    hinge: Hinge
    keep: float
    period: float

    @property
    def rooms(self) -> tuple[str, ...]:
        return "sized", "raw", "Sx", "scores", "step", "weight"

    def weights(self) -> Floats:
        """Those of the best member, for its kind of row."""
        best, full = int(self.clock[4]), len(self.mean)
        return self.mean[best] if best < full else np.ascontiguousarray(self.mu[:, best - full])


State = Any  # any of the records above; `kernels.rules` says which rule each one takes
