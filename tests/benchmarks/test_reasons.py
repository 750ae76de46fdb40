"""How good reasons are: which are shown of a flag, how they agree with exact ones, and the table."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas")
sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import published_reasons
import reasons
import stored

from costream.model import Explanation


def explained(**effects):
    return [Explanation(name, 1.0, 0.0, effect) for name, effect in effects.items()]


def test_of_a_flag_three_are_shown_that_raise_the_risk():
    found = reasons.for_a_flag(explained(a=-3.0, b=2.0, c=1.0, d=0.5, e=0.2))
    assert [one.feature for one in found] == ["b", "c", "d"]
    assert len(reasons.for_a_flag(explained(a=-3.0, b=-0.001))) == 1


def test_reasons_agree_by_the_first_and_by_the_signs_of_those_shown():
    shown = [explained(a=2.0, b=1.0), explained(a=2.0, b=-1.0)]
    exact = [explained(a=2.0), explained(b=3.0)]
    every = [explained(a=2.0, b=-0.1), explained(b=3.0, a=1.0)]
    found = dict(reasons.agreement(shown, exact, every))
    assert found == {"first": 0.5, "sign": 0.5, "minus": 0.5}


def test_a_line_of_the_table_has_means_over_seeds(monkeypatch):
    shares = {"first": [0.9, 1.0], "sign": [1.0, 1.0], "minus": [0.0, 0.0]}
    before = {f"one by one {key}": [0.5, 0.6] for key in shares}
    record = {"flags": [200, 200], "ms": [0.2, 0.3], **shares, **before}
    monkeypatch.setattr(stored, "read", lambda _: {"records": {"gates": record}})
    line = published_reasons.table().splitlines()[2]
    shown = "95.0 % (55.0 %) | 100.0 % (55.0 %) | 0.0 % (55.0 %)"
    assert line == f"| gates | 400 | {shown} | 0.25 |"
