"""Tables: what a column means does not depend on the format of the file."""

from decimal import Decimal

import pyarrow as pa
import pytest

from costream import CostColumn
from costream.tables.layout import Layout
from helpers.tables import FORMATS, complaint, labels_of, packed, reader, rows_of, written

TYPED = ("parquet", "arrow", "arrows")
TABLE = {
    "amount": [1.5, None, 0.1, -2e-300, 5e-324],
    "17": [0, 3, None, 12, 2**53 + 3],
    "017": [1, 0, 0, 0, 2],
    "online": [True, False, None, True, False],
    "country": ["DE", "FR", None, "FR", "a,\t'b' \"c\"\r\nd"],
    "shop": ["x=1", "café", "", "x=1", "7 eleven"],
    "label": [1, 0, 0, 1, 0],
    "missed": [10.5, 0, 1, 2, 3],
    "alarm": [1, 1, 2, 2, 0.25],
    "note": ["-", "-", "-", "-", "-"],
}
COSTS = {
    "fn_cost": CostColumn("missed", feature=False),
    "fp_cost": CostColumn("alarm", feature=False),
}
ROLES = Layout(ignore=("note",), costs=COSTS)
ROWS = [
    [("amount", 1.5), ("017", 1.0), ("online", 1.0), ("country=DE", 1.0), ("shop=x=1", 1.0)],
    [(17, 3.0), ("amount=missing", 1.0), ("country=FR", 1.0), ("shop=café", 1.0)],
    [("amount", 0.1), ("17=missing", 1.0), ("online=missing", 1.0)],
    [("amount", -2e-300), (17, 12.0), ("online", 1.0), ("country=FR", 1.0), ("shop=x=1", 1.0)],
    [
        ("amount", 5e-324),
        (17, 2.0**53 + 4),
        ("017", 2.0),
        ("country=a,\t'b' \"c\"\r\nd", 1.0),
        ("shop=7 eleven", 1.0),
    ],
]


@pytest.fixture
def read(tmp_path):
    return reader(tmp_path, "csv")


# --- the same in every format ---------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMATS)
def test_rows(read, suffix):
    assert rows_of(read(written(TABLE, suffix), suffix, ROLES)) == ROWS


@pytest.mark.parametrize("suffix", FORMATS)
def test_labels_and_costs(read, suffix):
    (block,) = read(written(TABLE, suffix), suffix, ROLES)
    assert block.label.tolist() == TABLE["label"]
    assert block.costs.fn_cost.tolist() == TABLE["missed"]
    assert block.costs.fp_cost.tolist() == TABLE["alarm"]


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("given", "labels"),
    [
        ([1, None, -1], [1, None, -1]),
        ([0.5, 2.0, None], [0.5, 2, None]),
        (["fraud", "good", None], ["fraud", "good", None]),
        ([True, False, None], [True, False, None]),
        (["1", "x", ""], [1, "x", None]),
    ],
)
def test_kinds_of_labels(read, suffix, given, labels):
    found = labels_of(read(written({"a": [1, 2, 3], "label": given}, suffix), suffix))
    assert [(type(one) is bool, one) for one in found] == [(type(one) is bool, one) for one in labels]


# --- which column is what -------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", *TYPED])
@pytest.mark.parametrize("role", ["ignore", "text"])
def test_a_column_that_is_not_there(read, suffix, role):
    message = complaint(
        read, written({"country": ["DE"]}, suffix), suffix, Layout(**{role: ("cuntry",)})
    )
    assert message.endswith(
        "there is no column cuntry (there are country)\nhint: did you mean country?"
    )


def cost(name="cost", which="fn_cost", default=None):
    return Layout(costs={which: CostColumn(name, default)})


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("cuntry", "did you mean country?"),
        ("loss", "name the column with --tp-cost-column, or give one number for all rows: --tp-cost"),
    ],
)
def test_a_cost_column_that_is_not_there(read, suffix, name, hint):
    message = complaint(read, written({"country": ["DE"]}, suffix), suffix, cost(name, "tp_cost"))
    expected = f"there is no column {name}, from which tp_cost is taken (there are country)"
    assert message.endswith(f"{expected}\nhint: {hint}")


WITH_A_COST = {"a": [1, 2], "y": [1, 0]}


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            None,
            "the fn_cost is missing\nhint: --fn-cost NUMBER --fn-cost-column cost gives the cost where",
        ),
        (1e999, "inf is not a valid fn_cost"),
    ],
)
def test_a_bad_cost(read, suffix, value, message):
    table = written({**WITH_A_COST, "cost": [1.0, value]}, suffix)
    where = "line 2" if suffix == "jsonl" else "row 2"
    assert f"{suffix}, {where}, column cost: {message}" in complaint(read, table, suffix, cost())


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("feature", [False, True])
def test_a_cost_is_a_feature_only_where_that_is_said(read, suffix, feature):
    table = written({**WITH_A_COST, "cost": [3.0, 4.0]}, suffix)
    layout = Layout(costs={"fn_cost": CostColumn("cost", feature=feature)})
    (block,) = read(table, suffix, layout)
    assert block.costs.fn_cost.tolist() == [3.0, 4.0]
    assert ("cost" in block.names) == feature


# --- Parquet and Arrow ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (pa.array([7, None]), "7"),
        (pa.array([7.0, float("nan")]), "7"),
        (pa.array([1e16, float("nan")]), "1e+16"),
        (pa.array([True, None]), "true"),
        (pa.array([2**53 + 1, None]), "9007199254740993"),
        (pa.array([Decimal("7.50"), None]), "7.5"),
        (pa.array([Decimal("7.00"), None]), "7"),
    ],
)
@pytest.mark.parametrize("suffix", TYPED)
def test_numbers_as_text(read, suffix, column, text):
    blocks = read(packed({"a": column}, suffix), suffix, Layout(text=("a",)))
    assert rows_of(blocks) == [[(f"a={text}", 1.0)], []]


@pytest.mark.parametrize("column", [pa.array([[[1]]]), pa.array([{"b": 1}]), pa.array([b"x"])])
@pytest.mark.parametrize("suffix", TYPED)
def test_types_that_cannot_be_features(read, suffix, column):
    data = packed({"a": column, "b": [1]}, suffix)
    message = complaint(read, data, suffix)
    assert message.startswith(f"{suffix}, column a: {str(column.type)[:5]}")
    assert message.endswith(
        "is neither a number nor text\nhint: leave the column out with --ignore a "
        "(in Python: Schema({'a': 'left out'}))"
    )
    assert rows_of(read(data, suffix, Layout(ignore=("a",)))) == [[("b", 1.0)]]
