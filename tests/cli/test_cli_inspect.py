"""What ``costream inspect`` tells about a portfolio: what its members have cost."""

import json

import pytest

from helpers.commands import compiled_only, succeed

pytestmark = compiled_only


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
