"""Figures, read as a person would: by the numbers at their axes."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from costream.report.figures import draw
from costream.report.numbers import MINUS
from costream.report.panel import Line
from helpers.panels import SVG, panel


class Chart:
    """A figure of one panel, and what its axes say."""

    def __init__(self, *lines, log_x=False, log_y=False, **options):
        self.root = ET.fromstring(draw([panel(*lines, log_x=log_x, log_y=log_y, **options)]))
        self.x = self.axis("middle", "x", log_x)
        self.y = self.axis("end", "y", log_y)

    def axis(self, anchor, key, log):
        """A function from the coordinates of the drawing to the numbers beside an axis."""
        labels = [one for one in self.root.iter(f"{SVG}text") if one.get("class") is None]
        ticks = [one for one in labels if one.get("text-anchor") == anchor]
        at, values = [float(one.get(key)) for one in ticks], [value_of(one.text) for one in ticks]
        fitted = np.polynomial.Polynomial.fit(at, np.log10(values) if log else values, 1)
        return (lambda one: 10.0 ** fitted(one)) if log else fitted

    def named(self, name):
        """The paths of a line and of its markers."""
        groups = self.root.iter(f"{SVG}g")
        (found,) = [one for one in groups if one.findtext(f"{SVG}title") == name]
        return found.findall(f"{SVG}path")

    def kind(self, kind):
        (found,) = [one for one in self.root.iter(f"{SVG}path") if one.get("class") == kind]
        return found

    def read(self, path):
        """The points of a path as numbers."""
        pairs = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d"))
        x, y = np.array(pairs, float).T
        return np.column_stack([self.x(x), self.y(y)])

    def points(self, name):
        return self.read(self.named(name)[0])


def value_of(label):
    powers = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    factor, _, power = label.replace(",", "").replace(MINUS, "-").rpartition("\N{MULTIPLICATION SIGN}")
    if power.startswith("10") and (not power[2:].isascii()):
        return float(factor or 1) * 10.0 ** int(power[2:].translate(powers))
    return float(power)


def test_measurements_can_be_read_off():
    found = Chart(Line("a", [1, 2, 4], [10.0, 30.0, 20.0])).points("a")
    np.testing.assert_allclose(found, [(1, 10), (2, 30), (4, 20)], rtol=1e-3)


@pytest.mark.parametrize(("log_x", "log_y"), [(False, True), (True, False)])
def test_axes_may_be_logarithmic(log_x, log_y):
    x, y = [1.0, 4.0, 8.0, 32.0], [0.01, 0.4, 5.0, 20.0]
    found = Chart(Line("a", x, y), log_x=log_x, log_y=log_y).points("a")
    np.testing.assert_allclose(found, np.column_stack([x, y]), rtol=0.01, atol=0.05)


def test_a_band_is_one_standard_error_to_each_side():
    chart = Chart(Line("a", range(50), [float(t) for t in range(50)], [2.0] * 50))
    above = [(t, t + 2) for t in range(50)]
    below = [(t, t - 2) for t in reversed(range(50))]
    np.testing.assert_allclose(chart.read(chart.kind("band")), above + below, atol=0.1)
