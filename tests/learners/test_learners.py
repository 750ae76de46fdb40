"""Learners by name: hyper-parameters, their ranges, and what every learner does."""

import dataclasses
import importlib
import math
import pkgutil
import re

import numpy as np
import pytest

import reference
from costream import Cost, CostreamError, OnlineClassifier, learners
from costream.kernels.row_kernels import row_kernel_of
from costream.kernels.rules import RULES
from costream.learners import ACOGII, LEARNERS, make_learner
from costream.learners.base import Learner, register
from costream.learners.states import check_memory, resized
from costream.model.classifier import core_of
from helpers.streams import NAMES, PLAIN, VALUES, feed, same_bits, stream

DEFAULTS = {"C": 1.0, "eta": 1.0, "gamma": 1.0, "k": 1, "m": 5, "new_sigma": True}
DEFAULTS |= {"half_life": None, "margin": None}
PARAMETERS = [(name, key) for name in NAMES for key in make_learner(name).get_params()]
KNOWN = {(name, key): LEARNERS[name].hyper_parameters()[key] for name, key in PARAMETERS}


def bad_values(known):
    """Values out of the range of a hyper-parameter."""
    if known.kind is bool:
        return [0, 1, "yes", None]
    bad = [0, -1, math.nan, "1", True, *([] if known.optional else [None])]
    if known.kind is int:
        return [*bad, 1.5, 2.0]
    return [*bad, known.above, known.below, math.inf]


every_learner = pytest.mark.parametrize("name", NAMES)
plain_learner = pytest.mark.parametrize("name", PLAIN)


def test_every_learner_has_an_oracle():
    assert set(LEARNERS) == set(reference.LEARNERS)


def test_every_learner_is_in_the_list_of_the_package():
    """Which static checkers read: a file that is not imported there is found here."""
    for one in pkgutil.iter_modules(learners.__path__, "costream.learners."):
        importlib.import_module(one.name)
    assert {cls.__name__ for cls in LEARNERS.values()} <= set(learners.__all__)
    assert all(getattr(learners, cls.__name__) is cls for cls in LEARNERS.values())
    assert all(hasattr(learners, name) for name in learners.__all__)


@every_learner
def test_record_has_a_row_kernel_and_a_rule(name):
    state = make_learner(name).state(1)
    assert callable(row_kernel_of(state))
    assert RULES[type(state)] == LEARNERS[name].rule


@pytest.mark.parametrize(("name", "key"), PARAMETERS)
def test_values_out_of_range(name, key):
    for value in bad_values(KNOWN[name, key]):
        with pytest.raises(CostreamError, match=rf"^{key} of {name} must be .*, not {value!r}$"):
            make_learner(name, **{key: value})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("acog", "did you mean 'acog-i'"),
        ("perceptrn", "did you mean 'perceptron'"),
        ("ACOGII", "did you mean 'acog-ii'"),
        ("xyzzy", "use one of perceptron, romma, "),
        (None, "use one of"),
    ],
)
def test_unknown_learner(name, hint):
    with pytest.raises(CostreamError, match=rf"^unknown learner {name!r}\nhint: {hint}"):
        make_learner(name)


def test_a_class_is_no_learner():
    with pytest.raises(CostreamError, match=r"^ACOGII is a class\nhint: make a learner: ACOGII\(\)$"):
        OnlineClassifier(ACOGII)


# ---------------------------------------- registering


def registered(**attributes):
    """A class with these attributes, registered; it must be refused, so nothing is left behind."""
    return register(type("Bad", (Learner,), {"__doc__": "A bad learner.", **attributes}))


@pytest.mark.parametrize(
    ("attributes", "complaint"),
    [
        ({}, "Bad has no name"),
        ({"name": "bad"}, "Bad has no reference"),
        ({"name": "bad", "reference": "nobody 2026"}, "Bad has no rule"),
        (
            {"name": "bad", "reference": "nobody", "rule": LEARNERS["cog-i"].rule},
            "the reference of Bad names no year: 'nobody'",
        ),
        (
            {"name": "cog-i", "reference": "nobody 2026", "rule": LEARNERS["cog-i"].rule},
            "the name 'cog-i' of Bad is taken by <class 'costream.learners.cog.COGI'>",
        ),
        (
            {
                "name": "bad",
                "reference": "nobody 2026",
                "rule": LEARNERS["cog-i"].rule._replace(variance=print),
            },
            "the record of Bad has another rule already",
        ),
    ],
)
def test_a_learner_that_cannot_be_registered_is_named(attributes, complaint):
    with pytest.raises(TypeError, match=f"^{re.escape(complaint)}$"):
        registered(**attributes)
    assert "bad" not in LEARNERS


# ---------------------------------------- states


@every_learner
def test_arrays_come_before_numbers_in_a_state(name):
    """The row kernels rely on it."""
    are_arrays = [isinstance(field, np.ndarray) for field in make_learner(name).state(3)]
    assert are_arrays == sorted(are_arrays, reverse=True)


@every_learner
def test_bytes_needed_covers_what_grows(name):
    """The memory that a feature more takes is what the learner says, scratch aside."""
    learner = make_learner(name)

    def taken(d):
        return sum(field.nbytes for field in learner.state(d) if isinstance(field, np.ndarray))

    grown = taken(200) - taken(100)
    assert grown <= learner.bytes_needed(200) - learner.bytes_needed(100)


@every_learner
def test_resized_model_is_the_same_model(name):
    X, y = stream(0)
    model = OnlineClassifier(name)
    feed(model, X, y)
    size = 12 + model.fit_intercept
    larger = resized(model.learner, core_of(model).state, 40, size)
    assert same_bits(model.learner.weights(larger)[:size], core_of(model).weights()[:size])
    assert not model.learner.weights(larger)[size:].any()


def test_model_that_does_not_fit_names_the_learner():
    with pytest.raises(CostreamError, match=r"^acog-ii with 100,000,000 features needs .* GiB"):
        check_memory(make_learner("acog-ii"), 10**8)


# ---------------------------------------- what every learner does


@plain_learner
@pytest.mark.parametrize("label", [-1, 1])
def test_empty_row_moves_no_weight(name, label):
    X, y = stream(1)
    model = OnlineClassifier(name)
    feed(model, X, y)
    before = model.coef_
    model.learn_one(np.zeros(12), label)
    assert same_bits(model.coef_, before)


@every_learner
def test_cost_of_misses_raises_sensitivity(name):
    """rho reaches exactly those learners that say so."""
    X, y = stream(4)
    cheap, dear = (feed(OnlineClassifier(name, Cost(cost, 1)), X, y) for cost in (0.1, 10))
    assert same_bits(cheap, dear) == (not make_learner(name).cost_sensitive)


def test_explicit_margin_of_paum_ignores_rho():
    X, y = stream(4)
    learner = make_learner("paum", margin=2.0)
    cheap, dear = (feed(OnlineClassifier(learner, Cost(cost, 1)), X, y) for cost in (1, 10))
    assert same_bits(cheap, dear)


@every_learner
def test_hyper_parameters_matter(name):
    """Each one changes some score."""
    X, y = stream(5)
    expected = feed(OnlineClassifier(name), X, y)
    for item in dataclasses.fields(make_learner(name)):
        changed = make_learner(name, **{item.name: VALUES[item.name][0]})
        assert not same_bits(feed(OnlineClassifier(changed), X, y), expected), item.name


@pytest.mark.parametrize("name", PLAIN)
def test_a_learner_without_events_has_none(name):
    learner = make_learner(name)
    model = learner.state(3)
    assert learner.rows_until_event(model) == np.inf
    assert learner.progress_due(model) == 1.0
    with pytest.raises(TypeError, match="has no events"):
        learner.event(model)


def test_a_learner_without_a_composition_takes_none():
    with pytest.raises(ValueError, match="cannot be right"):
        make_learner("carow-diag").composed(1, {"members": []}, 3)
