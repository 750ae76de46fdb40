"""Probabilities of the default, and decisions at the costs of single rows."""

import numpy as np
import pytest

from costream import Cost, OnlineClassifier, load, save
from costream.costs.rows import GivenCosts
from costream.costs.tally import Costs
from costream.datasets.dataset import Dataset
from costream.errors import CostreamError
from costream.evaluation.runs import run_once
from costream.learners.auto.members import CONSTANT, TEAM
from costream.model.classifier import core_of
from costream.river import CostSensitiveClassifier as RiverClassifier
from costream.sklearn import CostSensitiveClassifier
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


@compiled_only
@pytest.mark.parametrize("weight", [0.01, 1.0, 100.0, 1e100])
def test_probabilities_say_something_in_any_unit_of_costs(weight):
    """They lose less than the share of positives would, about 0.65 a row."""
    X, y, _ = noisy(400)
    model = OnlineClassifier("auto", Cost(10, 1))
    model.prequential(X, y, np.full(len(y), weight))
    X, y, _ = noisy(400, seed=1)
    proba = model.predict_proba_many(X)
    assert -np.mean(np.log(np.where(y, proba, 1 - proba))) < 0.6


def test_one_row_and_many_agree(model):
    X = noisy()[0][:5]
    assert [model.predict_proba_one(x) for x in X] == model.predict_proba_many(X).tolist()


def test_a_higher_score_is_a_higher_probability(model):
    X = noisy()[0]
    order = np.argsort(model.score_many(X))
    assert (np.diff(model.predict_proba_many(X)[order]) >= 0.0).all()


def test_a_row_is_flagged_where_a_miss_costs_more_on_average():
    X, y, _ = noisy()
    model = OnlineClassifier("auto", Cost(3, 1))
    model.prequential(X, y)
    proba = model.predict_proba_many(X)
    flagged = model.predict_many(X, fn_cost=7.0, fp_cost=2.0)
    assert flagged.tolist() == (7.0 * proba >= 2.0 * (1.0 - proba)).astype(int).tolist()


def test_each_row_may_have_its_own_cost(model):
    x = noisy()[0][0]
    assert model.predict_many([x, x], fn_cost=[1e-9, 1e9], fp_cost=1.0).tolist() == [0, 1]
    assert [model.predict_one(x, fn_cost=c, fp_cost=1.0) for c in (1e-9, 1e9)] == [0, 1]


def test_a_cost_that_is_not_given_is_that_of_the_objective():
    X, y, _ = noisy(60)
    model = OnlineClassifier("auto", Cost(fn_cost=5, fp_cost=3))
    model.prequential(X, y)
    both = model.predict_many(X, fn_cost=8.0, fp_cost=3.0)
    assert model.predict_many(X, fn_cost=8.0).tolist() == both.tolist()


def test_a_mistake_that_pays_is_made(model):
    """A cost below 0 is a benefit; where both are, the decision is the other way round."""
    X = noisy()[0]
    assert not model.predict_many(X, fn_cost=-1.0, fp_cost=1.0).any()
    assert model.predict_many(X, fn_cost=1.0, fp_cost=-1.0).all()
    plain, benefits = (model.predict_many(X, fn_cost=one, fp_cost=one) for one in (1.0, -1.0))
    assert benefits.tolist() == (1 - plain).tolist()


def test_a_saved_model_has_the_same_probabilities(model, tmp_path):
    save(model, tmp_path / "model")
    X = noisy()[0]
    assert (
        load(tmp_path / "model").predict_proba_many(X).tolist() == model.predict_proba_many(X).tolist()
    )


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_scikit_learn_has_a_column_for_each_class(positive):
    X, y, _ = noisy(60)
    labels = np.where(y, "yes", "no")
    adapter = CostSensitiveClassifier(positive=positive).fit(X, labels)
    proba = adapter.predict_proba(X)
    column = list(adapter.classes_).index(positive)
    assert proba[:, column].tolist() == adapter.model_.predict_proba_many(X).tolist()
    assert proba.sum(axis=1) == pytest.approx(np.ones(60))


def test_river_has_probabilities_by_label():
    model = RiverClassifier()
    X, y, _ = noisy(50)
    for x, label in zip(X, y, strict=True):
        model.learn_one(dict(enumerate(x)), bool(label))
    proba = model.predict_proba_one(dict(enumerate(X[0])))
    assert proba[True] == model.model.predict_proba_one(dict(enumerate(X[0])))
    assert sum(proba.values()) == pytest.approx(1.0)


def test_a_model_tells_who_leads(model):
    standings = model.standings()
    names = [*(one.name for one in TEAM), *CONSTANT]
    assert standings.rows == ROWS
    assert standings.leader.name == names[core_of(model).state.clock[1]]


def test_after_the_leader_members_stand_by_their_bills(model):
    first, *others = model.standings().members
    assert first.leads
    assert [one.cost for one in others] == sorted(one.cost for one in others)


def test_other_learners_have_no_standings():
    with pytest.raises(CostreamError, match="carow is not a portfolio"):
        OnlineClassifier("carow").standings()


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
