"""How lines look: distinct without colour, the same in every figure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream.report.line_styles import line_styles
from helpers.panels import PAPER


def lightness(colour):
    """L* of a colour: 0 is black, 100 white."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    y = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


@pytest.mark.parametrize("names", [PAPER, [f"method {n}" for n in range(14)]], ids=["paper", "other"])
def test_fourteen_lines_differ_without_colour(names):
    styles = line_styles(names).values()
    assert len({(style.marker, style.open) for style in styles}) == 14
    for family in {style.layer for style in styles}:
        kin = [style for style in styles if style.layer == family]
        shades = sorted(lightness(style.colour) for style in kin)
        assert np.diff(shades).min(initial=100) > 3.5
        assert max(shades) < 80
        assert len({style.dash for style in kin}) == min(len(kin), 8)


def test_the_weight_of_a_line_is_that_of_its_family():
    widths = [line_styles([name])[name].width for name in ("PA-I", "COG-II", "ACOG-I", "CAROW")]
    assert widths == sorted(set(widths))


def test_a_learner_looks_the_same_in_every_figure_and_spelling():
    (alone,) = line_styles(["acog-ii-diag"]).values()
    assert line_styles(["new", *PAPER])["ACOG-II_diag"] == alone


def test_variants_of_a_learner_have_its_colour_in_two_shades():
    kinds = ["ACOG-I", "ACOG-II", "ACOG-I_diag", "ACOG-II_diag"]
    styles = line_styles(f"{kind}, ratio {how}" for kind in kinds for how in ("known", "estimated"))
    assert len({(style.marker, style.open) for style in styles.values()}) == 8
    assert len({style.dash for style in styles.values()}) == 8
    for kind in kinds:
        one, two = styles[f"{kind}, ratio known"], styles[f"{kind}, ratio estimated"]
        assert one.marker == two.marker
        assert abs(lightness(one.colour) - lightness(two.colour)) > 8


@given(
    st.lists(st.sampled_from([*PAPER, "new", "acog-i", "ACOG-I, k = 1", "slope 1", "x"]), unique=True)
)
def test_no_two_lines_look_alike(names):
    styles = list(line_styles(names).values())
    assert len(set(styles)) == len(styles)


def test_more_lines_than_looks_are_drawn_all_the_same():
    assert len(line_styles(f"method {n}" for n in range(40))) == 40
