"""How lines look: distinct without colour, the same in every figure."""

import numpy as np
import pytest

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
