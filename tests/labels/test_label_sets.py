"""Several labels on a side, the rest, and models whose labels came from a file."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import CostreamError, OnlineClassifier
from costream.labels.labels import Labels
from costream.model.classifier import core_of

POSITIVE, NEGATIVE = {"p": 1.0}, {"n": 1.0}


def fresh(**labels):
    return OnlineClassifier("carow-diag", **labels)


def trained(positives, negatives, **labels):
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
    model = trained(["fraud", "theft"], ["ok"], positive=kind(["fraud", "theft"]))
    assert model.counts == (2, 1)
    assert predictions(model) == ["ok", "positive"]
    model.learn_one(NEGATIVE, "refund")
    assert model.counts == (2, 2)
    assert predictions(model) == ["rest", "positive"]


def test_a_set_gives_the_same_model_in_every_run():
    labels = {"theft", "fraud", 2, 10, 1.5, "a"}
    assert Labels.of(labels).positive == (1.5, 2, 10, "a", "fraud", "theft")


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


def test_two_labels_that_a_file_cannot_tell_apart():
    with pytest.raises(CostreamError, match="two labels of the model are the same label in a file: 1"):
        Labels.of(classes=(1, "1")).seeing_block(np.array([1.0]), "row {}".format)
