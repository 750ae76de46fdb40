"""Turns: portfolios whose share is negligible rest, and are looked at again later.

This happens every `EVERY` rows, between compiled calls, and only while the one that never forgets
leads: on a stream that changes, all take part. A portfolio that rests does nothing. Each rest is twice
as long as the one before, unless the stream has changed in between; a rise of the recent loss of the
mixture wakes all. Who wakes first learns for a part of its half-life, then takes part for a trial at
least, with the share that its preference alone gives it.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ...kernels.records import State
from . import growth, layout
from .composition import composition_of
from .mixture import PREFERENCE, RATE, SHORT_TERM
from .portfolios import (
    FAST,
    HALF_LIFE,
    HOLDS_UNTIL,
    KEPT,
    LEADING,
    LEARNS,
    LED_SINCE,
    LOSS,
    PHASE,
    REST,
    RESTS,
    SHARE,
    SLOW,
    SQUARES,
    TAKES_PART,
    WAKES,
    Portfolios,
    are_several,
    portfolio,
    with_trees,
)
from .sampling import wants_more, weights_of, with_space, without_lost
from .views import leaves

EVERY = 128
FIRST = 256  # rows that all take part at least
LEAST_SHARE = 0.02
SHORTEST, LONGEST = 2_048, 131_072  # rests, in rows
CAUGHT_UP = 0.25  # half-lives that one learns before it takes part again
SHORTEST_TRIAL, LONGEST_TRIAL = 512, 2_048
RISE = 6.0  # standard errors of the recent loss above the loss for long


def rows_until_turns(model: Portfolios) -> float:
    """How many rows there are until the next turns."""
    return float(EVERY - model.clock[layout.ROWS] % EVERY)


def take_turns(model: Portfolios) -> None:
    """Let portfolios rest, wake up and take part, if it is time for that."""
    rows = int(model.clock[layout.ROWS])
    if rows == 0 or rows % EVERY != 0:
        return
    share, turns = model.mixture[SHARE], model.turns
    leading, alarmed = int(share.argmax()), has_risen(model)
    if leading != model.trend[LEADING]:
        model.trend[LEADING], model.trend[LED_SINCE] = leading, rows
    for g in range(1, len(share)):
        due, phase = rows >= turns[HOLDS_UNTIL, g], turns[PHASE, g]
        if phase == RESTS and (due or alarmed):
            wake(model, g, rows)
            turns[REST, g] *= not alarmed
        elif phase == LEARNS and due:
            begin_trial(model, g, rows)
        elif phase == TAKES_PART and leading > 0:
            turns[REST, g] = 0
        elif phase == TAKES_PART and due and share[g] < LEAST_SHARE and not alarmed:
            rest(model, g, rows)


def has_risen(model: Portfolios) -> bool:
    """Whether the recent loss of the mixture is above what it was for long."""
    trend = model.trend
    variance = max(trend[SQUARES] - trend[SLOW] ** 2, 0.0) * SHORT_TERM / 2.0
    return bool(trend[FAST] > trend[SLOW] + RISE * math.sqrt(variance))


def rest(model: Portfolios, g: int, rows: int) -> None:
    """Let a portfolio rest; the first one gets its share."""
    turns, length = model.turns, min(max(2 * model.turns[REST, g], SHORTEST), LONGEST)
    turns[PHASE, g], turns[REST, g], turns[HOLDS_UNTIL, g] = RESTS, length, rows + length
    model.mixture[SHARE, 0] += model.mixture[SHARE, g]
    model.mixture[[LOSS, SHARE], g] = 0.0
    portfolio(model, g).clock[layout.GROW_AT] = layout.NO_ROW


def wake(model: Portfolios, g: int, rows: int) -> None:
    """Let a portfolio learn again; its trees grow anew, after those that are growing now."""
    turns, part = model.turns, portfolio(model, g)
    learns = int(CAUGHT_UP * model.paces[HALF_LIFE, g])
    turns[PHASE, g], turns[WAKES, g], turns[HOLDS_UNTIL, g] = LEARNS, 1, rows + learns
    if g == 1 and len(part.sample) and leaves.FAMILY.name in composition_of(model).portfolios[g].views:
        take = part.clock[layout.TAKE_AT]
        part.clock[layout.GROW_AT] = take + 1 if take < layout.NO_ROW else rows


def begin_trial(model: Portfolios, g: int, rows: int) -> None:
    """Let a portfolio take part, no better than the best one, but for what it prefers."""
    turns, mixture = model.turns, model.mixture
    takes_part = turns[PHASE] == TAKES_PART
    preference = np.where(np.arange(len(takes_part)) > 0, PREFERENCE, 0.0)
    mixture[LOSS, g] = (RATE * mixture[LOSS] + preference)[takes_part].min() / RATE
    trial = min(max(int(model.paces[HALF_LIFE, g]), SHORTEST_TRIAL), LONGEST_TRIAL)
    turns[PHASE, g], turns[HOLDS_UNTIL, g] = TAKES_PART, rows + trial


# --- events -------------------------------------------------------------------------------------------


def of_trees(model: Portfolios) -> range:
    """The portfolios that have trees of their own."""
    return range(min(model.paces.shape[1], 2))


def rows_until_event(model: Any) -> float:
    """How many rows there are until turns are taken, or trees begin to grow or are taken over."""
    if not are_several(model):
        return growth.rows_until_event(model)
    growing = (growth.rows_until_event(portfolio(model, g)) for g in of_trees(model))
    return min(rows_until_turns(model), *growing)


def progress_due(model: Any, which: int) -> float:
    """The part of a job that must be done by now."""
    return growth.progress_due(portfolio(model, which) if are_several(model) else model)


def sampled_of(model: Portfolios, most: int) -> growth.Sampled:
    """What trees that never forget grow on."""
    kept = int(model.sampling[KEPT])
    return growth.Sampled(kept, weights_of(model, model.sample_label[:kept]), wants_more(model, most))


def event(model: Any) -> tuple[State, dict[int, State]]:
    """Take turns, take over trees, begin to grow new ones; returns the model, and jobs by portfolio."""
    if not are_several(model):
        model, job = growth.event(model)
        return model, {} if job is None else {0: job}
    take_turns(model)
    most = growth.sample_size(int(model.clock[layout.SLOTS]), 0.0)
    model = with_space(model, most, EVERY)
    jobs: dict[int, State] = {}
    for g in of_trees(model):
        part = portfolio(model, g)
        grown, job = growth.event(part, partial(sampled_of, model, most) if g == 0 else None)
        if grown is not part:
            model = without_lost(with_trees(model, g, grown))
        if job is not None:
            jobs[g] = job
    return model, jobs
