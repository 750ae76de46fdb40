"""The inside of a classifier: the state of its learner, the encoder of its rows, the compiled calls.

Internal. The public methods are those of `OnlineClassifier`; our own modules reach what they need
beyond them through `classifier.core_of`.
"""

from __future__ import annotations

import contextlib
import copy
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Bools, Floats, Names, Row
from ..costs.learning import UNKNOWN_STAKE, RowCosts
from ..costs.objective import Objective
from ..costs.rows import (
    NO_COSTS,
    FourCosts,
    GivenCosts,
    four_costs,
    four_costs_of_one,
    known_costs,
    row_name,
)
from ..errors import CostreamError, PlainWarning
from ..kernels.elementary import sigmoid
from ..kernels.loop import prequential, score_rows, variance_rows
from ..kernels.records import Chunk, State
from ..kernels.row_kernels import bind_row_kernel, is_compiled, write_settings
from ..labels.labels import Labels
from ..learners.auto.standings import Standings
from ..learners.base import Learner
from ..learners.states import check_memory, resized
from ..tables.arrays import Batch, as_numbers
from ..tables.leakage import Leakage
from ..tables.leakage import message as leakage_message
from .background import Job
from .calibration import Calibration, margins_of
from .encoder import UNKNOWN, Encoder

SMALLEST_CAPACITY = 16
EXPERIENCED = 100  # rows after which a model should know some feature of a row
CACHED_LABELS = 1000
NO_ODDS: Floats = np.empty(0)


class Core:
    """A model: what it has learnt, and how rows reach it.

    One thread at a time works on it: every method that touches the state holds ``lock``. ``pass_row``
    scores the row in the encoder's buffer and, where that has a label, learns it.
    """

    pass_row: Callable[[], float]

    def __init__(
        self,
        learner: Learner,
        labels: Labels,
        encoder: Encoder,
        row_costs: RowCosts,
        state: State | None = None,
        calibration: Calibration | None = None,
        leakage: Leakage | None = None,
    ) -> None:
        self.learner = learner
        self.encoder = encoder
        self.row_costs = row_costs
        if state is None:
            check_memory(learner, SMALLEST_CAPACITY)
            self.capacity = SMALLEST_CAPACITY
            self.state = learner.state(SMALLEST_CAPACITY)
        else:  # a copy of the arrays: those given may be read-only
            self.capacity = encoder.size
            self.state = resized(learner, state, encoder.size, encoder.size)
        self.lock = threading.RLock()
        self.calibration: Calibration | None = None  # of a learner without probabilities of its own
        if not learner.has_probabilities:
            self.calibration = calibration or Calibration()
        self.fades = row_costs.fades
        self.cost_columns = row_costs.objective.columns
        self.job: Job | None = None
        self.usual: tuple[Any, Floats | None] | None = None  # values of features, as of some row
        self.until_event = learner.rows_until_event(self.state)
        self.features = encoder.features
        self._kept = self.features.kept()
        self.labels, self.codes = labels, dict(labels.codes)
        self.leakage = Leakage() if leakage is None else leakage
        self.grow()

    def parts(self) -> dict[str, Any]:
        """The arguments that make a copy of this model, without spare capacity."""
        with self.lock:
            self._finish_job()
            size = self.encoder.size
            return {
                "learner": copy.copy(self.learner),
                "labels": self.labels,
                "encoder": Encoder(**self.encoder.__getstate__()),
                "row_costs": copy.copy(self.row_costs),
                "state": resized(self.learner, self.state, size, size),
                "calibration": copy.deepcopy(self.calibration),
                "leakage": Leakage(**self.leakage.header()),
            }

    def set_labels(self, labels: Labels) -> None:
        """Replace the labels, and empty the table that `learn_one` looks them up in.

        The table also keeps spellings of labels, and labels of the rest, but not for ever.
        """
        if len(self.codes) > CACHED_LABELS or labels is not self.labels:
            self.codes = dict(labels.codes)
        self.labels = labels

    def watch(self, found: dict[str, str]) -> None:
        """Warn of columns that tell the labels."""
        schema = self.encoder.schema
        for name, how in found.items():
            known = schema is not None and name in schema.by_name
            self.encoder.tell_once(f"{name} leaks", leakage_message(name, how, known))

    def set_objective(self, objective: Objective) -> None:
        """Replace the objective, by one whose costs come from elsewhere."""
        self.row_costs.set_objective(objective)
        self.cost_columns = objective.columns

    # --- capacity -------------------------------------------------------------------------------

    def grow(self) -> None:
        """Make the capacity hold all features, half as many again if memory allows; or forget them."""
        size = self.encoder.size
        if size > self.capacity:
            try:
                capacity = self._affordable(size)
                self.state = resized(self.learner, self.state, capacity, size, shared=True)
            except (CostreamError, MemoryError):
                self.features.forget(self._kept)
                self._bind_row_kernel()
                raise
            self.capacity = capacity
        if hasattr(self.state, "size"):
            self.state.size[0] = size
        self.learner.name_features(self.state, self.features)
        self._kept = self.features.kept()
        self._bind_row_kernel()
        self.features.warn_once()

    def _affordable(self, size: int) -> int:
        """A capacity of at least ``size``."""
        larger = max(size, self.capacity * 3 // 2 + 8)
        with contextlib.suppress(CostreamError):
            check_memory(self.learner, larger)
            return larger
        check_memory(self.learner, size)
        return size

    def _bind_row_kernel(self) -> None:
        """Give the row kernel the arrays of the state and the row buffer, wherever they are now."""
        write_settings(self.encoder.buffer, self.encoder.rules, self.state)
        compiled = is_compiled(self.state)
        self.pass_row = (
            bind_row_kernel(self.state, self.encoder.buffer) if compiled else self._first_row
        )

    def _first_row(self) -> float:
        """Compile the row kernel, and pass the first row to it."""
        score = bind_row_kernel(self.state, self.encoder.buffer)()
        self.pass_row = bind_row_kernel(self.state, self.encoder.buffer)
        return score

    # --- learning -------------------------------------------------------------------------------

    def own_costs(self, given: GivenCosts, learning: bool = False) -> FourCosts | None:
        """The costs of one row, if they are its own."""
        objective = self.row_costs.objective
        if not given.any and not self.cost_columns:
            return None
        if learning:
            self.row_costs.check_by_cost()
        return four_costs_of_one(given, objective)

    def costs_of_rows(
        self, given: GivenCosts, rows: int, where: Callable[[int], str] = row_name
    ) -> FourCosts | None:
        """The costs of rows, if they have their own."""
        return four_costs(given, self.row_costs.objective, rows, where)

    def row_terms(
        self, positive: bool, weight: float, own: FourCosts | None
    ) -> tuple[float, float, float]:
        """The cost of one row that has a weight or costs of its own, the flat one, and the stake."""
        if weight.__class__ is not float or not 0.0 <= weight < math.inf:
            given: list[Any] = [weight]
            as_numbers("weight", given, 1)
        row_costs = self.row_costs
        cost = row_costs.cost(positive, weight, own)
        if not math.isfinite(cost) or row_costs.positives + row_costs.negatives + weight == math.inf:
            raise CostreamError(f"the sums overflow with weight {weight!r}")
        flat = row_costs.cost(positive, weight, None) if self.calibration is None else cost
        return cost, flat, row_costs.stake(own)

    def learn_rows(
        self,
        rows: Batch,
        positive: Bools,
        weight: ArrayLike | None = None,
        *,
        costs: GivenCosts = NO_COSTS,
        names: Names | None = None,
        log_odds: Floats | None = None,
        where: Callable[[int], str] = row_name,
    ) -> Floats:
        """Score each row, then learn from it; returns the scores.

        A row with costs of its own is scored at them: it is flagged where its score is 0 or more.
        ``positive`` says which rows are positive. ``log_odds``, if given, receives the log-odds that
        each row had before it was learnt. ``where`` names a row in errors.
        """
        with self.lock:
            weights = as_numbers("weight", weight, rows.rows)
            self.row_costs.check_sum(weights)
            if costs.any:
                self.row_costs.check_by_cost()
            own = self.costs_of_rows(costs, rows.rows, where)
            rows.check()
            cost = self.row_costs.cost_many(positive, weights, own)
            if not math.isfinite(cost.max(initial=0.0)):
                row = int(np.argmin(np.isfinite(cost)))
                raise CostreamError(f"{where(row)}: the sums overflow with its cost")
            flat = stake = cost
            if self.learner.has_probabilities:
                flat = self.row_costs.cost_many(positive, weights, None)
                stake = self.row_costs.stake_many(positive, weights, own, rows.rows)
            counted = rows if weights is None or weights.all() else rows.rows_where(weights > 0)
            try:
                self.encoder.admit(counted, names)
            except CostreamError:
                self.features.forget(self._kept)
                raise
            self.grow()
            if rows.times:
                rows = self.encoder.coverage.learn(rows, weights)
            if rows.rates:
                rows = self.encoder.rates_of().learn(rows, positive, weights)
            x = self.encoder.chunk(rows, names)
            scores = np.empty(rows.rows)
            label = np.where(positive, 1.0, -1.0)
            x = x._replace(label=label, cost=cost, flat=flat, stake=stake)
            self._learn_chunk(x, scores, self._own_odds(log_odds))
            self.row_costs.count_many(positive, weights)
            if self.calibration is None:
                return scores
            odds = self.calibration.add_many(scores, label, weights)
            return self._calibrated(scores, odds, own, log_odds)

    def _own_odds(self, log_odds: Floats | None) -> Floats:
        """Where a learner is to write its log-odds, if they are wanted and it has its own."""
        return NO_ODDS if log_odds is None or self.calibration is not None else log_odds

    def _calibrated(
        self, scores: Floats, odds: Floats, own: FourCosts | None, log_odds: Floats | None
    ) -> Floats:
        """The scores of a learner without probabilities, at the costs of rows where these have any."""
        if log_odds is not None:
            log_odds[:] = odds
        return scores if own is None else margins_of(scores, odds, self.row_costs.own_stakes(own))

    def _learn_chunk(self, x: Chunk, scores: Floats, odds: Floats) -> None:
        """Score and learn prepared rows, stopping at each event of the learner."""
        rows = len(scores)
        if self.until_event > rows:
            prequential(self.state, x, scores, odds)
            self.until_event -= int(np.count_nonzero(x.flat > 0.0))
            return
        learnt = np.concatenate(([0], np.cumsum(x.flat > 0.0)))
        begin = 0
        while begin < rows:
            event = np.searchsorted(learnt, learnt[begin] + self.until_event)
            end = min(int(event), rows)
            part = slice(begin, end)
            one = Chunk(x.start[begin : end + 1], x.index, x.value, *(one[part] for one in x[3:]))
            prequential(self.state, one, scores[part], odds[part])
            self.count_down(int(learnt[end] - learnt[begin]))
            begin = end

    # --- events ---------------------------------------------------------------------------------

    def count_down(self, rows: int) -> None:
        """Count rows learnt; where an event of the learner is due, let it happen."""
        self.until_event -= rows
        if self.until_event <= 0:
            if self.job is not None:
                due = self.learner.progress_due(self.state)
                self.job.wait(due)
                self.job = None if due >= 1.0 else self.job  # its arrays may be large
            before = self.state
            self.state, job = self.learner.event(self.state)
            if job is not None:
                self.job = Job(job)
            self.until_event = self.learner.rows_until_event(self.state)
            if self.state is not before:
                self._bind_row_kernel()

    def _finish_job(self) -> None:
        """Wait for what runs in the second thread."""
        if self.job is not None:
            self.job.finish()
            self.job = None

    def warm_up(self) -> None:
        """Compile what learning needs, or load it, so that the first rows need not wait for that."""
        nothing = Batch(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), 0)
        costs = GivenCosts(**dict.fromkeys(self.cost_columns, np.empty(0)))
        self.learn_rows(nothing, np.empty(0, np.bool_), costs=costs)

    def read_labels(self, y: ArrayLike, rows: int) -> tuple[Labels, Bools]:
        """The labels once a batch has been seen, and which of its rows are positive."""
        try:
            labels = np.asarray(y)
        except ValueError:
            labels = np.empty(0)
        if labels.shape != (rows,):
            raise CostreamError(f"y must have one label for each of {rows} rows")
        return self.labels.seeing_many(labels)

    def weights(self) -> Floats:
        """The weight of each slot: the intercept, if there is one, then the features."""
        return self.learner.weights(self.state)

    # --- scores, probabilities and variances ----------------------------------------------------

    def score_row(self, x: Row, stake: float) -> float:
        """The score of one row."""
        if self.encoder.fill(x, 0.0, stake=stake):
            self.grow()
        if self.encoder.is_unknown:
            self.say_unknown()
        score = self.pass_row()
        return score if score == score else self.pass_again(x, stake=stake)

    def pass_again(
        self, x: Row, label: float = 0.0, cost: float = 0.0, flat: float = 0.0, stake: float = 1.0
    ) -> float:
        """Pass a row whose score is NaN once more, now that its values are looked at.

        In a dict a value that is NaN is no entry; any other that is not finite is an error.
        """
        if self.encoder.fill(x, label, cost, flat, stake, fast=False):
            self.grow()
        return self.pass_row()

    def decide_row(self, x: Row, given: GivenCosts) -> float:
        """The score of one row at its own costs, or at those of the objective: flagged from 0 up."""
        with self.lock:
            own = self.own_costs(given)
            return self.priced(self.score_row(x, self.row_costs.stake(own)), own)

    def priced(self, score: float, own: FourCosts | None) -> float:
        """The score at the costs of the row, if it has any; that of `auto` is so already."""
        if own is None or self.calibration is None or self.row_costs.is_of_objective(own):
            return score
        stake = self.row_costs.stake(own)
        return score if stake == UNKNOWN_STAKE else self.calibration.margin(score, stake)

    def log_odds_row(self, x: Row) -> float:
        """The log-odds that one row is positive."""
        with self.lock:
            score = self.score_row(x, self.row_costs.stake(None))
            if self.calibration is not None:
                return float(self.calibration.log_odds(np.array([score]))[0])
            return float(self.learner.rule.log_odds(self.state))

    def score_rows(
        self,
        rows: Batch,
        names: Names | None,
        *,
        own: FourCosts | None = None,
        log_odds: Floats | None = None,
    ) -> Floats:
        """The score of each row, at its own costs if it has any; flagged from 0 up.

        ``log_odds``, if given, receives the log-odds that each row is positive.
        """
        with self.lock:
            x = self.encoder.chunk(self.with_rates(rows), names)
            if self.learner.has_probabilities:
                x = x._replace(stake=self.row_costs.stake_many(None, None, own, rows.rows))
            scores = np.empty(rows.rows)
            score_rows(self.state, x, scores, self._own_odds(log_odds))
            if self.calibration is None or (own is None and log_odds is None):
                return scores
            return self._calibrated(scores, self.calibration.log_odds(scores), own, log_odds)

    def with_rates(self, rows: Batch) -> Batch:
        """Rows with their running rates, and with the parts of times that are features, as of now."""
        rows = self.encoder.coverage.write(rows) if rows.times else rows
        return self.encoder.rates_of().write(rows) if rows.rates else rows

    def score_known(self, rows: Batch, names: Names | None, given: GivenCosts) -> Floats:
        """The score of each row, at its own costs as far as they are known."""
        own = known_costs(given, self.row_costs.objective, rows.rows)
        return self.score_rows(rows, names, own=own)

    def decide_rows(self, rows: Batch, names: Names | None, given: GivenCosts) -> Floats:
        """The score of each row at its own costs, or at those of the objective: flagged from 0 up."""
        with self.lock:
            return self.score_rows(rows, names, own=self.costs_of_rows(given, rows.rows))

    def probabilities(self, rows: Batch, names: Names | None) -> Floats:
        """The probability that each row is positive."""
        odds = np.empty(rows.rows)
        self.score_rows(rows, names, log_odds=odds)
        return sigmoid(odds)

    def standings(self) -> Standings:
        """The members of a portfolio."""
        with self.lock:
            return self.learner.standings(self.state)

    def variance_rows(self, rows: Batch, names: Names | None) -> Floats:
        """x' Sigma x of each row."""
        with self.lock:
            if self.learner.rule.variance is None:
                raise CostreamError(
                    f"{self.learner.name} keeps no covariance, so it has no variance",
                    "use a second-order learner, such as carow-diag or acog-ii",
                )
            rows = self.with_rates(rows)
            variances = np.empty(rows.rows)
            variance_rows(self.state, self.encoder.chunk(rows, names), variances)
            if self.learner.prepares_rows:
                return variances
            return variances + self.encoder.unseen_squares(rows, names)

    def say_unknown(self) -> None:
        """Warn, once, that the model knows none of the features of rows to be scored.

        A model that has learnt little yet may well meet such rows.
        """
        self.encoder.is_unknown = False
        if self.row_costs.positives + self.row_costs.negatives >= EXPERIENCED:
            self.encoder.tell_once(UNKNOWN, PlainWarning(UNKNOWN))

    def knows(self, rows: Batch, names: Names | None) -> bool:
        """Whether the model has any of the features of some rows."""
        with self.lock:
            return self.encoder.knows(rows, names)
