"""Before there are labels of both classes, wild costs, and bursts: `auto` of several half-lives."""

import numpy as np
import pytest

from costream import Cost, OnlineClassifier, WeightedAccuracy, dumps, loads
from costream.datasets.payment_events import payment_events
from costream.learners import make_learner
from helpers.commands import compiled_only
from helpers.portfolios import auto, be_adaptive, curved_stream

LIKELY, UNLIKELY = Cost(fn_cost=100, fp_cost=1), Cost(fn_cost=98, fp_cost=1)  # at a rate of 1 %
ROWS, LATER = 20_000, 2_000


@pytest.fixture(autouse=True)
def adaptive(monkeypatch):
    be_adaptive(monkeypatch)


# --- before there are labels --------------------------------------------------------------------------


@pytest.mark.parametrize(("objective", "flag"), [(LIKELY, 1), (UNLIKELY, 0)])
@pytest.mark.parametrize("positives", [0, 1, 30])
def test_a_row_is_flagged_by_its_costs_until_there_are_labels_of_both_classes(
    objective, flag, positives
):
    model, X = auto(objective), np.random.default_rng(0).normal(size=(40, 3))
    model.learn_many(X[:positives], [1] * positives)
    assert {model.predict_one(x) for x in X} == {flag}
    assert model.predict_proba_one(X[-1]) == pytest.approx(0.01)


def test_a_row_of_costs_of_its_own_is_decided_by_them():
    model = auto(Cost(fn_cost=1, fp_cost=1))
    assert model.predict_one([1.0], fn_cost=1000.0, fp_cost=5.0) == 1
    assert model.predict_one([1.0], fn_cost=400.0, fp_cost=5.0) == 0


def test_negative_rows_alone_speak_against_positive_ones():
    model = auto(LIKELY)
    model.learn_many(np.ones((100, 1)), [0] * 100)
    assert model.predict_proba_one([1.0]) == pytest.approx(
        1 / 200, rel=0.02
    )  # the shortest half-life forgets some


def test_under_the_weighted_accuracy_there_is_no_prior():
    model = auto(WeightedAccuracy())
    model.learn_many(np.ones((20, 1)), [1] * 20)
    assert model.predict_one([1.0]) == 1


@pytest.mark.parametrize("learner", [make_learner("perceptron"), make_learner("auto", half_life=9)])
def test_others_begin_as_they_always_did(learner):
    assert learner.begin_at(learner.state(4), 0.01) is False
    assert OnlineClassifier(learner, UNLIKELY).predict_one([1.0, 2.0]) == 1


def test_rows_a_batch_and_a_file_begin_alike():
    X, y, _ = curved_stream(30, width=3)
    y[:10] = 1
    rows, batch, resumed = auto(LIKELY), auto(LIKELY), auto(LIKELY)
    found = [rows.learn_one(x, label) for x, label in zip(X, y, strict=True)]
    assert batch.prequential(X, y).tolist() == found
    first = resumed.prequential(X[:5], y[:5])
    resumed = loads(dumps(resumed))
    assert [*first, *resumed.prequential(X[5:], y[5:])] == found


# --- wild costs and bursts ----------------------------------------------------------------------------


def test_costs_are_clipped_in_a_row_as_in_a_batch_and_after_a_file():
    X, y, _ = curved_stream(40, width=3)
    fn_cost = np.exp(np.random.default_rng(1).normal(4.0, 3.0, len(y)))
    fn_cost[[7, 20]] = 1e12
    rows, batch, resumed = auto(LIKELY), auto(LIKELY), auto(LIKELY)
    given = zip(X, y, fn_cost, strict=True)
    found = [rows.learn_one(x, label, fn_cost=cost, fp_cost=5.0) for x, label, cost in given]
    assert batch.prequential(X, y, fn_cost=fn_cost, fp_cost=5.0).tolist() == found
    first = resumed.prequential(X[:25], y[:25], fn_cost=fn_cost[:25], fp_cost=5.0)
    resumed = loads(dumps(resumed))
    later = resumed.prequential(X[25:], y[25:], fn_cost=fn_cost[25:], fp_cost=5.0)
    assert [*first, *later] == found


def learn(model, event, positive, **costs):
    costs = {"fn_cost": event.fn_cost, "fp_cost": event.fp_cost} | costs
    return model.learn_one(event.features, int(positive), **costs)


@pytest.fixture(scope="module")
def payments():
    """A model that has learnt payments, and those that come next."""
    events = list(payment_events(2 * ROWS, seed=0))
    with pytest.MonkeyPatch.context() as patch:
        be_adaptive(patch)
        model = OnlineClassifier("auto", Cost(fn_cost=100, fp_cost=5), classes=(0, 1))
        for event in events[:ROWS]:
            learn(model, event, event.positive)
        content, after = dumps(model), events[ROWS : ROWS + LATER]
        undisturbed = later(content, after)
    return content, after, [one for one in events[ROWS:] if one.positive], undisturbed


def later(content, events, before=()):
    """The share of later payments that is flagged, and what their decisions cost."""
    model, flags, cost = loads(content), 0, 0.0
    for event, positive, costs in before:
        learn(model, event, positive, **costs)
    for event in events:
        flag = learn(model, event, event.positive) >= 0.0
        flags += flag
        cost += event.fn_cost * (event.positive and not flag)
        cost += event.fp_cost * (flag and not event.positive)
    return flags / len(events), cost


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("wild", [1e9, 1e12])
@pytest.mark.parametrize("side", ["right", "wrong", "false alarm"])
def test_one_wild_cost_does_not_switch_detection_off(payments, wild, side):
    content, events, frauds, undisturbed = payments
    usual = next(one for one in events if not one.positive)
    event, positive, costs = {
        "right": (frauds[-1], True, {"fn_cost": wild}),
        "wrong": (usual, True, {"fn_cost": wild}),
        "false alarm": (usual, False, {"fp_cost": wild}),
    }[side]
    flags, cost = later(content, events, [(event, positive, costs)])
    assert 0.75 <= flags / undisturbed[0] <= 1.25
    assert cost <= 1.1 * undisturbed[1]


@compiled_only
@pytest.mark.slow
def test_a_burst_of_frauds_at_most_doubles_the_share_flagged(payments):
    content, events, frauds, undisturbed = payments
    flags, _ = later(content, events, [(one, True, {}) for one in frauds[-200:]])
    assert flags <= 2.0 * undisturbed[0]
