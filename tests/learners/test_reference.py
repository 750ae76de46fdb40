"""Every learner, however it is fed, equals the paper in dense NumPy."""

import numpy as np
import pytest

import reference
from costream import Cost, OnlineClassifier, WeightedAccuracy
from costream.costs.learning import HIGHEST_RATIO
from costream.learners import make_learner
from helpers.streams import (
    JIT_OFF,
    KINDS,
    NAMES,
    PLAIN,
    ROWS,
    assert_close,
    coef_of,
    dict_rows,
    feed,
    has_variance,
    settings_of,
    stream,
    variance_of,
)
from reference.platt import Platt

OBJECTIVES = {
    "laplace": WeightedAccuracy(0.6),
    "known": WeightedAccuracy.known(18, 42),
    "cost": Cost(5, 2),
}
SETTINGS = [(name, params) for name in NAMES for params in settings_of(name)]
WITH_VARIANCE = [name for name in NAMES if has_variance(name)]
every_learner = pytest.mark.parametrize("name", NAMES)
every_kind = pytest.mark.parametrize("kind", KINDS)


def rates(objective, y, weight, half_life=None):
    """rho before each row, and after the last one."""
    seen, found = {1: 0.0, -1: 0.0}, []
    keep = 0.5 ** (1 / half_life) if half_life else 1.0
    for label, one in zip([*y, 1], [*weight, 0.0], strict=True):
        if isinstance(objective, Cost):
            found.append(objective.fn_cost / objective.fp_cost)
        else:
            ratio = (seen[-1] + 1) / (seen[1] + 1) if objective.ratio is None else objective.ratio
            found.append(objective.alpha_p / (1 - objective.alpha_p) * ratio)
        if one > 0:
            seen = {which: keep * count for which, count in seen.items()}
            seen[label] += one
    return np.array(found)


def differences(objective, own):
    """a = fn - tp and b = fp - tn of rows with costs of their own, the rest those of the objective."""
    names = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
    numbers = {name: getattr(objective, name) for name in names}
    fn, fp, tp, tn = ({**numbers, **own}[name] for name in names)
    return fn - tp, fp - tn


def costs(objective, y, weight, own, half_life=None):
    """r of each row by the definitions."""
    if not own:
        return np.where(y > 0, rates(objective, y, weight, half_life)[:-1], 1.0) * weight
    a, b = differences(objective, own)
    return np.maximum(np.where(y > 0, a, b), 0.0) / objective.fp_cost * weight


def cost_ratios(objective, y, weight, own, half_life=None):
    """The cost ratio of each row, and of a later one."""
    rho = rates(objective, y, weight, half_life)
    if not own:
        return rho[:-1], rho[-1]
    found = []
    for a, b in np.broadcast(*differences(objective, own)):
        if a * b > 0:
            found.append(np.sign(a) * np.clip(a / b, 1 / HIGHEST_RATIO, HIGHEST_RATIO))
        else:  # whatever the label is, one decision is right
            flag = 0.3 * a >= 0.7 * b
            found.append(HIGHEST_RATIO if flag else 1 / HIGHEST_RATIO)
    return np.array(found), rho[-1]


def margins(scores, y, weight, cost_ratio):
    """The scores of a learner without probabilities, at the cost ratios of rows."""
    platt, found = Platt(), []
    for score, label, one, ratio in zip(scores, y, weight, cost_ratio, strict=True):
        found.append(np.sign(ratio) * (platt.log_odds(score) + np.log(abs(ratio))))
        platt.learn(score, label, one)
    return np.array(found)


class Expected:
    """What the oracle makes of a stream."""

    def __init__(self, name, X, y, params, objective, *, fit_intercept=False, weight=None, **own):
        self.plain, self.fit_intercept, self.width = name in PLAIN, fit_intercept, X.shape[1]
        self.x = self.prepared(X)
        self.oracle = reference.make(name, self.x.shape[1], **params)
        weight = np.ones(len(y)) if weight is None else weight
        knows = self.oracle.knows_rho
        r = costs(objective, y, weight, own) if knows else weight
        others = {}
        if not self.plain:
            half_life = params.get("half_life")
            r = costs(objective, y, weight, own, half_life)
            class_cost = costs(objective, y, weight, {}, half_life)
            cost_ratio, self.cost_ratio = cost_ratios(objective, y, weight, own, half_life)
            others = {"class_cost": class_cost, "cost_ratio": cost_ratio}
        self.scores = reference.run(self.oracle, self.x, y.astype(float), r, **others)
        if self.plain and own:
            self.scores = margins(self.scores, y, weight, cost_ratios(objective, y, weight, own)[0])

    def prepared(self, X):
        """Rows as the oracle wants them."""
        if not self.plain:
            return X
        X = reference.normalise(X)
        return np.hstack([X, np.ones((len(X), 1))]) if self.fit_intercept else X

    def score_many(self, X):
        known = {} if self.plain else {"cost_ratio": self.cost_ratio}
        return np.array([self.oracle.score(x, **known) for x in self.prepared(X)])

    @property
    def coef_(self):
        return self.oracle.weights()[: self.width]

    @property
    def variances(self):
        return np.array([self.oracle.variance(x) for x in self.x])


def names_of(kind, name, width):
    """What the oracle must know of names: `auto` draws directions from them."""
    named = kind == "dict" and name not in PLAIN
    return {"names": [f"f{j}" for j in range(width)]} if named else {}


def run_both(
    name,
    seed=0,
    kind="csr",
    params=None,
    objective=OBJECTIVES["laplace"],
    *,
    fit_intercept=False,
    weight=None,
    **own,
):
    """The model, its scores, and what the oracle expects."""
    X, y = stream(seed)
    extra = {"weight": weight, **own}
    known = {**(params or {}), **names_of(kind, name, X.shape[1])}
    expected = Expected(name, X, y, known, objective, fit_intercept=fit_intercept, **extra)
    model = OnlineClassifier(make_learner(name, **params or {}), objective, fit_intercept=fit_intercept)
    return model, feed(model, X, y, kind, **extra), expected


def test_reference_costs_agree():
    """The costs of these tests are those of the oracle, where it has them."""
    _, y = stream(0)
    one = np.ones(len(y))
    np.testing.assert_allclose(costs(WeightedAccuracy(0.6), y, one, {}), reference.laplace(y, 0.6))
    known = WeightedAccuracy.known(np.sum(y > 0), np.sum(y < 0), 0.3)
    np.testing.assert_allclose(costs(known, y, one, {}), reference.known(y, 0.3))


@every_learner
@every_kind
@pytest.mark.parametrize("seed", [0] if JIT_OFF else [0, 1, 2])
def test_scores(name, kind, seed):
    _, scores, expected = run_both(name, seed, kind)
    assert_close(scores, expected.scores)


@every_learner
@every_kind
def test_coef(name, kind):
    model, _, expected = run_both(name, 3, kind)
    assert_close(coef_of(model, expected.width), expected.coef_)


@every_kind
@pytest.mark.parametrize("name", WITH_VARIANCE)
def test_confidence(name, kind):
    model, _, expected = run_both(name, 3, kind)
    X, _ = stream(3)
    assert_close(variance_of(model, X, kind), expected.variances)


@pytest.mark.parametrize("name", [name for name in WITH_VARIANCE if name in PLAIN])
def test_confidence_of_an_unseen_feature_is_that_of_a_new_model(name):
    model, _, expected = run_both(name)
    row = np.zeros((1, expected.width + 1))
    row[0, -1] = 3.0
    assert_close(model.variance_many(row), [1.0])


@pytest.mark.parametrize(("name", "params"), SETTINGS)
def test_hyper_parameters(name, params):
    _, scores, expected = run_both(name, 4, params=params)
    assert_close(scores, expected.scores)


@pytest.mark.parametrize(("name", "params"), SETTINGS)
def test_hyper_parameters_row_by_row(name, params):
    """As arrays where a sketch starts with a seed: that start is over the features of the first row."""
    _, scores, expected = run_both(name, 5, "rows" if "seed" in params else "dict", params)
    assert_close(scores, expected.scores)


@every_learner
@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
@pytest.mark.parametrize("kind", ["csr", "dict"])
def test_objectives(name, objective, kind):
    _, scores, expected = run_both(name, 6, kind, objective=objective)
    assert_close(scores, expected.scores)


@every_learner
@every_kind
def test_weights(name, kind):
    weight = np.random.default_rng(8).choice([0.0, 0.25, 1.0, 3.0], ROWS)
    _, scores, expected = run_both(name, 8, kind, weight=weight)
    assert_close(scores, expected.scores)


@every_learner
@pytest.mark.parametrize("kind", ["csr", "dict"])
def test_four_costs_of_single_rows_of_all_signs(name, kind):
    rng = np.random.default_rng(11)
    names = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
    own = dict(zip(names, rng.normal([[3.0], [1.0], [0.0], [0.0]], 1.5, (4, ROWS)), strict=True))
    _, scores, expected = run_both(name, 11, kind, objective=Cost(5, 2), **own)
    assert_close(scores, expected.scores)


@every_learner
def test_score_many(name):
    model, _, expected = run_both(name, 12)
    X, _ = stream(13)
    assert_close(model.score_many(X), expected.score_many(X))


@every_learner
@every_kind
def test_growth(name, kind):
    """Features that come half way are as good as features that were 0 so far."""
    X, y = stream(14, width=25)
    X[:30, 9:] = 0.0
    expected = Expected(name, X, y, names_of(kind, name, X.shape[1]), WeightedAccuracy())
    model = OnlineClassifier(name)
    scores = [feed(model, X[:30, :9], y[:30], kind), feed(model, X[30:], y[30:], kind)]
    assert_close(np.concatenate(scores), expected.scores)


@pytest.mark.parametrize("name", PLAIN)
def test_unseen_features_count_in_the_norm_of_a_row_that_is_scored(name):
    model, _, expected = run_both(name, 15, "dict")
    X, _ = stream(16, width=20)
    padded = np.append(expected.coef_, np.zeros(8))
    scores = [model.score_one(x) for x in dict_rows(X)]
    assert_close(scores, reference.normalise(X) @ padded)


@every_kind
@pytest.mark.parametrize("size", [1e-200, 1e200, 1e-290, 1e290])
def test_rows_of_any_size_are_normalised(kind, size):
    X, y = stream(17)
    expected = feed(OnlineClassifier("carow-diag"), X, y)
    norm = np.sqrt((X * X).sum(axis=1, keepdims=True))
    scores = feed(OnlineClassifier("carow-diag"), X / np.where(norm > 0, norm, 1.0) * size, y, kind)
    assert_close(scores, expected)


@pytest.mark.parametrize("kind", ["csr", "dict"])
def test_a_row_that_is_as_good_as_zero_stays_as_it_is(kind):
    model = OnlineClassifier("cog-ii", Cost(1, 1))
    feed(model, np.array([[1e-310]]), [1], kind)
    assert model.coef_[0] == 1e-310


@pytest.mark.parametrize("kind", ["csr", "dict"])
def test_romma_of_any_length(kind):
    """The mean may pass a length of 1e100 in a few rounds; the weights see to it here."""
    X, y = stream(18, rows=80)
    weight = np.ones(len(y))
    weight[[3, 7]] = 1e50, 1e51
    expected = reference.run(reference.make("romma", 12), reference.normalise(X), 1.0 * y, weight)
    scores = feed(OnlineClassifier("romma"), X, y, kind, weight)
    assert np.max(np.abs(expected)) > 1e100
    assert_close(scores[8:], expected[8:])
