"""Tables of the lab made by hand, and readers for its page."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

from costream.lab.experiment import Candidate, DatasetInfo, Experiment, Metric
from costream.lab.pages.findings import Findings
from costream.lab.pages.report import render
from costream.lab.paper.differences import Difference
from costream.lab.paper.printed import Printed
from costream.lab.plan import Summary
from costream.lab.results import EXACT, NOT_REPRODUCED, STATED, UNSTATED, Block, Outcome, Row, Table

INFO = DatasetInfo("german", "german", "c0ffee", 1000, 300, 24, "seed 0")
KEYS = ("missed", "false_alarms", "sensitivity", "specificity", "sum", "cost", "savings")


def outcome(value: float, metric: str = "sum", std: float = 0.01, **setting: float) -> Outcome:
    mean = dict.fromkeys(KEYS, 0.5) | {metric: value}
    return Outcome(setting, Summary(20, mean, dict.fromkeys(KEYS, std)), 0.5)


def row(name: str, best: float, near: float | None = None, **options: object) -> Row:
    """A row; the paper prints 0.6 ± 0.01 where a nearest value is given."""
    printed = None if near is None else Printed("sum", 0.6, 0.01, {}, 0.25, 1e-5)
    nearest = None if near is None else outcome(near, eta=1.0)
    return Row(Candidate("cog-ii", name), outcome(best, eta=10.0), printed, nearest, **options)


VERDICTS = {
    EXACT: row("Perceptron", 0.65, 0.6),
    STATED: row("ROMMA", 0.65, 0.605),
    UNSTATED: row("PA-I", 0.65, 0.605, unstated="C 7 off the grid"),
    NOT_REPRODUCED: row("PAUM", 0.65, 0.7, tried=11),
}


def table(*rows: Row, metric: Metric | None = None, **options: object) -> Table:
    options = {"title": "Printed", "printed": "table2", "datasets": ("german",), **options}
    made = Experiment("table2", **options)
    return Table(made, [Block(INFO, metric or Metric(), list(rows))], [])


def page(*tables: Table, known: list[Difference] | None = None, **options: object) -> str:
    return render(Findings(list(tables), known=known or [], **options), "costream lab", "1.2.3")


# --- reading a page ---------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Tags that are not closed, ids, and what the page refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for key, value in attrs:
            if key == "id":
                self.ids.append(value or "")
            elif key in ("href", "xlink:href", "src", "action", "data"):
                self.references.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def tree(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>"))


def words(element: ElementTree.Element | None) -> str:
    assert element is not None
    return " ".join(" ".join(element.itertext()).split())
