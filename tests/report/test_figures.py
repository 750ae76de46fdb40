"""Figures: read as XML, drawn the same everywhere, complete."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from costream import CostreamError
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


def test_letters_that_xml_cannot_hold_are_left_out():
    assert "a b" in texts(draw([panel(line("a\x01b"))]))


# --- ids ---------------------------------------------------------------------------------------------


def ids(svg):
    return re.findall(r'\bid="([^"]+)"', svg)


@pytest.fixture(scope="module")
def two_figures():
    return draw([panel(line(values=(1, 2)))], "same"), draw([panel(line(values=(1, 3)))], "same")


def test_ids_are_unique(two_figures):
    found = [name for svg in two_figures for name in ids(svg)]
    assert len(set(found)) == len(found) == 2


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


def test_a_log_axis_leaves_out_what_is_not_positive():
    logs = {"log_x": True, "log_y": True}
    holes = Line("a", [0, 1, 10, 100], [1.0, -1.0, 2.0, 3.0])
    found = draw([panel(holes, levels={"zero": 0.0, "one": 1.0}, **logs)])
    assert found == draw([panel(Line("a", [10, 100], [2.0, 3.0]), levels={"one": 1.0}, **logs)])


@pytest.mark.parametrize("lines", [[], [Line("a", [], [])], [Line("a", [1.0], [NAN])]])
def test_a_panel_without_points_says_so(lines):
    assert "no data" in texts(draw([Panel("t", "x", "y", lines, levels={"level": 2.0})]))


# --- mistakes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "error"), [([1, 2], [1.0], None), ([1], [1.0], [0.1, 0.2]), ([[1]], [[1.0]], None)]
)
def test_a_line_of_unequal_parts_is_refused(x, y, error):
    with pytest.raises(CostreamError, match="the line 'odd' needs as many x as y"):
        draw([panel(Line("odd", x, y, error))])


def test_a_figure_of_nothing_is_refused():
    with pytest.raises(CostreamError, match="at least one panel"):
        draw([])
