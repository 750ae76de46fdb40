"""The one loop: for each row a score and then, if the row counts, an update."""

from __future__ import annotations

from .compile import entry
from .records import Chunk, Floats, State
from .rules import forecast, log_odds, score, trigger, update, variance, work


@entry
def prequential(model: State, x: Chunk, scores: Floats, odds: Floats) -> None:
    """Score every row before learning from it.

    ``odds`` receives the log-odds that each row is positive, by the rows before it, or is empty.
    """
    wanted = odds.shape[0] > 0
    for t in range(scores.shape[0]):
        p = score(model, x, t)
        if wanted:
            odds[t] = log_odds(model)
        if x.class_cost[t] > 0.0:
            update(model, x, t, p, trigger(model, x, t, p))
        scores[t] = p  # last: a store before the reads of this row would hold them up


@entry
def score_rows(model: State, x: Chunk, scores: Floats, odds: Floats) -> None:
    """Score every row and learn nothing; ``odds`` as in `prequential`."""
    wanted = odds.shape[0] > 0
    for t in range(scores.shape[0]):
        scores[t] = score(model, x, t)
        if wanted:
            odds[t] = log_odds(model)


@entry
def forecast_rows(model: State, x: Chunk, scores: Floats, forecasts: Floats) -> None:
    """Score every row, and write what is to be remembered of each until it is learnt."""
    for t in range(scores.shape[0]):
        scores[t] = score(model, x, t)
        forecast(model, forecasts[t])


@entry
def variance_rows(model: State, x: Chunk, variances: Floats) -> None:
    for t in range(variances.shape[0]):
        variances[t] = variance(model, x, t)


@entry
def run_job(job: State) -> None:
    """Do what a learner has put off, in a thread of its own."""
    work(job)
