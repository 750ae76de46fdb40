"""Figures: read as XML, drawn the same everywhere, complete."""

import json
import os
import re
import subprocess
import sys
import threading

import pytest

from costream import CostreamError
from costream.report.figures import draw
from costream.report.panel import Line, Panel
from helpers.panels import NAN, line, panel, texts

# --- the file ----------------------------------------------------------------------------------------


def test_text_stays_text():
    svg = draw([panel(line("ACOG-I"), title="a & b", levels={"always-positive": 2.0})], "the title")
    expected = ["the title", "a & b", "rows", "sum, %", "ACOG-I", "always-positive"]
    assert [text for text in expected if text not in texts(svg)] == []


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
    assert len(set(found)) == len(found) > 2


# --- the same bytes ----------------------------------------------------------------------------------

ELSEWHERE = """
import json, sys
import matplotlib
assert matplotlib.rcParams["font.size"] == 31, matplotlib.matplotlib_fname()
from costream.report.figures import draw
from costream.report.panel import Line, Panel
lines = [Line(*one) for one in json.loads(sys.argv[1])]
sys.stdout.buffer.write(draw([Panel("a", "b", "c", lines)], "d").encode())
assert "matplotlib.pyplot" not in sys.modules
"""


def test_settings_of_the_user_change_nothing(tmp_path):
    (tmp_path / "matplotlibrc").write_text(
        "font.size: 31\nsvg.fonttype: path\nlines.linewidth: 9\naxes.facecolor: red\nfigure.dpi: 33\n"
    )
    lines = [["ACOG-I", [1, 2, 3], [1.0, 5.0, 4.0], [0.1, 0.2, 0.3]], ["b_c", [1, 2], [2.0, 3.0], None]]
    run = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, json.dumps(lines)],
        capture_output=True,
        check=True,
        env={**os.environ, "MPLCONFIGDIR": str(tmp_path), "SOURCE_DATE_EPOCH": "0"},
        cwd=tmp_path,
    )
    here = draw([Panel("a", "b", "c", [Line(*one) for one in lines])], "d")
    assert run.stdout.decode() == here


def test_threads_draw_what_one_draws():
    figures = [[panel(line(values=(n, 2, 3)))] for n in range(4)]
    found = {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: draw(figures[n])})) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n] for n in range(4)] == [draw(figure) for figure in figures]


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


# --- levels -----------------------------------------------------------------------------------------


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


def test_without_matplotlib_there_is_a_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CostreamError, match="figures need matplotlib\nhint: pip install") as caught:
        draw([panel()])
    assert '".[lab]"' in str(caught.value)


def test_importing_figures_does_not_load_matplotlib():
    code = "import sys, costream.report.figures; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
