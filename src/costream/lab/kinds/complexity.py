"""Complexity: the time a row takes against the size of the problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from ...learners import make_learner
from ...report.figures import draw
from ...report.numbers import number, superscripts
from ...report.panel import Line, Panel
from ...report.tables import Column, html_table
from ..experiment import Experiment
from ..plan import Plan
from ..results import Figure
from ..timing import SIZES, Sweep, measure, sweeps
from .base import Done, Kind

EFFORT = 4e7  # microseconds, about, for all sweeps


class ComplexityKind(Kind):
    """The paper's claims, measured on rows that are made up."""

    section = "complexity"
    needs_data = False

    def check(self, experiment: Experiment) -> None:
        """Its learners and sizes are those that the paper has claims on."""

    def effort(self, plan: Plan) -> float:
        return EFFORT

    def run(self, plan: Plan, jobs: int, done: Done) -> int:
        """Measure what is not in the store yet, or has lost its time: one at a time."""
        name, store, new = plan.experiment.name, plan.store, 0
        wanted = sweeps(plan.experiment.is_quick)
        with store.writing(name) as writer:
            for sweep in wanted:
                keys = sweep.point_keys()
                if any(key not in store or store.seconds(key) is None for key in keys):
                    for key, (value, seconds) in zip(keys, measure(sweep).points, strict=True):
                        sizes = {**sweep.params, **sweep.fixed, sweep.vary: value}
                        writer.append({"key": key, "learner": sweep.learner, **sizes}, seconds)
                    new += len(keys)
                done(EFFORT / len(wanted))
        store.put_in_order(name, [key for sweep in wanted for key in sweep.point_keys()])
        return new

    def is_complete(self, plan: Plan) -> bool:
        return all(len(one.points) > 1 for one in measured(plan))

    def render(self, plan: Plan) -> Figure:
        found = measured(plan)
        return figure_of(plan.experiment, draw(panels(found)), found)


def measured(plan: Plan) -> list[Sweep]:
    """What is in the store."""
    found = []
    for sweep in sweeps(plan.experiment.is_quick):
        times = [plan.store.seconds(key) for key in sweep.point_keys()]
        points = [(value, time) for value, time in zip(sweep.values, times, strict=True) if time]
        found.append(replace(sweep, points=points))
    return found


def figure_of(experiment: Experiment, svg: str, found: Sequence[Sweep]) -> Figure:
    return Figure(experiment, svg, ComplexityKind.section, table=_table(experiment.title, found))


def panels(found: Sequence[Sweep]) -> list[Panel]:
    """A panel for each size that varies, and one that shows where the memory bends the lines."""
    by_size = {vary: [one for one in found if one.vary == vary and one.points] for vary in SIZES}
    drawn = [_panel(vary, sweeps) for vary, sweeps in by_size.items() if sweeps]
    return [*drawn, _memory_panel(by_size["d"])] if by_size["d"] else drawn


def _panel(vary: str, found: Sequence[Sweep]) -> Panel:
    lines = [
        Line(one.name, [x for x, _ in one.points], [1e6 * y for _, y in one.points]) for one in found
    ]
    fixed = {key: sorted({one.fixed[key] for one in found if key in one.fixed}) for key in SIZES}
    words = [f"{key} = {' or '.join(f'{n:,}' for n in sizes)}" for key, sizes in fixed.items() if sizes]
    return Panel(
        f"Time against {vary} ({', '.join(words)})",
        SIZES[vary],
        "time a row, \N{MICRO SIGN}s",
        [*lines, *_guides(found)],
        log_x=True,
        log_y=True,
    )


def _memory_panel(found: Sequence[Sweep]) -> Panel:
    """Flat as long as a model is in a cache, whatever the power of its time."""
    lines = []
    for one in found:
        learner = make_learner(one.learner, **({"m": one.fixed["m"]} if "m" in one.fixed else {}))
        lines.append(
            Line(one.name, [learner.bytes_needed(d) / 2**20 for d, _ in one.points], one.excess())
        )
    label = "time / expected power of d"
    return Panel("Where memory slows them", "memory of the model, MiB", label, lines, True, True)


def _guides(found: Sequence[Sweep]) -> list[Line]:
    """For each exponent that is expected a line of that slope, above the slowest of its kind."""
    guides = []
    for slope in sorted({one.expected for one in found if one.expected}):
        slowest = max(
            (one for one in found if one.expected == slope), key=lambda one: one.points[-1][1]
        )
        x, y = slowest.points[-1]
        begin = slowest.points[len(slowest.points) // 2][0]
        ends = [1e6 * 1.8 * y * (at / x) ** slope for at in (begin, x)]
        guides.append(Line(f"slope {slope:g}", [begin, x], ends))
    return guides


COLUMNS = [
    *(Column(title, left=True) for title in ("learner", "what grows", "what does not")),
    *(Column(title, "time a row", left=True) for title in ("the paper claims", "our code")),
    *(Column(title, "exponent") for title in ("expected", "seen")),
]


def _table(title: str, found: Sequence[Sweep]) -> str:
    lines = []
    for one in found:
        others = ", ".join(f"{key} = {value:,}" for key, value in one.fixed.items())
        grows = f"{one.vary} from {one.points[0][0]:,} to {one.points[-1][0]:,}"
        expected = number(one.expected, "g")
        orders = (superscripts(text) for text in (one.claim, one.ours))
        texts = (one.name, grows, others, *orders, expected, number(one.slope, 2))
        lines.append(("", [escape(text) for text in texts]))
    return html_table(title, COLUMNS, lines)
