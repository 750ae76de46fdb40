"""The regret of a learner on a stream, beside the bounds of the theorems."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..datasets.dataset import Dataset
from ..evaluation.bounds import Best, best_fixed, measure
from ..learners import make_learner
from .experiment import Candidate, DatasetInfo, Metric, resolved
from .keys import key_of


@dataclass(frozen=True, eq=False)
class Problem:
    """A learner on a stream; the best fixed vector is the same for all of its learning rates."""

    dataset: DatasetInfo
    metric: Metric
    candidate: Candidate

    def key(self, eta: float) -> str:
        dataset, candidate = self.dataset, self.candidate
        what = [dataset.content, dataset.order, candidate.learner, dict(candidate.params), eta]
        what.append(asdict(self.metric))
        return key_of(["regret", *what], __name__)


def solve(data: Dataset, problem: Problem, etas: list[float]) -> list[dict[str, Any]]:
    """The regret at each learning rate, as plain data."""
    dataset, metric = problem.dataset, problem.metric
    objective = metric.objective(dataset.positives, dataset.negatives)
    cost = np.where(data.positive, objective.rho(dataset.positives, dataset.negatives), 1.0)
    name = problem.candidate.learner
    best: Best = best_fixed(data, make_learner(name).hinge, cost)
    found = []
    for eta in etas:
        params = resolved(
            name, {**problem.candidate.params, "eta": eta}, dataset.positives, dataset.negatives
        )
        regret = measure(data, make_learner(name, **params), objective, metric.costs, best)
        found.append(asdict(regret))
    return found
