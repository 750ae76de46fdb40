"""The classifier as its users see it: its public names, and what it hides."""

import ast
import copy
import pickle
import re
from pathlib import Path

import pytest

import costream
from costream import Cost, CostreamError, OnlineClassifier
from costream.model import core
from costream.model.classifier import core_of
from helpers.streams import NAMES

PUBLIC = """
    coef_ counts feature_names fit_intercept hash_slots intercept_ labels learner
    max_features normalize notes objective rho rows schema schema_is_inferred
    learn_one score_one predict_one predict_proba_one variance_one
    learn_many learn_stream score_many predict_many predict_proba_many variance_many
    forecast_one forecast_many prequential standings explain_one
    save load dumps loads
"""


def test_public_names_are_these():
    found = {name for name in dir(OnlineClassifier("perceptron")) if not name.startswith("_")}
    assert found == set(PUBLIC.split())


def test_nobody_reaches_into_a_classifier():
    """Our own modules ask `core_of` for its inside."""
    folder = Path(costream.__file__).parent
    reaching = {
        path.name for path in folder.rglob("*.py") if re.search(r"\._core\b", path.read_text("utf-8"))
    }
    assert reaching == {"classifier.py", "batches.py", "rows.py"}


def uses_of_core(source):
    """What a module asks of the core of a model: of `core_of(model)`, and of what is called core."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            inner = node.value
            called = getattr(getattr(inner, "func", None), "id", None)
            names = called, getattr(inner, "id", None), getattr(inner, "attr", None)
            if not {"core", "core_of"}.isdisjoint(names):
                yield node.attr


def test_other_packages_use_the_verbs_of_the_core_alone():
    """The table at the top of `model/core.py` is all that they may ask for."""
    verbs = {*re.findall(r"`Core\.(\w+)`", core.__doc__)}
    folder = Path(costream.__file__).parent
    others = {
        path.relative_to(folder): path.read_text("utf-8")
        for path in folder.rglob("*.py")
        if folder / "model" not in path.parents
    }
    reaching = {
        (name, use)
        for name, source in others.items()
        if re.search(r"\bcore_of\b|\bCore\b", source)
        for use in uses_of_core(source)
    }
    assert {(str(name), use) for name, use in reaching if use not in verbs} == set()


def test_every_verb_of_the_core_is_there():
    made = core_of(OnlineClassifier("perceptron"))
    assert [one for one in re.findall(r"`Core\.(\w+)`", core.__doc__) if not hasattr(made, one)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_has_probabilities(name):
    model = OnlineClassifier(name)
    model.learn_one({"a": 1.0}, 1)
    assert 0.0 < model.predict_proba_one({"a": 1.0}) < 1.0


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_a_copy_learns_on_its_own(copied):
    model = OnlineClassifier("carow-diag")
    model.learn_one({"a": 1.0}, 1)
    other = copied(model)
    before = model.coef_
    other.learn_one({"a": -1.0, "b": 2.0}, 1)
    assert model.coef_.tolist() == before.tolist()
    assert (model.rows, other.rows) == (1, 2)
    assert (model.feature_names, other.feature_names) == (["a"], ["a", "b"])


def test_a_stream_is_asked_for():
    with pytest.raises(CostreamError, match=r"^learn_stream needs a Stream, not a str\nhint: open"):
        OnlineClassifier("perceptron").learn_stream("payments.csv")


@pytest.mark.parametrize("learner", ["perceptron", "carow-diag", "acog-i"])
def test_a_new_linear_model_flags_whatever_the_objective_costs(learner):
    model = OnlineClassifier(learner, Cost(fn_cost=1, fp_cost=50))
    assert (model.score_one({"amount": 9.0}), model.predict_one({"amount": 9.0})) == (0.0, 1)
    assert model.predict_one({"amount": 9.0}, fn_cost=1, fp_cost=50) == 1  # those of the objective
    assert model.predict_one({"amount": 9.0}, fn_cost=1, fp_cost=60) == 0


@pytest.mark.parametrize(("fn_cost", "label"), [(49, 0), (50, 1), (51, 1)])
def test_a_new_default_model_flags_where_a_miss_costs_as_much_as_an_alarm(fn_cost, label):
    model = OnlineClassifier("auto", Cost(fn_cost=fn_cost, fp_cost=50))
    assert model.predict_one({"amount": 9.0}) == label
    assert model.predict_one({}) == label
