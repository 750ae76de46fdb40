"""What decides: the probability and the costs of the row, whoever has cost least so far."""

import numpy as np
import pytest

from costream.kernels.loop import prequential, score_rows
from helpers.portfolios import (
    ALWAYS,
    NEVER,
    alone,
    chunk_of,
    curved_stream,
    leader,
    member_costs,
    new_portfolio,
    state_of,
)
from helpers.streams import assert_close, feed, same_bits
from reference import run
from reference.auto.portfolio import Portfolio

VIEWS = ("linear", "splines")  # need no names of features; the members of other views are paused
COST_RATIOS = np.array([0.0, -1.0, -20.0, -0.3, 0.2, 1.0, 7.0])


@pytest.fixture(scope="module")
def model():
    X, y, weight = curved_stream(40)
    found = alone()
    feed(found, X, y, "dense", weight)
    return found


def scores_at(model, X, cost_ratio):
    """The scores of rows at given cost ratios, and their probabilities."""
    scores, odds = np.empty(len(X)), np.empty(len(X))
    chunk = chunk_of(X, cost_ratio=np.broadcast_to(cost_ratio, len(X)))
    score_rows(state_of(model), chunk, scores, odds)
    return scores, 1 / (1 + np.exp(-odds))


def mistaken(seed):
    """A model whose decisions have all been wrong, and what they have cost."""
    X, _, weight = curved_stream(40, width=3, seed=seed)
    model = alone()
    for x, w in zip(X, weight, strict=True):
        model.learn_one(x, -1 if model.score_one(x) >= 0.0 else 1, w)
    return model, weight


@pytest.mark.parametrize(("seed", "constant"), [(8, False), (10, True), (11, False)])
def test_a_row_is_flagged_where_that_costs_less_whoever_has_been_far_cheaper(seed, constant):
    """A member, or a constant policy; all weights together are what the decisions have cost."""
    model, weight = mistaken(seed)
    assert (leader(model) in (ALWAYS, NEVER)) == constant
    assert weight.sum() - member_costs(model).min() > 2 * np.sqrt(weight @ weight)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3))
    miss, alarm = np.exp(rng.normal(size=(2, 50)))
    proba = model.predict_proba_many(X)
    scores, same = scores_at(model, X, miss / alarm)
    assert_close(same, proba)
    assert ((scores >= 0) == (proba * miss >= (1 - proba) * alarm)).all()
    assert 0 < np.sum(scores >= 0) < 50
    assert ((model.score_many(X) >= 0) == (proba >= 0.5)).all()


@pytest.mark.parametrize("cost_ratio", [1e-3, 0.5, 1.0, 30.0])
def test_benefits_turn_the_decision_round(cost_ratio, model):
    """Where both mistakes bring something, a row is flagged where its expected benefit is higher."""
    X = np.random.default_rng(1).normal(size=(20, 5))
    expected, proba = scores_at(model, X, cost_ratio)
    found, same = scores_at(model, X, -cost_ratio)
    assert same_bits(found, -expected)
    assert same_bits(same, proba)
    assert ((found >= 0) == (proba * -cost_ratio >= -(1 - proba))).all()


def test_a_cost_ratio_that_is_not_known_is_the_mean_so_far(model):
    """The mean cost of positive rows over that of negative ones."""
    _, y, weight = curved_stream(40)
    X = np.random.default_rng(2).normal(size=(20, 5))
    mean = weight[y > 0].mean() / weight[y < 0].mean()
    found, proba = scores_at(model, X, 0.0)
    assert_close(found, np.log(proba / (1 - proba)) + np.log(mean))
    assert_close(found, scores_at(model, X, mean)[0])


@pytest.mark.parametrize("half_life", [None, 10])
def test_rows_at_cost_ratios_of_any_sign_are_learnt_as_the_oracle_learns_them(half_life):
    """Members of views that were not chosen pay what the whole portfolio pays."""
    X, y, cost = curved_stream(40, seed=5)
    cost_ratio = np.random.default_rng(5).choice(COST_RATIOS, len(y))
    state, scores = new_portfolio(X.shape[1] + 1, half_life=half_life, views=VIEWS), np.empty(len(y))
    prequential(state, chunk_of(X, y, cost, cost_ratio), scores, np.empty(0))
    oracle = Portfolio(X.shape[1], half_life, VIEWS)
    assert_close(scores, run(oracle, X, 1.0 * y, cost, cost_ratio=cost_ratio))
    assert_close(state.costs[: NEVER + 1], oracle.ledger.costs)
