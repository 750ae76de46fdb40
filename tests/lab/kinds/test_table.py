"""Tables: the chosen settings, and the constant policies beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.lab.kinds.table import make_table
from helpers.experiments import plan_of


def test_the_chosen_setting_is_run_in_all_orders(tmp_path: Path) -> None:
    table = make_table(plan_of(tmp_path))
    assert {row.best.summary.runs for _, row in table.rows()} == {3}


def test_constant_policies_cost_what_their_mistakes_cost(tmp_path: Path) -> None:
    block = make_table(plan_of(tmp_path)).blocks[1]
    flag_all, flag_none = block.policies().values()
    assert flag_all.cost == pytest.approx(0.1 * block.dataset.negatives)
    assert flag_none.cost == pytest.approx(0.9 * block.dataset.positives)
