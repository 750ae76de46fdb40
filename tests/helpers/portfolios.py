"""Portfolios and their oracle, for the tests of both."""

import numpy as np

import reference
from costream import Cost, OnlineClassifier, make_learner
from costream.classifier import core_of
from costream.learners.auto.members import TEAM
from costream.learners.auto.rule import DENSE_LANES, SPARSE_LANES
from helpers.streams import JIT_OFF

ALWAYS, NEVER = len(TEAM), len(TEAM) + 1


def auto(objective=None, **params):
    return OnlineClassifier(make_learner("auto", **params), objective or Cost(1, 1))


def member_costs(model):
    return core_of(model).state.costs[: NEVER + 1]


def leader(model):
    return int(core_of(model).state.clock[1])


def resting(model):
    return [one.name for one in model.standings().members if not one.active]


def of_kind(*ends):
    """The places of the members whose kind of row is one of these."""
    return [k for k, one in enumerate(TEAM) if one.kind.endswith(ends)]


def weights_of(model, k):
    """The weights of a member, that of the intercept first."""
    state, d = core_of(model).state, 1 + len(model.feature_names)
    if k < SPARSE_LANES:
        return state.mu[:d, k].copy()
    if k < DENSE_LANES:
        return state.standardised_mu[k - SPARSE_LANES, :d].copy()
    return state.mean[k - DENSE_LANES, :d].copy()


def learnt_by(model, members):
    """What members have learnt, and what they have paid."""
    return np.concatenate([*(weights_of(model, k) for k in members), member_costs(model)[members]])


def uneven(y, seed=0):
    """Random weights, since after rows of equal cost a score may be 0 but for rounding."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, len(y))


def oracle_after(X, y, r=None, **params):
    """The oracle that has learnt a stream, and its scores."""
    oracle = reference.make("auto", X.shape[1], **params)
    r = np.ones(len(y)) if r is None else r
    return oracle, reference.run(oracle, X, 1.0 * np.asarray(y), r)


def dense_stream(seed=0, rows=30 if JIT_OFF else 60, width=6, shift=0.0):
    """Rows that have all their features, with a cost each, around a noisy linear truth."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width))
    y = np.where(X @ rng.normal(size=width) + rng.normal(size=rows) > 0.5, 1, -1)
    return X + shift, y, uneven(y, seed)
