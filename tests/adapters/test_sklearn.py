"""The scikit-learn adapter: the checks of scikit-learn for every learner, and what its users do."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_classifiers_train, parametrize_with_checks

from costream import Cost, CostreamError, OnlineClassifier
from costream.learners import LEARNERS, make_learner
from costream.sklearn import CostSensitiveClassifier
from helpers.streams import JIT_OFF, NAMES, SOME, same_bits, stream

ONE_PASS = "one pass: a repeated row is another step, not the same step with a larger weight"
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": ONE_PASS,
    "check_sample_weight_equivalence_on_sparse_data": ONE_PASS,
}
X, y = stream(seed=1, rows=60, width=8)
COLUMNS = list("abcdefgh")


class ByScore(CostSensitiveClassifier):
    """Without probabilities, which scikit-learn expects to lead to the same decisions as `predict`.

    A learner without probabilities of its own decides by its score, at the costs of the objective.
    """

    predict_proba = property()


@pytest.mark.skipif(JIT_OFF, reason="scikit-learn's checks say nothing new about interpreted kernels")
@parametrize_with_checks(
    [CostSensitiveClassifier(name) for name in SOME],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_host_checks(estimator, check):
    run_check(estimator, check)


@pytest.mark.long
@pytest.mark.skipif(JIT_OFF, reason="scikit-learn's checks say nothing new about interpreted kernels")
@parametrize_with_checks(
    [CostSensitiveClassifier(name) for name in NAMES if name not in SOME],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_host_checks_of_every_other_learner(estimator, check):
    run_check(estimator, check)


def run_check(estimator, check):
    decides_by_score = not make_learner(estimator.learner).has_probabilities
    if check.func is check_classifiers_train and decides_by_score:
        estimator = ByScore(estimator.learner)
    check(estimator)


@pytest.mark.parametrize("name", SOME)
def test_probabilities_of_every_learner(name):
    adapter = CostSensitiveClassifier(name, shuffle=False).fit(X, y)
    proba = adapter.predict_proba(X)
    core = OnlineClassifier(name)
    core.learn_many(X, y)
    assert same_bits(proba[:, 1], core.predict_proba_many(X))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert roc_auc_score(y, proba[:, 1]) > 0.5
    with pytest.raises(ValueError, match="features"):
        adapter.predict_proba(X.T)


# --- one pass ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_scores_are_those_of_the_online_classifier(name):
    adapter = CostSensitiveClassifier(name, shuffle=False).fit(X, y)
    core = OnlineClassifier(name)
    core.learn_many(X, y)
    assert same_bits(adapter.decision_function(X), core.score_many(X))


@pytest.mark.parametrize("name", SOME)
def test_fit_is_partial_fit_once(name):
    fit = CostSensitiveClassifier(name, shuffle=False).fit(X, y)
    partial = CostSensitiveClassifier(name).partial_fit(X, y)
    assert same_bits(fit.decision_function(X), partial.decision_function(X))


def test_partial_fit_goes_on():
    whole = CostSensitiveClassifier(shuffle=False).fit(X, y)
    parts = CostSensitiveClassifier().partial_fit(X[:25], y[:25]).partial_fit(X[25:], y[25:])
    assert same_bits(parts.decision_function(X), whole.decision_function(X))


# --- classes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_a_first_batch_of_one_class(name):
    order = np.argsort(-y, kind="stable")  # all positives, then all negatives
    positives = int(np.sum(y == 1))
    rows, labels = X[order], y[order]
    adapter = CostSensitiveClassifier(name)
    adapter.partial_fit(rows[:positives], labels[:positives])
    assert adapter.classes_.tolist() == [1]
    adapter.partial_fit(rows[positives:], labels[positives:])
    assert adapter.classes_.tolist() == [-1, 1]
    core = OnlineClassifier(name)
    core.learn_many(rows, labels)
    assert same_bits(adapter.decision_function(X), core.score_many(X))


def test_a_third_label_is_an_error_and_changes_nothing():
    adapter = CostSensitiveClassifier().partial_fit(X, y)
    before = pickle.dumps(adapter)
    with pytest.raises(CostreamError, match=r"row 1: unknown label 7"):
        adapter.partial_fit(X[:2], [1, 7])
    assert pickle.dumps(adapter) == before


# --- the positive class may be the first ------------------------------------------------------------


def test_the_first_class_may_be_positive():
    usual = CostSensitiveClassifier(positive=1).fit(X, (y + 1) // 2)
    turned = CostSensitiveClassifier(positive=0).fit(X, (1 - y) // 2)
    assert turned.classes_.tolist() == [0, 1]
    assert same_bits(turned.decision_function(X), -usual.decision_function(X))
    assert np.array_equal(turned.predict(X), 1 - usual.predict(X))


# --- copies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_save_and_load_go_on_alike(name, tmp_path):
    adapter = CostSensitiveClassifier(name, "cost", positive=-1).partial_fit(X[:30], y[:30])
    adapter.save(tmp_path / "model")
    other = CostSensitiveClassifier.load(tmp_path / "model")
    assert same_bits(adapter.decision_function(X), other.decision_function(X))
    for each in (adapter, other):
        each.partial_fit(X[30:], y[30:])
    assert same_bits(adapter.decision_function(X), other.decision_function(X))


def test_load_brings_back_what_predict_needs(tmp_path):
    frame = pd.DataFrame(X, columns=COLUMNS)
    adapter = CostSensitiveClassifier("acog-ii").fit(frame, np.where(y > 0, "yes", "no"))
    adapter.save(tmp_path / "model")
    other = CostSensitiveClassifier.load(tmp_path / "model")
    assert other.predict(frame).tolist() == adapter.predict(frame).tolist()
    assert other.predict(frame).dtype == adapter.predict(frame).dtype
    assert other.classes_.tolist() == ["no", "yes"]
    assert other.feature_names_in_.tolist() == COLUMNS
    assert other.n_features_in_ == len(COLUMNS)
    assert other.learner.get_params() == make_learner("acog-ii").get_params()
    with pytest.raises(ValueError, match="feature names"):
        other.predict(frame.rename(columns={"a": "z"}))


# --- hyper-parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["acog-ii", LEARNERS["acog-ii"](eta=5.0)], ids=["name", "object"])
def test_grid_search_reaches_the_learner(learner):
    rates = [1e-3, 1.0, 100.0]
    search = GridSearchCV(CostSensitiveClassifier(learner), {"learner__eta": rates}, cv=3).fit(X, y)
    assert search.best_estimator_.model_.learner.eta == search.best_params_["learner__eta"]
    by_hand = [
        cross_val_score(CostSensitiveClassifier(make_learner("acog-ii", eta=eta)), X, y, cv=3).mean()
        for eta in rates
    ]
    assert search.cv_results_["mean_test_score"].tolist() == by_hand


OBJECTIVES = [Cost(9, 1), Cost(1, 9), "sum"]


@pytest.mark.parametrize("pipeline", [False, True])
def test_a_search_over_objectives_says_that_each_is_scored_by_its_own(pipeline):
    adapter = CostSensitiveClassifier("carow", Cost(9, 1))
    steps = make_pipeline(StandardScaler(), adapter) if pipeline else adapter
    grid = {("costsensitiveclassifier__" if pipeline else "") + "objective": OBJECTIVES}
    with pytest.warns(UserWarning, match=r"by its own measure, .*savings_scorer"):
        GridSearchCV(steps, grid, cv=2).fit(X, y)
