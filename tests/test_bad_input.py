"""Bad input is an error that names the row or the parameter, and leaves the model as it was."""

import pickle
import tracemalloc
import warnings
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array

from costream import Cost, CostreamError, OnlineClassifier, make_learner
from streams import NAMES, same_bits

NAN, INF = float("nan"), float("inf")
NOT_FINITE = [NAN, INF, -INF]


def fresh():
    return OnlineClassifier("acog-ii-diag", classes=(0, 1))


def named():
    """A model that knows features by name."""
    model = fresh()
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    model.learn_one({"b": 1.0, "c": -1.0}, 0)
    return model


def numbered():
    """A model that knows features by their number."""
    model = fresh()
    model.learn_many(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]), [1, 0])
    return model


def hashed():
    model = OnlineClassifier("acog-ii-diag", classes=(0, 1), hash_slots=4, intercept=True)
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    return model


MODELS = pytest.mark.parametrize("make", [fresh, named, numbered, hashed])


def everything(model):
    model.predict_one({})  # whatever is worked out once and kept
    return pickle.dumps(model), model.feature_names


@contextmanager
def refused(model, match):
    """The error is ours, says what is wrong, and has changed nothing."""
    before = everything(model)
    with pytest.raises(CostreamError, match=match):
        yield
    assert everything(model) == before
    other = pickle.loads(before[0])
    for row in (np.array([1.0, -2.0, 0.5]), {"a": 1.0, "b": -2.0}):
        assert model.score_one(row) == other.score_one(row)


def rows_with(value):
    """Four rows; the value is in the third."""
    X = np.ones((4, 3))
    X[2, 1] = value
    return X


# --- values that are not finite ---------------------------------------------------------------------


@MODELS
@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("call", ["learn_one", "score_one", "predict_one"])
def test_a_dict_row(call, value, make):
    model = make()
    label = [1] if call == "learn_one" else []
    with refused(model, match="feature 'b' is not finite"):
        getattr(model, call)({"a": 1.0, "b": value}, *label)


@MODELS
@pytest.mark.parametrize("value", NOT_FINITE)
def test_a_dict_row_with_a_new_feature(value, make):
    model = make()
    with refused(model, match="feature 'b' is not finite"):
        model.learn_one({"new": 1.0, "b": value}, 1)


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


@pytest.mark.parametrize("value", NOT_FINITE)
def test_infinities_that_cancel_out(value):
    model = numbered()
    with refused(model, match="feature 0 is not finite"):
        model.learn_one(np.array([value, -value, 1.0]), 1)


@MODELS
@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("call", ["learn_many", "prequential", "score_many", "confidence_many"])
def test_a_batch(call, kind, value, make):
    model = make()
    labels = [[1, 0, 1, 0]] if call in ("learn_many", "prequential") else []
    with refused(model, match="row 2: a value is not finite"):
        getattr(model, call)(kind(rows_with(value)), *labels)


@pytest.mark.parametrize("value", NOT_FINITE)
def test_a_batch_with_empty_rows_before(value):
    model = fresh()
    X = np.zeros((4, 3))
    X[3, 0] = value
    with refused(model, match="row 3: a value is not finite"):
        model.learn_many(csr_array(X), [1, 0, 1, 0])


def test_a_batch_that_is_not_normalised():
    model = OnlineClassifier(normalize=False)
    with refused(model, match="row 2: a value is not finite"):
        model.learn_many(rows_with(INF), [1, 0, 1, 0])


def test_a_bad_row_of_weight_0_is_still_a_bad_row():
    model = fresh()
    with refused(model, match="not finite"):
        model.learn_one({"a": NAN}, 1, weight=0.0)
    with refused(model, match="row 2: a value is not finite"):
        model.learn_many(rows_with(NAN), [1, 0, 1, 0], [1.0, 1.0, 0.0, 1.0])


@pytest.mark.parametrize("value", NOT_FINITE)
def test_the_confidence_of_a_dict_row(value):
    model = named()
    with refused(model, match="not finite"):
        model.confidence_one({"a": 1.0, "b": value})


def test_a_value_that_is_not_finite_in_a_feature_that_is_left_out():
    model = OnlineClassifier(classes=(0, 1), max_features=1)
    model.learn_one({"a": 1.0}, 1)
    with refused(model, match="'b' is not finite"):
        model.score_one({"a": 1.0, "b": NAN})


# --- weights and costs ------------------------------------------------------------------------------


@MODELS
@pytest.mark.parametrize("value", [*NOT_FINITE, -1.0, -1e-300])
@pytest.mark.parametrize("key", ["weight", "fn_cost", "fp_cost"])
def test_a_bad_weight_of_one_row(key, value, make):
    model = make()
    with refused(model, match=f"{key} must be finite and not negative"):
        model.learn_one({"new": 1.0}, 1, **{key: value})


@MODELS
@pytest.mark.parametrize("value", [*NOT_FINITE, -1.0, -1e-300])
@pytest.mark.parametrize("key", ["weight", "fn_cost", "fp_cost"])
def test_a_bad_weight_in_a_batch(key, value, make):
    model = make()
    with refused(model, match=f"row 1: {key} must be finite and not negative"):
        model.learn_many(np.ones((3, 9)), [1, 0, 1], **{key: [1.0, value, 1.0]})


@pytest.mark.parametrize("key", ["weight", "fn_cost", "fp_cost"])
@pytest.mark.parametrize(
    "value", ["much", [1.0, 2.0], 1j, {}, 10**400], ids=lambda value: repr(value)[:10]
)
def test_a_weight_of_one_row_that_is_no_number(key, value):
    model = named()
    with refused(model, match=key):
        model.learn_one({"a": 1.0}, 1, **{key: value})


def test_a_weight_of_one_row_that_is_none():
    model = named()
    with refused(model, match="weight"):
        model.learn_one({"a": 1.0}, 1, None)


@pytest.mark.parametrize("key", ["weight", "fn_cost", "fp_cost"])
@pytest.mark.parametrize(
    "value", [["much", "more", "most"], [1.0, 2.0], np.ones((3, 1)), [], [1j, 1.0, 1.0], [None, [], {}]]
)
def test_weights_of_a_batch_that_are_not_one_number_a_row(key, value):
    model = named()
    with refused(model, match=key):
        model.learn_many(np.ones((3, 9)), [1, 0, 1], **{key: value})


@pytest.mark.parametrize("objective", [Cost(9.0, 1.0), "sum"])
def test_a_price_beyond_all_numbers(objective):
    model = OnlineClassifier("cog-ii", objective, classes=(0, 1))
    for _ in range(9):
        model.learn_one({"a": 1.0}, 0)
    with refused(model, match="weight"):
        model.learn_one({"a": 1.0}, 1, weight=1e308)
    with refused(model, match="row 1"):
        model.learn_many(np.ones((2, 1)), [0, 1], [1.0, 1e308])


@pytest.mark.parametrize("label", [0, 1])
def test_weights_that_add_up_beyond_all_numbers(label):
    model = OnlineClassifier("perceptron", classes=(0, 1))
    model.learn_one({"a": 1.0}, label, weight=1e308)
    with refused(model, match="weight"):
        model.learn_one({"a": 1.0}, label, weight=1e308)
    with refused(model, match="weight"):
        model.learn_many(np.ones((2, 1)), [label, label], 1e308)
    assert "rows=" in repr(model)


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


def test_a_bad_row_does_not_admit_a_new_label():
    model = OnlineClassifier(positive="bad")
    with refused(model, match="not finite"):
        model.learn_one({"a": NAN}, "good")
    with refused(model, match="row 2"):
        model.learn_many(rows_with(NAN), ["good"] * 4)
    model.learn_one({"a": 1.0}, "fine")
    assert model.labels.negative == "fine"


# --- shapes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [np.ones(3), [1.0, 2.0], np.ones((2, 2, 2)), 1.0, None, [], [{"a": 1.0}], "text", object()],
    ids=lambda X: type(X).__name__,
)
@pytest.mark.parametrize("call", ["learn_many", "score_many", "confidence_many"])
def test_a_batch_that_is_not_rows_and_columns(call, X):
    model = named()
    with refused(model, match="X"):
        getattr(model, call)(X, *([[1, 0]] if call == "learn_many" else []))


def test_a_sparse_vector_is_no_batch():
    model = named()
    with refused(model, match="two dimensions"):
        model.learn_many(coo_array([1.0, 2.0]), [1, 0])


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
@pytest.mark.parametrize("call", ["learn_many", "score_many", "confidence_many"])
@pytest.mark.parametrize("make", [fresh, named, numbered])
def test_a_wrong_number_of_names(call, names, make):
    model = make()
    with refused(model, match=f"{len(names)} names for 3 columns"):
        getattr(model, call)(np.eye(3), *([[1, 0, 1]] if call == "learn_many" else []), names=names)


@pytest.mark.parametrize("make", [fresh, named, numbered])
def test_names_that_cannot_be_names(make):
    model = make()
    with refused(model, match="name"):
        model.learn_many(np.eye(2), [1, 0], names=["x", ["y"]])


@MODELS
def test_a_name_that_comes_twice(make):
    model = make()
    with refused(model, match="'x'"):
        model.learn_many(np.eye(3), [1, 0, 1], names=["x", "y", "x"])


# --- kinds of values --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [fresh, named])
@pytest.mark.parametrize(
    "value",
    ["red", "", "1.5", None, [1.0], {}, 1j, np.complex128(1j), 10**400, pd.NA],
    ids=lambda value: repr(value)[:20],
)
@pytest.mark.parametrize("call", ["learn_one", "score_one"])
def test_a_value_that_is_no_number(call, value, make):
    model = make()
    with refused(model, match="feature 'b'"):
        getattr(model, call)({"a": 1.0, "b": value}, *([1] if call == "learn_one" else []))


@pytest.mark.parametrize(
    "row", [{"a": 1.0, "b": np.complex128(1 + 1j)}, np.array([1.0, 1j])], ids=["dict", "array"]
)
@pytest.mark.parametrize("make", [fresh, numbered])
def test_complex_numbers_where_warnings_are_ignored(make, row):
    model = make()
    with warnings.catch_warnings(), refused(model, match="feature 'b'|row"):
        warnings.simplefilter("ignore")
        model.learn_one(row, 1)


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


@pytest.mark.parametrize("kind", ODD_ARRAYS)
@pytest.mark.parametrize("call", ["learn_one", "score_one"])
def test_an_array_row_that_does_not_hold_real_numbers(call, kind):
    model = numbered()
    with refused(model, match="row"):
        getattr(model, call)(ODD_ARRAYS[kind][0], *([1] if call == "learn_one" else []))


def test_a_complex_csr_matrix():
    model = numbered()
    with refused(model, match="complex"):
        model.learn_many(csr_array(np.array([[1 + 1j]])), [1])


def test_rows_of_unlike_lengths():
    model = numbered()
    with refused(model, match="X"):
        model.learn_many([[1.0, 2.0], [1.0]], [1, 0])


@pytest.mark.parametrize(
    "value", [True, 2, np.float32(2.5), np.int8(3), np.bool_(True), Decimal("2.5")], ids=repr
)
def test_numbers_of_all_kinds_are_fine(value):
    model, plain = named(), named()
    assert model.learn_one({"a": value, "c": 1}, 1) == plain.learn_one({"a": float(value), "c": 1.0}, 1)
    assert same_bits(model.coef, plain.coef)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.uint64, np.bool_, object, ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_all_kinds_are_fine(order, kind):
    X = np.array([[1, 0, 3], [0, 1, 1]])
    model, plain = fresh(), fresh()
    model.learn_many(X.astype(kind, order=order), [1, 0])
    plain.learn_many(X.astype(kind).astype(float), [1, 0])
    assert same_bits(model.coef, plain.coef)


def test_slices_are_fine():
    X = np.arange(48.0).reshape(6, 8)
    model, plain = fresh(), fresh()
    model.learn_many(X[::-2, 1::3], [1, 0, 1])
    plain.learn_many(X[::-2, 1::3].copy(), [1, 0, 1])
    assert same_bits(model.coef, plain.coef)


# --- columns and memory -----------------------------------------------------------------------------


def csr_of_one(column, kind=np.int64, width=2**40):
    """One row with one entry, whatever SciPy thinks of its column."""
    X = csr_array((np.ones(1), np.zeros(1, kind), np.array([0, 1], kind)), shape=(1, width))
    X.indices = np.array([column], kind)
    X.indptr = X.indptr.astype(kind)
    return X


@pytest.mark.parametrize("column", [2**32 - 3, 2**32 - 1, 2**32, 2**33 + 5, 2**39])
@pytest.mark.parametrize("call", ["learn_many", "score_many"])
def test_a_column_beyond_32_bits(call, column):
    model = OnlineClassifier(classes=(0, 1))
    with refused(model, match=rf"row 0: feature index {column} is beyond"):
        getattr(model, call)(csr_of_one(column), *([[1]] if call == "learn_many" else []))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("column", [-1, 3, 1000])
@pytest.mark.parametrize("make", [fresh, named, numbered, hashed])
def test_a_csr_matrix_that_breaks_its_own_width(make, column, kind):
    model = make()
    with refused(model, match=r"row 0"):
        model.learn_many(csr_of_one(column, kind, width=3), [1])


@pytest.mark.parametrize("name", ["acog-i", "acog-ii", "arow", "carow"])
def test_a_full_covariance_that_does_not_fit(name):
    model = OnlineClassifier(name, classes=(0, 1))
    model.learn_many(np.eye(3), [1, 0, 1])
    with refused(model, match=rf"{name} with .* features needs .* GiB(.|\n)*hint: "):
        model.learn_many(csr_of_one(10**6), [1])


@pytest.mark.parametrize(
    "row", [{f"x{j}": 1.0 for j in range(100)}, np.ones(100)], ids=["dict", "array"]
)
def test_a_row_whose_covariance_does_not_fit(row, monkeypatch):
    model = OnlineClassifier("acog-ii", classes=(0, 1))
    model.learn_one({"a": 1.0}, 1)
    monkeypatch.setattr("costream.learners.memory", lambda: 10_000)
    with refused(model, match="memory"):
        model.learn_one(row, 1)


@pytest.mark.parametrize("names", [None, [f"x{j}" for j in range(100)]], ids=["numbers", "names"])
def test_a_batch_whose_covariance_does_not_fit(names, monkeypatch):
    model = OnlineClassifier("acog-ii", classes=(0, 1))
    monkeypatch.setattr("costream.learners.memory", lambda: 10_000)
    with refused(model, match="memory"):
        model.learn_many(np.ones((1, 100)), [1], names=names)


def test_a_sketch_that_does_not_fit():
    with pytest.raises(CostreamError, match="memory"):
        OnlineClassifier(make_learner("ssacog-ii", m=10**6))


def test_hash_slots_that_do_not_fit():
    with pytest.raises(CostreamError, match="memory"):
        OnlineClassifier("acog-ii", hash_slots=10**6)


def test_scoring_a_wide_row_needs_no_memory():
    model = OnlineClassifier("acog-ii", classes=(0, 1))
    model.learn_many(np.eye(2), [1, 0])
    assert model.score_many(csr_of_one(10**9)).tolist() == [0.0]


# --- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"learner": "acog-iii"}, "did you mean 'acog-ii'"),
        ({"learner": 5}, "unknown learner 5"),
        ({"learner": None}, "unknown learner None"),
        ({"learner": []}, "unknown learner"),
        ({"objective": "happiness"}, "unknown objective 'happiness'"),
        ({"objective": None}, "unknown objective None"),
        ({"objective": []}, "unknown objective"),
        ({"max_features": 0}, "max_features"),
        ({"max_features": 2.5}, "max_features"),
        ({"max_features": True}, "max_features"),
        ({"hash_slots": -1}, "hash_slots"),
        ({"hash_slots": "8"}, "hash_slots"),
        ({"hash_slots": 2**40}, "hash_slots"),
        ({"max_features": 5, "hash_slots": 5}, "exclude each other"),
    ],
    ids=str,
)
def test_a_bad_setting(settings, match):
    with pytest.raises(CostreamError, match=match):
        OnlineClassifier(**settings)


@pytest.mark.parametrize("value", [0, -1, NAN, INF, "1", None, True, 1j])
@pytest.mark.parametrize("name", NAMES)
def test_a_bad_hyper_parameter(name, value):
    for key, default in make_learner(name).get_params().items():
        if isinstance(default, bool) is isinstance(value, bool) or (key == "margin" and value is None):
            continue
        with pytest.raises(CostreamError, match=f"{key} of {name}"):
            make_learner(name, **{key: value})


@pytest.mark.parametrize("value", [0.0, -1.0, NAN, INF, "1", None])
@pytest.mark.parametrize("key", ["fn_cost", "fp_cost"])
def test_a_bad_cost(key, value):
    with pytest.raises(CostreamError, match=key):
        Cost(**{key: value})


# --- errors themselves ------------------------------------------------------------------------------


def test_an_error_is_a_value_error():
    assert issubclass(CostreamError, ValueError)


def test_an_error_is_one_sentence_and_a_hint():
    with pytest.raises(CostreamError) as caught:
        fresh().learn_one({"date": datetime(2020, 1, 1)}, 1)
    sentence, hint = str(caught.value).split("\n")
    assert sentence.startswith("feature 'date' is not a number")
    assert hint.startswith("hint: ")


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_goes_on_after_bad_rows(name):
    X, y = np.array([[1.0, 2.0], [2.0, -1.0], [0.5, 1.0]]), [1, 0, 1]
    model, plain = OnlineClassifier(name), OnlineClassifier(name)
    for x, label in zip(X, y, strict=True):
        for bad in ({"z": NAN}, np.array([1.0, INF])):
            with pytest.raises(CostreamError):
                model.learn_one(bad, label)
        with pytest.raises(CostreamError):
            model.learn_many(rows_with(NAN), [label] * 4)
        assert model.learn_one(x, label) == plain.learn_one(x, label)
    assert same_bits(model.coef, plain.coef)


# --- not so bad -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
def test_an_empty_batch(kind, name):
    model = OnlineClassifier(name, intercept=True)
    model.learn_many(np.eye(3), [1, 0, 1])
    before = everything(model)
    assert model.prequential(kind(np.empty((0, 3))), []).shape == (0,)
    assert model.score_many(kind(np.empty((0, 3)))).shape == (0,)
    assert model.predict_many(kind(np.empty((0, 3)))).shape == (0,)
    assert everything(model) == before


def test_an_empty_batch_for_a_fresh_model():
    model = OnlineClassifier()
    model.learn_many(np.empty((0, 3)), [])
    assert model.rows == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("row", [{}, [], [0.0, 0.0], {"a": 0.0}], ids=str)
def test_an_empty_row_scores_0(row, name):
    model = OnlineClassifier(name)
    model.learn_one({"a": 1.0, 0: 1.0, 1: 2.0}, 0)
    assert model.learn_one(row, 1) == 0.0
    assert model.score_one(row) == 0.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("row", [{}, [], [0.0, 0.0], {"a": 0.0}, {"unseen": 0.0}], ids=str)
def test_an_empty_row_scores_the_intercept(row, name):
    model = OnlineClassifier(name, intercept=True)
    model.learn_one({"a": 1.0}, 0)
    assert model.intercept_ < 0.0
    assert model.score_one(row) == model.intercept_


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_row_moves_the_intercept_alone(name):
    model = OnlineClassifier(name, intercept=True)
    model.learn_one({}, 0)
    assert model.feature_names == []
    assert model.intercept_ < 0.0


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-160, 1e150, 1e160, 1e300, 1e307])
@pytest.mark.parametrize("way", ["dict", "array", "dense", "csr"])
@pytest.mark.parametrize("intercept", [False, True])
def test_rows_of_any_size_are_normalised(intercept, way, size):
    plain, model = (OnlineClassifier("acog-ii", intercept=intercept) for _ in range(2))
    X = np.array([[3.0, -4.0, 0.0], [1.0, 2.0, 2.0]])
    for each, rows in ((plain, X), (model, X * size)):
        for x, label in zip(rows, [1, 0], strict=True):
            if way == "dict":
                each.learn_one({0: x[0], 1: x[1], 2: x[2]}, label)
            elif way == "array":
                each.learn_one(x, label)
            else:
                each.learn_many(x[None] if way == "dense" else csr_array(x[None]), [label])
    np.testing.assert_allclose(model.coef, plain.coef, rtol=1e-12)
    np.testing.assert_allclose(model.score_many(X * size), plain.score_many(X), rtol=1e-12)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_one_huge_or_tiny_value_among_others(size):
    model = OnlineClassifier("perceptron")
    model.learn_one({"a": size, "b": 1.0}, 0)
    expected = [-size / np.hypot(size, 1.0), -1.0 / np.hypot(size, 1.0)]
    np.testing.assert_allclose(model.coef, expected, rtol=1e-12)


def test_the_smallest_numbers_do_no_harm():
    model = OnlineClassifier("acog-ii")
    model.learn_one({"a": 5e-324, "b": 1e-310}, 1)
    assert np.isfinite(model.score_one({"a": 1.0, "b": 1.0}))


@pytest.mark.parametrize(
    "row", [np.ones(20_000), csr_array(np.ones((1, 20_000)))], ids=["array", "csr"]
)
def test_a_long_row_takes_memory_in_proportion(row):
    model = OnlineClassifier("perceptron")
    model.learn_one(np.ones(3), 1)
    tracemalloc.start()
    try:
        model.learn_one(row, 1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25 * 8 * 20_000
