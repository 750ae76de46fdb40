"""Figures: read as XML, drawn the same everywhere, complete."""

import json
import os
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from costream import CostreamError
from costream.report.figures import draw
from costream.report.panel import Line, Panel
from helpers.panels import NAN, PAPER, SVG, curve, line, panel, texts

# --- the file ----------------------------------------------------------------------------------------


def test_a_figure_says_what_it_is():
    root = ET.fromstring(draw([panel()], "Online <sum> & cost"))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == root.find(f"{SVG}title").get("id")
    assert root.find(f"{SVG}title").text == "Online <sum> & cost"


def test_without_a_title_the_panels_name_the_figure():
    root = ET.fromstring(draw([panel(title="german"), panel(title="a9a")]))
    assert root.find(f"{SVG}title").text == "german; a9a"


def test_text_stays_text():
    svg = draw([panel(line("ACOG-I"), title="a & b", levels={"always-positive": 2.0})], "the title")
    expected = ["the title", "a & b", "rows", "sum, %", "ACOG-I", "always-positive"]
    assert [text for text in expected if text not in texts(svg)] == []


def test_dollars_are_no_formulas():
    assert "cost, $ of $" in texts(draw([panel(label="cost, $ of $")]))


def test_letters_that_xml_cannot_hold_are_left_out():
    assert "a b" in texts(draw([panel(line("a\x01b"))]))


@pytest.mark.parametrize("letters", ["数据", "\N{GREEK SMALL LETTER ETA}"])
def test_letters_of_any_alphabet(letters):
    assert letters in texts(draw([panel(title=letters)]))


def test_an_index_is_set_lower():
    (text,) = [
        text
        for text in ET.fromstring(draw([panel(line("CPA_PB, old"))])).iter(f"{SVG}text")
        if "".join(text.itertext()) == "CPAPB, old"
    ]
    assert [(part.text, part.get("dy")) for part in text] == [
        ("CPA", None),
        ("PB", "2"),
        (", old", "-2"),
    ]


def test_lines_tell_their_names_when_pointed_at():
    found = [title.text for title in ET.fromstring(draw([panel(line("CPA_PB"))])).iter(f"{SVG}title")]
    assert found == ["german", "CPA_PB"]


def test_one_legend_without_duplicates():
    svg = draw([panel(line("ACOG-I"), line("COG-I")), panel(line("COG-I"), line("AROW"))])
    assert sorted(text for text in texts(svg) if text in PAPER) == ["ACOG-I", "AROW", "COG-I"]


def test_a_panel_alone_is_narrower_than_two():
    one, two = (float(ET.fromstring(draw([panel()] * n)).get("viewBox").split()[2]) for n in (1, 2))
    assert one < two == 648


def test_a_figure_of_fourteen_curves_is_small():
    lines = [line(name, curve(n), [0.2] * 100) for n, name in enumerate(PAPER)]
    assert len(draw([panel(*lines)])) < 45_000


# --- ids ---------------------------------------------------------------------------------------------


def ids(svg):
    return re.findall(r'\bid="([^"]+)"', svg)


@pytest.fixture(scope="module")
def two_figures():
    return draw([panel(line(values=(1, 2)))], "same"), draw([panel(line(values=(1, 3)))], "same")


def test_ids_are_unique(two_figures):
    found = [name for svg in two_figures for name in ids(svg)]
    assert len(set(found)) == len(found) > 2


def test_what_is_referred_to_is_there(two_figures):
    for svg in two_figures:
        used = re.findall(r'(?:href="|url\(|labelledby=")#?([^")]+)', svg)
        assert set(used) == set(ids(svg))


def test_no_style_leaks_into_the_page(two_figures):
    assert "<style" not in two_figures[0]


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


def test_settings_of_the_user_are_left_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw([panel()])
    assert dict(matplotlib.rcParams) == before


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


def test_arrays_do_as_well_as_lists():
    arrays = Line("a", np.array([1, 2]), np.array([1.0, 2.0]), np.array([0.5, 0.5]))
    assert draw([panel(arrays)]) == draw([panel(Line("a", [1, 2], [1.0, 2.0], [0.5, 0.5]))])


@pytest.mark.parametrize("points", [3, 40])
def test_errors_are_drawn_as_bars_or_as_a_band(points):
    bare, with_error = (
        draw([panel(line(values=range(points), error=error))]) for error in (None, [0.3] * points)
    )
    assert bare.count("<path") < with_error.count("<path")


# --- levels -----------------------------------------------------------------------------------------


def test_what_lies_beyond_is_named_at_the_edge():
    lines = [line(f"m{n}", curve(60 + n)) for n in range(3)]
    found = texts(draw([panel(*lines, line("CPA_PB", curve(1)), levels={"always-positive": 0.0})]))
    assert "↓ CPAPB, always-positive" in found


def test_many_that_lie_beyond_are_counted():
    lines = [line(f"good {n}", curve(60 + n / 10)) for n in range(7)]
    lines += [line(f"bad {n}", curve(10 * n)) for n in range(6)]
    assert any(
        text.endswith("more") and text.startswith("↓ bad 0") for text in texts(draw([panel(*lines)]))
    )


def test_equal_levels_share_a_line():
    levels = {"always-positive": 2.0, "always-negative": 2.0}
    assert "always-positive, always-negative" in texts(draw([panel(levels=levels)]))


def test_names_of_close_levels_do_not_cover_each_other():
    svg = draw([panel(line(values=curve(5)), levels={"one": 5.05, "two": 5.06})])
    places = {
        "".join(text.itertext()): (text.get("x"), float(text.get("y")))
        for text in ET.fromstring(svg).iter(f"{SVG}text")
    }
    (x, y), (other_x, other_y) = places["one"], places["two"]
    assert x != other_x or abs(y - other_y) > 8


def test_few_measurements_are_ticks_of_a_log_axis():
    widths = [2**n for n in range(4, 12)]
    found = texts(draw([panel(Line("a", widths, widths), log_x=True)]))
    assert [text for text in found if text in {f"{n:,}" for n in widths}] == [f"{n:,}" for n in widths]


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


def test_a_direction_is_more_or_less():
    with pytest.raises(CostreamError, match="'more', 'less' or empty, not 'higher'"):
        draw([panel(better="higher")])


def test_without_matplotlib_there_is_a_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CostreamError, match="figures need matplotlib\nhint: pip install") as caught:
        draw([panel()])
    assert '".[lab]"' in str(caught.value)


def test_importing_figures_does_not_load_matplotlib():
    code = "import sys, costream.report.figures; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
