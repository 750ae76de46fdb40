"""Probabilities of the default, and decisions at the costs of single rows."""

import numpy as np
import pytest

from costream import Cost, OnlineClassifier
from costream.costs.rows import GivenCosts
from costream.costs.tally import Costs
from costream.datasets.dataset import Dataset
from costream.evaluation.runs import run_once
from costream.tables.arrays import as_batch
from helpers.commands import compiled_only

ROWS = 130  # trees have been taken over


def noisy(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    proba = 1.0 / (1.0 + np.exp(-(2.0 * X[:, 0] - X[:, 1] - 1.0)))
    return X, rng.random(rows) < proba, proba


@pytest.fixture(scope="module")
def model():
    X, y, _ = noisy()
    model = OnlineClassifier("auto")
    model.prequential(X, y)
    return model


@compiled_only
def test_probabilities_are_calibrated():
    X, y, _ = noisy(20_000)
    model = OnlineClassifier("auto", Cost(9, 1))
    model.prequential(X, y)
    X, y, _ = noisy(20_000, seed=1)
    proba = model.predict_proba_many(X)
    bins = np.minimum((10 * proba).astype(int), 9)
    gaps = [abs(y[bins == k].mean() - proba[bins == k].mean()) for k in range(10) if (bins == k).any()]
    shares = [np.mean(bins == k) for k in range(10) if (bins == k).any()]
    assert np.dot(gaps, shares) < 0.05


def test_a_row_is_flagged_where_a_miss_costs_more_on_average():
    X, y, _ = noisy()
    model = OnlineClassifier("auto", Cost(3, 1))
    model.prequential(X, y)
    proba = model.predict_proba_many(X)
    flagged = model.predict_many(X, fn_cost=7.0, fp_cost=2.0)
    assert flagged.tolist() == (7.0 * proba >= 2.0 * (1.0 - proba)).astype(int).tolist()


def test_after_the_leader_members_stand_by_their_bills(model):
    first, *others = model.standings().members
    assert first.leads
    assert [one.cost for one in others] == sorted(one.cost for one in others)


def test_a_run_at_costs_decides_each_row_as_it_would_be_decided_alone():
    X, y, _ = noisy(80)
    fn, fp = np.random.default_rng(0).uniform(0.1, 5.0, (2, len(y)))
    data = Dataset(as_batch(X), None, y, GivenCosts(fn, fp))
    tally = run_once(OnlineClassifier("auto", Cost()), data, Costs()).tally
    model, flagged = OnlineClassifier("auto", Cost(), positive=1), []
    for x, label, miss, alarm in zip(X, y.astype(int), fn, fp, strict=True):
        flagged.append(model.predict_one(x, fn_cost=miss, fp_cost=alarm) == 1)
        model.learn_one(x, label, fn_cost=miss, fp_cost=alarm)
    wrong = np.array(flagged) != y
    assert (tally.missed, tally.false_alarms) == (np.sum(wrong & y), np.sum(wrong & ~y))
    assert tally.cost == pytest.approx(np.where(y, fn, fp)[wrong].sum())
