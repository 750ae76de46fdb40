"""Labels of files: one spelling each, which are positive, and where those stand that are neither."""

import math
import warnings
from decimal import Decimal

import numpy as np
import pytest

from costream import CostreamError
from costream.labels.labels import Labels, parsed_labels
from costream.labels.parsing import canonical

NAN, INF = math.nan, math.inf


def array(*labels):
    """As a reader gives them: numbers where all are numbers, else objects."""
    found = [canonical(label) for label in labels]
    if all(label is None or type(label) in (int, float) for label in found):
        return np.array([NAN if label is None else float(label) for label in found])
    objects = np.empty(len(found), object)
    objects[:] = found
    return objects


def where(row):
    return f"rows.csv, line {row + 2}"


def choose(*labels, positive=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the rarer of two words
        return Labels.choose(array(*labels), parsed_labels(positive), "rows.csv")


def positives(chosen, *labels):
    return chosen.seeing_block(array(*labels), where)[1].tolist()


# --- canonical ---------------------------------------------------------------------------------------

SPELLINGS = [
    (1, ["1", "+1", "1.0", " 1 ", "1e0", "01", 1, 1.0, np.float32(1), np.int8(1), b"1", Decimal(1)]),
    (0, ["0", "-0", "0.0", "-0.0", 0, -0.0, "0e9", "1e-400", b"+0"]),
    (-1, ["-1", "-1.0", -1, np.int64(-1), b" -1.\n"]),
    (1.5, ["1.5", 1.5, "15e-1", np.float64(1.5), b"+1.50"]),
    (True, ["true", "TRUE", " True ", True, np.True_, b"true"]),
    (False, ["false", "False", False, np.False_, b"FALSE"]),
    ("fraud", ["fraud", " fraud\t", b"fraud", np.str_("fraud")]),
    ("Fraud", ["Fraud"]),
    ("1_000", ["1_000", b"1_000"]),
    ("0x10", ["0x10"]),
    ("1,5", ["1,5"]),
    ("inf", ["inf"]),
    ("1e999", ["1e999"]),
    ("größe", ["größe", "größe".encode()]),
    ("\\xff", [b"\xff"]),
    (10**22, ["1e22", 10**22, "1" + 22 * "0"]),
    (None, [None, "", "  \t", b"", NAN, np.float32(NAN), "\u00a0"]),
]
PAIRS = [(one, value) for one, values in SPELLINGS for value in values]


@pytest.mark.parametrize(("label", "value"), PAIRS, ids=[ascii(value)[:30] for _, value in PAIRS])
def test_one_spelling_of_each_label(label, value):
    assert (canonical(value), type(canonical(value))) == (label, type(label))


# --- guesses -----------------------------------------------------------------------------------------

GUESSES = [  # the labels found: the negative one, the positive one
    ((-1, 1), (-1, 1)),
    ((1, -1, -1, -1), (-1, 1)),
    ((0, 1), (0, 1)),
    ((2, 1, 2, 2), (1, 2)),
    ((True, False, True), (False, True)),
    (("yes", "no", "yes"), ("no", "yes")),
    (("No", "YES"), ("No", "YES")),
    (("Y", "n"), ("n", "Y")),
    (("good", "bad", "good"), ("good", "bad")),
    (("b", "a", "a"), ("a", "b")),
    (("b", None, "", "a", "a"), ("a", "b")),
    ((1,), (0, 1)),
    ((-1,), (-1, 1)),
    ((True,), (False, True)),
    (("false",), (False, True)),
]


@pytest.mark.parametrize(("labels", "pair"), GUESSES, ids=[str(labels) for labels, _ in GUESSES])
def test_the_positive_label_is_guessed(labels, pair):
    chosen = choose(*labels)
    assert (chosen.pair, [type(one) for one in chosen.pair]) == (pair, [type(one) for one in pair])
    present = [canonical(one) for one in labels if canonical(one) is not None]
    assert positives(chosen, *present) == [one == pair[1] for one in present]


UNCLEAR = [
    (0, 1, 2),
    (1, 2, 3),
    (0, 2),
    (2,),
    ("yes",),
    ("fraud",),
    ("good", "bad"),
    ("a", "b", "c", "c"),
    ("a", 1),
    ("yes", "no", "maybe"),
    ("yes", 0),
    (0.5,),
    (INF, 1),
]


@pytest.mark.parametrize("labels", UNCLEAR, ids=map(str, UNCLEAR))
def test_labels_that_say_nothing(labels):
    with pytest.raises(CostreamError, match=r"rows.csv: it is not clear .*\(found .*\nhint: "):
        choose(*labels)


# --- named by the user -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("positive", "labels", "expected"),
    [
        ("1", [1, 2, 3, 0], [True, False, False, False]),
        ("+1.0", [1, -1], [True, False]),
        ("2,3", [1, 2, 3, 4], [False, True, True, False]),
        (" a , b ", ["a", "b", "c"], [True, True, False]),
        ("a,1", ["a", 1, "c", 2.5], [True, True, False, False]),
        ("TRUE", [True, False], [True, False]),
        ("0", [0, 1], [True, False]),
        ("no", ["no", "yes"], [True, False]),
        ("fraud", ["Fraud", "fraud"], [False, True]),
        ("never seen", ["a", "b"], [False, False]),
        ("1e999", ["1e999", 1], [True, False]),
    ],
)
def test_positive_labels_by_name(positive, labels, expected):
    assert positives(choose(*labels, positive=positive), *labels) == expected


@pytest.mark.parametrize(
    ("positive", "labels", "pair"),
    [
        ("a", ["a", "b"], ("b", "a")),
        ("a", ["a", "b", "c"], ("rest", "a")),
        ("a", ["a"], (None, "a")),
        ("a,b", ["a", "b", "c"], ("c", "positive")),
        ("a,b", ["a", "b", "c", "d"], ("rest", "positive")),
        ("2", [1, 2], (1, 2)),
    ],
)
def test_what_the_sides_are_called(positive, labels, pair):
    assert choose(*labels, positive=positive).pair == pair


# --- labels that come later --------------------------------------------------------------------------

LATER = [
    ((0, 1), (0, 1, 2), "label 2 is neither 0 nor 1"),
    ((0, 1), (0, 1, -1), "label -1 is neither 0 nor 1"),
    ((-1, 1), (1, -1, 0), "label 0 is neither -1 nor 1"),
    ((1, 2), (1, 2, "x"), "label x is neither 1 nor 2"),
    (("a", "b", "b"), ("a", "b", "A"), "label A is neither b nor a"),
    ((True, False), (True, False, "perhaps"), "label perhaps is neither False nor True"),
    ((0, 1), (0, 1, None), "there is no label\nhint: "),
    (("a", "b", "b"), ("a", "b", ""), "there is no label\nhint: "),
    ((0,), (0, 1, -1), "label -1 is neither 0 nor 1"),
]


@pytest.mark.parametrize(("first", "later", "message"), LATER)
def test_an_unknown_label_is_named_with_its_place(first, later, message):
    chosen = choose(*first)
    with pytest.raises(CostreamError) as caught:
        positives(chosen, *later)
    assert str(caught.value).startswith(f"rows.csv, line 4: {message}")
