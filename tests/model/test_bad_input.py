"""Bad input is an error that names the row or the parameter, and leaves the model as it was."""

from decimal import Decimal

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import CostreamError, OnlineClassifier
from helpers.refusals import INF, MODELS, NOT_FINITE, fresh, named, numbered, refused, rows_with
from helpers.streams import same_bits

# --- values that are not finite ---------------------------------------------------------------------


@MODELS
@pytest.mark.parametrize("value", [INF, -INF])
@pytest.mark.parametrize("call", ["learn_one", "score_one", "predict_one"])
def test_a_dict_row(call, value, make):
    model = make()
    label = [1] if call == "learn_one" else []
    with refused(model, match="feature 'b' is not finite"):
        getattr(model, call)({"a": 1.0, "b": value}, *label)


@MODELS
@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("call", ["learn_one", "score_one", "predict_one"])
@pytest.mark.parametrize("column", [1, 7])
def test_an_array_row(column, call, value, make):
    model = make()
    label = [1] if call == "learn_one" else []
    row = np.ones(9)
    row[column] = value
    with refused(model, match=rf"feature {column} is not finite"):
        getattr(model, call)(row, *label)


@MODELS
@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("call", ["learn_many", "prequential", "score_many", "variance_many"])
def test_a_batch(call, kind, value, make):
    model = make()
    labels = [[1, 0, 1, 0]] if call in ("learn_many", "prequential") else []
    with refused(model, match="row 2: a value is not finite"):
        getattr(model, call)(kind(rows_with(value)), *labels)


# --- shapes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [np.ones(3), [1.0, 2.0], np.ones((2, 2, 2)), 1.0, None, [], "text", object()],
    ids=lambda X: type(X).__name__,
)
@pytest.mark.parametrize("call", ["learn_many", "score_many", "variance_many"])
def test_a_batch_that_is_not_rows_and_columns(call, X):
    model = named()
    with refused(model, match="X"):
        getattr(model, call)(X, *([[1, 0]] if call == "learn_many" else []))


@pytest.mark.parametrize(
    "x",
    [np.ones((1, 3)), np.ones((2, 3)), [[1.0]], 1.0, None, "text", csr_array(np.ones((2, 3)))],
    ids=lambda x: type(x).__name__,
)
@pytest.mark.parametrize("call", ["learn_one", "score_one", "predict_one"])
def test_a_row_that_is_no_row(call, x):
    model = named()
    with refused(model, match="row"):
        getattr(model, call)(x, *([1] if call == "learn_one" else []))


@pytest.mark.parametrize("names", [["a", "b"], ["a", "b", "c", "d"], []], ids=str)
@pytest.mark.parametrize("call", ["learn_many", "score_many", "variance_many"])
@pytest.mark.parametrize("make", [fresh, named, numbered])
def test_a_wrong_number_of_names(call, names, make):
    model = make()
    with refused(model, match=f"{len(names)} names for 3 columns"):
        getattr(model, call)(np.eye(3), *([[1, 0, 1]] if call == "learn_many" else []), names=names)


# --- kinds of values --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [fresh, named])
@pytest.mark.parametrize(
    "value",
    [b"red", [[1.0]], [{}], object(), 1j, np.complex128(1j), 10**400, np.float64(INF)],
    ids=lambda value: repr(value)[:20],
)
@pytest.mark.parametrize("call", ["learn_one", "score_one"])
def test_a_value_that_is_no_number(call, value, make):
    model = make()
    with refused(model, match="feature 'b'"):
        getattr(model, call)({"a": 1.0, "b": value}, *([1] if call == "learn_one" else []))


ODD_ARRAYS = {
    "complex": np.array([[1 + 1j, 2.0]]),
    "text": np.array([["red", "blue"]]),
    "digits": np.array([["1.5", "2.5"]]),
    "objects": np.array([[object(), 1.0]], object),
    "text in objects": np.array([["red", 1.0]], object),
    "huge": np.array([[10**400, 1.0]], object),
    "dates": np.array([["2020-01-01", "2020-01-02"]], "M8[D]"),
}


@pytest.mark.parametrize("kind", ODD_ARRAYS)
@pytest.mark.parametrize("call", ["learn_many", "score_many"])
def test_an_array_that_does_not_hold_real_numbers(call, kind):
    model = numbered()
    with refused(model, match="X"):
        getattr(model, call)(ODD_ARRAYS[kind], *([[1]] if call == "learn_many" else []))


@pytest.mark.parametrize(
    "value", [True, 2, np.float32(2.5), np.int8(3), np.bool_(True), Decimal("2.5")], ids=repr
)
def test_numbers_of_all_kinds_are_fine(value):
    model, plain = named(), named()
    assert model.learn_one({"a": value, "c": 1}, 1) == plain.learn_one({"a": float(value), "c": 1.0}, 1)
    assert same_bits(model.coef_, plain.coef_)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.uint64, np.bool_, object, ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_all_kinds_are_fine(order, kind):
    X = np.array([[1, 0, 3], [0, 1, 1]])
    model, plain = fresh(), fresh()
    model.learn_many(X.astype(kind, order=order), [1, 0])
    plain.learn_many(X.astype(kind).astype(float), [1, 0])
    assert same_bits(model.coef_, plain.coef_)


@pytest.mark.parametrize("many", [False, True])
def test_rows_that_the_model_knows_nothing_of_are_told_of_once(many):
    model = OnlineClassifier("perceptron")
    model.learn_many(np.ones((200, 1)), [0, 1] * 100, names=["a"])
    with pytest.warns(UserWarning, match="knows none of the features"):
        model.score_many([[1.0]], names=["b"]) if many else model.score_one({"b": 1.0})
    model.score_many([[1.0]], names=["b"])


def test_an_index_below_zero_is_outside_the_columns():
    rows = csr_array([[1.0, 2.0]])
    rows.indices[0] = -1
    with pytest.raises(CostreamError, match="feature index -1 is outside the 2 columns"):
        OnlineClassifier("perceptron").score_many(rows)
