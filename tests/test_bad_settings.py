"""Bad weights, costs, labels and settings are errors that name them, and leave the model as it was."""

import numpy as np
import pandas as pd
import pytest

from costream import Cost, CostreamError, OnlineClassifier
from helpers.refusals import INF, MODELS, NAN, NOT_FINITE, named, refused, rows_with

# --- weights and costs ------------------------------------------------------------------------------


COST_NAMES = ["fn_cost", "fp_cost", "tp_cost", "tn_cost"]


@MODELS
@pytest.mark.parametrize("value", [*NOT_FINITE, -1.0, -1e-300])
def test_a_bad_weight_in_a_batch(value, make):
    model = make()
    with refused(model, match="row 1: weight must be finite and not negative"):
        model.learn_many(np.ones((3, 9)), [1, 0, 1], weight=[1.0, value, 1.0])


@MODELS
@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("key", COST_NAMES)
def test_a_bad_cost_of_one_row(key, value, make):
    model = make()
    with refused(model, match=f"{key} must be a finite number"):
        model.learn_one({"new": 1.0}, 1, **{key: value})


@pytest.mark.parametrize("learn", [False, True])
def test_the_sum_has_no_costs_of_rows(learn):
    model = OnlineClassifier("cog-ii", classes=(0, 1))
    with refused(model, match="sum, which has no costs"):
        if learn:
            model.learn_one({"a": 1.0}, 1, fn_cost=3.0, fp_cost=1.0)
        else:
            model.predict_one({"a": 1.0}, fn_cost=3.0)


@pytest.mark.parametrize("key", ["weight", *COST_NAMES])
@pytest.mark.parametrize(
    "value", ["much", [1.0, 2.0], 1j, {}, 10**400], ids=lambda value: repr(value)[:10]
)
def test_a_weight_of_one_row_that_is_no_number(key, value):
    model = named()
    with refused(model, match=key):
        model.learn_one({"a": 1.0}, 1, **{key: value})


@pytest.mark.parametrize("key", ["weight", *COST_NAMES])
@pytest.mark.parametrize(
    "value", [["much", "more", "most"], [1.0, 2.0], np.ones((3, 1)), [], [1j, 1.0, 1.0], [None, [], {}]]
)
def test_weights_of_a_batch_that_are_not_one_number_a_row(key, value):
    model = named()
    with refused(model, match=key):
        model.learn_many(np.ones((3, 9)), [1, 0, 1], **{key: value})


# --- labels -----------------------------------------------------------------------------------------


@MODELS
@pytest.mark.parametrize("label", [7, "spam", None, NAN, pd.NA, pd.NaT, [1], (), np.ones(1)], ids=repr)
def test_a_bad_label(label, make):
    model = make()
    with refused(model, match="label"):
        model.learn_one({"new": 1.0}, label)


@MODELS
@pytest.mark.parametrize("label", [7, "spam", None, NAN, pd.NA, (1, 2)], ids=repr)
def test_a_bad_label_in_a_batch(label, make):
    model = make()
    labels = np.empty(3, object)
    labels[:] = [1, 0, 1]
    labels[1] = label
    with refused(model, match=r"row 1: .*label"):
        model.learn_many(np.ones((3, 9)), labels)


@pytest.mark.parametrize(
    "labels",
    [[1, 0], [1, 0, 1, 0], [[1], [0], [1]], 1, [], None, [[1], [0, 1], 1]],
    ids=str,
)
def test_not_one_label_a_row(labels):
    model = named()
    with refused(model, match="one label for each of 3 rows"):
        model.learn_many(np.ones((3, 9)), labels)


# --- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"learner": "acog-iii"}, "did you mean 'acog-ii'"),
        ({"learner": None}, "unknown learner None"),
        ({"objective": "happiness"}, "unknown objective 'happiness'"),
        ({"max_features": 0}, "max_features"),
        ({"max_features": True}, "max_features"),
        ({"hash_slots": -1}, "hash_slots"),
        ({"hash_slots": 2**40}, "hash_slots"),
        ({"max_features": 5, "hash_slots": 5}, "exclude each other"),
    ],
    ids=str,
)
def test_a_bad_setting(settings, match):
    with pytest.raises(CostreamError, match=match):
        OnlineClassifier(**settings)


@pytest.mark.parametrize("value", [NAN, INF, "", 1j, True, {}])
@pytest.mark.parametrize("key", COST_NAMES)
def test_a_bad_cost(key, value):
    with pytest.raises(CostreamError, match=f"{key} must be|cost column"):
        Cost(**{"fn_cost": 9.0, "fp_cost": 1.0, key: value})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fn_cost": 5.0}, "Cost needs fp_cost, too"),
        ({"fp_cost": 5.0}, "Cost needs fn_cost, too"),
        ({"fn_cost": 5, "fp_cost": 1, "tp_cost": 5}, "fn_cost=5 must be above tp_cost=5: missing"),
        ({"fn_cost": 5, "fp_cost": -1}, "fp_cost=-1 must be above tn_cost=0: flagging"),
        ({"fn_cost": [1.0, 2.0], "fp_cost": 1}, "fn_cost of an objective must be a number or the name"),
    ],
)
def test_costs_that_cannot_be_an_objective(given, message):
    with pytest.raises(CostreamError, match=message):
        Cost(**given)


@MODELS
@pytest.mark.parametrize("value", [*NOT_FINITE, -1.0, -1e-300])
def test_a_bad_weight_of_one_row(value, make):
    model = make()
    with refused(model, match="weight must be finite and not negative"):
        model.learn_one({"new": 1.0}, 1, weight=value)


@MODELS
@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("key", COST_NAMES)
def test_a_bad_cost_in_a_batch(key, value, make):
    model = make()
    with refused(model, match=f"row 1: {key} must be a finite number"):
        model.learn_many(np.ones((3, 9)), [1, 0, 1], **{key: [1.0, value, 1.0]})


@pytest.mark.parametrize("label", [0, 1])
def test_weights_that_add_up_beyond_all_numbers(label):
    model = OnlineClassifier("perceptron", classes=(0, 1))
    model.learn_one({"a": 1.0}, label, weight=1e308)
    with refused(model, match="weight"):
        model.learn_one({"a": 1.0}, label, weight=1e308)
    with refused(model, match="weight"):
        model.learn_many(np.ones((2, 1)), [label, label], 1e308)
    assert "rows=" in repr(model)


def test_a_bad_row_does_not_admit_a_new_label():
    model = OnlineClassifier(positive="bad")
    with refused(model, match="not finite"):
        model.learn_one({"a": INF}, "good")
    with refused(model, match="row 2"):
        model.learn_many(rows_with(NAN), ["good"] * 4)
    model.learn_one({"a": 1.0}, "fine")
    assert model.labels.negative == ("fine",)
