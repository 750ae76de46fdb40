"""River's logistic regression and its adaptive random forest, both from dicts."""

from __future__ import annotations

import itertools
import time

import numpy as np

from .base import Order, Played, Rival, Setting, Task, Unit, combined, decided, dict_rows

RATES = (0.001, 0.01, 0.1, 1.0)
FOREST_ROWS, QUICK_ROWS = 20_000, 1_000
FOREST_COLUMNS, FOREST_ORDERS, TREES = 1_000, 3, 10
TOGETHER = 100  # rows that a model learns before the next one does


class Logistic(Rival):
    """Behind its StandardScaler, at four rates of SGD."""

    name = "river"
    kept = 2

    def settings(self, task: Task, metric: str) -> list[Setting]:
        return combined("river", lr=RATES[1:3] if task.quick else RATES)

    def played_together(self, wanted: Unit) -> list[Unit]:
        """All in one pass, so that rows are scaled once."""
        return [wanted] if wanted else []

    def play(self, order: Order, unit: Unit) -> list[Played]:
        from river.linear_model import LogisticRegression
        from river.optim import SGD
        from river.preprocessing import StandardScaler

        task, scaler = order.task, StandardScaler()
        rows = order.data.rows if task.narrow else order.rows("L2")
        if task.quick:
            rows = rows.part(0, min(QUICK_ROWS, rows.rows))
        models = [LogisticRegression(SGD(setting["lr"])) for _, setting in unit]
        weights = [order.rho(metric) for metric, _ in unit]
        scores, seconds = np.empty((len(unit), rows.rows)), np.zeros(len(unit))
        labels = order.data.positive.tolist()
        source = dict_rows(rows, task.columns if task.narrow else [])
        for first in range(0, rows.rows, TOGETHER):
            begin = time.process_time()
            some = list(itertools.islice(source, TOGETHER))
            if task.narrow:
                for t, x in enumerate(some):
                    scaler.learn_one(x)
                    some[t] = scaler.transform_one(x)
            seconds += time.process_time() - begin
            for k, (model, rho) in enumerate(zip(models, weights, strict=True)):
                begin = time.process_time()
                for t, x in enumerate(some, first):
                    scores[k, t] = model.predict_proba_one(x)[True] - 0.5
                    model.learn_one(x, labels[t], w=rho if labels[t] else 1.0)
                seconds[k] += time.process_time() - begin
        return [Played(one, float(took)) for one, took in zip(scores, seconds, strict=True)]


class Forest(Rival):
    """Ten trees at their defaults; decisions by the Bayes rule or by majority, out of one pass."""

    name = "forest"

    def orders(self, task: Task) -> int:
        return FOREST_ORDERS

    def missing(self, task: Task) -> str:
        wide = len(task.columns) > FOREST_COLUMNS
        return f"more than {FOREST_COLUMNS:,} columns" if wide else ""

    def settings(self, task: Task, metric: str) -> list[Setting]:
        return combined("forest", decision=("Bayes", "majority"))

    def played_together(self, wanted: Unit) -> list[Unit]:
        return [wanted] if wanted else []

    def play(self, order: Order, unit: Unit) -> list[Played]:
        from river.forest import ARFClassifier

        limit = QUICK_ROWS if order.task.quick else FOREST_ROWS
        rows = order.data.rows.part(0, min(limit, len(order.data)))
        model = ARFClassifier(n_models=TREES, seed=1)
        found, labels = np.full(rows.rows, np.nan), order.data.positive.tolist()
        begin = time.process_time()
        for t, x in enumerate(dict_rows(rows, order.task.columns)):
            votes = model.predict_proba_one(x)
            if votes:
                found[t] = votes.get(True, 0.0)
            model.learn_one(x, labels[t])
        seconds = time.process_time() - begin
        majority = np.nan_to_num(found) - 0.5
        scores = {m: decided(m, found, order.data.positive) for m, _ in unit}
        return [
            Played(scores[metric] if setting["decision"] == "Bayes" else majority, seconds)
            for metric, setting in unit
        ]
