"""scikit-learn's SGDClassifier, its update compiled here."""

from __future__ import annotations

import time

import numpy as np

from costream.tables.arrays import Batch

from .base import Order, Played, Rival, Scores, Setting, Task, Unit, combined, compiled

RATES = (0.001, 0.01, 0.1, 1.0, 10.0)  # constant ones
PENALTY = 1e-4  # SGDClassifier's alpha, its default
CHECKED = 50  # scores that are compared with those of SGDClassifier


class Descent(Rival):
    """Hinge and log loss, five constant rates and "optimal"."""

    name = "sgd"

    def settings(self, task: Task, metric: str) -> list[Setting]:
        rates = RATES[1:4] if task.quick else RATES
        kinds = ("L2", "standardised") if task.narrow else ("L2",)
        return combined("sgd", rows=kinds, loss=("hinge", "log_loss"), eta0=(*rates, "optimal"))

    def play(self, order: Order, unit: Unit) -> list[Played]:
        ((metric, setting),) = unit
        rows = order.rows(setting["rows"])
        begin = time.process_time()
        scores = self._scores(order, rows, metric, setting)
        seconds = time.process_time() - begin
        return [Played(scores, seconds + order.seconds[setting["rows"]])]

    def _scores(self, order: Order, rows: Batch, metric: str, setting: Setting) -> Scores:
        rate = setting["eta0"]
        return compiled(descend)(
            rows.start,
            rows.index,
            rows.value,
            order.data.positive,
            np.zeros(order.data.width),
            setting["loss"] == "hinge",
            0.0 if rate == "optimal" else rate,
            order.rho(metric),
            1.0 if order.task.narrow else 0.01,  # how scikit-learn slows the intercept of sparse rows
        )

    def check(self, order: Order) -> None:
        """Stop if the first scores are not those of SGDClassifier."""
        for setting in self.settings(order.task, "sum"):
            rows = order.rows(setting["rows"]).part(0, min(CHECKED, len(order.data)))
            ours = self._scores(order, rows, "sum", setting)
            theirs = original(order, rows, "sum", setting)
            if np.abs(ours - theirs).max() > 1e-6 * max(np.abs(theirs).max(), 1e-3):
                raise RuntimeError(f"{order.task.name}: {setting} is not what SGDClassifier does")


def descend(start, index, value, positive, w, hinge, eta0, rho, decay):
    """SGDClassifier's update, row by row (``_plain_sgd``); eta0 = 0 stands for "optimal"."""
    scores = np.empty(len(start) - 1)
    scale, intercept = 1.0, 0.0
    for t in range(len(scores)):
        p = 0.0
        for k in range(start[t], start[t + 1]):
            p += w[index[k]] * value[k]
        p = scale * p + intercept
        scores[t] = p
        y = 1.0 if positive[t] else -1.0
        eta = eta0 if eta0 > 0.0 else 1.0 / (np.sqrt(np.sqrt(PENALTY)) + PENALTY * t)
        slope = 1.0 if y * p <= 1.0 else 0.0
        if not hinge:
            slope = 1.0 / (1.0 + np.exp(y * p))
        update = eta * slope * y * (rho if positive[t] else 1.0)
        scale *= max(0.0, 1.0 - eta * PENALTY)
        if scale < 1e-9:
            w *= scale
            scale = 1.0
        for k in range(start[t], start[t + 1]):
            w[index[k]] += update / scale * value[k]
        intercept += update * decay
    return scores


def original(order: Order, rows: Batch, metric: str, setting: Setting) -> Scores:
    """What SGDClassifier itself gives, one row at a time."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import SGDClassifier

    arrays = rows.value, rows.index.astype(np.int32), rows.start.astype(np.int32)
    X = csr_matrix(arrays, shape=(rows.rows, order.data.width))
    X = X.toarray() if order.task.narrow else X
    y = np.where(order.data.positive[: rows.rows], 1, -1)
    weight = np.where(y > 0, order.rho(metric), 1.0)
    rate = setting["eta0"]
    how = {} if rate == "optimal" else {"learning_rate": "constant", "eta0": rate}
    model = SGDClassifier(loss=setting["loss"], alpha=PENALTY, **how)
    scores = np.zeros(rows.rows)
    for t in range(rows.rows):
        if t:
            scores[t] = model.decision_function(X[t : t + 1])[0]
        model.partial_fit(X[t : t + 1], y[t : t + 1], [-1, 1], weight[t : t + 1])
    return scores
