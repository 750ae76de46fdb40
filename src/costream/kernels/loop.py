"""The one loop: for each row a score and then, if the row has a price, an update."""

from __future__ import annotations

from .compile import entry
from .platt import log_odds
from .portfolio import LEADER, unbent
from .records import Chunk, Floats, Portfolio, State
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
def foretell(model: Portfolio, x: Chunk, scores: Floats, odds: Floats) -> None:
    """The same, and the log-odds that each row is positive, as calibrated by the rows before it."""
    for t in range(scores.shape[0]):
        p = score(model, x, t)
        odds[t] = log_odds(model.platt, unbent(p, model.clock[LEADER]))
        if x.cost[t] > 0.0:
            update(model, x, t, p, violation(model.hinge, x.label[t], x.cost[t], p))
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
