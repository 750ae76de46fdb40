"""The theorems on streams of the lab: regret beside its bound, for a range of learning rates."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..datasets.dataset import Dataset
from ..evaluate.bounds import Best, Regret, best_fixed, measure
from ..learners import make_learner
from .experiment import Candidate, Experiment, Metric, resolved, values
from .keys import key_of
from .loader import DatasetInfo, Loader
from .store import Store


@dataclass(frozen=True, eq=False)
class Problem:
    """A learner on a stream; the best fixed vector is the same for all of its learning rates."""

    dataset: DatasetInfo
    metric: Metric
    candidate: Candidate

    def key(self, eta: float) -> str:
        dataset = self.dataset
        what = [dataset.content, dataset.order, self.candidate.learner, eta, asdict(self.metric)]
        return key_of(["regret", *what], __name__)


def problems(experiment: Experiment, loader: Loader) -> list[Problem]:
    return [
        Problem(dataset, metric, candidate)
        for dataset in loader.datasets(experiment)
        for candidate in experiment.on(dataset.name)
        for metric in experiment.metrics
    ]


def rates(experiment: Experiment) -> list[float]:
    return values(experiment.axis.get("eta", [1.0]))


def run_regret(
    experiment: Experiment, loader: Loader, store: Store, jobs: int, done: Callable[[], None]
) -> int:
    """Measure what is not in the store yet."""
    etas = rates(experiment)
    wanted = problems(experiment, loader)
    keys = [one.key(eta) for one in wanted for eta in etas]
    new = [one for one in wanted if any(one.key(eta) not in store for eta in etas)]
    if store.held(experiment.name) == keys:
        return 0
    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {
            id(one): pool.submit(_solve, loader.in_order(experiment, one.dataset.name, 0), one, etas)
            for one in new
        }
        with store.writing(experiment.name) as writer:
            for one in wanted:
                records = futures[id(one)].result() if id(one) in futures else []
                for eta, record in zip(etas, records, strict=False):
                    found = {"key": one.key(eta), "dataset": one.dataset.name, **record}
                    writer.append(found)
                done()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    store.put_in_order(experiment.name, keys)
    return len(new) * len(etas)


def _solve(data: Dataset, problem: Problem, etas: list[float]) -> list[dict[str, Any]]:
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


def regrets(experiment: Experiment, loader: Loader, store: Store) -> dict[Problem, list[Regret]]:
    """What was measured, for each problem by learning rate."""
    found = {}
    for problem in problems(experiment, loader):
        records = [store[problem.key(eta)] for eta in rates(experiment)]
        extra = ("key", "dataset")
        found[problem] = [
            Regret(**{key: value for key, value in one.items() if key not in extra}) for one in records
        ]
    return found
