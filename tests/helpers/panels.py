"""Panels made by hand, and what can be read in the figure of them."""

import math
import xml.etree.ElementTree as ET

from costream.report.panel import Line, Panel

SVG = "{http://www.w3.org/2000/svg}"
NAN = math.nan


def line(name="ACOG-I", values=(1.0, 3.0, 2.0), error=None):
    return Line(name, list(range(1, len(values) + 1)), list(values), error)


def panel(*lines, title="german", label="sum, %", **options):
    return Panel(title, "rows", label, lines or [line()], **options)


def texts(svg):
    """What can be read in a figure, each text in one piece."""
    return ["".join(text.itertext()) for text in ET.fromstring(svg).iter(f"{SVG}text")]
