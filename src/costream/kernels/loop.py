"""The one loop: for each row a score and then, if the row has a price, an update."""

from __future__ import annotations

from .compile import entry
from .records import Chunk, Floats, State
from .rules import score, update, variance
from .verbs import violation


@entry
def prequential(model: State, x: Chunk, scores: Floats) -> None:
    """Score every row before learning from it."""
    for t in range(scores.shape[0]):
        p = score(model, x, t)
        if x.cost[t] > 0.0:
            update(model, x, t, p, violation(model.hinge, x.label[t], x.cost[t], p))
        scores[t] = p  # last: a store before the reads of this row would hold them up


@entry
def score_rows(model: State, x: Chunk, scores: Floats) -> None:
    """Score every row and learn nothing."""
    for t in range(scores.shape[0]):
        scores[t] = score(model, x, t)


@entry
def variance_rows(model: State, x: Chunk, variances: Floats) -> None:
    """x' Sigma x of every row."""
    for t in range(variances.shape[0]):
        variances[t] = variance(model, x, t)
