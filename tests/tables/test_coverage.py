"""A part of a time is a feature once the learnt rows have covered two of its periods."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import Column, OnlineClassifier, Schema, dumps, loads
from costream.tables.arrays import Batch
from costream.tables.coverage import Coverage, TimeColumn
from costream.tables.times import DAY, PARTS, moment_of
from helpers.sources import state_of

START = datetime(2018, 4, 1, 5, 59)
HOUR = timedelta(hours=1)


def begun(moments):
    coverage = Coverage()
    for moment in moments:
        coverage.learn_one({"t": moment_of(moment)})
    assert Coverage.restore(coverage.header()).begun("t") == coverage.begun("t")
    return {part for part, yes in zip(PARTS, coverage.begun("t"), strict=True) if yes}


def steps(length, step=HOUR, start=START):
    """Times from a start on, the last one as much later as ``length`` says."""
    return [start + at * step for at in range(length // step)] + [start + length]


def test_one_wrong_time_far_ahead_does_not_keep_parts_from_beginning():
    times = steps(timedelta(days=2))
    assert begun([times[0], datetime(2099, 1, 1), *times[1:]]) == {"hour"}


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(1, 60))
def test_batches_cover_what_rows_do_where_bins_are_forgotten(days, size):
    """Of three bins that are kept, the earliest goes first."""
    moments = np.array(days, np.int64) * DAY
    with mock.patch("costream.tables.coverage.MOST_BINS", 3):
        single, many = Coverage(), Coverage()
        for moment in moments.tolist():
            single.learn_one({"t": moment})
        for begin in range(0, len(moments), size):
            part = moments[begin : begin + size]
            start = np.zeros(len(part) + 1, np.uint64)
            rows = Batch(start, np.empty(0, np.uint32), np.empty(0), 0)
            many.learn(replace(rows, times=(TimeColumn("t", (-1,) * 7, part),)), None)
    assert many.header() == single.header()


# --- models -----------------------------------------------------------------------------------------

LENGTH = 400
SCHEMA = Schema([Column("t", "time"), Column("amount", "number"), Column("shop", "text")])


def rows(hours=0.3):
    rng = np.random.default_rng(3)
    times = [START + timedelta(hours=hours * at) for at in range(LENGTH)]
    amounts = rng.normal(size=LENGTH)
    found = [
        {"t": None if at % 17 == 5 else time, "amount": amount, "shop": f"s{at % 7}"}
        for at, (time, amount) in enumerate(zip(times, amounts, strict=True))
    ]
    return found, rng.random(LENGTH) < 0.3


def one_by_one(model, table, y):
    for row, label in zip(table, y, strict=True):
        model.learn_one(row, bool(label))
    return model


@pytest.mark.parametrize("schema", [SCHEMA, None], ids=["schema", "by type"])
@pytest.mark.parametrize("learner", ["auto", "carow-diag"])
def test_rows_and_batches_begin_at_the_same_row(learner, schema):
    table, y = rows()
    single = one_by_one(OnlineClassifier(learner, schema=schema), table, y)
    many = OnlineClassifier(learner, schema=schema)
    if schema is None:
        many.learn_one(table[0], bool(y[0]))
        begin = 1
    else:
        begin = 0
    for end in (100, 101, 390, LENGTH):
        many.learn_many(table[begin:end], y[begin:end])
        begin = end
    assert single._core.encoder.coverage.begun("t") == (True, False, False, False)
    assert state_of(many) == state_of(single)


def test_a_saved_model_begins_where_it_would_have():
    table, y = rows()
    whole = one_by_one(OnlineClassifier(schema=SCHEMA), table, y)
    first = one_by_one(OnlineClassifier(schema=SCHEMA), table[:90], y[:90])
    assert state_of(one_by_one(loads(dumps(first)), table[90:], y[90:])) == state_of(whole)


@given(st.dictionaries(st.sampled_from("ab"), st.lists(st.integers(-(10**18), 10**18), max_size=30)))
def test_a_header_gives_the_coverage_again(times):
    coverage = Coverage()
    for name, moments in times.items():
        for moment in moments:
            coverage.learn_one({name: moment})
    header = json.loads(json.dumps(coverage.header()))
    assert Coverage.restore(header).header() == coverage.header()


@pytest.mark.parametrize(
    "header",
    [
        {"first": "x", "periods": [[0, []]] * 4},
        {"first": 0, "periods": [[0, []]] * 3},
        {"first": 0, "periods": [[0, [2, 1]]] * 4},
        {"first": 0, "periods": [[99, []]] * 4},
        {"first": 0, "periods": [[0, [0.5]]] * 4},
    ],
)
def test_a_header_that_cannot_be_is_refused(header):
    with pytest.raises(ValueError, match=r"cannot be right|argument"):
        Coverage.restore({"t": header})
