"""Panels made by hand, and what can be read in the figure of them."""

import math
import xml.etree.ElementTree as ET

from costream.report.panel import Line, Panel

SVG = "{http://www.w3.org/2000/svg}"
PAPER = [
    *("Perceptron", "ROMMA", "PA-I", "PAUM", "CPA_PB", "AROW", "COG-I", "COG-II"),
    *("ACOG-I", "ACOG-II", "ACOG-I_diag", "ACOG-II_diag", "CAROW", "CAROW_diag"),
]
NAN = math.nan


def line(name="ACOG-I", values=(1.0, 3.0, 2.0), error=None):
    return Line(name, list(range(1, len(values) + 1)), list(values), error)


def panel(*lines, title="german", label="sum, %", **options):
    return Panel(title, "rows", label, lines or [line()], **options)


def curve(level, points=100, wild=0.0):
    """A curve that starts anywhere and settles at a level."""
    return [level + wild / (1 + t) ** 3 + 0.1 * math.sin(t) for t in range(points)]


def texts(svg):
    """What can be read in a figure, each text in one piece."""
    return ["".join(text.itertext()) for text in ET.fromstring(svg).iter(f"{SVG}text")]
