"""Several labels on a side, the rest, and models whose labels came from a file."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import CostreamError, OnlineClassifier, load, save
from costream.labels.labels import Labels
from costream.model.classifier import core_of
from costream.model.knowledge import CACHED_LABELS
from helpers.refusals import refused

POSITIVE, NEGATIVE = {"p": 1.0}, {"n": 1.0}
NAN = float("nan")


def fresh(**labels):
    return OnlineClassifier("carow-diag", **labels)


def taught(positives, negatives, **labels):
    model = fresh(**labels)
    for label in positives:
        model.learn_one(POSITIVE, label)
    for label in negatives:
        model.learn_one(NEGATIVE, label)
    return model


def predictions(model):
    return [model.predict_one(NEGATIVE), model.predict_one(POSITIVE)]


def from_file(*labels, positive=None):
    """A model whose labels came from a file."""
    found = np.empty(len(labels), object)
    found[:] = labels
    model = fresh()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the rarer of two words
        core_of(model).set_labels(Labels.choose(found, positive, "rows.csv"))
    return model


# --- several labels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset, np.array])
def test_several_positive_labels_against_the_rest(kind):
    model = taught(["fraud", "theft"], ["ok"], positive=kind(["fraud", "theft"]))
    assert model.counts == (2, 1)
    assert predictions(model) == ["ok", "positive"]
    model.learn_one(NEGATIVE, "refund")
    assert model.counts == (2, 2)
    assert predictions(model) == ["rest", "positive"]


@pytest.mark.parametrize("kind", [list, set])
def test_a_side_of_one_label_bears_its_name(kind):
    assert predictions(taught([3], [1], positive=kind([3]))) == [1, 3]


def test_two_sides_of_several_labels():
    model = taught("ab", "cd", classes=({"c", "d"}, ["a", "b"]))
    assert model.counts == (2, 2)
    assert predictions(model) == ["rest", "positive"]
    with refused(model, match="unknown label 'e'; the labels are 'c', 'd' and 'a', 'b'"):
        model.learn_one(NEGATIVE, "e")


def test_positive_picks_one_side_of_the_classes():
    assert Labels.of(["b", "a"], ({"a", "b"}, "c")) == Labels(("a", "b"), ("c",), "refused")


def test_a_set_gives_the_same_model_in_every_run():
    labels = {"theft", "fraud", 2, 10, 1.5, "a"}
    assert Labels.of(labels).positive == (1.5, 2, 10, "a", "fraud", "theft")


def test_equal_labels_of_a_set_are_one():
    assert Labels.of([1, True, 1.0, np.int8(1), 2]).positive == (1, 2)


def test_a_batch_is_its_rows():
    labels = ["ok", "fraud", "theft", "refund", "ok", "lost", "fraud"]
    rows, batch = (fresh(positive={"fraud", "theft"}) for _ in range(2))
    X = np.random.default_rng(0).normal(size=(len(labels), 3))
    scores = [rows.learn_one(x, label) for x, label in zip(X, labels, strict=True)]
    assert batch.prequential(X, labels).tolist() == scores
    assert batch.labels == rows.labels


CHOICES = [{"positive": "a"}, {"positive": {"a", 1}}, {"classes": ({0, "b"}, {1, "a"})}, {}]


@given(
    st.sampled_from(CHOICES),
    st.lists(st.sampled_from(["a", "b", "c", "d", 0, 1, -1, True, 2.5]), max_size=12),
    st.integers(0, 12),
)
def test_labels_do_not_depend_on_the_size_of_batches(choice, found, cut):
    labels = Labels.of(**choice)
    y = np.empty(len(found), object)
    y[:] = found

    def one_by_one():
        seen, codes = labels, []
        for label in found:
            seen, code = seen.seeing(label)
            codes.append(code > 0)
        return seen, codes

    def in_batches():
        first, before = labels.seeing_many(y[:cut])
        second, after = first.seeing_many(y[cut:])
        return second, [*before, *after]

    def outcome(way):
        try:
            return way()
        except CostreamError:
            return None

    assert outcome(one_by_one) == outcome(in_batches) == outcome(lambda: tuple_of(labels, y))


def tuple_of(labels, y):
    seen, positive = labels.seeing_many(y)
    return seen, positive.tolist()


# --- the rest -----------------------------------------------------------------------------------------


def test_many_labels_of_the_rest_need_no_memory():
    model = fresh(positive="fraud")
    for number in range(3 * CACHED_LABELS):
        model.learn_one(NEGATIVE, f"merchant {number}")
    assert model.labels.negative == ("merchant 0", "merchant 1")
    assert len(core_of(model).codes) <= CACHED_LABELS + 2
    assert model.counts == (0, 3 * CACHED_LABELS)
    model.learn_one(POSITIVE, "fraud")
    assert model.counts == (1, 3 * CACHED_LABELS)


@pytest.mark.parametrize("label", [None, NAN, [1], {"a": 1}, b"x", 1j, ("a",)], ids=repr)
def test_what_is_no_label_is_not_of_the_rest(label):
    model = taught(["fraud"], ["ok", "refund"], positive="fraud")
    with refused(model, match="label"):
        model.learn_one(NEGATIVE, label)
    labels = np.empty(4, object)
    labels[:] = ["lost", "fraud", label, "ok"]
    with refused(model, match="row 2: .*label"):
        model.learn_many(np.eye(4), labels)


def test_a_missing_number_is_not_of_the_rest():
    model = taught([7], [1, 2], positive=7)
    with refused(model, match="row 2: nan is not a label"):
        model.learn_many(np.eye(4), [3.0, 7.0, NAN, 1.0])


def test_the_name_of_the_positive_side_is_no_negative_label():
    """A prediction that is learnt again must not turn to the other side."""
    model = taught(["fraud", "theft"], ["ok", "refund"], positive=["fraud", "theft"])
    with refused(
        model, match="'positive' cannot be a negative label: it is the prediction for fraud, theft"
    ):
        model.learn_one(NEGATIVE, "positive")
    with refused(model, match="row 1: 'positive' cannot be a negative label"):
        model.learn_many(np.eye(2), ["ok", "positive"])
    with pytest.raises(CostreamError, match="'positive' cannot be a negative label"):
        OnlineClassifier(classes=("positive", {"fraud", "theft"}))
    assert predictions(taught(["positive"], ["a", "b"], positive="positive")) == ["rest", "positive"]


def test_the_two_sides_never_have_one_name():
    model = taught(["rest"], ["work", "sleep"], positive="rest")
    assert predictions(model) == ["negative", "rest"]


def test_a_bad_row_does_not_admit_a_label_of_the_rest():
    model = taught(["fraud"], ["ok"], positive="fraud")
    with refused(model, match="finite"):
        model.learn_one({"n": float("inf")}, "refund")
    assert predictions(model) == ["ok", "fraud"]


@pytest.mark.parametrize(
    "choice",
    [{"positive": ["a", "b"]}, {"positive": "a"}, {"classes": (["c", "d"], ["a", "b"])}],
    ids=str,
)
def test_a_saved_model_knows_its_labels(choice, tmp_path):
    model = taught("a", "c", **choice)
    save(model, tmp_path / "m")
    other = load(tmp_path / "m")
    assert other.labels == model.labels
    for each in (model, other):
        each.learn_one(NEGATIVE, "d")
    assert other.labels == model.labels
    assert predictions(other) == predictions(model)


# --- labels that came from a file ---------------------------------------------------------------------


SPELLINGS = [1, 1.0, "1", "+1", " 1.0 ", True, np.str_("1"), np.float32(1)]


@pytest.mark.parametrize("label", SPELLINGS, ids=repr)
def test_spellings_of_a_label_are_one_to_a_model_of_a_file(label):
    model = from_file(0, 1, 0)
    model.learn_one(POSITIVE, label)
    model.learn_one(NEGATIVE, "0.0")
    model.learn_many(np.eye(3), [label, 0, label])
    model.learn_many(np.eye(2), [str(label), "-0"])
    assert model.counts == (4, 3)
    assert predictions(model) == [0, 1]


def test_a_text_and_a_number_are_two_labels_in_python():
    model = taught(["1"], [1], positive="1")
    assert model.counts == (1, 1)
    assert predictions(model) == [1, "1"]


@pytest.mark.parametrize("label", ["", "  ", None, NAN])
def test_a_missing_label_for_a_model_of_a_file(label):
    model = from_file("ok", "fraud", "ok")
    with refused(model, match="there is no label"):
        model.learn_one(POSITIVE, label)


def test_an_unknown_label_for_a_model_of_a_file():
    model = from_file("ok", "fraud", "ok")
    with refused(model, match="label lost is neither ok nor fraud"):
        model.learn_one(POSITIVE, " lost ")


def test_a_file_finds_the_labels_of_python_by_their_spelling():
    labels = Labels.of(classes=("0", "1"))
    seen, positive = labels.seeing_block(np.array([0.0, 1.0, 1.0]), "row {}".format)
    assert (seen, positive.tolist()) == (labels, [False, True, True])


def test_a_file_adds_to_the_rest_of_python():
    labels = Labels.of("1")
    seen, positive = labels.seeing_block(np.array([0.0, 1.0, 5.0]), "row {}".format)
    assert positive.tolist() == [False, True, False]
    assert seen == Labels(("1",), (0, 5), "negative")
    assert seen.pair == ("rest", "1")


def test_two_labels_that_a_file_cannot_tell_apart():
    with pytest.raises(CostreamError, match="two labels of the model are the same label in a file: 1"):
        Labels.of(classes=(1, "1")).seeing_block(np.array([1.0]), "row {}".format)


@pytest.mark.parametrize("positive", [None, "fraud", ["theft", "fraud"], {" fraud"}], ids=str)
def test_a_model_with_labels_keeps_them(positive):
    own = Labels.of(["fraud", "theft"] if positive == ["theft", "fraud"] else "fraud")
    assert own.for_file(np.array(["ok"], object), positive, "rows.csv") is own


def test_other_positive_labels_than_those_of_the_model_are_an_error():
    own = Labels.of(["fraud", "theft"])
    with pytest.raises(CostreamError, match="positive label of the model is fraud, theft, not 'fraud'"):
        own.for_file(np.array(["ok"], object), "fraud", "rows.csv")
