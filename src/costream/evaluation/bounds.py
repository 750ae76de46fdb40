"""The theorems of the paper, measured: what ACOG loses, beside the most that it may lose.

Theorem 1 says how much more ACOG loses on a stream than any fixed vector; here that vector is the best
one in hindsight. Theorems 2 and 3 make of it a least sum and a largest cost. The bound is the one that
holds for every eta, gamma and rho,

    D^2 Tr(Sigma^-1) / (2 eta) + eta g^2 gamma/2 log|Sigma^-1|

where D is the farthest that the mean was from that vector before any row, Sigma is the last one, and g
the steepest slope of the loss: 1 for loss I, max(1, rho) for loss II. The paper prints the least of it
over eta, with rho for g, which is too little where rho < 1, and asks for the eta that makes it so. That
eta depends on its own run, and need not exist: D is at least half the length of any of the means, which
grow as eta does.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Floats
from ..costs.metrics import METRICS
from ..costs.objective import Objective
from ..costs.objectives import OBJECTIVES
from ..costs.policies import is_better
from ..costs.tally import Costs, Tally
from ..datasets.dataset import Dataset
from ..errors import CostreamError, extra
from ..kernels.hinge import Hinge
from ..kernels.hinge import loss as loss_of
from ..learners import Learner
from ..learners.acog import ACOGI, ACOGIDiag
from ..model.classifier import OnlineClassifier, core_of
from ..tables.arrays import Batch, as_numbers

TOLERANCES = (1e-10, 1e-8, 1e-6)  # the first is the least that the solver takes
SAME = 1e-9  # two ways to one number differ by a smaller part of it


@dataclass(frozen=True)
class Best:
    """The best fixed vector in hindsight, and how far its loss can be from the least at most."""

    mu: Floats  # of every column, 0 where no row uses it
    loss: float
    gap: float


@dataclass(frozen=True)
class Regret:
    """One run beside Theorem 1, and beside Theorem 2 (sum) or Theorem 3 (cost)."""

    rows: int
    learner: str
    objective: str
    eta: float
    gamma: float
    rho: float
    online_loss: float
    best_loss: float
    gap: float  # of the best loss
    regret: float
    diameter: float  # the farthest that the mean was from the best vector before a row
    trace: float  # of Sigma^-1 after the last row
    logdet: float
    bound: float  # of the regret
    printed: float  # the bound at the best eta, were all else as it was: the form of the paper
    metric: float  # the sum or the cost of the run
    metric_bound: float  # the least sum, or the largest cost

    @property
    def holds(self) -> bool:
        """Whether the regret and the metric keep to their bounds."""
        metric = OBJECTIVES[self.objective].metric
        kept = self.metric == self.metric_bound or is_better(metric, self.metric, self.metric_bound)
        return kept and self.regret <= self.bound

    @property
    def asked_eta(self) -> float:
        """The eta that Theorem 1 asks for in hindsight; a run with that eta may ask for another."""
        return self.diameter * self.diameter * self.trace / self.printed if self.printed else math.inf

    @property
    def tightness(self) -> float:
        """How many times the regret the bound is; infinite where there is no regret."""
        return self.bound / self.regret if self.regret > 0.0 else math.inf


class Losses:
    """The loss of each row of a data set, as a vector or a learner has scored it."""

    def __init__(self, data: Dataset, hinge: Hinge, cost: Floats) -> None:
        if not len(data):
            raise CostreamError("there are no rows")
        self.data, self.hinge = (
            data.narrow(),
            hinge,
        )  # unused columns are left out
        self.width, self.used = data.width, np.unique(data.rows.index)
        self.X = _unit_rows(self.data)
        self.cost: Floats = np.asarray(as_numbers("cost", np.asarray(cost), len(data)))
        self.label = np.where(data.positive, 1.0, -1.0)

    @property
    def margin(self) -> Floats:
        """Where the loss of each row begins."""
        if self.hinge.cost_is_margin:
            return self.cost
        return np.where(self.data.positive, self.hinge.positive, self.hinge.negative)

    @property
    def slope(self) -> Floats:
        """How steep the loss of each row is."""
        return np.ones(len(self.cost)) if self.hinge.cost_is_margin else self.cost

    def of(self, scores: Floats) -> Floats:
        """The loss of each row, given its score."""
        rows = zip(self.label.tolist(), self.cost.tolist(), scores.tolist(), strict=True)
        losses = np.array([loss_of(self.hinge, *row) for row in rows])
        if not np.isfinite(scores).all() or len(losses) * float(losses.max()) == math.inf:
            raise CostreamError("the losses overflow", "use a smaller eta, or smaller costs")
        return losses


def scipy_needed() -> AbstractContextManager[None]:
    """An error with a hint where SciPy is missing."""
    return extra("lab", "the bounds of the theorems need SciPy", "scipy")


def _unit_rows(data: Dataset) -> Any:
    """The rows, divided by their norms, as a sparse matrix."""
    with scipy_needed():
        from scipy.sparse import csr_array

    rows = data.rows
    start = rows.start.astype(np.int64)
    value = rows.value * np.repeat(rows.scale, np.diff(start))
    return csr_array((value, rows.index.astype(np.int64), start), (len(data), data.width))


def best_fixed(data: Dataset, loss: Hinge, cost: Floats) -> Best:
    """The vector with the least total loss, where ``cost`` is that of each row.

    A linear program, solved by its dual, which has one equation a feature: maximise sum a_t margin_t
    over 0 <= a_t <= slope_t with sum a_t y_t x_t = 0. The multipliers of the equations are the vector,
    and the value of the dual is what no vector can go below. Features are scaled for the solver, which
    takes small numbers for none.
    """
    losses = Losses(data, loss, cost)
    largest = abs(losses.X).max(axis=0).toarray().ravel()
    scale = 1.0 / np.where(largest > 0.0, largest, 1.0)
    dual, multipliers = _solve(losses, (losses.X * losses.label[:, None]).tocsr() * scale)
    mu = -scale * multipliers
    total = math.fsum(losses.of(losses.X @ mu))
    whole = np.zeros(losses.width)
    whole[losses.used] = mu
    return Best(whole, total, total - lower_bound(losses, mu, dual))


def _solve(losses: Losses, Z: Any) -> tuple[Floats, Floats]:
    """The dual and its multipliers, to the least tolerance at which the solver finds them."""
    with scipy_needed():
        from scipy.optimize import linprog

    bounds: Any = np.column_stack([np.zeros(len(losses.slope)), losses.slope])
    found: Any = None
    for tolerance in TOLERANCES:
        options: Any = {f"{which}_feasibility_tolerance": tolerance for which in ("primal", "dual")}
        found = linprog(
            -losses.margin,
            A_eq=Z.T.tocsr(),
            b_eq=np.zeros(Z.shape[1]),
            bounds=bounds,
            method="highs-ds",
            options=options,
        )
        if found.status == 0:
            return found.x, found.eqlin.marginals
    raise CostreamError(f"the best vector was not found: {found.message}", "costs must be below 1e20")


def lower_bound(losses: Losses, mu: Floats, dual: Floats) -> float:
    """What no vector loses less than, whoever proposes the dual.

    Where the dual breaks its equations, if only by rounding, this is true of vectors that have no
    weight larger than that of ``mu``.
    """
    a = np.clip(dual, 0.0, losses.slope)
    broken = losses.X.T @ (a * losses.label)
    return math.fsum(a * losses.margin) - float(abs(broken) @ abs(mu))


def measure(
    data: Dataset,
    learner: Learner,
    objective: Objective,
    costs: Costs,
    best: Best | None = None,
) -> Regret:
    """Let a learner read a data set, and compare what it loses with the most that it may lose.

    ``best`` is found where it is not given; that of the same rows in another order will do.
    """
    acog = _full_acog(learner)
    rho = _known_rho(data, objective, costs)
    losses = Losses(data, acog.hinge, np.where(data.positive, rho, 1.0))
    model = _unread(losses.data, acog, objective)
    best = best_fixed(data, acog.hinge, losses.cost) if best is None else _checked(best, losses)
    scores, diameter = _read(model, losses.data, best.mu[losses.used])
    suffered = losses.of(scores)
    online = math.fsum(suffered)
    eta, gamma = float(acog.eta), float(acog.gamma)
    trace, logdet = _trace_and_logdet(scatter(losses.X[suffered > 0.0]), gamma)
    steepest = 1.0 if acog.hinge.cost_is_margin else max(1.0, rho)
    first, second = diameter * diameter * trace, steepest * steepest * gamma * logdet
    bound = first / (2.0 * eta) + eta * second / 2.0
    tally = Tally.of(scores, data.positive, costs)
    metric = METRICS[objective.metric].value(tally, costs.alpha_p)
    metric_bound = THEOREMS[objective.metric](tally, costs, best.loss + bound)
    return Regret(
        rows=len(data),
        learner=acog.name,
        objective=objective.name,
        eta=eta,
        gamma=gamma,
        rho=rho,
        online_loss=online,
        best_loss=best.loss,
        gap=best.gap,
        regret=online - best.loss,
        diameter=diameter,
        trace=trace,
        logdet=logdet,
        bound=bound,
        printed=math.sqrt(first) * math.sqrt(second),
        metric=metric,
        metric_bound=metric_bound,
    )


def scatter(X: Any) -> Floats:
    """The sum of x x' over rows. Sigma^-1 is I and, of the rows that had a loss, this over gamma."""
    return np.asarray((X.T @ X).toarray())


def _trace_and_logdet(added: Floats, gamma: float) -> tuple[float, float]:
    """Those of Sigma^-1 = I + ``added``/gamma, exact however large gamma is."""
    eigenvalues = np.linalg.eigvalsh(added).clip(0.0) / gamma
    return len(added) + math.fsum(eigenvalues), math.fsum(np.log1p(eigenvalues))


def _full_acog(learner: Learner) -> ACOGI:
    """The learner, if the theorems are about it."""
    if not isinstance(learner, ACOGI) or isinstance(learner, ACOGIDiag):
        raise CostreamError(
            f"the theorems do not cover {learner.name}",
            "use acog-i or acog-ii, which have a full Sigma",
        )
    if not learner.new_sigma:
        raise CostreamError(
            "the theorems assume that the mean is updated with the new Sigma", "use new_sigma=True"
        )
    return learner


def _known_rho(data: Dataset, objective: Objective, costs: Costs) -> float:
    """The cost of a positive row, if it is the one that Theorem 2 or 3 asks for."""
    if objective.metric not in THEOREMS:
        raise CostreamError(
            f"the theorems do not cover {objective.name}", f"use the objective {' or '.join(THEOREMS)}"
        )
    if objective.needs_counts:
        raise CostreamError(
            "the theorems assume a rho that is known from the start",
            "use WeightedAccuracy.known or Cost",
        )
    if data.costs.any:
        raise CostreamError("the theorems assume one cost for each class, not one for each row")
    counts = data.positives, len(data) - data.positives
    wanted = OBJECTIVES[objective.metric].of(replace(costs, tp_cost=0.0, tn_cost=0.0), counts)
    rho, asked = float(objective.rho(0, 0)), float(wanted.rho(0, 0))
    if not math.isclose(rho, asked, rel_tol=SAME):
        raise CostreamError(
            f"the theorem about the {objective.name} requires rho = {asked:g}, not {rho:g}",
            f"use the objective {wanted}",
        )
    return rho


def _checked(best: Best, losses: Losses) -> Best:
    """A vector that is given, if its loss is that on these rows."""
    if len(best.mu) != losses.width:
        raise CostreamError(f"best has {len(best.mu)} weights for {losses.width} features")
    total = math.fsum(losses.of(losses.X @ best.mu[losses.used]))
    if not math.isclose(total, best.loss, rel_tol=SAME, abs_tol=SAME * len(losses.label)):
        raise CostreamError(
            f"best loses {total:g} on these rows, not {best.loss:g}",
            "compute best with the same rows, loss and rho",
        )
    return best


def _unread(data: Dataset, learner: Learner, objective: Objective) -> OnlineClassifier:
    """A new model that has all features already, numbered as the columns are."""
    model = OnlineClassifier(learner, objective)
    nothing = np.empty(0, np.uint32)
    rows = Batch(np.zeros(1, np.uint64), nothing, np.empty(0), data.width, dense=True)
    core_of(model).learn_rows(rows, np.empty(0, np.bool_))
    return model


def _read(model: OnlineClassifier, data: Dataset, mu: Floats) -> tuple[Floats, float]:
    """The score of each row before it was learnt, and how far from ``mu`` the weights ever were."""
    rows, core = data.rows, core_of(model)
    scores, farthest = np.empty(len(data)), 0.0
    for t in range(len(data)):
        farthest = max(farthest, math.dist(model.coef_, mu))
        begin, end = rows.start[t], rows.start[t + 1]
        start = np.array([0, end - begin], np.uint64)
        row = Batch(start, rows.index[begin:end], rows.value[begin:end], rows.width)
        scores[t] = core.learn_rows(row, data.positive[t : t + 1])[0]
    return scores, farthest


def _bound_of_sum(tally: Tally, costs: Costs, most: float) -> float:
    return 1.0 - (1.0 - costs.alpha_p) / tally.negatives * most


def _bound_of_cost(_tally: Tally, costs: Costs, most: float) -> float:
    return costs.fp_cost * most


# The bound of a metric where a run loses no more than ``most``.
THEOREMS = {"sum": _bound_of_sum, "cost": _bound_of_cost}  # Theorem 2 and Theorem 3
