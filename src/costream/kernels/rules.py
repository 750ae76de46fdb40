"""Which rule each record takes. The loop and the doors call ``score``, ``update`` and ``variance``.

In plain Python they look the rule up by the type of the record; compiled, the same tables choose the
function to call, which LLVM inlines where that pays. A new learner adds its record here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from . import first_order, portfolio, second_order, sketch, sparse_sketch
from .compile import INTO_OTHERS
from .records import (
    Arow,
    ArowDiagonal,
    ArowOja,
    Chunk,
    Diagonal,
    FirstOrder,
    Full,
    Oja,
    PassiveAggressive,
    Portfolio,
    PredictionBased,
    Romma,
    SparseOja,
    State,
)

Rules = dict[type, Callable[..., Any]]

UPDATE: Rules = {
    FirstOrder: first_order.update_first_order,
    Romma: first_order.update_romma,
    PassiveAggressive: first_order.update_passive_aggressive,
    PredictionBased: first_order.update_prediction_based,
    Diagonal: second_order.update_diagonal,
    Full: second_order.update_full,
    Arow: second_order.update_arow,
    ArowDiagonal: second_order.update_arow_diagonal,
    Oja: sketch.update_oja,
    ArowOja: sketch.update_arow_oja,
    SparseOja: sparse_sketch.update_sparse_oja,
    Portfolio: portfolio.update_portfolio,
}

SCORE: Rules = dict.fromkeys(UPDATE, sketch.score_mu) | {
    Romma: first_order.score_romma,
    SparseOja: sparse_sketch.score_sparse_oja,
    Portfolio: portfolio.score_portfolio,
}

VARIANCE: Rules = {
    Diagonal: second_order.variance_diagonal,
    Full: second_order.variance_full,
    Arow: second_order.variance_full,
    ArowDiagonal: second_order.variance_diagonal,
    Oja: sketch.variance_oja,
    ArowOja: sketch.variance_arow_oja,
    SparseOja: sparse_sketch.variance_sparse_oja,
    Portfolio: portfolio.variance_portfolio,
}


def score(model: State, x: Chunk, t: int) -> float:
    """mu.x of row t."""
    return SCORE[type(model)](model, x, t)  # type: ignore[no-any-return]


def update(model: State, x: Chunk, t: int, score: float, loss: float) -> None:
    """Learn from row t. Called in every round: a sketch absorbs a row even where the loss is 0."""
    UPDATE[type(model)](model, x, t, score, loss)


def variance(model: State, x: Chunk, t: int) -> float:
    """x' Sigma x of row t."""
    return VARIANCE[type(model)](model, x, t)  # type: ignore[no-any-return]


@overload(score, inline="never", strict=False, jit_options=INTO_OTHERS)
def _score(model: Any, x: Any, t: Any) -> Any:  # pragma: no cover
    return SCORE.get(getattr(model, "instance_class", type(None)))


@overload(update, inline="never", strict=False, jit_options=INTO_OTHERS)
def _update(model: Any, x: Any, t: Any, score: Any, loss: Any) -> Any:  # pragma: no cover
    return UPDATE.get(getattr(model, "instance_class", type(None)))


@overload(variance, inline="never", strict=False, jit_options=INTO_OTHERS)
def _variance(model: Any, x: Any, t: Any) -> Any:  # pragma: no cover
    return VARIANCE.get(getattr(model, "instance_class", type(None)))
