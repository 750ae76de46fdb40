"""The online classifier: dict rows, array rows, arrays and sparse matrices over one learner.

Row by row and in batches give the same bits. One thread at a time works on a model: a call that finds
another thread at work waits for it, so scoring while another thread learns is safe.
"""

from __future__ import annotations

import copy
import math
import struct
import threading
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import CostreamError
from .features import UNSEEN, Features, merge_repeated
from .inputs import Batch, as_batch, as_numbers, first_bad_row
from .kernels.doors import DOORS, arrays_of, room_for_row, settings_of
from .kernels.loop import prequential, score_rows, variance_rows
from .kernels.records import Chunk, State
from .kernels.rows import RowRules, prepare, row_scales
from .kernels.rules import VARIANCE
from .labels import Labels
from .learners import Learner, check_memory, make_learner, resized
from .objective import Objective, Pricing, as_objective

Floats = NDArray[np.float64]
SMALLEST_CAPACITY = 16
NOT_FINITE = "leave the value out, or put a number in its place"


class OnlineClassifier:
    """A cost-sensitive linear classifier that learns from a stream, one row after the other.

    Parameters
    ----------
    learner
        The name of a learner (``costream.LEARNERS``) or a learner with its hyper-parameters.
    objective
        ``"sum"``, ``"cost"``, or a ``Sum`` or ``Cost``: what a row of either class is worth.
    intercept
        Whether every row has one more feature of value 1.
    normalize
        Whether rows are divided by their L2 norm.
    positive, classes
        The positive label, or both labels (negative first). Without them 1 and True are positive.
    max_features
        How many features the model may have; later ones are left out, with one warning.
    hash_slots
        Hash every feature into this many columns, and keep no names.

    Examples
    --------
    >>> model = OnlineClassifier("acog-ii-diag", objective=Cost(fn_cost=100, fp_cost=1))
    >>> for amount, label in [(900.0, 1), (20.0, 0), (700.0, 1), (35.0, 0)]:
    ...     score = model.learn_one({"large": amount > 100, "amount": amount / 1000}, label)
    >>> model.predict_one({"large": True, "amount": 0.8})
    1
    """

    def __init__(
        self,
        learner: str | Learner = "carow-diag",
        objective: str | Objective = "sum",
        *,
        intercept: bool = False,
        normalize: bool = True,
        positive: Any = None,
        classes: Any = None,
        max_features: int | None = None,
        hash_slots: int | None = None,
    ) -> None:
        self.learner = copy.copy(make_learner(learner))
        self.intercept = bool(intercept)
        self.normalize = bool(normalize)
        self.labels = Labels.of(positive, classes)
        self.rows = 0
        self._features = Features(max_features, hash_slots)
        self._pricing = Pricing(as_objective(objective), self.learner.prices_classes)
        self._begin()

    def _begin(self) -> None:
        """Make what is not part of the model: the lock, the door and its room."""
        self._lock = threading.RLock()
        self._codes = self.labels.codes
        self._door = DOORS[type(self.learner.state(1))]
        self._lengthen(32)
        if not hasattr(self, "_model"):
            self._fit_model(self.learner.state(SMALLEST_CAPACITY), SMALLEST_CAPACITY)

    @property
    def objective(self) -> Objective:
        return self._pricing.objective

    @property
    def size(self) -> int:
        """The number of slots in use: features, and the intercept."""
        return self._features.count + self.intercept

    @property
    def feature_names(self) -> list[Any]:
        """The name of each feature, in the order of `coef`."""
        return self._features.in_order()

    @property
    def coef(self) -> Floats:
        """The weight of each feature."""
        with self._lock:
            return np.array(self._model.weights()[self.intercept : self.size])

    @property
    def intercept_(self) -> float:
        """The weight of the intercept, 0 without one."""
        with self._lock:
            return float(self._model.weights()[0]) if self.intercept else 0.0

    def __repr__(self) -> str:
        return f"OnlineClassifier({self.learner!r}, {self.objective!r}, rows={self.rows})"

    # --- room for the model ---------------------------------------------------------------------

    def _fit_model(self, model: State, capacity: int) -> None:
        self._model = model
        self._capacity = capacity
        self._resize()

    def _resize(self) -> None:
        """Tell the state and the door how many slots are in use."""
        if hasattr(self._model, "size"):
            self._model.size[0] = self.size
        self._settings = settings_of(
            RowRules(self.normalize, self.intercept, self.size), self._model
        )
        self._arrays = arrays_of(self._model)

    def _grow(self) -> None:
        """Make room for all features, half as many again where memory allows it."""
        if self.size > self._capacity:
            capacity = max(self.size, self._capacity * 3 // 2)
            try:
                check_memory(self.learner, capacity)
            except CostreamError:
                capacity = self.size
                check_memory(self.learner, capacity)
            self._fit_model(resized(self.learner, self._model, capacity, self.size), capacity)
        else:
            self._resize()
        if self._features.dropped:
            self._features.dropped = False
            if not getattr(self, "_warned", False):
                self._warned = True
                limit = self._features.max_features
                warnings.warn(
                    f"the model has its {limit} features; further ones are left out", stacklevel=4
                )

    def _lengthen(self, length: int) -> None:
        """Make room for rows of up to ``length`` entries."""
        self._room = room_for_row(length)
        self._index_bytes = memoryview(self._room.index).cast("B")
        self._value_bytes = memoryview(self._room.value).cast("B")
        self._pack_index = [struct.Struct(f"={n}I").pack_into for n in range(length + 1)]
        self._pack_value = [struct.Struct(f"={n}d").pack_into for n in range(length + 1)]

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
            pricing = self._pricing
            try:
                label = self._codes[y]
            except (KeyError, TypeError):
                return self._learn_new_label(x, y, weight, fn_cost, fp_cost)
            if weight == 1.0 and fn_cost is None and fp_cost is None:
                if label > 0.0 and pricing.prices_classes:
                    cost = pricing.objective.rho(pricing.positives, pricing.negatives)
                else:
                    cost = 1.0
            else:
                cost = self._price(label > 0.0, weight, fn_cost, fp_cost)
                if weight == 0.0:
                    return self.score_one(x)
            n = self._fill(x, True)
            room = self._room
            score = self._door(
                room.start,
                room.index,
                room.value,
                room.target,
                n,
                label,
                cost,
                self._settings,
                *self._arrays,
            )
            if score != score:
                self._check_row(x)
            if label > 0.0:
                pricing.positives += weight
            else:
                pricing.negatives += weight
            self.rows += 1
            return score

    def _learn_new_label(
        self, x: Any, y: Any, weight: float, fn_cost: float | None, fp_cost: float | None
    ) -> float:
        """Admit a label, and take it back if the row turns out bad."""
        before = self.labels
        self.labels = before.seeing(y)
        self._codes = self.labels.codes
        y = y.item() if isinstance(y, np.generic) else y
        try:
            return self.learn_one(x, y, weight, fn_cost=fn_cost, fp_cost=fp_cost)
        except Exception:
            self.labels = before
            self._codes = before.codes
            raise

    def _price(
        self, positive: bool, weight: float, fn_cost: float | None, fp_cost: float | None
    ) -> float:
        for name, value in (("weight", weight), ("fn_cost", fn_cost), ("fp_cost", fp_cost)):
            if value is not None and not 0.0 <= value < math.inf:
                raise CostreamError(f"{name} must be finite and not negative, not {value!r}")
        return self._pricing.price(positive, weight, fn_cost, fp_cost)

    def score_one(self, x: Mapping[Any, float] | Any) -> float:
        """The score of one row: positive rows are those with a score of 0 or more."""
        with self._lock:
            n = self._fill(x, False)
            room = self._room
            score = self._door(
                room.start,
                room.index,
                room.value,
                room.target,
                n,
                0.0,
                0.0,
                self._settings,
                *self._arrays,
            )
            if score != score:
                self._check_row(x)
            return score

    def predict_one(self, x: Mapping[Any, float] | Any) -> Any:
        """The label of one row; None for a negative label that was neither named nor seen."""
        return self.labels.pair[self.score_one(x) >= 0.0]

    def confidence_one(self, x: Mapping[Any, float] | Any) -> float:
        """x' Sigma x of one row: how unsure the model is of its score. Falls as it learns."""
        with self._lock:
            n = self._fill(x, False)
            self._check_row(x)
            room = self._room
            start = np.array([0, n], np.uint64)
            return float(self._confidence(Batch(start, room.index[:n], room.value[:n], 0))[0])

    def _fill(self, x: Any, learn: bool) -> int:
        """Write a row into the room; returns its length. ``learn`` admits unseen features."""
        names = self._features.names
        if names is not None and isinstance(x, dict):
            n = len(x)
            if n >= len(self._pack_index):
                self._lengthen(2 * n)
            try:
                self._pack_index[n](self._index_bytes, 0, *map(names.__getitem__, x))
                self._pack_value[n](self._value_bytes, 0, *x.values())
                return n
            except (KeyError, TypeError, struct.error):
                pass
        if isinstance(x, Mapping):
            return self._fill_slowly(self._numbers(x), learn)
        return self._fill_slowly(self._dense_row(x), learn)

    def _numbers(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        numbers = {}
        for name, value in x.items():
            try:
                numbers[name] = float(value)
            except (TypeError, ValueError):
                raise CostreamError(
                    f"feature {name!r} is not a number: {value!r}",
                    f"write a category as a feature of its own, {{'{name}={value}': 1}}",
                ) from None
        return numbers

    def _dense_row(self, x: Any) -> dict[Any, float]:
        batch = as_batch(x if hasattr(x, "tocsr") else np.asarray(x)[None])
        if batch.rows != 1:
            raise CostreamError(f"one row is wanted, not {batch.rows}", "use learn_many")
        return dict(zip(batch.index.tolist(), batch.value.tolist(), strict=True))

    def _fill_slowly(self, x: dict[Any, float], learn: bool) -> int:
        """Rows that bring features, arrays, and rows to be hashed."""
        for name, value in x.items():
            if not math.isfinite(value):
                raise CostreamError(f"feature {name!r} is not finite: {value!r}", NOT_FINITE)
        features = self._features
        kept = features.keep()
        if features.hash_slots is not None:
            slots: dict[int, float] = {}
            for name, value in x.items():
                column = features.hashed(name)
                slots[column] = slots.get(column, 0.0) + value
            columns, values = list(slots), list(slots.values())
        else:
            columns = [features.column(name, learn) for name in x]
            values = list(x.values())
            if UNSEEN in columns and learn:  # past max_features: not even in the norm
                pairs = [p for p in zip(columns, values, strict=True) if p[0] != UNSEEN]
                columns, values = [p[0] for p in pairs], [p[1] for p in pairs]
        if learn and features.count != kept[0] or features.dropped:
            try:
                self._grow()
            except CostreamError:
                features.forget(kept)
                raise
        n = len(columns)
        if n >= len(self._pack_index):
            self._lengthen(2 * n)
        self._room.index[:n] = columns
        self._room.value[:n] = values
        return n

    def _check_row(self, x: Any) -> None:
        """Raise an error if a row, and not the model, is to blame for a score that is NaN."""
        if isinstance(x, Mapping):
            for name, value in self._numbers(x).items():
                if not math.isfinite(value):
                    raise CostreamError(f"feature {name!r} is not finite: {value!r}", NOT_FINITE)

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
        names of the columns of X; without them a column is named by its number. If any row is bad
        nothing is learnt.
        """
        with self._lock:
            batch = as_batch(X)
            labels, positive = self._read_labels(y, batch.rows)
            weights = as_numbers("weight", weight, batch.rows)
            fn = as_numbers("fn_cost", fn_cost, batch.rows)
            fp = as_numbers("fp_cost", fp_cost, batch.rows)
            scale = self._check_batch(batch)
            kept = self._features.keep()
            try:
                x = self._place(batch, scale, names, learn=True)
                self._grow()
            except Exception:
                self._features.forget(kept)
                raise
            cost = self._pricing.price_many(positive, weights, fn, fp)
            scores = np.empty(batch.rows)
            x = x._replace(label=positive * 2.0 - 1.0, cost=cost)
            prequential(self._model, x, scores)
            self.labels = labels
            self._codes = labels.codes
            self._pricing.count_many(positive, weights)
            self.rows += batch.rows if weights is None else int(np.count_nonzero(weights))
            return scores

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
            x = self._place(batch, self._check_batch(batch), names, learn=False)
            scores = np.empty(batch.rows)
            score_rows(self._model, x, scores)
            return scores

    def predict_many(self, X: Any, *, names: Iterable[Any] | None = None) -> NDArray[Any]:
        """The label of each row."""
        negative, positive = self.labels.pair
        return np.where(self.score_many(X, names=names) >= 0.0, positive, negative)

    def confidence_many(self, X: Any, *, names: Iterable[Any] | None = None) -> Floats:
        """x' Sigma x of each row: how unsure the model is of its score. Falls as it learns."""
        with self._lock:
            batch = as_batch(X)
            columns = self._features.columns(batch.width, names, learn=False)
            if columns is not None:
                batch = batch._replace(index=columns[batch.index])
            return self._confidence(batch)

    def _confidence(self, batch: Batch) -> Floats:
        if type(self._model) not in VARIANCE:
            raise CostreamError(
                f"{self.learner.name} keeps no covariance, so it has no confidence",
                "use a second-order learner, such as carow-diag or acog-ii",
            )
        scale = self._check_batch(batch)
        variances = np.empty(batch.rows)
        x = self._prepared(batch, scale, self.size)
        variance_rows(self._model, x, variances)
        if len(batch.index) and int(batch.index.max()) + self.intercept >= self.size:
            # Features that the model does not have are as unsure as on the first day.
            everything = self._prepared(batch, scale, UNSEEN + 2)
            variances += _squares(everything) - _squares(x)
        return variances

    def _read_labels(self, y: Any, rows: int) -> tuple[Labels, NDArray[np.bool_]]:
        labels = np.asarray(y)
        if labels.shape != (rows,):
            raise CostreamError(f"y must have one label for each of {rows} rows")
        return self.labels.seeing_many(labels)

    def _check_batch(self, batch: Batch) -> Floats:
        """One over the norm of each row."""
        scale = np.empty(batch.rows)
        row_scales(batch.start, batch.value, scale)
        if not math.isfinite(scale.sum()):
            row = first_bad_row(batch)
            if row is not None:
                raise CostreamError(f"row {row}: a value is not finite", NOT_FINITE)
        return scale if self.normalize else np.ones(batch.rows)

    def _place(
        self, batch: Batch, scale: Floats, names: Iterable[Any] | None, learn: bool
    ) -> Chunk:
        """The rows with the columns of the model."""
        features = self._features
        columns = features.columns(batch.width, names, learn)
        if columns is not None:
            if len(columns) != batch.width:
                raise CostreamError(f"{len(columns)} names for {batch.width} columns")
            start, index, value = batch.start, columns[batch.index], batch.value
            if features.hash_slots is not None:
                start, index, value = merge_repeated(start, index, value)
            batch = Batch(start, index, value, batch.width)
        largest = int(batch.index.max()) if len(batch.index) else -1
        if learn and columns is None:
            features.reach(largest)
        if learn and largest >= features.count:
            batch = _without(batch, features.count)
            scale = self._check_batch(batch)
        elif columns is not None and features.hash_slots is not None:
            scale = self._check_batch(batch)
        return self._prepared(batch, scale, self.size)

    def _prepared(self, batch: Batch, scale: Floats, limit: int) -> Chunk:
        """The rows as they are where that will do; else with their intercept, within the limit."""
        nothing = np.empty(0)
        largest = int(batch.index.max()) if len(batch.index) else -1
        if not self.intercept and largest < limit:
            return Chunk(batch.start, batch.index, batch.value, scale, nothing, nothing)
        room = len(batch.index) + batch.rows
        x = Chunk(
            np.empty(batch.rows + 1, np.uint64),
            np.empty(room, np.uint32),
            np.empty(room),
            np.ones(batch.rows),
            nothing,
            nothing,
        )
        rules = RowRules(self.normalize, self.intercept, limit)
        prepare(rules, batch.start, batch.index, batch.value, x)
        return x

    # --- copies ---------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            hidden = ("_lock", "_codes", "_door", "_room", "_settings", "_arrays")
            hidden += ("_index_bytes", "_value_bytes", "_pack_index", "_pack_value")
            state = {key: value for key, value in vars(self).items() if key not in hidden}
            state["_model"] = resized(self.learner, self._model, self.size, self.size)
            state["_capacity"] = self.size
            return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()
        self._resize()


def _without(batch: Batch, limit: int) -> Batch:
    """The rows without the features past ``limit``."""
    keep = batch.index < limit
    before = np.concatenate(([0], np.cumsum(keep))).astype(np.uint64)
    return Batch(before[batch.start], batch.index[keep], batch.value[keep], batch.width)


def _squares(x: Chunk) -> Floats:
    """The squared norm of each row."""
    end = int(x.start[-1])
    entries = (x.value[:end] * np.repeat(x.scale, np.diff(x.start).astype(np.int64))) ** 2
    sums = np.concatenate(([0.0], np.cumsum(entries)))
    return np.asarray(sums[x.start[1:]] - sums[x.start[:-1]])
