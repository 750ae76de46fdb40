"""Shapley values: what each player of a game adds to it, on average over all orders of joining.

A game gives coalitions, rows of a mask of players, their worths. With few players the values are exact.
With more, each is the mean of what a player adds as the first and as the last one, which is exact where
players act together in pairs at most. Where these two are so far apart that another player could come
first, those that matter most are then taken exactly, with all others as one player. Nothing is drawn at
random: the same game has the same values, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import product
from math import comb

import numpy as np

from .._typing import Bools, Floats

EXACT = 6  # players, who form 64 coalitions
FEWER = 4  # players, with more than 12: each coalition costs the time of a decision
DOUBT = 0.1  # how far a value may be off, of what lies between the first and the last place
SURE = 3  # players, the first ones, whose signs must be beyond doubt
Game = Callable[[Bools], Floats]


def shapley_values(game: Game, players: int) -> Floats:
    """What each player adds to the worth of all of them together.

    >>> def both(coalitions):
    ...     return 3.0 * coalitions[:, 0] + 2.0 * coalitions.all(axis=1)
    >>> shapley_values(both, 2).tolist()
    [4.0, 1.0]
    """
    return exact_values(game, players) if players <= EXACT else _screened_values(game, players)


def exact_values(game: Game, players: int) -> Floats:
    """The same from all coalitions, of which there are 2^players."""
    coalitions, shares = _shares(players)
    return np.asarray((shares * game(coalitions)).sum(axis=1))  # in one order, unlike a product


def _screened_values(game: Game, players: int) -> Floats:
    """The values of many players, exact for those few that matter most if the rest acts as one."""
    worth = game(_ends(players))
    first, last = worth[2 : 2 + players] - worth[0], worth[1] - worth[2 + players :]
    values: Floats = (first + last) / 2.0
    if _is_clear(np.abs(values), values > 0.0, DOUBT * np.abs(first - last)):
        return values
    exact = EXACT if players <= 2 * EXACT else FEWER
    matter = np.argsort(-np.abs(first) - np.abs(last), kind="stable")[: exact - 1]

    def with_the_rest(coalitions: Bools) -> Floats:
        whole = np.repeat(coalitions[:, -1:], players, axis=1)
        whole[:, matter] = coalitions[:, :-1]
        return game(whole)

    values[matter] = exact_values(with_the_rest, exact)[:-1]
    return values


def _is_clear(sizes: Floats, raises: Bools, doubt: Floats) -> bool:
    """Whether nobody else can come first, and the first ones cannot have the other sign."""
    some = np.argsort(-sizes, kind="stable")[:SURE]
    leader = some[0]
    rivals = raises == raises[leader]
    rivals[leader] = False
    ahead = sizes[leader] - sizes >= doubt[leader] + doubt
    return bool(ahead[rivals].all() and (sizes[some] >= doubt[some]).all())


@lru_cache(64)
def _ends(players: int) -> Bools:
    """Nobody, everybody, each player alone, and all others without each."""
    alone = np.eye(players, dtype=np.bool_)
    none, every = np.zeros((1, players), np.bool_), np.ones((1, players), np.bool_)
    return np.concatenate([none, every, alone, ~alone])


@cache
def _shares(players: int) -> tuple[Bools, Floats]:
    """All coalitions, and with which factor the worth of each counts in the value of each player."""
    coalitions = np.array([*product((False, True), repeat=players)], np.bool_)
    size = coalitions.sum(axis=1)
    joins = [1.0 / (players * comb(players - 1, s)) for s in range(players)]  # a player, after s others
    inside = np.array([0.0, *joins])[size]
    outside = np.array([*joins, 0.0])[size]
    return coalitions, np.where(coalitions, inside[:, np.newaxis], -outside[:, np.newaxis]).T.copy()
