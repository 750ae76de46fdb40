"""The inside of a classifier: the state of its learner, the encoder of its rows, the compiled calls.

Internal. The public methods are those of `OnlineClassifier`; our own modules reach what they need
beyond them through `classifier.core_of`.
"""

from __future__ import annotations

import contextlib
import copy
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .aliases import Bools, Floats, Names, Row
from .encoder import Encoder
from .errors import CostreamError
from .inputs import Batch, Block, as_numbers
from .kernels.elementary import sigmoid
from .kernels.loop import prequential, run_job, score_rows, variance_rows
from .kernels.records import Chunk, State
from .kernels.row_kernels import bind_row_kernel, is_compiled, write_settings
from .labels import Labels
from .learners.auto.standings import Standings
from .learners.base import Learner
from .learners.states import check_memory, resized
from .objective import RowCosts
from .revealing import CostsSeen
from .spelling import missing

SMALLEST_CAPACITY = 16
CACHED_LABELS = 1000
SHORT_WAIT = 0.0002  # seconds
NO_ODDS: Floats = np.empty(0)


class Job:
    """Work of a learner in a second thread; it writes into arrays that nobody reads before its end."""

    def __init__(self, record: State) -> None:
        self.record = record
        self.done = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        run_job(self.record)
        self.done = True

    def finish(self) -> None:
        """Wait for its end; in a process that was forked meanwhile, do it here."""
        self.thread.join()
        if not self.done:
            self._run()

    def wait(self, part: float) -> None:
        """Wait until a part of it is done."""
        if part >= 1.0:
            self.finish()
        progress: Any = self.record
        done, whole = progress.progress, progress.progress[1]
        while done[0] < part * whole and self.thread.is_alive():
            time.sleep(SHORT_WAIT)


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
        self.fades = row_costs.fades
        self.job: Job | None = None
        self.until_event = learner.rows_until_event(self.state)
        self.features = encoder.features
        self._kept = self.features.kept()
        self.labels, self.codes = labels, dict(labels.codes)
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
            }

    def set_labels(self, labels: Labels) -> None:
        """Replace the labels, and empty the table that `learn_one` looks them up in.

        The table also keeps spellings of labels, and labels of the rest, but not for ever.
        """
        if len(self.codes) > CACHED_LABELS or labels is not self.labels:
            self.codes = dict(labels.codes)
        self.labels = labels

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

    def row_cost(
        self, positive: bool, weight: float, fn_cost: float | None, fp_cost: float | None
    ) -> float:
        """The cost of one row that has a weight or costs of its own, once these are checked."""
        given: list[Any] = [weight]
        as_numbers("weight", given, 1)
        self.check_costs(fn_cost, fp_cost)
        row_costs = self.row_costs
        cost = row_costs.cost(positive, weight, fn_cost, fp_cost)
        if not math.isfinite(cost) or row_costs.positives + row_costs.negatives + weight == math.inf:
            raise CostreamError(f"the sums overflow with weight {weight!r}")
        return cost

    def check_costs(self, fn_cost: float | None, fp_cost: float | None) -> None:
        """Raise an error if a cost of one row is no number from 0 up."""
        for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost)):
            if value is not None:
                given: list[Any] = [value]
                as_numbers(name, given, 1)

    def learn_rows(
        self,
        rows: Batch,
        positive: Bools,
        weight: ArrayLike | None = None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        names: Names | None = None,
        log_odds: Floats | None = None,
        stakes_known: bool = True,
    ) -> Floats:
        """Score each row, then learn from it; returns the scores.

        ``positive`` says which rows are positive. ``log_odds``, if given, receives the log-odds that
        each row had before it was learnt. ``stakes_known``: whether a row may be decided at its own
        costs; False where these reveal its label.
        """
        with self.lock:
            if log_odds is not None:
                self.learner.check_probabilities()
            weights = as_numbers("weight", weight, rows.rows)
            self.row_costs.check_sum(weights)
            fn = as_numbers("fn_cost", fn_cost, rows.rows)
            fp = as_numbers("fp_cost", fp_cost, rows.rows)
            rows.check()
            cost = self.row_costs.cost_many(positive, weights, fn, fp)
            if not math.isfinite(cost.max(initial=0.0)):
                row = int(np.argmin(np.isfinite(cost)))
                raise CostreamError(f"row {row}: the sums overflow with its cost")
            flat = stake = cost
            if self.learner.decides_by_stake:
                flat = self.row_costs.cost_many(positive, weights, None, None)
                known = (fn, fp) if stakes_known else (None, None)
                stake = self.row_costs.stake_many(positive, weights, *known, rows.rows)
            counted = rows if weights is None or weights.all() else rows.rows_where(weights > 0)
            try:
                self.encoder.admit(counted, names)
            except CostreamError:
                self.features.forget(self._kept)
                raise
            self.grow()
            x = self.encoder.chunk(rows, names)
            scores = np.empty(rows.rows)
            label = np.where(positive, 1.0, -1.0)
            x = x._replace(label=label, cost=cost, flat=flat, stake=stake)
            self._learn_chunk(x, scores, NO_ODDS if log_odds is None else log_odds)
            self.row_costs.count_many(positive, weights)
            return scores

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

    def learn_block(
        self,
        block: Block,
        labels: Labels,
        *,
        skip_unlabelled: bool = False,
        log_odds: Floats | None = None,
        costs_seen: CostsSeen | None = None,
    ) -> tuple[Floats, Bools]:
        """Score and learn the rows of a block; returns the scores, and which rows are positive.

        ``labels`` are those of the model, or those chosen for it by a file. A row without a label is an
        error, or with ``skip_unlabelled`` scored in its turn and not learnt. ``costs_seen`` are those
        of the blocks before: where they reveal labels, rows are decided without them.
        """
        with self.lock:
            label, where, weight = block.label, block.where, None
            labelled = np.ones(len(label), np.bool_)
            if skip_unlabelled and (absent := missing(label)).any():
                labelled, weight = ~absent, np.where(absent, 0.0, 1.0)
                rows = np.flatnonzero(labelled)
                label, where = label[rows], lambda t: block.where(int(rows[t]))
            positive = np.zeros(len(labelled), np.bool_)
            labels, positive[labelled] = labels.seeing_block(label, where)
            stakes_known = True
            if costs_seen is not None and self.learner.decides_by_stake:
                costs = (
                    None if one is None else one[labelled] for one in (block.fn_cost, block.fp_cost)
                )
                costs_seen.add(positive[labelled], *costs)
                stakes_known = not costs_seen.reveal_label
            scores = self.learn_rows(
                block.rows,
                positive,
                weight,
                fn_cost=block.fn_cost,
                fp_cost=block.fp_cost,
                names=block.names,
                log_odds=log_odds,
                stakes_known=stakes_known,
            )
            self.set_labels(labels)
            return scores, positive

    def warm_up(self) -> None:
        """Compile what learning needs, or load it, so that the first rows need not wait for that."""
        nothing = Batch(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), 0)
        self.learn_rows(nothing, np.empty(0, np.bool_))

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
        score = self.pass_row()
        if score != score:
            self.encoder.check_row(x)
        return score

    def decide_row(self, x: Row, fn_cost: float | None, fp_cost: float | None) -> float:
        """The score of one row at its own costs, which take a learner with probabilities."""
        with self.lock:
            if fn_cost is not None or fp_cost is not None:
                self.learner.check_probabilities()
                self.check_costs(fn_cost, fp_cost)
            by_stake = self.learner.decides_by_stake
            return self.score_row(x, self.row_costs.stake(fn_cost, fp_cost) if by_stake else 1.0)

    def score_rows(
        self,
        rows: Batch,
        names: Names | None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        log_odds: Floats | None = None,
    ) -> Floats:
        """The score of each row, which is flagged where that is 0 or more.

        With costs of its own a row is flagged where that costs less on average; it takes a learner
        with probabilities. ``log_odds``, if given, receives the log-odds that each row is positive.
        """
        with self.lock:
            if log_odds is not None or fn_cost is not None or fp_cost is not None:
                self.learner.check_probabilities()
            fn = as_numbers("fn_cost", fn_cost, rows.rows)
            fp = as_numbers("fp_cost", fp_cost, rows.rows)
            x = self.encoder.chunk(rows, names)
            if self.learner.decides_by_stake:
                x = x._replace(stake=self.row_costs.stake_many(None, None, fn, fp, rows.rows))
            scores = np.empty(rows.rows)
            score_rows(self.state, x, scores, NO_ODDS if log_odds is None else log_odds)
            return scores

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
            variances = np.empty(rows.rows)
            variance_rows(self.state, self.encoder.chunk(rows, names), variances)
            if self.learner.prepares_rows:
                return variances
            return variances + self.encoder.unseen_squares(rows, names)

    def feature_variances(self, columns: NDArray[np.intp]) -> Floats | None:
        """The diagonal of Sigma at some features; None for a learner that keeps no covariance."""
        with self.lock:
            if self.learner.rule.variance is None:
                return None
            slots = columns + self.encoder.fit_intercept
            own = self.learner.variances(self.state)
            if own is not None:
                return np.asarray(own[slots])
            count = len(columns)
            ones = np.ones(count)
            starts = np.arange(count + 1, dtype=np.uint64)
            variances = np.empty(count)
            x = Chunk(starts, slots.astype(np.uint32), *([ones] * 6))
            variance_rows(self.state, x, variances)
            return variances

    def knows(self, rows: Batch, names: Names | None) -> bool:
        """Whether the model has any of the features of some rows."""
        with self.lock:
            return self.encoder.knows(rows, names)
