"""Our own learners over their grids: no rivals, but what tuning would give."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from costream import Cost, OnlineClassifier, WeightedAccuracy
from costream.datasets.dataset import Dataset
from costream.learners import LEARNERS, make_learner
from costream.model.classifier import core_of

from .base import Order, Played, Rival, Setting, Task, Unit, combined


def auto(data: Dataset, metric: str) -> Played:
    """`auto` as a user would run it."""
    model = core_of(OnlineClassifier("auto", metric))
    begin = time.process_time()
    scores = model.learn_rows(data.rows, data.positive)
    return Played(scores, time.process_time() - begin)


class Ours(Rival):
    """Over a grid from 1e-5 to 1e5: eta or C first, then gamma at the best eta of the first order."""

    name = "ours"
    tuned_in = kept = 1

    def settings(self, task: Task, metric: str) -> list[Setting]:
        names = [name for name in LEARNERS if name != "auto" and not skipped(name, task)]
        return [one for name in names for one in self._grid(name, task, metric)]

    def _grid(self, name: str, task: Task, metric: str) -> list[Setting]:
        params = make_learner(name).get_params()
        rates = [key for key in ("eta", "C", "gamma") if key in params][:1]
        axes: dict[str, Iterable[Any]] = {key: powers(name, task) for key in rates}
        if "margin" in params and metric == "cost":
            negatives = len(task.data) - task.data.positives
            axes["margin"] = (None, negatives / task.data.positives)
        return combined("ours", name, **axes)

    def more(self, task: Task, best: list[Setting]) -> list[Setting]:
        name = best[0].group
        if not {"eta", "gamma"} <= set(make_learner(name).get_params()):
            return []
        gammas = [gamma for gamma in powers(name, task) if gamma != 1.0]
        return combined("ours", name, eta=(best[0]["eta"],), gamma=gammas)

    def play(self, order: Order, unit: Unit) -> list[Played]:
        ((metric, setting),) = unit
        objective = WeightedAccuracy(ratio=order.ratio) if metric == "sum" else Cost()
        model = OnlineClassifier(make_learner(setting.group, **dict(setting.params)), objective)
        begin = time.process_time()
        scores = core_of(model).learn_rows(order.data.rows, order.data.positive)
        return [Played(scores, time.process_time() - begin)]


def powers(name: str, task: Task) -> list[float]:
    """The grid; every second power of ten where a learner is slow."""
    slow = is_full(name) or is_sketch(name)
    coarse = task.quick or (slow and not task.narrow)
    return [10.0**k for k in (range(-4, 5, 2) if coarse else range(-5, 6))]


def is_full(name: str) -> bool:
    return make_learner(name).bytes_needed(10_000) >= 8 * 10_000**2


def is_sketch(name: str) -> bool:
    return "m" in make_learner(name).get_params()


def skipped(name: str, task: Task) -> str:
    """Why a learner is left out, if it is."""
    if (is_full(name) or is_sketch(name)) and task.large:
        return f"slow, and there are {len(task.data):,} rows"
    if is_full(name) and not task.narrow:
        return f"full covariance of {task.data.width - 1:,} features"
    if name.startswith("sacog") and (task.quick or not task.narrow):
        return "slow, and the same as ssacog"
    if is_sketch(name) and not name.startswith("ssacog") and not task.narrow:
        return "dense sketch"
    return ""


def left_out(task: Task) -> list[str]:
    why = {name: skipped(name, task) for name in LEARNERS if name != "auto"}
    reasons = dict.fromkeys(reason for reason in why.values() if reason)
    return [f"{', '.join(n for n in why if why[n] == one)} left out: {one}" for one in reasons]
