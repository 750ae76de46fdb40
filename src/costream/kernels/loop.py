"""The one loop: for each row a score and then, if the row has a cost, an update."""

from __future__ import annotations

from .compile import entry
from .records import Chunk, Floats, State
from .rules import log_odds, score, trigger, update, variance


@entry
def prequential(model: State, x: Chunk, scores: Floats) -> None:
    """Score every row before learning from it."""
    for t in range(scores.shape[0]):
        p = score(model, x, t)
        if x.cost[t] > 0.0:
            update(model, x, t, p, trigger(model, x, t, p))
        scores[t] = p  # last: a store before the reads of this row would hold them up


@entry
def prequential_with_log_odds(model: State, x: Chunk, scores: Floats, odds: Floats) -> None:
    """The same, and the log-odds that each row is positive, as calibrated by the rows before it."""
    for t in range(scores.shape[0]):
        p = score(model, x, t)
        odds[t] = log_odds(model, p)
        if x.cost[t] > 0.0:
            update(model, x, t, p, trigger(model, x, t, p))
        scores[t] = p


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
