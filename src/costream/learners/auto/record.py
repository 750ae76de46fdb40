"""The record of the portfolio."""

from __future__ import annotations

from typing import NamedTuple

from ...kernels.hinge import Hinge
from ...kernels.records import Floats, Integers, Slots


class Portfolio(NamedTuple):
    """Learners side by side, and what each has cost; `rule` says what stands where.

    ``mean`` and ``Sigma`` are those of the full members, ``mu`` and ``variance`` of the lanes of scaled
    and raw rows, ``standardised_mu`` and ``standardised_variance`` of those of standardised rows.
    ``stats`` is what is known of each feature, ``settings`` of each member; ``costs`` are those of
    their mistakes, ``shares`` say who decides, and ``platt`` calibrates the score. ``clock`` holds the
    rows learnt, the leader, since when it leads, the slots in use, and the best member. ``rows``,
    ``slots`` and ``work`` are scratch for one row.
    """

    mean: Floats
    Sigma: Floats
    mu: Floats
    variance: Floats
    standardised_mu: Floats
    standardised_variance: Floats
    stats: Floats
    settings: Floats
    costs: Floats
    shares: Floats
    platt: Floats
    clock: Integers
    rows: Floats
    slots: Slots
    work: Floats
    size: Integers
    hinge: Hinge
    keep: float
    period: float
