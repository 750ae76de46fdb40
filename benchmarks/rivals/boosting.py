"""LightGBM, fitted again on all rows so far whenever they have grown by half."""

from __future__ import annotations

import time

import numpy as np

from .base import Order, Played, Rival, Setting, Task, Unit, by_setting, combined, decided, dense

FIRST, GROWTH = 50, 1.5  # of first fits after 30, 50 and 100 rows, 50 suited it best on small data
WIDE_ORDERS = 3
SETTINGS: dict[str, dict[str, float]] = {
    "defaults": {},
    "300 trees of 63 leaves": {"num_iterations": 300, "num_leaves": 63, "learning_rate": 0.05},
    "200 trees of 15 leaves, regularised": {
        "num_iterations": 200,
        "num_leaves": 15,
        "learning_rate": 0.05,
        "lambda_l2": 5.0,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "feature_fraction": 0.8,
    },
}
FIXED = {
    "objective": "binary",
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}


class Boosting(Rival):
    """One fit serves both metrics: it is not weighted, its probabilities decide."""

    name = "lightgbm"

    def orders(self, task: Task) -> int:
        return super().orders(task) if task.narrow else WIDE_ORDERS

    def settings(self, task: Task, metric: str) -> list[Setting]:
        return combined("lightgbm", setting=SETTINGS)

    def played_together(self, wanted: Unit) -> list[Unit]:
        return by_setting(wanted)

    def play(self, order: Order, unit: Unit) -> list[Played]:
        begin = time.process_time()
        found = probabilities(order, {**FIXED, **SETTINGS[unit[0][1]["setting"]]})
        seconds = time.process_time() - begin
        return [Played(decided(m, found, order.data.positive), seconds) for m, _ in unit]


def probabilities(order: Order, params: dict[str, float]) -> np.ndarray:
    """Of every row, by the last model before it; NaN before the first one."""
    import lightgbm
    from scipy.sparse import csr_matrix

    rows, y, n = order.data.rows, order.data.positive.astype(float), len(order.data)
    if order.task.narrow:
        X = dense(rows, order.data.width)
    else:
        arrays = rows.value, rows.index.astype(np.int32), rows.start.astype(np.int64)
        X = csr_matrix(arrays, shape=(n, order.data.width))
    found = np.full(n, np.nan)
    both = max(np.argmax(y > 0), np.argmax(y <= 0)) + 1  # rows until both classes have been seen
    seen = max(FIRST, both)
    while seen < n:
        model = lightgbm.train(params, lightgbm.Dataset(X[:seen], y[:seen]))
        until = min(int(np.ceil(GROWTH * seen)), n)
        found[seen:until] = model.predict(X[seen:until], num_threads=1)
        seen = until
    return found
