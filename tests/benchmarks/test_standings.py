"""How cells of a comparison are counted: a tie is not ahead, and a rival that did not run is no win."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import standings
from standings import AHEAD, BEHIND, MISSING, WITHIN, Cell


def rival(lead, error=1.0):
    return {"lead": lead, "lead_error": error}


ABSENT = {"did_not_run": "it is too wide"}


def cell(**rivals):
    return Cell("german", "sum", {"auto": {"mean": 70.0}, "rivals": rivals}, 1000, 5)


@pytest.mark.parametrize(
    ("lead", "wanted"), [(0.1, AHEAD), (0.0, WITHIN), (-1.0, WITHIN), (-1.1, BEHIND)]
)
def test_the_standing_against_one_rival(lead, wanted):
    assert standings.standing(rival(lead)) == wanted


@pytest.mark.parametrize(
    ("rivals", "wanted"),
    [
        ({"vw": rival(2.0), "sgd": rival(3.0)}, AHEAD),
        ({"vw": rival(2.0), "sgd": rival(-0.5)}, WITHIN),
        ({"vw": rival(-0.5), "sgd": rival(-2.0)}, BEHIND),
        ({"vw": rival(2.0), "forest": ABSENT}, MISSING),
        ({"vw": rival(-2.0), "forest": ABSENT}, BEHIND),
    ],
    ids=["ahead of all", "within", "behind one", "one did not run", "behind one, one did not run"],
)
def test_the_standing_against_all(rivals, wanted):
    assert cell(**rivals).standing() == wanted
