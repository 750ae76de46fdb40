"""Every learner by its name: hyper-parameters with their ranges, and the state they start from.

A learner is a hinge (when a row counts), a step and a geometry; the rule itself is in `kernels`. The
command line, the adapters and the shared tests find a learner through ``LEARNERS``.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, ClassVar, TypeVar

import numpy as np

from .errors import CostreamError
from .kernels import records
from .kernels.records import Hinge, State
from .losses import LOSS_I, LOSS_II, MISTAKE, uneven_margin
from .portfolio import new_portfolio, portfolio_bytes

LEARNERS: dict[str, type[Learner]] = {}
L = TypeVar("L", bound="type[Learner]")
LONGEST = 10**15  # rows of a half-life


def positive(default: float) -> Any:
    """A hyper-parameter that is a finite number above 0."""
    return field(default=default, metadata={"kind": float, "range": "a finite number above 0"})


def at_least_one(default: int) -> Any:
    """A hyper-parameter that is a whole number from 1 up."""
    return field(default=default, metadata={"kind": int, "range": "a whole number, at least 1"})


def _in_range(value: Any, kind: type) -> bool:
    if isinstance(value, bool | np.bool_) or kind is bool:
        return isinstance(value, bool | np.bool_) and kind is bool
    if kind is int:
        return isinstance(value, int | np.integer) and bool(value >= 1)
    return isinstance(value, int | float | np.number) and bool(0 < value < math.inf)


@dataclass
class Learner:
    """What all learners share. ``state(d)`` is the model of one that has seen nothing."""

    name: ClassVar[str]
    reference: ClassVar[str]
    hinge: ClassVar[Hinge]
    prepares_rows: ClassVar[bool] = False  # True: it wants rows as they came, and an intercept
    has_probabilities: ClassVar[bool] = False  # calibrated on the stream
    has_standings: ClassVar[bool] = False  # of the members of a portfolio
    cost_sensitive: ClassVar[bool] = True  # False: rho is ignored, and a weight scales the step

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise an error that names the first hyper-parameter out of its range."""
        for item in fields(self):
            value = getattr(self, item.name)
            if not _in_range(value, item.metadata["kind"]):
                wanted = item.metadata["range"]
                raise CostreamError(f"{item.name} of {self.name} must be {wanted}, not {value!r}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The hyper-parameters, as scikit-learn asks for them."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def set_params(self, **params: Any) -> Learner:
        """Change hyper-parameters; an unknown name or a bad value changes nothing."""
        known = self.get_params()
        for key in params:
            if key not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                raise CostreamError(f"{self.name} has no hyper-parameter {key!r}", has)
        type(self)(**{**known, **params})
        for key, value in params.items():
            setattr(self, key, value)
        return self

    def bytes_needed(self, d: int) -> int:
        """The memory of a model of ``d`` features."""
        return 16 * d

    def state(self, d: int) -> State:
        """The model of this learner before it has seen a row, with room for ``d`` features."""
        raise TypeError(f"{type(self).__name__} has no state of its own")


def register(cls: L) -> L:
    LEARNERS[cls.name] = cls
    return cls


def make_learner(learner: str | Learner, **params: Any) -> Learner:
    """A learner by name, with hyper-parameters.

    >>> make_learner("acog-ii", eta=100)
    ACOGII(eta=100, gamma=1.0, new_sigma=True)
    """
    if isinstance(learner, Learner):
        return learner.set_params(**params)
    if not isinstance(learner, str) or learner not in LEARNERS:
        close = get_close_matches(str(learner), LEARNERS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(LEARNERS)}"
        raise CostreamError(f"unknown learner {learner!r}", hint)
    return LEARNERS[learner]().set_params(**params)


def resized(learner: Learner, model: State, capacity: int, size: int) -> State:
    """The same model with room for ``capacity`` features, ``size`` of them in use."""
    fresh = learner.state(capacity)
    for name, new, old in zip(fresh._fields, fresh, model, strict=True):
        if name == "size":
            new[0] = size
        elif isinstance(new, np.ndarray) and name not in getattr(fresh, "rooms", ()):
            common = tuple(slice(min(a, b)) for a, b in zip(new.shape, old.shape, strict=True))
            new[common] = old[common]
    return fresh


def memory() -> int:
    """The bytes of memory that this process may use, as far as the system tells."""
    limits = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit:
            limits.append(int(limit.read()))
    except (OSError, ValueError):
        pass
    return min(limits, default=2**63)


def check_memory(learner: Learner, d: int) -> None:
    """Raise an error if a model of ``d`` features takes more than half of the memory."""
    need = learner.bytes_needed(d)
    if need > memory() // 2:
        raise CostreamError(
            f"{learner.name} with {d:,} features needs {need / 2**30:,.1f} GiB, more than half of "
            "the memory",
            "use a diagonal (carow-diag) or sketched (ssacog-ii) learner, max_features or hash_slots",
        )


@register
@dataclass
class Perceptron(Learner):
    name = "perceptron"
    reference = "Rosenblatt 1958"
    hinge = MISTAKE
    cost_sensitive = False

    def state(self, d: int) -> State:
        return records.FirstOrder(np.zeros(d), self.hinge, 1.0)


@register
@dataclass
class ROMMA(Learner):
    name = "romma"
    reference = "Li and Long 2000"
    hinge = MISTAKE
    cost_sensitive = False

    def state(self, d: int) -> State:
        return records.Romma(np.zeros(d), np.array([1.0, 0.0]), self.hinge)


@register
@dataclass
class PAI(Learner):
    name = "pa-i"
    reference = "Crammer et al. 2006"
    hinge = LOSS_II
    cost_sensitive = False
    C: float = positive(1.0)

    def state(self, d: int) -> State:
        return records.PassiveAggressive(np.zeros(d), self.hinge, float(self.C))


@register
@dataclass
class PAUM(Learner):
    """``margin`` is that of the positives; None takes the cost of each row."""

    name = "paum"
    reference = "Li et al. 2002"
    eta: float = positive(1.0)
    margin: float | None = field(
        default=None, metadata={"kind": float, "range": "None or a finite number above 0"}
    )

    def check(self) -> None:
        if self.margin is None:
            type(self)(self.eta, 1.0)
        else:
            super().check()

    @property
    def cost_sensitive(self) -> bool:  # type: ignore[override]
        return self.margin is None

    def state(self, d: int) -> State:
        return records.FirstOrder(np.zeros(d), uneven_margin(self.margin), float(self.eta))


@register
@dataclass
class CPAPB(Learner):
    name = "cpa-pb"
    reference = "Crammer et al. 2006, prediction based"
    hinge = LOSS_II

    def state(self, d: int) -> State:
        return records.PredictionBased(np.zeros(d), self.hinge)


@register
@dataclass
class AROW(Learner):
    name = "arow"
    reference = "Crammer et al. 2009"
    hinge = LOSS_II
    cost_sensitive = False
    gamma: float = positive(1.0)

    def bytes_needed(self, d: int) -> int:
        return 8 * d * (d + 2)

    def state(self, d: int) -> State:
        return records.Arow(
            np.zeros(d),
            np.eye(d),
            np.zeros(d),
            np.array([d]),
            self.hinge,
            float(self.gamma),
            self.cost_sensitive,  # CAROW is AROW with the loss weighted by the cost
        )


@register
@dataclass
class CAROW(AROW):
    name = "carow"
    reference = "AROW with the squared hinge weighted by the cost"
    cost_sensitive = True


@register
@dataclass
class CAROWDiag(Learner):
    name = "carow-diag"
    reference = CAROW.reference
    hinge = LOSS_II
    gamma: float = positive(1.0)

    def state(self, d: int) -> State:
        return records.ArowDiagonal(np.zeros(d), np.ones(d), self.hinge, float(self.gamma))


@register
@dataclass
class CAROWSketch(Learner):
    """A sketch of ``m`` directions."""

    name = "carow-sketch"
    reference = CAROW.reference
    hinge = LOSS_II
    gamma: float = positive(1.0)
    m: int = at_least_one(5)

    def bytes_needed(self, d: int) -> int:
        m = int(self.m)
        return 8 * (d * (m + 1) + 2 * m * m)

    def state(self, d: int) -> State:
        m = int(self.m)
        return records.ArowOja(
            np.zeros(d),
            np.zeros((m, d)),
            np.zeros(m),
            np.zeros(m),
            np.zeros(2, np.int64),
            np.array([d]),
            self.hinge,
            float(self.gamma),
        )


@register
@dataclass
class COGI(Learner):
    name = "cog-i"
    reference = "Wang et al. 2012"
    hinge = LOSS_I
    eta: float = positive(1.0)

    def state(self, d: int) -> State:
        return records.FirstOrder(np.zeros(d), self.hinge, float(self.eta))


@register
@dataclass
class COGII(COGI):
    name = "cog-ii"
    hinge = LOSS_II


@register
@dataclass
class ACOGI(Learner):
    """``new_sigma`` says whether the mean moves by the new Sigma (the paper) or by the old one."""

    name = "acog-i"
    reference = "Zhao et al. 2019, Algorithm 1"
    hinge = LOSS_I
    eta: float = positive(1.0)
    gamma: float = positive(1.0)
    new_sigma: bool = field(default=True, metadata={"kind": bool, "range": "True or False"})

    def bytes_needed(self, d: int) -> int:
        return 8 * d * (d + 2)

    def state(self, d: int) -> State:
        return records.Full(
            np.zeros(d),
            np.eye(d),
            np.zeros(d),
            np.array([d]),
            self.hinge,
            float(self.eta),
            float(self.gamma),
            bool(self.new_sigma),
        )


@register
@dataclass
class ACOGII(ACOGI):
    name = "acog-ii"
    hinge = LOSS_II


@register
@dataclass
class ACOGIDiag(ACOGI):
    name = "acog-i-diag"

    def bytes_needed(self, d: int) -> int:
        return 16 * d

    def state(self, d: int) -> State:
        return records.Diagonal(
            np.zeros(d),
            np.ones(d),
            self.hinge,
            float(self.eta),
            float(self.gamma),
            bool(self.new_sigma),
        )


@register
@dataclass
class ACOGIIDiag(ACOGIDiag):
    name = "acog-ii-diag"
    hinge = LOSS_II


@register
@dataclass
class SACOGI(Learner):
    """A sketch of ``m`` directions, updated every ``k`` rounds."""

    name = "sacog-i"
    reference = "Zhao et al. 2019, Algorithms 2 and 3"
    hinge = LOSS_I
    eta: float = positive(1.0)
    gamma: float = positive(1.0)
    m: int = at_least_one(5)
    k: int = at_least_one(1)

    def bytes_needed(self, d: int) -> int:
        m = int(self.m)
        return 8 * (d * (m + 1) + 2 * m * m)

    def state(self, d: int) -> State:
        m = int(self.m)
        return records.Oja(
            np.zeros(d),
            np.zeros((m, d)),
            np.zeros(m),
            np.zeros(m),
            np.zeros(2, np.int64),
            np.array([d]),
            self.hinge,
            float(self.eta),
            float(self.gamma),
            int(self.k),
        )


@register
@dataclass
class SACOGII(SACOGI):
    name = "sacog-ii"
    hinge = LOSS_II


@register
@dataclass
class SSACOGI(SACOGI):
    name = "ssacog-i"
    reference = "Zhao et al. 2019, Algorithms 4 to 6"

    def state(self, d: int) -> State:
        m = int(self.m)
        return records.SparseOja(
            np.zeros(d),
            np.zeros((d, m)),
            np.zeros((m, m)),
            np.zeros((m, m)),
            np.zeros(m),
            np.zeros(m),
            np.zeros(m),
            np.zeros(m),
            np.zeros(2, np.int64),
            np.array([d]),
            self.hinge,
            float(self.eta),
            float(self.gamma),
            int(self.k),
        )


@register
@dataclass
class SSACOGII(SSACOGI):
    name = "ssacog-ii"
    hinge = LOSS_II


@register
@dataclass
class Auto(Learner):
    """CAROW and ACOG-II at many settings, in several geometries; the cheapest so far decide.

    For streams that change, ``half_life`` is the number of rows after which a mistake counts half, and
    after which members become unsure again and learn anew from where they are. None: never.
    """

    name = "auto"
    reference = "a portfolio of CAROW, ACOG-II and the two constant policies"
    hinge = LOSS_II
    prepares_rows = True
    has_probabilities = True
    has_standings = True
    half_life: int | None = field(
        default=None, metadata={"kind": int, "range": "None or a whole number, at least 1"}
    )

    def check(self) -> None:
        if self.half_life is not None:
            super().check()
            if self.half_life > LONGEST:
                raise CostreamError(f"half_life of auto must be at most {LONGEST:,}", "or None: never")

    def bytes_needed(self, d: int) -> int:
        return portfolio_bytes(d)

    def state(self, d: int) -> State:
        n = self.half_life
        return new_portfolio(d, self.hinge, 1.0 if n is None else 0.5 ** (1.0 / n), float(n or 0))
