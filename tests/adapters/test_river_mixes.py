"""Our metrics among those of River: the cost is the same in any mix, order or wrapper."""

import copy

import pytest

pytest.importorskip("river")

from river import (
    base,
    datasets,
    ensemble,
    evaluate,
    imblearn,
    linear_model,
    metrics,
    preprocessing,
    utils,
)

from costream import Cost
from costream.river import CostSensitiveClassifier
from costream.river import metrics as ours

ROWS = 400
COSTS = {"fn_cost": 10, "fp_cost": 1}
STREAM = list(datasets.Phishing().take(ROWS))


def cost():
    return ours.Cost(**COSTS)


def savings():
    return ours.Savings(**COSTS)


def rolling(window_size=ROWS, kind=ours.Cost):
    return utils.Rolling(kind, window_size=window_size, **COSTS)


def ours_of(learner="auto", objective=None):
    return CostSensitiveClassifier(learner, objective or Cost(**COSTS))


def run(metric, model, stream=STREAM, **given):
    """The values of the metrics after a run, by name."""
    evaluate.progressive_val_score(copy.deepcopy(stream), model, metric, **given)
    each = metric if isinstance(metric, metrics.base.Metrics) else [metric]
    return {str(one).split(":")[0]: one.get() for one in each}


def total_cost(decisions, stream=STREAM):
    """What decisions cost, row by row."""
    return sum(
        10 * (bool(y) and not flag) + (flag and not y)
        for (_, y), flag in zip(stream, decisions, strict=True)
    )


def decisions_of(model, decide, stream=STREAM):
    """The decision about each row, before it is learnt."""
    found = []
    for x, y in copy.deepcopy(stream):
        found.append(bool(decide(model, x)))
        model.learn_one(x, y)
    return found


def by_own_label(model, x):
    return model.predict_one(x)


def by_probability(model, x):
    q = model.predict_proba_one(x).get(True, 0.0)
    return 10 * q >= 1 - q


MIXES = {
    "Cost": cost,
    "Cost + ROCAUC": lambda: cost() + metrics.ROCAUC(),
    "ROCAUC + Cost": lambda: metrics.ROCAUC() + cost(),
    "(Cost + Savings) + ROCAUC": lambda: (cost() + savings()) + metrics.ROCAUC(),
    "LogLoss + F1 + Cost": lambda: metrics.LogLoss() + metrics.F1() + cost(),
    "Cost + F1": lambda: cost() + metrics.F1(),
    "F1 + Cost": lambda: metrics.F1() + cost(),
    "Rolling": rolling,
    "Rolling, ROCAUC": lambda: metrics.base.Metrics([rolling(), metrics.ROCAUC()]),
    "ROCAUC, Rolling": lambda: metrics.base.Metrics([metrics.ROCAUC(), rolling()]),
}


@pytest.mark.parametrize("mix", MIXES.values(), ids=MIXES)
def test_the_cost_is_the_same_in_every_mix(mix):
    expected = total_cost(decisions_of(ours_of(), by_own_label))
    assert run(mix(), ours_of())["Cost"] == expected > 0


MODELS = {
    "pipeline": lambda: preprocessing.StandardScaler() | ours_of(),
    "bagging": lambda: ensemble.BaggingClassifier(ours_of(), 3, seed=1),
    "sampler": lambda: imblearn.RandomUnderSampler(ours_of(), {True: 0.5, False: 0.5}, seed=1),
    "logistic regression": lambda: preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    "sum": lambda: ours_of(objective="sum"),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_probabilities_are_decided_by_at_the_costs_of_the_metric(make):
    expected = total_cost(decisions_of(make(), by_probability))
    assert run(cost(), make())["Cost"] == expected > 0
    assert run(metrics.ROCAUC() + cost(), make())["Cost"] == expected


@pytest.mark.parametrize("mix", ["Cost", "Cost + ROCAUC", "ROCAUC + Cost", "Rolling, ROCAUC"])
@pytest.mark.parametrize("learner", ["acog-ii", "perceptron"])
def test_a_learner_that_decides_by_its_score_is_counted_by_its_decisions(learner, mix):
    expected = total_cost(decisions_of(ours_of(learner), by_own_label))
    assert expected != total_cost(decisions_of(ours_of(learner), by_probability))
    assert run(MIXES[mix](), ours_of(learner))["Cost"] == expected


class LabelsAlone(base.Classifier):
    """A classifier without probabilities: the label of the row before."""

    last = False

    def learn_one(self, x, y):
        self.last = y

    def predict_one(self, x):
        return self.last


WITHOUT = {
    "voting": lambda: ensemble.VotingClassifier([ours_of() for _ in range(3)]),
    "labels alone": LabelsAlone,
    "pipeline": lambda: preprocessing.StandardScaler() | LabelsAlone(),
    "sampler": lambda: imblearn.RandomUnderSampler(LabelsAlone(), {True: 0.5, False: 0.5}, seed=1),
}


@pytest.mark.parametrize("make", WITHOUT.values(), ids=WITHOUT)
def test_models_without_probabilities_are_counted_by_their_decisions(make):
    assert run(cost(), make())["Cost"] == total_cost(decisions_of(make(), by_own_label)) > 0


def test_rows_with_costs_of_their_own_are_decided_at_them():
    stream = [(x, y, {"fn_cost": 1.0 + 20 * (t % 2)}) for t, (x, y) in enumerate(STREAM)]

    def run_of(metric):
        model = CostSensitiveClassifier(objective=Cost(fn_cost="fn_cost", fp_cost=1))
        return run(metric, model, list(ours.with_costs(stream, fp_cost=1)))["Cost"]

    model, expected = CostSensitiveClassifier(objective=Cost(fn_cost="fn_cost", fp_cost=1)), 0.0
    for x, y, keywords in stream:
        flagged = model.predict_one(x, **keywords)
        expected += keywords["fn_cost"] * (bool(y) and not flagged) + (flagged and not y)
        model.learn_one(x, y, **keywords)
    assert run_of(ours.Cost()) == run_of(metrics.ROCAUC() + ours.Cost()) == expected
