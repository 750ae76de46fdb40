"""Portfolios and their oracle, for the tests of both."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

import reference
from costream import Cost, OnlineClassifier
from costream.kernels.loop import score_rows
from costream.kernels.records import Chunk
from costream.learners import Auto, make_learner
from costream.learners.auto import layout, members, turns
from costream.learners.auto.composition import Pace
from costream.learners.auto.growth import DELAY
from costream.learners.auto.members import FAST, TEAM
from costream.learners.auto.views import VIEWS, leaves
from costream.model.classifier import core_of
from helpers import places
from helpers.streams import JIT_OFF
from reference.auto.portfolio import Portfolio

ALWAYS, NEVER = len(TEAM), len(TEAM) + 1
TAKEN = leaves.FIRST + int(DELAY * leaves.FIRST)  # rows after which the first trees are taken over
ALONE = replace(members.CURRENT, portfolios=())
# Turns that come so often, and portfolios so fast, that a short stream has rests and trials.
QUICK_PACES = (Pace(None, VIEWS), Pace(48, VIEWS), Pace(60, FAST), Pace(12, FAST))
QUICK_TURNS = {
    "EVERY": 8,
    "FIRST": 24,
    "LEAST_SHARE": 0.027,
    "SHORTEST": 16,
    "LONGEST": 64,
    "SHORTEST_TRIAL": 16,
    "LONGEST_TRIAL": 48,
    "RISE": np.inf,
}


def auto(objective=None, **params):
    return OnlineClassifier(make_learner("auto", **params), objective or Cost(1, 1))


def alone(objective=None, **params):
    """A model of one portfolio, also where it never forgets."""
    with mock.patch.object(members, "CURRENT", ALONE):
        return auto(objective, **params)


def new_portfolio(d, **params):
    """One portfolio that has seen nothing, with space for so many slots."""
    with mock.patch.object(members, "CURRENT", ALONE):
        return make_learner("auto", **params).state(d)


def be_adaptive(patch):
    """Have new models learn at several half-lives."""
    patch.setattr(members, "CURRENT", members.ADAPTIVE)
    patch.setattr(Auto, "revision", members.ADAPTIVE.revision)


def be_quick(patch):
    """Have new models learn at several half-lives, and take turns every few rows."""
    be_adaptive(patch)
    patch.setattr(members, "CURRENT", replace(members.ADAPTIVE, portfolios=QUICK_PACES))
    for name, value in QUICK_TURNS.items():
        patch.setattr(turns, name, value)


def chunk_of(X, y=None, cost=None, cost_ratio=None):
    """Dense rows as kernels want them: the nonzeros, columns from 1 up."""
    X = np.atleast_2d(np.asarray(X, float))
    ones = np.ones(len(X))
    rows, columns = np.nonzero(X)
    start = np.concatenate([[0], np.cumsum(np.count_nonzero(X, axis=1))]).astype(np.uint64)
    y, cost, ratio = (ones if one is None else np.asarray(one, float) for one in (y, cost, cost_ratio))
    return Chunk(start, (columns + 1).astype(np.uint32), X[rows, columns], ones, y, cost, cost, ratio)


def state_of(model):
    return core_of(model).state


def clock(model, what):
    return int(state_of(model).clock[what])


def member_costs(model):
    return state_of(model).costs[: NEVER + 1]


def leader(model):
    return clock(model, layout.LEADER)


def inactive(model):
    return [one.name for one in model.standings().members if not one.active]


def of_kind(*ends):
    """The places of the linear members whose kind of row is one of these."""
    return [k for k, one in enumerate(TEAM) if one.kind.endswith(ends)]


def of_view(*views):
    return [k for k, one in enumerate(TEAM) if one.view in views]


def weights_of(model, k):
    """The weights of a linear member, that of the intercept first."""
    state, d = state_of(model), 1 + len(model.feature_names)
    if k < places.DENSE:
        return state.mu[:d, k].copy()
    if k < places.DENSE + places.DENSE_LANES:
        return state.standardised_mu[k - places.DENSE, :d].copy()
    return state.mean[k - places.FULL, :d].copy()


def learnt_by(model, members):
    """What linear members have learnt, and what they have paid."""
    return np.concatenate([*(weights_of(model, k) for k in members), member_costs(model)[members]])


def uneven(y, seed=0):
    """Random weights, since after rows of equal cost a score may be 0 but for rounding."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, len(y))


def oracle_after(X, y, r=None, **params):
    """The oracle of one portfolio that has learnt a stream, and its scores."""
    oracle = Portfolio(X.shape[1], **params)
    r = np.ones(len(y)) if r is None else r
    return oracle, reference.run(oracle, X, 1.0 * np.asarray(y), r)


def dense_stream(seed=0, rows=30 if JIT_OFF else 60, width=6, shift=0.0):
    """Rows that have all their features, with a cost each, around a noisy linear truth."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width))
    y = np.where(X @ rng.normal(size=width) + rng.normal(size=rows) > 0.5, 1, -1)
    return X + shift, y, uneven(y, seed)


def curved_stream(rows, width=5, seed=0):
    """Rows of a truth that is no line, with zeros and repeated values, and uneven weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width))
    X[:, -1] = np.round(X[:, -1])
    X[rng.random(X.shape) < 0.15] = 0.0
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=rows) > 0.4, 1, -1)
    return X, y, uneven(y, seed)


def at_all_cost_ratios(model, X):
    """The scores of rows whose costs are benefits, of rows of unknown costs, and of others."""
    scores, cost_ratio = np.empty(len(X)), np.resize([-3.0, 0.0, 0.5], len(X))
    score_rows(state_of(model), chunk_of(X, cost_ratio=cost_ratio), scores, np.empty(0))
    return scores


def quick_transcript():
    """The hex digits of several portfolios, through two takeovers, rests and trials."""
    with pytest.MonkeyPatch.context() as patch:
        be_quick(patch)
        return _transcript()


def _transcript():
    rows = int((1 + DELAY) * leaves.TIMES * leaves.FIRST) + 1
    X, y, weight = curved_stream(rows, width=3)
    cut = rows - 10
    model = OnlineClassifier(make_learner("auto"), Cost(5, 1))
    scores = model.prequential(X[:cut], y[:cut], weight[:cut])
    late = [model.learn_one(x, label) for x, label in zip(X[cut:], y[cut:], strict=True)]
    state = state_of(model)
    parts = (state.stacker, state.costs, state.leaves_mu, state.threshold, state.fourier_mean.ravel())
    parts += (state.other_stacker.ravel(), state.recent_leaves_mu, state.mixture.ravel())
    parts += (state.turns.ravel(), state.trend)
    numbers = [
        scores,
        late,
        model.predict_proba_many(X[:20]),
        at_all_cost_ratios(model, X[:20]),
        *parts,
    ]
    return [float(number).hex() for number in np.concatenate(numbers)]
