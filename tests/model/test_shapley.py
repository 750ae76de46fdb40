"""Shapley values: exact for few players, and for pairs among many; the rest of many acts as one."""

from itertools import permutations

import numpy as np
import pytest

from costream.model.shapley import EXACT, exact_values, shapley_values


def random_game(players, seed=0):
    """Any worth for each coalition."""
    worths = np.random.default_rng(seed).normal(size=2**players)
    places = 2 ** np.arange(players)
    return lambda coalitions: worths[coalitions @ places]


def by_orders(game, players):
    """The mean over all orders in which the players can join."""
    values, orders = np.zeros(players), [*permutations(range(players))]
    for order in orders:
        coalition = np.zeros((1, players), bool)
        for player in order:
            before = game(coalition)[0]
            coalition[0, player] = True
            values[player] += game(coalition)[0] - before
    return values / len(orders)


@pytest.mark.parametrize("players", range(1, EXACT + 1))
def test_few_players_have_the_mean_over_all_orders(players):
    game = random_game(players)
    assert shapley_values(game, players) == pytest.approx(by_orders(game, players))


def test_many_players_are_exact_where_they_act_in_pairs():
    rng = np.random.default_rng(1)
    alone, pairs = rng.normal(size=9), rng.normal(size=(9, 9))

    def game(coalitions):
        return coalitions @ alone + ((coalitions @ pairs) * coalitions).sum(axis=1)

    assert shapley_values(game, 9) == pytest.approx(exact_values(game, 9))


def test_three_that_only_count_together_are_exact_among_many():
    """What the first and the last one add would be too much: 1/2 of all for each, not 1/3."""

    def game(coalitions):
        return coalitions[:, [1, 4, 7]].all(axis=1) + 0.01 * coalitions.sum(axis=1)

    assert shapley_values(game, 9)[[1, 4, 7]] == pytest.approx([0.01 + 1 / 3] * 3)


@pytest.mark.parametrize(
    ("worth", "more"),
    [
        (lambda each: each @ np.arange(10.0), 0),  # clear by what each adds alone
        (lambda each: 5.0 * each[:, :3].all(axis=1), 2**EXACT),  # any of three could come first
        (lambda each: 9.0 * each[:, 0] + each[:, :2].all(axis=1) - 0.5 * each[:, 1], 2**EXACT),  # sign
    ],
    ids=["clear", "first in doubt", "sign in doubt"],
)
def test_many_players_are_taken_exactly_only_in_doubt(worth, more):
    assert coalitions_of(worth, 10) == 2 * 10 + 2 + more


def coalitions_of(worth, players):
    """How many coalitions a game is asked for."""
    counts = []

    def game(coalitions):
        counts.append(len(coalitions))
        return worth(coalitions)

    shapley_values(game, players)
    return sum(counts)
