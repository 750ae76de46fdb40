"""Which rule each record takes. The loop and the row kernels call the functions of this module.

A learner's file enters its `Rule` here. In plain Python a rule is looked up by the type of the record;
compiled, the same table chooses the function to call, which LLVM inlines where that pays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .hinge import violation
from .primitives import dot
from .records import Chunk, Floats, State


def score_mean(model: Any, x: Chunk, t: int) -> float:
    """mu.x: the score of every record that keeps its mean as ``mu``."""
    return dot(model.mu, x, t)


def violated_hinge(model: Any, x: Chunk, t: int, score: float) -> float:
    """The trigger of every record that has a ``hinge``."""
    return violation(model.hinge, x.label[t], x.cost[t], score)


def no_log_odds(model: Any) -> float:
    """Of a learner that has no probabilities."""
    return 0.0


class Rule(NamedTuple):
    """How the learners of one kind of record score, when they update, and how.

    Parameters
    ----------
    record
        The ``NamedTuple`` that is the state.
    update
        ``update(model, x, t, score, loss)`` learns from row t of a chunk. It is called in every round,
        since a sketch absorbs a row even where the loss is 0.
    score
        ``score(model, x, t)``; mu.x by default.
    trigger
        ``trigger(model, x, t, score)`` is the loss of the row, which counts where it is > 0; the
        violation of ``model.hinge`` by default.
    variance
        ``variance(model, x, t)`` is x' Sigma x, where the learner keeps a covariance.
    log_odds
        ``log_odds(model)`` that the row that was scored last is positive, where the learner has
        probabilities.
    forecast
        ``forecast(model, out)`` writes what is to be remembered of the row that was scored last until
        it is learnt, where the learner asks for that.
    work
        ``work(job)``, where the record is a job of a learner that runs in a thread of its own.
    """

    record: type
    update: Callable[..., None]
    score: Callable[..., float] = score_mean
    trigger: Callable[..., float] = violated_hinge
    variance: Callable[..., float] | None = None
    log_odds: Callable[..., float] = no_log_odds
    work: Callable[..., None] | None = None
    forecast: Callable[..., None] | None = None

    def functions(self) -> list[Callable[..., Any]]:
        return [one for one in self[1:] if one is not None]


RULES: dict[type, Rule] = {}


def score(model: State, x: Chunk, t: int) -> float:
    return RULES[type(model)].score(model, x, t)


def trigger(model: State, x: Chunk, t: int, score: float) -> float:
    """The loss of row t, which counts where it is > 0."""
    return RULES[type(model)].trigger(model, x, t, score)


def update(model: State, x: Chunk, t: int, score: float, loss: float) -> None:
    RULES[type(model)].update(model, x, t, score, loss)


def variance(model: State, x: Chunk, t: int) -> float:
    rule: Any = RULES[type(model)]
    return rule.variance(model, x, t)  # type: ignore[no-any-return]


def log_odds(model: State) -> float:
    return RULES[type(model)].log_odds(model)


def forecast(model: State, out: Floats) -> None:
    """Write what is to be remembered of the row that was scored last."""
    rule: Any = RULES[type(model)]
    rule.forecast(model, out)


def work(job: State) -> None:
    rule: Any = RULES[type(job)]
    rule.work(job)


DISPATCHED = (score, trigger, update, variance, log_odds, forecast, work)
