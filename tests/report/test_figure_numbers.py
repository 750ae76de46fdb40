"""Figures, read as a person would: by the numbers at their axes."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from costream.report.axes import limits_of, x_span
from costream.report.figures import draw
from costream.report.numbers import MINUS
from costream.report.panel import Line
from helpers.panels import SVG, curve, line, panel

NUMBER = r"-?\d*\.?\d+"


class Chart:
    """A figure of one panel, and what its axes say."""

    def __init__(self, *lines, log_x=False, log_y=False, **options):
        self.svg = draw([panel(*lines, log_x=log_x, log_y=log_y, **options)])
        self.root = ET.fromstring(self.svg)
        self.logs = log_x, log_y
        self.x = self.axis("middle", "x", log_x)
        self.y = self.axis("end", "y", log_y)

    def labels(self, anchor, key):
        """The coordinate of each tick, and the text beside it."""
        parts = list(self.root)
        return [
            (float(tick.get(key)), text.text)
            for tick, text in pairwise(parts)
            if (tick.tag, text.tag) == (f"{SVG}use", f"{SVG}text")
            and f"font-size:8px;text-anchor:{anchor}" in text.get("style")
        ]

    def axis(self, anchor, key, log):
        ticks = [(at, value_of(text)) for at, text in self.labels(anchor, key)]
        at, values = np.array(ticks).T
        fitted = np.polynomial.Polynomial.fit(at, np.log10(values) if log else values, 1)
        return (lambda one: 10.0 ** fitted(one)) if log else fitted

    def points(self, name):
        """The points of a line as numbers."""
        for group in self.root.iter(f"{SVG}g"):
            if group.findtext(f"{SVG}title") == name:
                return self.read(group.find(f"{SVG}path"))
        raise LookupError(name)

    def read(self, path, down=0.0):
        text = path.get("d")
        numbers = np.array(re.findall(NUMBER, text), float).reshape(-1, 2)
        x, y = (numbers.cumsum(axis=0) if "l" in text else numbers).T
        return np.column_stack([self.x(x), self.y(y + down)])

    def styled(self, style):
        """The paths, alone or in a group, that have this in their style."""
        groups = [one for one in self.root if style in one.get("style", "")]
        return [one if one.tag == f"{SVG}path" else one.find(f"{SVG}path") for one in groups] + [
            path for one in groups for path in one.findall(f"{SVG}path")[1:]
        ]


def value_of(label):
    powers = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    factor, _, power = label.replace(",", "").replace(MINUS, "-").rpartition("\N{MULTIPLICATION SIGN}")
    if power.startswith("10") and (not power[2:].isascii()):
        return float(factor or 1) * 10.0 ** int(power[2:].translate(powers))
    return float(power)


def test_measurements_can_be_read_off():
    found = Chart(Line("a", [1, 2, 4], [10.0, 30.0, 20.0])).points("a")
    np.testing.assert_allclose(found, [(1, 10), (2, 30), (4, 20)], rtol=1e-3)


def test_a_curve_can_be_read_off():
    values = curve(60.0)
    found = Chart(line("a", values)).points("a")
    np.testing.assert_allclose(found[:, 1], values, atol=0.001)
    np.testing.assert_allclose(found[:, 0], range(1, 101), atol=0.05)


@pytest.mark.parametrize(("log_x", "log_y"), [(False, True), (True, False)])
def test_axes_may_be_logarithmic(log_x, log_y):
    x, y = [1.0, 4.0, 8.0, 32.0], [0.01, 0.4, 5.0, 20.0]
    chart = Chart(Line("a", x, y), log_x=log_x, log_y=log_y)
    np.testing.assert_allclose(chart.points("a"), np.column_stack([x, y]), rtol=5e-3, atol=0.02)
    frame = chart.read(chart.root.findall(f"{SVG}path")[1])
    shown = panel(Line("a", x, y), log_x=log_x, log_y=log_y)
    ends = np.array([x_span(shown), limits_of(shown)]).T
    ends = np.where([log_x, log_y], 10.0**ends, ends)
    np.testing.assert_allclose([frame.min(axis=0), frame.max(axis=0)], ends, rtol=0.01, atol=1e-3)


@pytest.mark.parametrize(
    ("y", "error", "log_y", "lows"),
    [
        ([10.0, 30.0], [1.0, 5.0], False, [9.0, 25.0]),
        ([10.0, 300.0], [5.0, 299.0], True, [5.0, 3.0]),
    ],
    ids=["linear", "log: not below a hundredth"],
)
def test_a_bar_is_one_standard_error_to_each_side(y, error, log_y, lows):
    chart = Chart(Line("a", [1, 2], y, error), Line("b", [1, 2], [1.0, 600.0]), log_y=log_y)
    bars = [chart.read(path) for path in chart.styled("stroke-width:0.8")]
    found = [(bar[0, 0], bar[:, 1].min(), bar[:, 1].max()) for bar in bars]
    expected = [(n, low, v + e) for n, low, v, e in zip((1, 2), lows, y, error, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=0.3 if not log_y else 0)


def test_a_band_is_one_standard_error_to_each_side():
    chart = Chart(Line("a", range(50), [float(t) for t in range(50)], [2.0] * 50))
    (use,) = [one for one in chart.root.iter(f"{SVG}use") if "opacity" in one.get("style", "")]
    name = use.get("{http://www.w3.org/1999/xlink}href")[1:]
    (path,) = [one for one in chart.root.iter(f"{SVG}path") if one.get("id") == name]
    band = chart.read(path, float(use.get("y")))
    for t in range(50):
        found = band[abs(band[:, 0] - t) < 0.1, 1]
        assert (found.min(), found.max()) == pytest.approx((t - 2.0, t + 2.0), abs=0.05)


def test_a_level_is_at_its_value():
    chart = Chart(line("a", [1.0, 5.0, 3.0]), levels={"level": 4.0})
    (dashed,) = chart.styled("stroke-dasharray:4.9")
    assert chart.read(dashed)[:, 1] == pytest.approx(4.0, abs=0.01)
