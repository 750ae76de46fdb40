"""The table of what columns are worth: the default first, and what other ways add to it."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import columns
import published_columns

BLOCK = {"with marks": [50.0, 52.0, 54.0], "without marks": [49.0, 51.0, 53.0]}


@pytest.mark.parametrize(
    ("way", "wanted"), [("with marks", "52.0 %"), ("without marks", "-1.0 ± 0.0"), ("text", "")]
)
def test_a_cell_is_the_savings_of_the_default_or_a_difference(way, wanted):
    assert published_columns.cell(BLOCK, way) == wanted


def test_groups_of_payments_are_columns_of_text_again():
    frame = columns.load("payments", 100).features
    assert set(frame["card"]) <= {"debit", "credit", "prepaid"}


def test_gaps_tell_where_they_are_meant_to():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(2000) + 1.0, "b": rng.integers(0, 3, 2000)})
    positive = np.arange(2000) < 1000
    gone = columns.gappy(rng, frame, positive)
    assert gone["telling"]["b"].notna().all()
    assert gone["telling, 0 is usual"]["a"].notna().all()
    missing = gone["telling"]["a"].isna()
    assert missing[positive].mean() > 3 * missing[~positive].mean()
