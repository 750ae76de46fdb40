"""The paper's complexity claims, measured: the time a row takes against d, s and m.

d is the width, s the nonzeros of a row, m the size of a sketch. Rows are scored and learnt by compiled
code in one thread; only its own time counts, and the best of several passes. The model has its width,
and is filled, before the clock starts. Every row is an update: with a learning rate of 1e-9 no score
comes near the margin. A dense row comes first, or Sigma would have zeros to skip; and gamma is large,
or an implicit sketch would be re-based now and then.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from ..kernels.loop import prequential
from ..kernels.records import Chunk, Floats, State, with_fields
from ..learners import make_learner
from .keys import key_of

ETA, GAMMA = 1e-9, 1e3
ENTRIES = 2**18  # of a stream; a small one would stay in the cache with all that it touches
SIZES = {"d": "features d", "s": "nonzeros a row s", "m": "size of the sketch m"}
FINE = time.get_clock_info("thread_time").resolution < 1e-6
clock = time.thread_time if FINE else time.perf_counter


@dataclass(frozen=True)
class Sweep:
    """A learner measured as one size takes ``values`` and the others are ``fixed``.

    ``points`` are sizes and the seconds that a row takes, once they are known. ``claim`` is the
    paper's, ``ours`` what the code does, and ``expected`` the exponent of that, once the size is large;
    None where no term wins. ``params`` may say that k is "m".
    """

    learner: str
    params: dict[str, Any]
    vary: str
    values: tuple[int, ...]
    fixed: dict[str, int]
    claim: str
    ours: str
    expected: float | None
    seconds: float = 0.01  # of a pass
    points: list[tuple[int, float]] = field(default_factory=list)

    def point_keys(self) -> list[str]:
        """Sixteen hex digits for each point, which stand for all that is measured there."""
        plan = asdict(replace(self, points=[]))
        return [key_of(["complexity", plan, value], __name__) for value in self.values]

    @property
    def name(self) -> str:
        return ", ".join([self.learner, *(f"{key} = {value}" for key, value in self.params.items())])

    @property
    def slope(self) -> float:
        """The exponent seen over the upper half of the sizes, on a log scale."""
        return fitted_slope(self.points)

    def excess(self) -> list[float]:
        """The time over the expected power of the size, at its best 1."""
        power = self.expected or 0.0
        over = [seconds / size**power for size, seconds in self.points]
        return [one / min(over) for one in over]


def fitted_slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of a line through the upper half of some points on log-log axes; NaN if they are few.

    >>> round(fitted_slope([(1, 9.0), (2, 9.0), (4, 16.0), (8, 64.0), (16, 256.0)]), 6)
    2.0
    """
    logs = np.log(np.array(points, np.float64).reshape(-1, 2))
    upper = logs[logs[:, 0] >= (logs[:, 0].min() + logs[:, 0].max()) / 2] if len(logs) else logs
    x, y = (upper - upper.mean(axis=0)).T if len(upper) else upper.T
    return float(x @ y / (x @ x)) if len(points) > 1 and x @ x > 0 else math.nan


# --- the plan ---------------------------------------------------------------------------------------

NARROW, WIDE = {"d": 512, "m": 5}, {"d": 4096, "m": 5}
TYPICAL, SHORT = {"s": 16, "m": 5}, {"d": 1024, "s": 4}
# Learner, k, what varies, its powers of two (first, last, step), what does not, the paper's claim, what
# our code does, and its exponent.
TABLE: tuple[
    tuple[str, Any, str, tuple[int, int, int], dict[str, int], str, str, float | None], ...
] = (
    ("acog-ii", None, "d", (5, 12, 1), TYPICAL, "O(d^2)", "O(d^2 + d s)", 2),
    ("acog-ii-diag", None, "d", (8, 22, 2), TYPICAL, "O(d)", "O(s)", 0),
    ("sacog-ii", 1, "d", (6, 16, 2), TYPICAL, "O(m^2 d)", "O(m^2 d)", 1),
    ("sacog-ii", "m", "d", (6, 16, 2), TYPICAL, "O(m d)", "O(m d)", 1),
    ("ssacog-ii", 1, "d", (8, 20, 2), TYPICAL, "O(m^3 + m s)", "O(m^3 + m s)", 0),
    ("ssacog-ii", "m", "d", (8, 20, 2), TYPICAL, "O(m^2 + m s)", "O(m^2 + m s)", 0),
    ("acog-ii", None, "s", (1, 9, 1), NARROW, "O(d^2)", "O(d^2 + d s)", None),
    ("acog-ii-diag", None, "s", (1, 12, 1), WIDE, "O(d)", "O(s)", 1),
    ("sacog-ii", 1, "s", (1, 9, 1), NARROW, "O(m^2 d)", "O(m^2 d + m s)", 0),
    ("sacog-ii", "m", "s", (1, 9, 1), NARROW, "O(m d)", "O(m d + m s)", None),
    ("ssacog-ii", 1, "s", (1, 12, 1), WIDE, "O(m^3 + m s)", "O(m^3 + m s)", 1),
    ("ssacog-ii", "m", "s", (1, 12, 1), WIDE, "O(m^2 + m s)", "O(m^2 + m s)", 1),
    ("sacog-ii", 1, "m", (0, 6, 1), SHORT, "O(m^2 d)", "O(m^2 d)", 2),
    ("sacog-ii", "m", "m", (0, 6, 1), SHORT, "O(m d)", "O(m d)", 1),
    ("ssacog-ii", 1, "m", (0, 7, 1), SHORT, "O(m^3 + m s)", "O(m^3 + m s)", 3),
    ("ssacog-ii", "m", "m", (0, 7, 1), SHORT, "O(m^2 + m s)", "O(m^2 + m s)", 2),
)


def sweeps(quick: bool = False) -> list[Sweep]:
    """All that the paper claims; a quick plan stops at smaller sizes, where less of it shows."""
    plans = []
    for learner, k, vary, (first, last, step), sizes, claim, ours, expected in TABLE:
        values = tuple(2**power for power in range(first, last - 2 if quick else last + 1, step))
        fixed = {key: size for key, size in sizes.items() if key != "m" or k is not None}
        params = {} if k is None else {"k": k}
        seconds = 0.001 if quick else 0.01
        plans.append(Sweep(learner, params, vary, values, fixed, claim, ours, expected, seconds))
    return plans


# --- the clock --------------------------------------------------------------------------------------


def measure(plan: Sweep, repeat: int = 5) -> Sweep:
    """Time all sizes in turns, so that a busy moment of the machine spoils no size for good."""
    models = [TimedModel(plan, value) for value in plan.values]
    best = [math.inf] * len(models)
    for _ in range(repeat):
        best = [min(time, model.pass_once()) for time, model in zip(best, models, strict=True)]
    return replace(plan, points=list(zip(plan.values, best, strict=True)))


class TimedModel:
    """A model of one size, warm, and the rows that it is timed on."""

    def __init__(self, plan: Sweep, value: int) -> None:
        sizes = {"m": 1, **plan.fixed, plan.vary: value}
        d, s, m = sizes["d"], sizes["s"], sizes["m"]
        self.k = m if plan.params.get("k") == "m" else 1
        sketched = {"m": m} if "k" in plan.params else {}
        self.model: State = make_learner(plan.learner, eta=ETA, gamma=GAMMA, **sketched).state(d)
        self._learn(random_rows(1, d, d))
        self.rows = random_rows(_whole(ENTRIES // s, self.k), d, s)
        self._learn(beginning(self.rows, m))  # the sketch is full after m rows with k = 1
        if sketched:
            self.model = with_fields(self.model, k=self.k)
        self.rows = beginning(self.rows, _whole(plan.seconds / self._time_of_few(), self.k))

    def _learn(self, x: Chunk) -> Floats:
        scores = np.empty(len(x.label))
        prequential(self.model, x, scores, np.empty(0))
        return scores

    def _time_of_few(self) -> float:
        """About the seconds that a row takes."""
        few = beginning(self.rows, 2 * self.k)
        self._learn(few)
        began = clock()
        self._learn(few)
        return max(clock() - began, 1e-7) / len(few.label)

    def pass_once(self) -> float:
        """Seconds a row, after a pass that fetches the model into the caches that hold it."""
        self._learn(self.rows)
        began = clock()
        self._learn(self.rows)
        return (clock() - began) / len(self.rows.label)


def _whole(rows: float, k: int) -> int:
    """As many rows, in full rounds of k: the sketch is updated once in each."""
    return k * max(1, round(rows / k))


def random_rows(n: int, d: int, s: int) -> Chunk:
    """Rows of length 1 with s nonzeros, one in each of s strips of the features; labels by chance."""
    rng = np.random.default_rng([n, d, s])
    edges = np.linspace(0, d, s + 1).astype(np.int64)
    index = edges[:-1] + (rng.random((n, s)) * np.diff(edges)).astype(np.int64)
    value = rng.normal(size=(n, s))
    return Chunk(
        np.arange(0, n * s + 1, s, dtype=np.uint64),
        index.astype(np.uint32).ravel(),
        value.ravel(),
        1.0 / np.sqrt((value * value).sum(axis=1)),
        np.where(rng.random(n) < 0.5, 1.0, -1.0),
        *([np.ones(n)] * 3),
    )


def beginning(x: Chunk, n: int) -> Chunk:
    """The first n rows, or all if they are fewer."""
    return Chunk(x.start[: n + 1], x.index, x.value, *(one[:n] for one in x[3:]))
