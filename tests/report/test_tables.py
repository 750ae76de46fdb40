"""Tables: ASCII on a terminal, nothing but text as Markdown."""

import math

import pytest

from costream.report.tables import markdown_text, metrics_table

METRICS = {
    "missed": 107.5,
    "false_alarms": 3544.0,
    "sensitivity": 0.5191,
    "specificity": 0.8208,
    "sum": 0.67,
    "cost": 40767.3,
    "saved": -23977.3,
    "savings": -1.428,
    "seconds": 0.0021,
}


@pytest.mark.parametrize("value", [math.nan, -0.25])
def test_a_terminal_gets_nothing_but_ascii(value):
    line = metrics_table([("arow", dict.fromkeys(METRICS, value))]).splitlines()[1]
    assert line.isascii()
    assert line.count("-") == len(METRICS)


def test_text_of_markdown_is_nothing_but_text():
    assert markdown_text("a|b_c  *d*\n<e>") == r"a\|b\_c \*d\* &lt;e>"
