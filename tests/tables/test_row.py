"""One dict as a row: the features of a table's row, in the same order, and what cannot be read."""

from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from costream import Column, CostreamError, OnlineClassifier, Schema, dumps
from costream.tables.frames import Records
from costream.tables.naming import TextSlots, time_names
from costream.tables.reader import TableReader
from costream.tables.row import RowReader
from costream.tables.times import DAY, time_features_of

SCHEMA = Schema(
    [
        Column("shop", "text"),
        Column("amount", "number", missing_indicator=True),
        Column("zip", "text", exact=True),
        Column("open", "yes/no", missing_indicator=True),
        Column("when", "time"),
        Column("card", "text", target_encoding=True),
        Column("17", "number"),
        Column("nr", "id"),
    ]
)
NOON = datetime(2024, 3, 31, 12)


class Warnings:
    """Warnings, and their columns."""

    def __init__(self):
        self.messages = []

    def __call__(self, key, message):
        self.messages.append((key, message))


def features(row, schema=SCHEMA):
    """The features of a dict, in their order; those that a table makes of it must be the same."""
    found, slots, _ = RowReader(schema, TextSlots(18), Warnings()).read(row, learn=True)
    assert list(found.items()) == in_table(row, schema, slots)
    return list(found.items())


def in_table(row, schema, slots):
    """The features of a table with one row."""
    reader, rows = TableReader(schema, TextSlots(18), Warnings()), Records([row])
    known = [one.name for one in schema.features]
    raw = rows.columns(known, set(schema.named("text")), schema.zone)
    extras = rows.extras(schema.by_name, reader.reading)
    batch, names = reader.batch(1, raw, lambda t, name: f"row {t}, column {name}", extras)
    assert ([] if batch.slots is None else batch.slots[0].tolist()) == slots
    return list(zip([names[k] for k in batch.index], batch.value.tolist(), strict=True))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"amount": 2, "open": True}, [("amount", 2.0), ("open", 1.0)]),
        ({"open": False, "amount": 0}, []),
        ({"open": "TRUE ", "amount": "€ 1,234.5"}, [("amount", 1234.5), ("open", 1.0)]),
        ({"amount": 1}, [("amount", 1.0), ("open=missing", 1.0)]),
        ({"17": 3, "amount": 1, "open": 1}, [("amount", 1.0), ("open", 1.0), (17, 3.0)]),
        ({"shop": " web ", "amount": 0, "open": 0}, [("shop=web", 1.0)]),
        ({"shop": "NA", "zip": "NA", "amount": 0, "open": 0}, [("zip=NA", 1.0)]),
        ({"shop": "", "zip": "", "amount": 0, "open": 0}, []),
        ({"shop": ["a", "b", "a", None], "amount": 0, "open": 0}, [("shop=a", 1.0), ("shop=b", 1.0)]),
        ({"shop": 7.0, "zip": True, "amount": 0, "open": 0}, [("shop=7", 1.0), ("zip=true", 1.0)]),
        ({"card": "x", "amount": 0, "open": 0}, [("card rate", 1.0)]),
        ({"nr": 5, "amount": 0, "open": 0}, []),
        ({"new": 5, "amount": 0, "open": 0}, [("new", 5.0)]),
        ({"new": " x", "18": 2, "amount": 0, "open": 0}, [("new= x", 1.0), (18, 2.0)]),
        (
            {"new": {"a": {"b": 2}, "c": ["t"]}, "amount": 0, "open": 0},
            [("new.a.b", 2.0), ("new.c=t", 1.0)],
        ),
    ],
)
def test_the_features_of_a_row(row, expected):
    assert features(row) == expected


MISSING = [
    None,
    float("nan"),
    np.nan,
    np.float32("nan"),
    pd.NA,
    pd.NaT,
    np.datetime64("NaT"),
    Decimal("NaN"),
    "",
]


@pytest.mark.parametrize("key", ["amount", "open", "shop", "zip", "when", "card"])
@pytest.mark.parametrize("value", MISSING, ids=repr)
def test_all_that_is_missing_is_as_if_it_were_not_there(key, value):
    row = {"amount": 1.0, "open": True, "shop": "a", "zip": "b", "when": NOON, "card": "c"}
    without = {name: one for name, one in row.items() if name != key}
    assert features({**row, key: value}) == features(without)


@pytest.mark.parametrize(
    ("row", "column", "what"),
    [
        ({"amount": "x"}, "amount", "'x' is not a number"),
        ({"amount": NOON}, "amount", "is not a number"),
        ({"open": "perhaps"}, "open", "'perhaps' is not yes or no, true or false"),
        ({"when": "soon"}, "when", "'soon' is not a time"),
    ],
)
def test_a_value_that_does_not_fit_is_missing_and_told_of(row, column, what):
    warner = Warnings()
    found = RowReader(SCHEMA, TextSlots(18), warner).read(row, learn=True)[0]
    assert [key for key, _ in warner.messages] == [column]
    assert what in str(warner.messages[0][1])
    assert f"--ignore {column}" in str(warner.messages[0][1])
    assert found == {"amount=missing": 1.0, "open=missing": 1.0}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"amount": float("inf")}, "feature 'amount' is not finite"),
        ({"amount": 10**400}, "feature 'amount' is not finite"),
        ({"new": -float("inf")}, "feature 'new' is not finite"),
        ({"new": [[1]]}, "feature 'new' is not a number"),
        ({"new": object()}, "feature 'new' is not a number"),
        ({"new": b"x"}, "feature 'new' is not a number"),
    ],
)
def test_what_cannot_be_a_feature(row, message):
    with pytest.raises(CostreamError, match=message):
        RowReader(SCHEMA, TextSlots(18), Warnings()).read(row, learn=True)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"a": 1, "b": True, "c": 0}, [("a", 1.0), ("b", 1.0), ("c", 0.0)]),
        ({"a": "12", "b": " NA "}, [("a=12", 1.0), ("b= NA ", 1.0)]),
        ({"a": None, "b": "", "c": float("nan")}, []),
        ({"a": ["x", "y", "x"]}, [("a=x", 1.0), ("a=y", 1.0)]),
        (
            {"t": date(1970, 1, 2)},
            list(zip(time_names("t"), time_features_of(DAY), strict=True)),
        ),
        ({"a": {"b": 1, "c": {"d": "x"}}}, [("a.b", 1.0), ("a.c.d=x", 1.0)]),
        ({3: 1.5, ("p", 1): 2.0}, [(3, 1.5), (("p", 1), 2.0)]),
        ({"3": 1.5}, [("3", 1.5)]),
        (MappingProxyType({"a": 1}), [("a", 1.0)]),
    ],
)
def test_a_row_without_a_schema_goes_by_type(row, expected):
    assert list(RowReader(None, TextSlots(18), Warnings()).read(row, learn=True)[0].items()) == expected


def test_the_order_of_keys_makes_no_difference_to_a_schema_of_numbers():
    rng = np.random.default_rng(3)
    rows = [
        dict(zip(rng.permutation(list("abcd")).tolist(), rng.normal(size=4).tolist(), strict=True))
        for _ in range(90)
    ]
    labels = (rng.random(90) < 0.3).tolist()
    schema = Schema(dict.fromkeys("abcd", "number"))
    one, ordered = (OnlineClassifier("carow-diag", schema=schema) for _ in range(2))
    for row, label in zip(rows, labels, strict=True):
        one.learn_one(row, label)
        ordered.learn_one({key: row[key] for key in "abcd"}, label)
    assert dumps(one) == dumps(ordered)
