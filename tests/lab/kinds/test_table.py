"""Tables: the constant policies beside learners."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.lab.kinds.table import make_table
from helpers.experiments import plan_of


def test_constant_policies_cost_what_their_mistakes_cost(tmp_path: Path) -> None:
    block = make_table(plan_of(tmp_path)).blocks[1]
    flag_all, flag_none = block.policies().values()
    assert flag_all.cost == pytest.approx(0.1 * block.dataset.negatives)
    assert flag_none.cost == pytest.approx(0.9 * block.dataset.positives)
