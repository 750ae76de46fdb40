"""The table of what columns are worth: the default first, and what other ways add to it."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import published_columns

BLOCK = {"with marks": [50.0, 52.0, 54.0], "without marks": [49.0, 51.0, 53.0]}


@pytest.mark.parametrize(
    ("way", "wanted"), [("with marks", "52.0 %"), ("without marks", "-1.0 ± 0.0"), ("text", "")]
)
def test_a_cell_is_the_savings_of_the_default_or_a_difference(way, wanted):
    assert published_columns.cell(BLOCK, way) == wanted
