"""Costs in columns of rows: taken out of any table, and no feature unless that is said."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from costream.costs.columns import not_features, split_row, split_rows
from costream.costs.objective import CostColumn
from costream.costs.rows import NO_COSTS, GivenCosts

NAMES = ["a", "loss", "b"]
X = np.array([[1.0, 7.0, 2.0], [3.0, 8.0, 4.0]])
LOSS = {"fn_cost": CostColumn("loss", feature=False), "tp_cost": CostColumn("not there", feature=False)}
TABLES = {
    "array": lambda: (X, NAMES),
    "lists": lambda: (X.tolist(), iter(NAMES)),
    "sparse": lambda: (csr_array(X), NAMES),
    "pandas": lambda: (pd.DataFrame(X, columns=NAMES), None),
    "polars": lambda: (pl.DataFrame(X, schema=NAMES), None),
}


def as_array(rows):
    return rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("feature", [False, True])
def test_a_column_of_costs_is_taken_out_of_every_table(kind, feature):
    columns = {**LOSS, "fn_cost": CostColumn("loss", feature=feature)}
    rows, names, costs = split_rows(*TABLES[kind](), NO_COSTS, columns)
    kept = [0, 1, 2] if feature else [0, 2]
    assert as_array(rows).tolist() == X[:, kept].tolist()
    assert names == [NAMES[at] for at in kept]
    assert costs.fn_cost.tolist() == [7.0, 8.0]
    assert costs[1:] == (None, None, None)


@pytest.mark.parametrize("kind", TABLES)
def test_costs_that_are_given_count_before_the_column(kind):
    given = GivenCosts(fn_cost=[5.0, 6.0])
    rows, names, costs = split_rows(*TABLES[kind](), given, LOSS)
    assert (as_array(rows).shape, names, costs) == ((2, 2), ["a", "b"], given)


def test_rows_without_names_have_no_columns():
    assert split_rows(X, None, NO_COSTS, LOSS) == (X, None, NO_COSTS)
    frame = pd.DataFrame(X, columns=NAMES)
    assert split_rows(frame, None, NO_COSTS, {}) == (frame, NAMES, NO_COSTS)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (pd.Series([7, None], dtype="Int64"), [7.0, np.nan]),
        (pd.Series([True, False]), [1.0, 0.0]),
        (pd.Series(["7", None], dtype=object), ["7", None]),
    ],
    ids=["nullable", "truth", "objects"],
)
def test_columns_of_pandas_are_numbers_unless_they_may_hold_anything(loss, expected):
    found = split_rows(pd.DataFrame({"a": [1, 2], "loss": loss}), None, NO_COSTS, LOSS)[2].fn_cost
    np.testing.assert_array_equal(found, np.array(expected, found.dtype))


@pytest.mark.parametrize("kind", [dict, pd.Series])
def test_the_costs_of_one_row(kind):
    columns = {**LOSS, "fp_cost": CostColumn("gone", default=4.0)}
    features, costs = split_row(kind({"a": 1.0, "loss": 7.0}), NO_COSTS, columns)
    assert features == {"a": 1.0}
    assert (costs.fn_cost, costs.tp_cost) == (7.0, None)
    assert np.isnan(costs.fp_cost)
    assert split_row(kind({"loss": 7.0}), GivenCosts(fn_cost=2.0), LOSS)[1] == GivenCosts(fn_cost=2.0)


@pytest.mark.parametrize("row", [[1.0, 2.0], np.ones(2), csr_array(np.ones((1, 2)))], ids=type)
def test_a_row_without_keys_stays_as_it_is(row):
    assert split_row(row, NO_COSTS, LOSS) == (row, NO_COSTS)


def test_a_column_is_a_feature_where_one_of_its_costs_says_so():
    both = {"fn_cost": CostColumn("loss"), "tp_cost": CostColumn("loss", feature=False)}
    assert not_features(both) == set()
    assert not_features(LOSS) == {"loss", "not there"}
