"""Figures: read as XML, drawn the same everywhere, complete."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from costream.report.figures import draw
from costream.report.panel import Line, Panel
from helpers.panels import NAN, line, panel, texts

# --- the file ----------------------------------------------------------------------------------------


def test_all_words_of_a_user_are_in_the_figure_as_text():
    odd = "<b>&\"'"
    shown = panel(
        line(f"line {odd}"),
        title=f"title {odd}",
        label=f"y {odd}",
        levels={f"level {odd}": 2.0, f"far {odd}": 99.0},
    )
    svg = draw([replace(shown, x_label=f"x {odd}")], f"figure {odd}")
    expected = ["figure", "title", "x", "y", "line", "level", "↑ far"]
    assert [word for word in expected if f"{word} {odd}" not in texts(svg)] == []
    assert ET.fromstring(svg).get("aria-label") == f"figure {odd}"


# --- the same bytes ----------------------------------------------------------------------------------

ELSEWHERE = """
import sys
from costream.report.figures import draw
from costream.report.panel import Line, Panel
lines = [Line("ACOG-I", [1, 2], [1.0, 5.0], [0.1, 0.2]), Line("b", [1, 2], [2.0, 3.0])]
sys.stdout.buffer.write(draw([Panel("a", "b", "c", lines)], "d").encode())
"""


def test_the_same_panels_give_the_same_bytes_in_every_process():
    found = {
        subprocess.run(
            [sys.executable, "-c", ELSEWHERE],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert b"ACOG-I" in found.pop()


def test_points_that_are_not_numbers_are_skipped():
    whole = Line("a", [1, 2, 4], [1.0, 2.0, 3.0], [0.1, 0.0, 0.1])
    holes = Line("a", [1, 2, 3, NAN, 4], [1.0, 2.0, NAN, 1.0, 3.0], [0.1, NAN, 0.1, 0.1, 0.1])
    assert draw([panel(holes)]) == draw([panel(whole)])


@pytest.mark.parametrize("lines", [[], [Line("a", [], [])], [Line("a", [1.0], [NAN])]])
def test_a_panel_without_points_says_so(lines):
    assert "no data" in texts(draw([Panel("t", "x", "y", lines, levels={"level": 2.0})]))
