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
    """Learners side by side, and what each has cost; `kernels.portfolio` says what stands where.

    ``mean`` and ``Sigma`` are those of the full members, ``mu`` and ``variance`` of the lanes of sized
    and raw rows, ``centred_mu`` and ``centred_variance`` of those of centred rows. ``facts`` is what is
    known of each feature, ``traits`` of each member; ``mistakes`` are the bills, ``shares`` say who
    decides, and ``platt`` calibrates the score. ``clock`` holds the rows learnt, the leader, since when
    it leads, the slots in use, and the best member. What is in ``rooms`` is room for one row.
    """

    mean: Floats
    Sigma: Floats
    mu: Floats
    variance: Floats
    centred_mu: Floats
    centred_variance: Floats
    facts: Floats
    traits: Floats
    mistakes: Floats
    shares: Floats
    platt: Floats
    clock: Integers
    rows: Floats
    slots: NDArray[np.uint32]
    work: Floats
    size: Integers
    hinge: Hinge
    keep: float
    period: float

    @property
    def rooms(self) -> tuple[str, ...]:
        return "rows", "slots", "work"

    def weights(self) -> Floats:
        """Those of the best member, for its kind of row."""
        return self._best([*self.mu.T, *self.centred_mu, *self.mean])

    def variances(self) -> Floats:
        """The diagonal of its Sigma."""
        return self._best([*self.variance.T, *self.centred_variance, *map(np.diagonal, self.Sigma)])

    def _best(self, members: list[Floats]) -> Floats:
        """What the best member has for each slot; 0 beyond the last one that it may have."""
        found = members[self.clock[4]]
        return np.pad(found, (0, len(self.mu) - len(found)))


State = Any  # any of the records above; `kernels.rules` says which rule each one takes
