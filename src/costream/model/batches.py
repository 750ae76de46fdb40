"""The methods of the classifier for batches: what rows one by one would do, in one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._typing import Bools, Floats, Names
from ..costs.leakage import CostsSeen, warn_of_leaking
from ..costs.rows import NO_COSTS, GivenCosts, row_name
from ..errors import CostreamError
from ..files.blocks import Block
from ..files.reader import Stream, choose_labels, read_as_known, take_costs, with_costs_of
from ..labels.labels import Labels
from ..labels.parsing import missing
from ..tables.arrays import Batch, Rows, as_numbers
from .core import Core
from .tables import records_at, take_rows


class BatchMethods:
    """What a classifier does with many rows at once."""

    _core: Core
    notes: dict[str, Any]

    def prequential(
        self,
        X: Rows,
        y: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
        names: Iterable[Hashable] | None = None,
    ) -> Floats:
        """Score each row, then learn from it, in one compiled pass.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        weight : float or array-like of shape (n_rows,), default=None
            How many rows each one counts for; None for 1.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array-like of shape (n_rows,), default=None
            What missing, wrongly flagging, rightly flagging or passing each row costs. None: the column
            that the objective names, where X has it, or the number of the objective.
        names : iterable of hashable, default=None
            The names of the columns; None for those of a data frame, and for numbers elsewhere.

        Returns
        -------
        ndarray of shape (n_rows,)
            The score of each row, made before learning from it.

        Raises
        ------
        CostreamError
            If any row is bad: the message names it, and nothing is learnt.

        Examples
        --------
        >>> from costream import OnlineClassifier
        >>> model = OnlineClassifier("perceptron")
        >>> model.prequential([[3.0, 4.0], [3.0, 4.0]], [0, 0])
        array([ 0., -1.])
        """
        return self._learn(X, y, weight, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost), names)

    def _learn(
        self,
        X: Rows,
        y: ArrayLike,
        weight: ArrayLike | None,
        given: GivenCosts,
        names: Iterable[Hashable] | None,
        order: Callable[[Batch, Floats | None], NDArray[np.intp]] | None = None,
        forecasts: ArrayLike | None = None,
    ) -> Floats:
        """Score each row, then learn from it; ``order`` gives the order of rows and their weights."""
        core = self._core
        with core.lock, core.encoder.readers.forgetting_errors():
            batch, known, given = take_rows(core, X, names, given, learn=True, y=y)
            labels, positive = core.read_labels(y, batch.rows)
            weights = as_numbers("weight", weight, batch.rows)
            if weights is not None and not weights.all():  # a row without weight leaves no trace
                labels = core.labels.seeing_many(np.asarray(y)[weights > 0])[0]
            rows = None if order is None else order(batch, weights)
            scores = _learn_in_order(core, batch, positive, weights, given, known, rows, forecasts)
            core.set_labels(labels)
            warn_of_leaking(given, positive)
            watch_rows(core, X, positive, names, None if weights is None else weights > 0.0)
            return scores

    def learn_many(
        self,
        X: Rows,
        y: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
        names: Iterable[Hashable] | None = None,
        forecast: ArrayLike | None = None,
    ) -> None:
        """Learn from each row in turn; `prequential` without the scores.

        Parameters
        ----------
        X, y, weight, fn_cost, fp_cost, tp_cost, tn_cost, names
            As in `prequential`.
        forecast : array-like of shape (n_rows, n_numbers), default=None
            What `forecast_many` gave when the rows were scored, if their labels have come later.
        """
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        self._learn(X, y, weight, given, names, forecasts=forecast)

    def learn_stream(
        self,
        stream: Stream,
        *,
        on_start: Callable[[Labels], None] | None = None,
        on_block: Callable[[Block, Bools, Floats], None] | None = None,
    ) -> int:
        """Learn from all rows of a file or pipe in their order, as ``costream train`` does.

        A model without labels takes those of the stream. The model also remembers which columns were
        the label, ignored, text or costs, for ``costream score`` and `Stream.for_model`. If a block is
        bad, an error names the row, and the blocks before it stay learnt. The stream is closed.

        Each row is decided at its own costs, where the objective is a `Cost` and the stream has columns
        of costs: the model remembers them. A row without a label is scored in its turn, and not learnt.

        Parameters
        ----------
        stream : Stream
            The rows, see `costream.Stream`.
        on_start : callable, default=None
            Called as ``on_start(labels)`` when the first block has been read, before it is learnt.
        on_block : callable, default=None
            Called as ``on_block(block, positive, scores)`` after each block, with the score that each
            row had before it was learnt. ``block.label`` is missing for rows without a label.

        Returns
        -------
        int
            The number of rows read, with a label or without.

        Examples
        --------
        >>> import tempfile
        >>> from costream import OnlineClassifier, Stream
        >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        ...     _ = file.write("amount,country,fraud\\n0.9,FR,yes\\n0.2,DE,no\\n0.1,FR,yes\\n")
        ...     file.flush()
        ...     model = OnlineClassifier("carow-diag")
        ...     with Stream(file.name, label="fraud", positive="yes") as stream:
        ...         model.learn_stream(stream)
        3
        >>> model.predict_one({"amount": 0.5, "country=FR": 1.0})
        'yes'
        """
        core, rows = self._core, 0
        costs_seen: CostsSeen | None = None  # where there are any
        if not isinstance(stream, Stream):
            raise CostreamError(
                f"learn_stream needs a Stream, not a {type(stream).__name__}",
                'open the file first: Stream("payments.csv", label="fraud")',
            )
        read_as_known(stream, core)
        objective = with_costs_of(stream, core.objective)
        if objective is not core.objective:
            core.set_objective(objective)
        take_costs(stream, core.cost_columns)
        try:
            for block in stream:
                labels = choose_labels(stream, block, core.labels)
                if on_start is not None and not rows:
                    on_start(labels)
                scores, positive = learn_block(core, block, labels)
                if block.costs is not NO_COSTS:
                    costs_seen = costs_seen or CostsSeen()
                    costs_seen.add(positive, block.costs, ~missing(block.label))
                rows += len(scores)
                if on_block is not None:
                    on_block(block, positive, scores)
        finally:
            stream.close()
        if costs_seen is not None:
            costs_seen.warn()
        return rows

    def score_many(self, X: Rows, *, names: Iterable[Hashable] | None = None) -> Floats:
        """Score each row.

        Parameters
        ----------
        X, names
            As in `prequential`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores: 0 or more for the positive label, at the costs of the objective. Where these
            come from columns, at the costs of the row or, if it has none, at the mean costs so far.
        """
        with self._core.lock:
            return self._core.score_known(*take_rows(self._core, X, names, NO_COSTS))

    def forecast_many(self, X: Rows, *, names: Iterable[Hashable] | None = None) -> Floats:
        """What the model says of rows now, for when their labels come: `forecast_one` of each row.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
            The rows.
        names : iterable of hashable, default=None
            The names of the columns; None for those of a data frame, and for numbers elsewhere.

        Returns
        -------
        ndarray of shape (n_rows, n_numbers)
            Log-odds, NaN where there are none; give them to `learn_many`.
        """
        with self._core.lock:
            batch, known, _ = take_rows(self._core, X, names, NO_COSTS)
            return self._core.forecast_rows(batch, known)

    def predict_many(
        self,
        X: Rows,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
        names: Iterable[Hashable] | None = None,
    ) -> NDArray[Any]:
        """Predict the label of each row: the decision that costs less, as in `predict_one`.

        Parameters
        ----------
        X, fn_cost, fp_cost, tp_cost, tn_cost, names
            As in `prequential`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The labels.
        """
        core, given = self._core, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        with core.lock:
            scores = core.decide_rows(*take_rows(core, X, names, given))
            return core.labels.as_array()[(scores >= 0.0).astype(np.intp)]

    def predict_proba_many(self, X: Rows, *, names: Iterable[Hashable] | None = None) -> Floats:
        """Predict the probability that each row is positive, calibrated on the stream.

        Parameters
        ----------
        X, names
            As in `prequential`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The probabilities of the positive label, as `predict_proba_one` has them.
        """
        with self._core.lock:
            batch, known, _ = take_rows(self._core, X, names, NO_COSTS)
            return self._core.probabilities(batch, known)

    def variance_many(self, X: Rows, *, names: Iterable[Hashable] | None = None) -> Floats:
        """Compute the variance of the score of each row, which falls as the model learns.

        Parameters
        ----------
        X, names
            As in `prequential`.

        Returns
        -------
        ndarray of shape (n_rows,)
            x' Sigma x of each row. A feature that the model has not seen counts with its initial
            variance, 1.

        Raises
        ------
        CostreamError
            If the learner is of first order and has no covariance.
        """
        with self._core.lock:
            batch, known, _ = take_rows(self._core, X, names, NO_COSTS)
            return self._core.variance_rows(batch, known)


class ReadRows(NamedTuple):
    """Rows of Python as a model reads them: their features and costs, and which are positive."""

    rows: Batch
    names: Names | None
    costs: GivenCosts
    positive: Bools


def read_rows(core: Core, X: Rows, y: ArrayLike, given: GivenCosts, *, learn: bool = False) -> ReadRows:
    """Read rows and their labels; ``learn``: a table may show the model what its columns hold."""
    with core.lock:
        batch, names, costs = take_rows(core, X, None, given, learn=learn, y=y)
        _, positive = core.read_labels(y, batch.rows)
        return ReadRows(batch, names, costs, positive)


def watch_rows(
    core: Core,
    X: Rows,
    positive: Bools,
    names: Iterable[Hashable] | None = None,
    learnt: Bools | None = None,
) -> None:
    if core.leakage.is_open and (records := records_at(X, names)) is not None:
        core.watch(core.leakage.add(records, positive, learnt, core.schema))


def _learn_in_order(
    core: Core,
    batch: Batch,
    positive: Bools,
    weights: Floats | None,
    costs: GivenCosts,
    names: Names | None,
    order: NDArray[np.intp] | None,
    forecasts: ArrayLike | None = None,
) -> Floats:
    """Score and learn rows in their own order, or some of them in another; errors name them right."""
    if order is None:
        return core.learn_rows(batch, positive, weights, costs=costs, names=names, forecasts=forecasts)
    batch.check()
    core.costs_of_rows(costs, batch.rows)
    taken = GivenCosts(*(one if np.ndim(one) == 0 else np.asarray(one)[order] for one in costs))
    return core.learn_rows(
        batch.take(order),
        positive[order],
        None if weights is None else weights[order],
        costs=taken,
        names=names,
        where=lambda t: row_name(int(order[t])),
    )


def learn_records(
    core: Core,
    rows: Rows,
    positive: Bools,
    costs: GivenCosts,
    labels: Labels,
    forecasts: Floats | None = None,
) -> None:
    """Learn dicts of known sides at once; ``labels`` are those of the model from then on."""
    with core.lock, core.encoder.readers.forgetting_errors():
        batch, names, given = take_rows(core, rows, None, costs, learn=True)
        core.learn_rows(batch, positive, costs=given, names=names, forecasts=forecasts)
        core.set_labels(labels)


def learn_block(
    core: Core, block: Block, labels: Labels, *, log_odds: Floats | None = None
) -> tuple[Floats, Bools]:
    """Score and learn the rows of a block; returns the scores, and which rows are positive.

    ``labels`` are those of the model, or those chosen for it by a file. A row without a label is scored
    in its turn and not learnt. Under the sum, costs of rows do not matter.
    """
    with core.lock:
        label, where, weight = block.label, block.where, None
        labelled = np.ones(len(label), np.bool_)
        if (absent := missing(label)).any():
            labelled, weight = ~absent, np.where(absent, 0.0, 1.0)
            rows = np.flatnonzero(labelled)
            label, where = label[rows], lambda t: block.where(int(rows[t]))
        positive = np.zeros(len(labelled), np.bool_)
        labels, positive[labelled] = labels.seeing_block(label, where)
        scores = core.learn_rows(
            block.rows,
            positive,
            weight,
            costs=block.costs if core.row_costs.objective.has_costs else NO_COSTS,
            names=block.names,
            log_odds=log_odds,
            where=block.where,
        )
        core.set_labels(labels)
        schema = None if block.columns is None else block.columns.schema
        if schema is not None:
            core.encoder.readers.adopt(schema)
        core.encoder.readers.forget_slots()
        if core.leakage.is_open and block.raw is not None:
            core.watch(core.leakage.add(block.raw, positive, labelled, schema))
        return scores, positive
