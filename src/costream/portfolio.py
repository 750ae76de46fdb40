"""What a portfolio tells about itself: who leads, since when, how far behind the others are, and how
likely a score is positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .kernels import portfolio as kernel
from .kernels.records import Portfolio

Floats = NDArray[np.float64]
LIMIT = 30.0  # of the exponent, as in the kernel
KINDS = (
    ("full, sized", 0, kernel.FULL),
    ("diagonal, sized", kernel.FULL, kernel.FULL + kernel.SIZED),
    ("diagonal, raw", kernel.FULL + kernel.SIZED, kernel.FULL + kernel.RAW),
    ("diagonal, raw, no intercept", kernel.FULL + kernel.RAW, kernel.FULL + kernel.BARE),
)
CONSTANT = ("always positive", "always negative")


@dataclass(frozen=True)
class Standing:
    """A member and what its mistakes have cost so far, in units of the cost of a negative row."""

    name: str
    cost: float
    leads: bool
    active: bool  # False for a member with a full covariance of rows that are too wide for it


@dataclass(frozen=True)
class Standings:
    """All members, the cheapest first; the leader has led since that many rows had been learnt."""

    rows: int
    since: int
    members: list[Standing]

    @property
    def leader(self) -> Standing:
        return next(one for one in self.members if one.leads)


def standings_of(model: Portfolio) -> Standings:
    """Who leads, and how far behind the others are."""
    narrow = model.clock[kernel.SLOTS] <= kernel.WIDEST
    names = [
        f"{kind}, gamma {model.gamma[k]:g}" for kind, begin, end in KINDS for k in range(begin, end)
    ]
    found = [
        Standing(
            name,
            float(model.mistakes[k]),
            leads=bool(k == model.clock[kernel.LEADER]),
            active=bool(narrow or k >= kernel.FULL),
        )
        for k, name in enumerate([*names, *CONSTANT])
    ]
    order = sorted(found, key=lambda one: (not one.leads, not one.active, one.cost))
    return Standings(int(model.clock[kernel.ROWS]), int(model.clock[kernel.SINCE]), order)


def probabilities(model: Portfolio, scores: Floats) -> Floats:
    """How likely each score is that of a positive row (Platt scaling, calibrated on the stream)."""
    z = np.clip(model.platt[0] * scores + model.platt[1], -LIMIT, LIMIT)
    return np.asarray(1.0 / (1.0 + np.exp(-z)))
