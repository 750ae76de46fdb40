"""Several portfolios at different half-lives: their record, and each as a `Portfolio`.

The first one never forgets. Its arrays, and what all share, have the names that they have in a
`Portfolio`; those of the others stand one after the other in ``other_...``. The others learn from the
row that was written for the first one. One of them has trees of its own, ``recent_...``: they grow on
recent rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from ...kernels.hinge import Hinge
from ...kernels.records import Floats, Integers, Slots
from .layout import Portfolio
from .trees import Short, Singles

# The rows of ``paces``: what a row leaves of the costs before it, and the half-life in rows, or 0.
KEEP, HALF_LIFE = 0, 1

# The rows of ``mixture``: the recent loss of each portfolio, its share of the log-odds, by what its own
# are multiplied where it is judged, the curvature of its loss there, how many rows of each class it may
# still learn in full, and what the row at hand counts for.
LOSS, SHARE, SLOPE, CURVATURE, NEGATIVE_CREDIT, POSITIVE_CREDIT, WEIGHT = range(7)
JUDGEMENTS = 7

# The rows of ``turns``: what each portfolio does (it rests, learns without a share, or takes part), the
# row until which that holds, how many rows it rested last, and whether it has rested until now.
PHASE, HOLDS_UNTIL, REST, WAKES = range(4)
RESTS, LEARNS, TAKES_PART = range(3)

# ``trend``: the loss of the mixture lately and for long, the mean of its squares, who has the largest
# share, and the row since which that is so.
FAST, SLOW, SQUARES, LEADING, LED_SINCE = range(5)
TRENDS = 5


# ``sampling``: how many rows the sample of the first portfolio has, and the thresholds of negative and
# positive rows.
KEPT, THRESHOLDS = 0, 1


class Portfolios(NamedTuple):
    """Portfolios at several half-lives, and their mixture; this module defines what stands where.

    ``paces`` are the half-lives; ``mixture``, ``turns`` and ``trend`` say what each portfolio counts
    for and who takes part; ``sample_hash`` is that of each row of the first sample. ``said`` are the
    log-odds of the row by each one, and by the mixture, and ``given`` what they said of rows to be
    learnt when these were scored, NaN where that is not known.
    """

    mean: Floats
    Sigma: Floats
    mu: Floats
    variance: Floats
    standardised_mu: Floats
    standardised_variance: Floats
    splines_mu: Floats
    splines_variance: Floats
    fourier_mean: Floats
    fourier_covariance: Floats
    leaves_mu: Floats
    leaves_variance: Floats
    leaves_value: Floats
    feature: Short
    threshold: Singles
    child: Short
    root: Integers
    next_mu: Floats
    next_variance: Floats
    next_value: Floats
    next_feature: Short
    next_threshold: Singles
    next_child: Short
    next_root: Integers
    sample: Singles
    sample_label: Short
    stats: Floats
    settings: Floats
    plan: Integers
    costs: Floats
    stacker: Floats
    stacker_root: Floats
    spread: Floats
    pauses: Integers
    clock: Integers
    directions: Floats
    keys: Integers
    rows: Floats
    slots: Slots
    spline_slots: Slots
    spline_values: Floats
    fourier: Floats
    single: Singles
    leaf: Short
    work: Floats
    notes: Integers
    other_mean: Floats
    other_Sigma: Floats  # noqa: N815
    other_mu: Floats
    other_variance: Floats
    other_standardised_mu: Floats
    other_standardised_variance: Floats
    other_splines_mu: Floats
    other_splines_variance: Floats
    other_fourier_mean: Floats
    other_fourier_covariance: Floats
    other_costs: Floats
    other_stacker: Floats
    other_stacker_root: Floats
    other_spread: Floats
    other_pauses: Integers
    other_clock: Integers
    other_work: Floats
    recent_leaves_mu: Floats
    recent_leaves_variance: Floats
    recent_leaves_value: Floats
    recent_feature: Short
    recent_threshold: Singles
    recent_child: Short
    recent_root: Integers
    recent_next_mu: Floats
    recent_next_variance: Floats
    recent_next_value: Floats
    recent_next_feature: Short
    recent_next_threshold: Singles
    recent_next_child: Short
    recent_next_root: Integers
    recent_sample: Singles
    recent_sample_label: Short
    recent_leaf: Short
    paces: Floats
    mixture: Floats
    turns: Integers
    trend: Floats
    sample_hash: Floats
    sampling: Floats
    said: Floats
    given: Floats
    hinge: Hinge


def portfolio(model: Portfolios, g: int) -> Portfolio:
    """One of the portfolios; it works on the arrays of all."""
    if g == 0:
        return Portfolio(
            mean=model.mean,
            Sigma=model.Sigma,
            mu=model.mu,
            variance=model.variance,
            standardised_mu=model.standardised_mu,
            standardised_variance=model.standardised_variance,
            splines_mu=model.splines_mu,
            splines_variance=model.splines_variance,
            fourier_mean=model.fourier_mean,
            fourier_covariance=model.fourier_covariance,
            leaves_mu=model.leaves_mu,
            leaves_variance=model.leaves_variance,
            leaves_value=model.leaves_value,
            feature=model.feature,
            threshold=model.threshold,
            child=model.child,
            root=model.root,
            next_mu=model.next_mu,
            next_variance=model.next_variance,
            next_value=model.next_value,
            next_feature=model.next_feature,
            next_threshold=model.next_threshold,
            next_child=model.next_child,
            next_root=model.next_root,
            sample=model.sample,
            sample_label=model.sample_label,
            stats=model.stats,
            settings=model.settings,
            plan=model.plan,
            costs=model.costs,
            stacker=model.stacker,
            stacker_root=model.stacker_root,
            spread=model.spread,
            pauses=model.pauses,
            clock=model.clock,
            directions=model.directions,
            keys=model.keys,
            rows=model.rows,
            slots=model.slots,
            spline_slots=model.spline_slots,
            spline_values=model.spline_values,
            fourier=model.fourier,
            single=model.single,
            leaf=model.leaf,
            work=model.work,
            notes=model.notes,
            hinge=model.hinge,
            keep=model.paces[KEEP, 0],
            period=model.paces[HALF_LIFE, 0],
        )
    k = g - 1
    return Portfolio(
        mean=model.other_mean[k],
        Sigma=model.other_Sigma[k],
        mu=model.other_mu[k],
        variance=model.other_variance[k],
        standardised_mu=model.other_standardised_mu[k],
        standardised_variance=model.other_standardised_variance[k],
        splines_mu=model.other_splines_mu[k],
        splines_variance=model.other_splines_variance[k],
        fourier_mean=model.other_fourier_mean[k],
        fourier_covariance=model.other_fourier_covariance[k],
        leaves_mu=model.recent_leaves_mu,
        leaves_variance=model.recent_leaves_variance,
        leaves_value=model.recent_leaves_value,
        feature=model.recent_feature,
        threshold=model.recent_threshold,
        child=model.recent_child,
        root=model.recent_root,
        next_mu=model.recent_next_mu,
        next_variance=model.recent_next_variance,
        next_value=model.recent_next_value,
        next_feature=model.recent_next_feature,
        next_threshold=model.recent_next_threshold,
        next_child=model.recent_next_child,
        next_root=model.recent_next_root,
        sample=model.recent_sample,
        sample_label=model.recent_sample_label,
        stats=model.stats,
        settings=model.settings,
        plan=model.plan,
        costs=model.other_costs[k],
        stacker=model.other_stacker[k],
        stacker_root=model.other_stacker_root[k],
        spread=model.other_spread[k],
        pauses=model.other_pauses[k],
        clock=model.other_clock[k],
        directions=model.directions,
        keys=model.keys,
        rows=model.rows,
        slots=model.slots,
        spline_slots=model.spline_slots,
        spline_values=model.spline_values,
        fourier=model.fourier,
        single=model.single,
        leaf=model.recent_leaf,
        work=model.other_work[k],
        notes=model.notes,
        hinge=model.hinge,
        keep=model.paces[KEEP, k + 1],
        period=model.paces[HALF_LIFE, k + 1],
    )


def are_several(model: Any) -> TypeGuard[Portfolios]:
    """Whether a record is of several portfolios: another rule may have a record of its own."""
    return "paces" in model._fields


OTHERS = tuple(name[6:] for name in Portfolios._fields if name.startswith("other_"))
OF_TREES = tuple(name[7:] for name in Portfolios._fields if name.startswith("recent_"))


def with_trees(model: Portfolios, g: int, part: Portfolio) -> Portfolios:
    """The same portfolios with the trees and the sample of one of them."""
    prefix = "recent_" if g else ""
    trees: dict[str, Any] = {f"{prefix}{name}": getattr(part, name) for name in OF_TREES}
    return model._replace(**trees)
