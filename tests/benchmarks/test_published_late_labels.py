"""The table of late labels: savings over all days, and the paired difference of the two ways."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import published_late_labels as published
import stored

WAYS = {
    "immediate": [[80.0, 0.0, 0.0], [82.0, 0.0, 0.0]],
    "at-once": [[60.0, 0.0, 0.0], [64.0, 0.0, 0.0]],
    "at-window": [[55.0, 0.0, 0.0], [61.0, 0.0, 0.0]],
}


@pytest.fixture
def _stored(monkeypatch):
    cells = dict.fromkeys(published.SCENARIOS, WAYS)
    record = {"rows": 100, "seeds": 2, "savings": dict.fromkeys(published.STARTS, cells)}
    monkeypatch.setattr(stored, "read", lambda _: {"records": {"30": record}})


@pytest.mark.usefixtures("_stored")
def test_a_line_has_the_savings_of_all_days_and_their_difference():
    line = published.table().splitlines()[2]
    wanted = "| 30 d | from nothing | chargeback | 81.0 % | 62.0 % | 58.0 % | +4.0 ± 1.0 |"
    assert line == wanted


@pytest.mark.parametrize("make", published.TEXTS.values())
def test_nothing_is_made_up_where_nothing_was_measured(make, monkeypatch):
    monkeypatch.setattr(stored, "read", lambda _: {})
    assert make() == published.EMPTY
