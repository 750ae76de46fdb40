"""Streams for River whose rows carry their costs: one total cost, whatever River does with the rows."""

import copy
import math
import pickle
from decimal import Decimal

import numpy as np
import pytest

pytest.importorskip("river")

import pandas as pd
from river import datasets, ensemble, evaluate, forest, linear_model, metrics, naive_bayes, tree

from costream import Cost, CostColumn, CostreamError
from costream.costs import Costs, Tally
from costream.costs.rows import GivenCosts
from costream.river import CostSensitiveClassifier
from costream.river import metrics as ours
from costream.river.costs import CostedLabel
from costream.river.metrics import with_costs
from helpers.streams import JIT_OFF

pytestmark = pytest.mark.skipif(
    JIT_OFF, reason="runs of River say nothing new about interpreted kernels"
)

# --- streams with costs -----------------------------------------------------------------------------

AMOUNT = CostColumn("amount", feature=False)
STREAM = [({"amount": 10.0 + t, "a": float(t % 3)}, t % 4 == 0) for t in range(40)]


def test_rows_get_their_costs():
    rows = list(with_costs(STREAM, fn_cost=AMOUNT, fp_cost=5))
    assert [x for x, _, _ in rows] == [{"a": x["a"]} for x, _ in STREAM]
    assert [y for _, y, _ in rows] == [y for _, y in STREAM]
    assert rows[3][2] == {"fn_cost": 13.0, "fp_cost": 5.0}
    assert rows[3][1].costs == GivenCosts(13.0, 5.0)
    assert next(with_costs([({"amount": Decimal("4.5")}, 1)], fn_cost="amount"))[2] == {"fn_cost": 4.5}
    assert "amount" in STREAM[0][0]


def test_costs_among_the_keywords_of_rows_are_billed():
    """A stream of (x, y, {"fn_cost": ...}) is decided and billed at the same costs."""
    rows = [(x, y, {"w": 2.0, "fn_cost": 7.0, "tp_cost": -1.0}) for x, y in STREAM]
    _, y, keywords = next(with_costs(rows))
    assert y.costs == GivenCosts(fn_cost=7.0, tp_cost=-1.0)
    assert keywords == rows[0][2]
    _, y, keywords = next(with_costs(rows, fn_cost=3))
    assert y.costs == GivenCosts(fn_cost=3.0, tp_cost=-1.0)
    assert keywords == {"w": 2.0, "fn_cost": 3.0, "tp_cost": -1.0}
    assert next(with_costs(rows, pass_to_model=False))[2] == {"w": 2.0}
    assert len(list(with_costs(rows))) == len(rows)
    with pytest.raises(CostreamError, match="row 1: nan is not a valid fn_cost"):
        list(with_costs([*rows[:1], ({}, True, {"fn_cost": math.nan})]))


@pytest.mark.parametrize(
    "label", [True, False, 1, 0, -1, 1.0, "fraud", np.True_, np.int64(1)], ids=repr
)
def test_a_label_with_costs_is_like_the_label(label):
    plain = label.item() if isinstance(label, np.generic) else label
    ((_, y, _),) = with_costs([({}, label)], fn_cost=2)
    assert isinstance(y, CostedLabel)
    assert y == plain
    assert hash(y) == hash(plain)
    assert {plain: 1}[y] == 1
    assert (str(y), repr(y)) == (str(plain), repr(plain))
    assert isinstance(y, type(plain) if type(plain) is not bool else int)
    for other in (copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        assert (other, other.costs, other.plain) == (y, y.costs, y.plain)


@pytest.mark.parametrize(
    "empty", [{}, {"amount": None}, {"amount": math.nan}, {"amount": pd.NA}], ids=str
)
def test_an_empty_cost_is_an_error_whose_hint_works(empty):
    rows = [*STREAM[:2], ({"a": 1.0, **empty}, True)]
    with pytest.raises(CostreamError, match="row 2, column amount: the fn_cost is missing") as error:
        list(with_costs(rows, fn_cost="amount"))
    assert "CostColumn('amount', default=...)" in str(error.value)
    found = list(with_costs(rows, fn_cost=CostColumn("amount", default=50)))
    assert found[2][2] == {"fn_cost": 50.0}


@pytest.mark.parametrize("bad", ["12", math.inf, [1.0]], ids=str)
def test_a_bad_cost_is_an_error(bad):
    with pytest.raises(CostreamError, match=r"row 0, column amount.*not a valid fn_cost"):
        list(with_costs([({"amount": bad}, True)], fn_cost="amount"))


@pytest.mark.parametrize("rows", [40, 2500])
def test_costs_that_tell_the_labels_are_warned_of(rows):
    leaking = [({"loss": 90.0 + t if t % 4 == 0 else 0.0}, t % 4 == 0) for t in range(rows)]
    stream = with_costs(leaking, fn_cost="loss", fp_cost=5)
    with pytest.warns(UserWarning, match="fn_cost is 0 for every negative row"):
        assert len(list(stream)) == rows
    words = ((x, "bad" if y else "good") for x, y in leaking)
    with pytest.warns(UserWarning, match="fn_cost is 0 for every negative row"):
        assert len(list(with_costs(words, fn_cost="loss", pos_val="bad"))) == rows


def by_hand(stream, model, metric):
    """Predict, count and learn in a loop, each with the costs of the row as keywords."""
    for x, y, costs in stream:
        metric.update(bool(y), model.predict_one(x, **costs), **costs)
        model.learn_one(x, bool(y), **costs)
    return metric.get()


def costed_phishing(rows=300, **options):
    stream = ((x, y) for x, y in datasets.Phishing().take(rows))
    amounts = RNG_AMOUNTS[:rows].tolist()
    stream = (({**x, "amount": amount}, y) for (x, y), amount in zip(stream, amounts, strict=True))
    return with_costs(stream, fn_cost=AMOUNT, fp_cost=2, **options)


RNG_AMOUNTS = np.random.default_rng(3).lognormal(1.0, 1.0, 1250)


def river_model(name="auto"):
    return CostSensitiveClassifier(name, Cost(fn_cost=AMOUNT, fp_cost=2))


@pytest.mark.parametrize("name", ["auto", "carow", "perceptron"])
def test_the_bill_of_a_run_is_that_of_a_loop(name):
    metric = evaluate.progressive_val_score(costed_phishing(), river_model(name), ours.Cost())
    assert metric.get() == by_hand(costed_phishing(), river_model(name), ours.Cost()) > 0.0


def test_labels_may_come_late():
    seen = []

    class Spy(ours.Cost):
        def update(self, y_true, y_pred, w=1.0):
            seen.append((y_true, y_pred))
            super().update(y_true, y_pred, w)

    metric = evaluate.progressive_val_score(costed_phishing(), river_model(), Spy(), delay=20)
    rows = [(y, y.costs) for _, y, _ in costed_phishing()]
    assert [(y, y.costs) for y, _ in seen] == rows
    scores = [1.0 if pred.decision else -1.0 for _, pred in seen]
    tally = Tally.of(
        scores,
        [y for y, _ in rows],
        Costs(fn_cost=0, fp_cost=2),
        fn_cost=[costs.fn_cost for _, costs in rows],
    )
    assert metric.get() == pytest.approx(tally.cost, abs=1e-9)


OTHERS = {
    "logistic regression": linear_model.LogisticRegression,
    "softmax": linear_model.SoftmaxRegression,
    "naive Bayes": naive_bayes.GaussianNB,
    "tree": tree.HoeffdingTreeClassifier,
    "forest": lambda: forest.ARFClassifier(n_models=3, seed=1),
    "voting": lambda: ensemble.VotingClassifier(
        [linear_model.LogisticRegression(), naive_bayes.GaussianNB()]
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_models_of_river_run_on_the_same_stream(kind):
    both = metrics.F1() + metrics.ConfusionMatrix() + ours.Cost()
    evaluate.progressive_val_score(costed_phishing(200, pass_to_model=False), OTHERS[kind](), both)
    plain = metrics.F1() + metrics.ConfusionMatrix()
    evaluate.progressive_val_score(datasets.Phishing().take(200), OTHERS[kind](), plain)
    assert repr(both[0]) == repr(plain[0])
    assert repr(both[1]) == repr(plain[1])
    assert both[2].get() > 0.0
