"""``costream.evaluate``: what the decisions of a model cost, one row after the other."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Bools, Floats
from ..costs.leakage import CostsSeen
from ..costs.rows import NO_COSTS, GivenCosts
from ..errors import CostreamError
from ..files.blocks import EMPTY, Block
from ..files.reader import Stream, read_as_known, take_costs, with_costs_of
from ..labels.labels import WHERE_IT_IS, Labels
from ..labels.parsing import missing
from ..model.batches import read_rows
from ..model.classifier import OnlineClassifier, core_of
from ..tables.arrays import Rows
from .data import rows_and_labels, stream_of
from .deciding import Decider
from .record import Record
from .results import Evaluation


def evaluate(
    model: OnlineClassifier,
    data: Stream | str | os.PathLike[str] | Rows,
    y: ArrayLike | str | None = None,
    *,
    learn: bool = True,
    fn_cost: ArrayLike | None = None,
    fp_cost: ArrayLike | None = None,
    tp_cost: ArrayLike | None = None,
    tn_cost: ArrayLike | None = None,
) -> Evaluation:
    """Test a model on each row, then train it on that row: prequential evaluation.

    Every row is scored before it is learnt, so all results are on rows that the model had not seen.
    Afterwards the model has learnt them. ``costream evaluate`` does the same on the command line.

    Parameters
    ----------
    model : OnlineClassifier
        The model, new or trained.
    data : Stream, path, array-like, sparse matrix, data frame or list of dicts
        The rows, in their order. A stream or a file need not fit into memory.
    y : array-like of shape (n_rows,) or str, default=None
        The labels, or the name of the column that holds them. None takes those of a stream, or the
        column named label, target, class or y.
    learn : bool, default=True
        Whether the model learns each row after it was tested; False to test a trained model as it is.
    fn_cost, fp_cost, tp_cost, tn_cost : float or array-like of shape (n_rows,), default=None
        What missing, wrongly flagging, rightly flagging or passing each row costs, for rows in memory;
        a file has such costs in columns. None: the column that the objective names, or the number of
        the objective. If the objective has no costs, these are what the decisions cost.

    Returns
    -------
    Evaluation
        What the decisions cost and saved, and the online curve.

    Raises
    ------
    CostreamError
        If a row is invalid, or no row has a label.

    See Also
    --------
    compare : Several learners on the same rows.
    OnlineClassifier.prequential : The score of each row instead of the total.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier, evaluate
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = OnlineClassifier(objective=Cost(fn_cost=50, fp_cost=1), positive=0)
    >>> found = evaluate(model, scale(X), y)
    >>> found.missed, found.false_alarms, found.cost, round(found.savings, 2)
    (1, 129, 179.0, 0.5)
    >>> model.rows
    569
    """
    if not isinstance(model, OnlineClassifier):
        raise CostreamError(
            f"evaluate needs an OnlineClassifier, not a {type(model).__name__}",
            "adapters are evaluated by their hosts: cross_val_score, progressive_val_score",
        )
    given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
    stream = stream_of(data, y)
    if stream is None:
        record = _in_memory(model, *rows_and_labels(data, y), given, learn)
    elif given.any:
        stream.close()
        raise CostreamError(
            "the costs of the rows of a file are in its columns",
            "name them: Stream(path, fn_cost_column=...), or Cost(fn_cost=column)",
        )
    else:
        objective = with_costs_of(stream, model.objective)
        record = Record(objective.costs)
        with stream:
            if learn:
                learn_stream(model, stream, record)
            else:
                read_as_known(stream, core_of(model))
                take_costs(stream, objective.columns)
                decide_stream(Decider(model, learn, objective), stream, record)
        if not record.tally.rows:
            raise _no_rows(stream, record)
    return Evaluation.of(model, record)


def learn_stream(
    model: OnlineClassifier,
    stream: Stream,
    record: Record,
    *,
    on_start: Callable[[Labels], None] | None = None,
    on_block: Callable[[Block], None] | None = None,
) -> None:
    """Test, then train, on all rows of a stream, and record what that costs."""

    def start(labels: Labels) -> None:
        if on_start is not None:
            on_start(labels)
        core_of(model).warm_up()
        record.start()

    def count(block: Block, positive: Bools, scores: Floats) -> None:
        record.add_block(scores, positive, block)
        if on_block is not None:
            on_block(block)

    model.learn_stream(stream, on_start=start, on_block=count)


def decide_stream(
    decider: Decider,
    stream: Stream,
    record: Record,
    *,
    on_block: Callable[[Block], None] | None = None,
) -> None:
    """Test a model on all rows of a stream as the decider does, and record what that costs."""
    core, costs_seen = core_of(decider.model), CostsSeen()
    core.warm_up()
    record.start()
    for block in stream:
        decided = decider.decide(stream, block, read_labels=True)
        positive = decided.positive
        if positive is None:
            positive = np.zeros(block.rows.rows, np.bool_)
        record.add_block(decided.scores, positive, block)
        costs_seen.add(positive, block.costs, ~missing(block.label))
        if on_block is not None:
            on_block(block)
    costs_seen.warn()


def _in_memory(
    model: OnlineClassifier, X: Rows, y: ArrayLike, given: GivenCosts, learn: bool
) -> Record:
    """Test, and train if wanted, on rows in memory, in one compiled pass."""
    core, record = core_of(model), Record(model.objective.costs)
    core.warm_up()
    began = perf_counter()
    if learn:  # an objective without costs learns without them
        learnt = given if model.objective.has_costs else NO_COSTS
        scores = model.prequential(X, y, **learnt._asdict())
        seconds = perf_counter() - began
    read = read_rows(core, X, y, given)
    own = core.costs_of_rows(read.costs, read.rows.rows)
    if not learn:
        began = perf_counter()
        scores = core.score_rows(read.rows, read.names, own=own)
        seconds = perf_counter() - began
    record.add(scores, read.positive, NO_COSTS if own is None else GivenCosts(*own), seconds)
    return record


def _no_rows(stream: Stream, record: Record) -> CostreamError:
    """The error for a file without rows, or without any label."""
    if record.unlabelled:
        return CostreamError(f"{stream.source.name}: no row has a label", WHERE_IT_IS)
    return CostreamError(f"{stream.source.name} has no rows", EMPTY)
