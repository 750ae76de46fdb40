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
from numpy.typing import ArrayLike, NDArray

from .aliases import Bools, Floats, Names
from .encoder import Encoder
from .errors import CostreamError
from .inputs import Batch, Block, as_numbers
from .kernels.loop import prequential, prequential_with_log_odds, score_rows, variance_rows
from .kernels.records import Chunk, State
from .kernels.row_kernels import bind_row_kernel, is_compiled, write_settings
from .labels import Labels
from .learners.auto.standings import Standings
from .learners.base import Learner
from .learners.states import check_memory, resized
from .objective import RowCosts
from .spelling import missing

SMALLEST_CAPACITY = 16
CACHED_LABELS = 1000


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
        self.features = encoder.features
        self._kept = self.features.kept()
        self.labels, self.codes = labels, dict(labels.codes)
        self.grow()

    def parts(self) -> dict[str, Any]:
        """The arguments that make a copy of this model, without spare capacity."""
        with self.lock:
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
                self.state = resized(self.learner, self.state, capacity, size)
            except (CostreamError, MemoryError):
                self.features.forget(self._kept)
                self._bind_row_kernel()
                raise
            self.capacity = capacity
        if hasattr(self.state, "size"):
            self.state.size[0] = size
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
        for name, value in (("weight", weight), ("fn_cost", fn_cost), ("fp_cost", fp_cost)):
            if value is not None or name == "weight":
                given: list[Any] = [value]
                as_numbers(name, given, 1)
        row_costs = self.row_costs
        cost = row_costs.cost(positive, weight, fn_cost, fp_cost)
        if not math.isfinite(cost) or row_costs.positives + row_costs.negatives + weight == math.inf:
            raise CostreamError(f"the sums overflow with weight {weight!r}")
        return cost

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
    ) -> Floats:
        """Score each row, then learn from it; returns the scores.

        ``positive`` says which rows are positive. ``log_odds``, if given, receives the log-odds that
        each row had before it was learnt.
        """
        with self.lock:
            if log_odds is not None and not self.learner.has_probabilities:
                self.learner.probabilities(self.state, log_odds)  # which complains
            weights = as_numbers("weight", weight, rows.rows)
            self.row_costs.check_sum(weights)
            fn = as_numbers("fn_cost", fn_cost, rows.rows)
            fp = as_numbers("fp_cost", fp_cost, rows.rows)
            rows.check()
            cost = self.row_costs.cost_many(positive, weights, fn, fp)
            if not math.isfinite(cost.max(initial=0.0)):
                row = int(np.argmin(np.isfinite(cost)))
                raise CostreamError(f"row {row}: the sums overflow with its cost")
            counted = rows if weights is None or weights.all() else rows.rows_where(weights > 0)
            try:
                self.encoder.admit(counted, names)
            except CostreamError:
                self.features.forget(self._kept)
                raise
            self.grow()
            x = self.encoder.chunk(rows, names)
            scores = np.empty(rows.rows)
            x = x._replace(label=np.where(positive, 1.0, -1.0), cost=cost)
            if log_odds is None:
                prequential(self.state, x, scores)
            else:
                prequential_with_log_odds(self.state, x, scores, log_odds)
            self.row_costs.count_many(positive, weights)
            return scores

    def learn_block(
        self,
        block: Block,
        labels: Labels,
        *,
        skip_unlabelled: bool = False,
        log_odds: Floats | None = None,
    ) -> tuple[Floats, Bools]:
        """Score and learn the rows of a block; returns the scores, and which rows are positive.

        ``labels`` are those of the model, or those chosen for it by a file. A row without a label is an
        error, or with ``skip_unlabelled`` scored in its turn and not learnt.
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
            scores = self.learn_rows(
                block.rows,
                positive,
                weight,
                fn_cost=block.fn_cost,
                fp_cost=block.fp_cost,
                names=block.names,
                log_odds=log_odds,
            )
            self.set_labels(labels)
            return scores, positive

    def warm_up(self, calibrated: bool = False) -> None:
        """Compile what learning needs, or load it, so that the first rows need not wait for that.

        ``calibrated``: for `learn_rows` with log-odds.
        """
        nothing = Batch(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), 0)
        self.learn_rows(nothing, np.empty(0, np.bool_), log_odds=np.empty(0) if calibrated else None)

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

    def score_rows(self, rows: Batch, names: Names | None) -> Floats:
        """The score of each row."""
        with self.lock:
            x = self.encoder.chunk(rows, names)
            scores = np.empty(rows.rows)
            score_rows(self.state, x, scores)
            return scores

    def probabilities(self, scores: Floats) -> Floats:
        """The probability that rows with these scores are positive."""
        with self.lock:
            return self.learner.probabilities(self.state, scores)

    def worth_flagging(
        self, proba: Floats, fn_cost: ArrayLike | None, fp_cost: ArrayLike | None
    ) -> Bools:
        """Which rows, by their probability, cost more to miss than to flag on average.

        A cost of None is that of the objective.
        """
        default_fn, default_fp = self.row_costs.objective.class_costs
        fn = as_numbers("fn_cost", default_fn if fn_cost is None else fn_cost, len(proba))
        fp = as_numbers("fp_cost", default_fp if fp_cost is None else fp_cost, len(proba))
        assert fn is not None
        assert fp is not None
        return np.asarray(proba * fn >= (1.0 - proba) * fp)

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
            x = Chunk(starts, slots.astype(np.uint32), ones, ones, ones, ones)
            variance_rows(self.state, x, variances)
            return variances

    def knows(self, rows: Batch, names: Names | None) -> bool:
        """Whether the model has any of the features of some rows."""
        with self.lock:
            return self.encoder.knows(rows, names)
