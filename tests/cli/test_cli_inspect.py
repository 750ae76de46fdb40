"""What ``costream inspect`` tells about a portfolio: its views, and its shapes."""

import json

import pytest

from costream import load
from costream.evaluation.shapes import shapes_of
from costream.report.numbers import number
from helpers.commands import compiled_only, succeed, train_libsvm

pytestmark = compiled_only


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return train_libsvm(tmp_path_factory.mktemp("inspected"))


def test_inspect_shows_the_views_by_their_share(model):
    found = json.loads(succeed("inspect", model, "--json"))
    shares = [one["share"] for one in found["views"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0)
    for one in found["views"]:
        own = [member["share"] for member in found["members"] if member["view"] == one["view"]]
        assert one["share"] == pytest.approx(sum(own))
    lines = [line.split() for line in succeed("inspect", model).splitlines()]
    at = lines.index(["view", "share"])
    assert [line[0] for line in lines[at + 1 : at + 1 + len(shares)]] == [
        one["view"] for one in found["views"]
    ]


def test_inspect_shows_shapes(model):
    found = json.loads(succeed("inspect", model, "--json"))["shapes"]
    expected = [vars(one) for one in shapes_of(load(model))]
    assert found == expected
    assert len(found) > 1
    out = succeed("inspect", model)
    for one in found:
        for at in (0, -1):
            odds = number(one["log_odds"][at], "+.2f", plain=True)
            assert f"{odds} ({one['values'][at]:,.6g})" in out


@pytest.mark.parametrize("alarm", [("--fp-cost", 4), ("--fp-cost-column", "alarm")])
def test_members_are_billed_in_money(tmp_path, alarm):
    """Flagging every row costs 4 for each of 30 negative ones, wherever that number stands."""
    rows = [f"{t % 7},{int(t % 4 == 0)},9,4\n" for t in range(40)]
    (tmp_path / "rows.csv").write_text("x,label,loss,alarm\n" + "".join(rows))
    ignore = () if "--fp-cost-column" in alarm else ("--ignore", "alarm")
    costs = ("--fn-cost-column", "loss", *alarm, *ignore)
    succeed("train", tmp_path / "rows.csv", *costs, "-o", tmp_path / "m")
    found = json.loads(succeed("inspect", tmp_path / "m", "--json"))
    totals = {one["name"]: one["cost"] for one in found["members"]}
    assert totals["always positive"] == pytest.approx(4 * 30)
    assert totals["always negative"] == pytest.approx(9 * 10)
