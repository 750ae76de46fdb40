"""The online classifier: dict rows, array rows, arrays and sparse matrices over one learner.

Row by row and in batches give the same bits. One thread at a time works on a model: a call that finds
another thread at work waits for it, so scoring while another thread learns is safe.
"""

from __future__ import annotations

import contextlib
import copy
import math
import threading
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encoder import Encoder
from .errors import CostreamError
from .features import Features
from .inputs import Batch, as_batch, as_numbers
from .kernels.doors import is_compiled, open_door, write_settings
from .kernels.loop import foretell, prequential, score_rows, variance_rows
from .kernels.records import Chunk, Portfolio
from .kernels.rules import VARIANCE
from .labels import Labels, as_plain
from .learners import Learner, check_memory, make_learner, resized
from .objective import Objective, RowCosts, as_objective
from .portfolio import Standings, probabilities, standings_of

Floats = NDArray[np.float64]
SMALLEST_CAPACITY = 16


class OnlineClassifier:
    """A cost-sensitive linear classifier that learns from a stream, one row after the other.

    Parameters
    ----------
    learner
        The name of a learner (``costream.LEARNERS``) or a learner with its hyper-parameters.
    objective
        ``"sum"``, ``"cost"``, or a ``Sum`` or ``Cost``: what a row of either class is worth.
    fit_intercept
        Whether every row has one more feature of value 1; ``"auto"`` always has one.
    normalize
        Whether rows are divided by their L2 norm; ``"auto"`` sees to the size of features itself.
    positive, classes
        The positive label, or both labels (negative first). Without them 1 and True are positive.
    max_features
        How many features the model may have; later ones are left out, with one warning.
    hash_slots
        Hash every feature into this many columns, and keep no names.

    Attributes
    ----------
    notes
        Whatever should be saved with the model, as far as JSON can hold it.

    Examples
    --------
    >>> from costream import Cost
    >>> model = OnlineClassifier("acog-ii-diag", objective=Cost(fn_cost=100, fp_cost=1))
    >>> for amount, label in [(900.0, 1), (20.0, 0), (700.0, 1), (35.0, 0)]:
    ...     score = model.learn_one({"large": amount > 100, "amount": amount / 1000}, label)
    >>> model.predict_one({"large": True, "amount": 0.8})
    1
    """

    def __init__(
        self,
        learner: str | Learner = "auto",
        objective: str | Objective = "sum",
        *,
        fit_intercept: bool = False,
        normalize: bool = True,
        positive: Any = None,
        classes: Any = None,
        max_features: int | None = None,
        hash_slots: int | None = None,
    ) -> None:
        self.learner = copy.copy(make_learner(learner))
        self.labels = Labels.of(positive, classes)
        self.notes: dict[str, Any] = {}
        own = self.learner.prepares_rows
        self._encoder = Encoder(
            Features(max_features, hash_slots), bool(normalize) and not own, bool(fit_intercept) or own
        )
        self._row_costs = RowCosts(as_objective(objective), self.learner.cost_sensitive)
        check_memory(self.learner, SMALLEST_CAPACITY)
        self._model = self.learner.state(SMALLEST_CAPACITY)
        self._capacity = SMALLEST_CAPACITY
        self._begin()

    def _begin(self) -> None:
        """Make what is not part of the model: the lock, and what the doors ask for."""
        self._lock = threading.RLock()
        self._codes = self.labels.codes
        self._fades = self._row_costs.fades
        self._features = self._encoder.features
        self._kept = self._features.kept()
        self._grow()

    @property
    def rows(self) -> int:
        """The number of rows learnt, each counted by its weight."""
        return int(self._row_costs.positives + self._row_costs.negatives)

    @property
    def counts(self) -> tuple[float, float]:
        """The positive and the negative rows learnt, each counted by its weight."""
        return self._row_costs.positives, self._row_costs.negatives

    @property
    def rho(self) -> float:
        """What a positive row costs now, in negative ones."""
        return float(self.objective.rho(*self._row_costs.recent))

    @property
    def objective(self) -> Objective:
        return self._row_costs.objective

    @property
    def fit_intercept(self) -> bool:
        return self._encoder.fit_intercept

    @property
    def normalize(self) -> bool:
        return self._encoder.normalize

    @property
    def feature_names(self) -> list[Any]:
        """The name of each feature, in the order of `coef`."""
        return self._features.in_order()

    @property
    def coef_(self) -> Floats:
        """The weight of each feature."""
        with self._lock:
            return np.array(self._model.weights()[self.fit_intercept : self._encoder.size])

    @property
    def intercept_(self) -> float:
        """The weight of the intercept, 0 without one."""
        with self._lock:
            return float(self._model.weights()[0]) if self.fit_intercept else 0.0

    def __repr__(self) -> str:
        return f"OnlineClassifier({self.learner!r}, {self.objective!r}, rows={self.rows})"

    def _grow(self) -> None:
        """Have room for all features, half as many again where memory allows; or take them back."""
        size = self._encoder.size
        if size > self._capacity:
            try:
                capacity = self._affordable(size)
                self._model = resized(self.learner, self._model, capacity, size)
            except (CostreamError, MemoryError):
                self._features.forget(self._kept)
                self._open_door()
                raise
            self._capacity = capacity
        if hasattr(self._model, "size"):
            self._model.size[0] = size
        self._kept = self._features.kept()
        self._open_door()
        self._features.warn_once()

    def _open_door(self) -> None:
        """Tell the door where the model and the sheet are."""
        write_settings(self._encoder.sheet, self._encoder.rules, self._model)
        compiled = is_compiled(self._model)
        self._door = open_door(self._model, self._encoder.sheet) if compiled else self._first_pass

    def _first_pass(self) -> float:
        """Compile the door, and pass the first row through it."""
        score = open_door(self._model, self._encoder.sheet)()
        self._door = open_door(self._model, self._encoder.sheet)
        return score

    def _affordable(self, size: int) -> int:
        """A capacity of at least ``size``."""
        with contextlib.suppress(CostreamError):
            check_memory(self.learner, max(size, self._capacity * 3 // 2 + 8))
            return max(size, self._capacity * 3 // 2 + 8)
        check_memory(self.learner, size)
        return size

    # --- one row --------------------------------------------------------------------------------

    def learn_one(
        self,
        x: Mapping[Any, float] | Any,
        y: Any,
        weight: float = 1.0,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
    ) -> float:
        """Learn from one row, a dict or an array; returns the score made before learning.

        ``fn_cost`` and ``fp_cost`` are what missing or flagging *this* row would cost.
        """
        with self._lock:
            row_costs = self._row_costs
            try:
                label = self._codes[y]
            except (KeyError, TypeError):
                return self._learn_new_label(x, y, weight, fn_cost, fp_cost)
            plain = fn_cost is None and fp_cost is None and not self._fades
            if plain and weight.__class__ is float and weight == 1.0:
                if label > 0.0 and row_costs.cost_sensitive:
                    cost = row_costs.objective.rho(row_costs.positives, row_costs.negatives)
                else:
                    cost = 1.0
            else:
                cost = self._cost(label > 0.0, weight, fn_cost, fp_cost)
                if weight == 0.0:  # no row at all
                    return self.score_one(x)
            if self._encoder.fill(x, label, cost):
                self._grow()
            score = self._door()
            if score != score:
                self._encoder.check_row(x)
            if self._fades:
                row_costs.count(label > 0.0, weight)
            elif label > 0.0:
                row_costs.positives += weight
            else:
                row_costs.negatives += weight
            return score

    def _learn_new_label(
        self, x: Any, y: Any, weight: float, fn_cost: float | None, fp_cost: float | None
    ) -> float:
        """Admit a label, and take it back if the row turns out bad, or has no weight."""
        before = self.labels
        self._know(before.seeing(y))
        learnt = False
        try:
            score = self.learn_one(x, as_plain(y), weight, fn_cost=fn_cost, fp_cost=fp_cost)
            learnt = weight > 0.0
            return score
        finally:
            if not learnt:
                self._know(before)

    def _know(self, labels: Labels) -> None:
        self.labels = labels
        self._codes = labels.codes

    def _cost(
        self, positive: bool, weight: float, fn_cost: float | None, fp_cost: float | None
    ) -> float:
        for name, value in (("weight", weight), ("fn_cost", fn_cost), ("fp_cost", fp_cost)):
            if value is not None or name == "weight":
                as_numbers(name, [value], 1)
        row_costs = self._row_costs
        cost = row_costs.cost(positive, weight, fn_cost, fp_cost)
        if not math.isfinite(cost) or row_costs.positives + row_costs.negatives + weight == math.inf:
            raise CostreamError(f"the sums overflow with a weight of {weight!r}")
        return cost

    def score_one(self, x: Mapping[Any, float] | Any) -> float:
        """The score of one row: positive rows are those with a score of 0 or more."""
        with self._lock:
            if self._encoder.fill(x, 0.0, 0.0):
                self._grow()
            score = self._door()
            if score != score:
                self._encoder.check_row(x)
            return score

    def predict_one(
        self,
        x: Mapping[Any, float] | Any,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
    ) -> Any:
        """The label of one row; None for a negative label that was neither named nor seen.

        With ``fn_cost`` or ``fp_cost``, what missing or flagging *this* row would cost, it is the label
        whose expected cost is lower (`predict_proba_one`).
        """
        if fn_cost is None and fp_cost is None:
            return self.labels.pair[1 if self.score_one(x) >= 0.0 else 0]
        proba = np.array([self.predict_proba_one(x)])
        return self.labels.pair[int(self.worth_flagging(proba, fn_cost, fp_cost)[0])]

    def predict_proba_one(self, x: Mapping[Any, float] | Any) -> float:
        """How proba one row is positive, calibrated on the stream; only ``"auto"`` knows."""
        with self._lock:
            return float(self._probabilities(np.array([self.score_one(x)]))[0])

    def _probabilities(self, scores: Floats) -> Floats:
        self._check_calibrated()
        return probabilities(self._model, scores)

    def _check_calibrated(self) -> None:
        if not isinstance(self._model, Portfolio):
            raise CostreamError(
                f"{self.learner.name} has no probabilities", 'use "auto", or calibrate its scores'
            )

    def worth_flagging(self, proba: Floats, fn_cost: Any, fp_cost: Any) -> NDArray[np.bool_]:
        """Which rows, given how proba they are positive, cost more to miss than to flag on average.

        A cost of None is that of the objective.
        """
        units = self.objective.class_costs
        fn = as_numbers("fn_cost", units[0] if fn_cost is None else fn_cost, len(proba))
        fp = as_numbers("fp_cost", units[1] if fp_cost is None else fp_cost, len(proba))
        assert fn is not None
        assert fp is not None
        return np.asarray(proba * fn >= (1.0 - proba) * fp)

    def standings(self) -> Standings:
        """Who leads a portfolio (``"auto"``), since when, and how far behind the others are."""
        with self._lock:
            if not isinstance(self._model, Portfolio):
                raise CostreamError(f"{self.learner.name} is not a portfolio", 'use "auto"')
            return standings_of(self._model)

    def variance_one(self, x: Mapping[Any, float] | Any) -> float:
        """x' Sigma x of one row: how unsure the model is of its score. Falls as it learns."""
        if isinstance(x, Mapping):
            return float(self.variance_many([list(x.values())], names=list(x))[0])
        return float(self.variance_many(x if hasattr(x, "tocsr") else [x])[0])

    # --- batches --------------------------------------------------------------------------------

    def prequential(
        self,
        X: Any,
        y: Any,
        weight: Any = None,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        names: Iterable[Any] | None = None,
    ) -> Floats:
        """Score each row, then learn from it, in one compiled pass; returns the scores.

        ``weight``, ``fn_cost`` and ``fp_cost`` are numbers or one number a row. ``names`` are the
        names of the columns of X; a data frame has its own, and elsewhere a column is named by its
        number. If any row is bad nothing is learnt.
        """
        with self._lock:
            batch = as_batch(X)
            labels, positive = self._read_labels(y, batch.rows)
            weights = as_numbers("weight", weight, batch.rows)
            if weights is not None and not weights.all():  # a row without weight leaves no trace
                labels = self.labels.seeing_many(np.asarray(y)[weights > 0])[0]
            scores = self.learn_rows(
                batch, positive, weights, fn_cost=fn_cost, fp_cost=fp_cost, names=_names(X, names)
            )
            self._know(labels)
            return scores

    def learn_rows(
        self,
        rows: Batch,
        positive: NDArray[np.bool_],
        weight: Any = None,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        names: list[Any] | None = None,
        odds: Floats | None = None,
    ) -> Floats:
        """`prequential` for rows that are read already, and labels that are known to be positive.

        ``odds``, where it is given, is room for the log-odds that each row had before it was learnt.
        """
        with self._lock:
            if odds is not None:
                self._check_calibrated()
            weights = as_numbers("weight", weight, rows.rows)
            self._row_costs.check_sum(weights)
            fn = as_numbers("fn_cost", fn_cost, rows.rows)
            fp = as_numbers("fp_cost", fp_cost, rows.rows)
            rows.check()
            cost = self._row_costs.cost_many(positive, weights, fn, fp)
            if not math.isfinite(cost.max(initial=0.0)):
                row = int(np.argmin(np.isfinite(cost)))
                raise CostreamError(f"row {row}: the sums overflow with its cost")
            counted = rows if weights is None or weights.all() else rows.rows_where(weights > 0)
            try:
                self._encoder.admit(counted, names)
            except CostreamError:
                self._features.forget(self._kept)
                raise
            self._grow()
            x = self._encoder.chunk(rows, names)
            scores = np.empty(rows.rows)
            x = x._replace(label=np.where(positive, 1.0, -1.0), cost=cost)
            if odds is None:
                prequential(self._model, x, scores)
            else:
                foretell(self._model, x, scores, odds)
            self._row_costs.count_many(positive, weights)
            return scores

    def warm_up(self, calibrated: bool = False) -> None:
        """Load what learning needs, or compile it, so that the first rows need not wait for that.

        ``calibrated``: for `learn_rows` with log-odds.
        """
        nothing = Batch(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), 0)
        self.learn_rows(nothing, np.empty(0, np.bool_), odds=np.empty(0) if calibrated else None)

    def knows(self, rows: Batch, names: list[Any] | None) -> bool:
        """Whether the model has any of the features of some rows."""
        with self._lock:
            return self._encoder.knows(rows, names)

    def learn_many(
        self,
        X: Any,
        y: Any,
        weight: Any = None,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        names: Iterable[Any] | None = None,
    ) -> None:
        """Learn from each row in turn, as `prequential` does."""
        self.prequential(X, y, weight, fn_cost=fn_cost, fp_cost=fp_cost, names=names)

    def score_many(self, X: Any, *, names: Iterable[Any] | None = None) -> Floats:
        """The score of each row."""
        with self._lock:
            batch = as_batch(X)
            x = self._encoder.chunk(batch, _names(X, names))
            scores = np.empty(batch.rows)
            score_rows(self._model, x, scores)
            return scores

    def predict_many(
        self,
        X: Any,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
        names: Iterable[Any] | None = None,
    ) -> NDArray[Any]:
        """The label of each row; with costs of rows the one whose expected cost is lower."""
        pair = self.labels.as_array()
        if fn_cost is None and fp_cost is None:
            return pair[(self.score_many(X, names=names) >= 0.0).astype(np.intp)]
        return pair[self.flagged(X, fn_cost, fp_cost, names=names).astype(np.intp)]

    def flagged(
        self, X: Any, fn_cost: Any, fp_cost: Any, *, names: Iterable[Any] | None = None
    ) -> NDArray[np.bool_]:
        """Which rows to take for positive if missing or flagging each would cost so much."""
        return self.worth_flagging(self.predict_proba_many(X, names=names), fn_cost, fp_cost)

    def predict_proba_many(self, X: Any, *, names: Iterable[Any] | None = None) -> Floats:
        """How proba each row is positive."""
        with self._lock:
            return self._probabilities(self.score_many(X, names=names))

    def variance_many(self, X: Any, *, names: Iterable[Any] | None = None) -> Floats:
        """x' Sigma x of each row: how unsure the model is of its score. Falls as it learns."""
        with self._lock:
            batch = as_batch(X)
            if type(self._model) not in VARIANCE:
                raise CostreamError(
                    f"{self.learner.name} keeps no covariance, so it has no confidence",
                    "use a second-order learner, such as carow-diag or acog-ii",
                )
            variances = np.empty(batch.rows)
            names = _names(X, names)
            variance_rows(self._model, self._encoder.chunk(batch, names), variances)
            if self.learner.prepares_rows:
                return variances
            return variances + self._encoder.unseen_squares(batch, names)

    def feature_variances(self, columns: NDArray[np.intp]) -> Floats | None:
        """The diagonal of Sigma at some features: how unsure the model is of their weights.

        None for a learner that keeps no covariance.
        """
        with self._lock:
            if type(self._model) not in VARIANCE:
                return None
            if isinstance(self._model, Portfolio):
                return np.asarray(self._model.variances()[columns + self.fit_intercept])
            count = len(columns)
            ones = np.ones(count)
            starts = np.arange(count + 1, dtype=np.uint64)
            index = (columns + self.fit_intercept).astype(np.uint32)
            variances = np.empty(count)
            variance_rows(self._model, Chunk(starts, index, ones, ones, ones, ones), variances)
            return variances

    def _read_labels(self, y: Any, rows: int) -> tuple[Labels, NDArray[np.bool_]]:
        try:
            labels = np.asarray(y)
        except ValueError:
            labels = np.empty(0)
        if labels.shape != (rows,):
            raise CostreamError(f"y must have one label for each of {rows} rows")
        return self.labels.seeing_many(labels)

    # --- copies ---------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """The model alone, without the room that has been made for more."""
        with self._lock:
            size = self._encoder.size
            return {
                "learner": self.learner,
                "labels": self.labels,
                "notes": self.notes,
                "_encoder": Encoder(**self._encoder.__getstate__()),
                "_row_costs": copy.copy(self._row_costs),
                "_model": resized(self.learner, self._model, size, size),
            }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        size = self._encoder.size  # arrays of our own: a host may hand us memory to read only
        self._model = resized(self.learner, self._model, size, size)
        self._capacity = self._encoder.size
        self._begin()


def _names(X: Any, names: Iterable[Any] | None) -> list[Any] | None:
    """The names of the columns of X, where they have any."""
    if names is None and hasattr(X, "columns"):
        names = X.columns
    return None if names is None else list(names)
