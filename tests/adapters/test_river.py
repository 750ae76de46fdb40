"""The River adapter: the checks of River for every learner, and what its users do every day."""

import io
import random
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("river")

import pandas as pd
from river import checks

from costream import Cost, OnlineClassifier
from costream.river import CostSensitiveClassifier
from helpers.streams import JIT_OFF, NAMES, SOME, dict_rows, same_bits, stream

X, y = stream(seed=2, rows=60, width=8)
FRAME = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
SERIES = pd.Series(y > 0)


def check_ids() -> list[str]:
    """The name of each check, numbered where it comes once for each data set."""
    seen: Counter[str] = Counter()
    ids = []
    for check in checks.yield_checks(CostSensitiveClassifier()):
        seen[check.__name__] += 1
        ids.append(f"{check.__name__}-{seen[check.__name__]}")
    return ids


CHECKS = check_ids()


@pytest.mark.skipif(JIT_OFF, reason="River's checks say nothing new about interpreted kernels")
@pytest.mark.parametrize("at", range(len(CHECKS)), ids=CHECKS)
@pytest.mark.parametrize("name", SOME)
def test_host_checks(name, at):
    run_check(name, at)


@pytest.mark.long
@pytest.mark.skipif(JIT_OFF, reason="River's checks say nothing new about interpreted kernels")
@pytest.mark.parametrize("at", range(len(CHECKS)), ids=CHECKS)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in SOME])
def test_host_checks_of_every_other_learner(name, at):
    run_check(name, at)


def run_check(name, at):
    random.seed(0)  # the checks shuffle features without a seed
    model = CostSensitiveClassifier(name)
    check = list(checks.yield_checks(model))[at]
    assert check.__name__ not in model._unit_test_skips()
    check(model.clone())


# --- rows and frames --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_learn_many_is_learn_one_in_a_loop(name):
    batch, rows = CostSensitiveClassifier(name), CostSensitiveClassifier(name)
    batch.learn_many(FRAME, SERIES)
    for x, label in zip(FRAME.to_dict("records"), SERIES, strict=True):
        rows.learn_one(x, label)
    assert same_bits(batch.model.coef_, rows.model.coef_)
    assert batch.model.feature_names == rows.model.feature_names


@pytest.mark.parametrize("name", SOME)
def test_scores_are_those_of_the_online_classifier(name):
    adapter = CostSensitiveClassifier(name, Cost(9, 1), fit_intercept=True)
    core = OnlineClassifier(name, Cost(9, 1), fit_intercept=True)
    for x, label in zip(dict_rows(X), y, strict=True):
        assert adapter.score_one(x) == core.learn_one(x, label)
        adapter.learn_one(x, label)


@pytest.mark.parametrize("w", [2.0, [0.0, 0.5, 1.0] * 20], ids=["number", "one a row"])
def test_weights(w):
    batch, rows = CostSensitiveClassifier(), CostSensitiveClassifier()
    batch.learn_many(FRAME, SERIES, w=w)
    each = np.broadcast_to(w, len(y)).tolist()
    for x, label, weight in zip(FRAME.to_dict("records"), SERIES, each, strict=True):
        rows.learn_one(x, label, w=weight)
    assert same_bits(batch.model.coef_, rows.model.coef_)


# --- labels -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_every_learner_has_probabilities(name):
    model = CostSensitiveClassifier(name, fit_intercept=True)
    model.learn_many(FRAME, SERIES)
    frame = model.predict_proba_many(FRAME)
    assert list(frame.columns) == [False, True]
    each = [model.predict_proba_one(x) for x in FRAME.to_dict("records")]
    assert frame.to_dict("records") == each
    np.testing.assert_allclose(frame.sum(axis="columns"), 1.0)
    assert frame[True][SERIES].mean() > frame[True][~SERIES].mean()


# --- copies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_save_and_load_go_on_alike(name, tmp_path):
    model = CostSensitiveClassifier(name, "cost", positive="bad", fit_intercept=True)
    labels = np.where(y > 0, "bad", "good")
    rows = list(zip(dict_rows(X), labels, strict=True))
    for x, label in rows[:30]:
        model.learn_one(x, label)
    model.save(tmp_path / "model")
    other = CostSensitiveClassifier.load(tmp_path / "model")
    for x, label in rows[30:]:
        assert other.score_one(x) == model.score_one(x)
        assert other.predict_one(x) == model.predict_one(x)
        for each in (model, other):
            each.learn_one(x, label)
    assert same_bits(other.model.coef_, model.model.coef_)


def test_a_model_goes_through_file_objects_and_bytes():
    model = CostSensitiveClassifier("carow-diag", Cost(fn_cost="f0", fp_cost=1))
    model.learn_many(FRAME.abs(), SERIES)
    file = io.BytesIO()
    model.save(file)
    expected = model.predict_many(FRAME.abs())
    content = model.dumps()
    assert content == file.getvalue()
    for other in (
        CostSensitiveClassifier.load(io.BytesIO(content)),
        CostSensitiveClassifier.loads(content),
    ):
        assert other.objective == model.objective
        assert other.predict_many(FRAME.abs()).equals(expected)
