"""Regret beside the bounds of the theorems, for a range of learning rates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import escape

from ...costs.metrics import METRICS
from ...costs.tally import Tally
from ...evaluation.bounds import Regret
from ...report.figures import draw
from ...report.numbers import counted, short_number
from ...report.page import paragraph
from ...report.panel import Line, Panel
from ...report.tables import Column, html_table, markdown_table, markdown_text
from ..experiment import Experiment, values
from ..plan import Plan
from ..regret import Problem, solve
from ..results import Figure
from ..texts import AXES, WORDS, metric_text
from .base import Done, Kind

EFFORT = 2e6  # microseconds, about, for a problem
Measured = Sequence[tuple[Problem, Sequence[Regret]]]


class RegretKind(Kind):
    """The theorems on streams of the lab."""

    section = "theorems"

    def effort(self, plan: Plan) -> float:
        return EFFORT * len(problems(plan))

    def run(self, plan: Plan, jobs: int, done: Done) -> int:
        experiment, store, etas = plan.experiment, plan.store, rates(plan.experiment)
        wanted = problems(plan)
        keys = [one.key(eta) for one in wanted for eta in etas]
        new = [one for one in wanted if any(one.key(eta) not in store for eta in etas)]
        if store.held(experiment.name) == keys:
            return 0
        pool = ThreadPoolExecutor(jobs)
        try:
            futures = {}
            for one in new:
                data = plan.loader.in_order(experiment, one.dataset.name, 0)
                futures[id(one)] = pool.submit(solve, data, one, etas)
            with store.writing(experiment.name) as writer:
                for one in wanted:
                    records = futures[id(one)].result() if id(one) in futures else []
                    for eta, record in zip(etas, records, strict=False):
                        writer.append({"key": one.key(eta), "dataset": one.dataset.name, **record})
                    done(EFFORT)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        store.put_in_order(experiment.name, keys)
        return len(new) * len(etas)

    def is_complete(self, plan: Plan) -> bool:
        etas = rates(plan.experiment)
        return all(one.key(eta) in plan.store for one in problems(plan) for eta in etas)

    def render(self, plan: Plan) -> Figure:
        found = regrets(plan)
        return figure_of(plan.experiment, draw(_panels(found)), found)


def problems(plan: Plan) -> list[Problem]:
    """All that are to be measured."""
    experiment = plan.experiment
    return [
        Problem(dataset, metric, candidate)
        for dataset in plan.loader.datasets(experiment)
        for candidate in experiment.on(dataset.name)
        for metric in experiment.metrics
    ]


def rates(experiment: Experiment) -> list[float]:
    return values(experiment.axis.get("eta", [1.0]))


def regrets(plan: Plan) -> Measured:
    """What was measured, for each problem by learning rate."""
    etas = rates(plan.experiment)
    return [(one, [_regret(plan, one.key(eta)) for eta in etas]) for one in problems(plan)]


def _regret(plan: Plan, key: str) -> Regret:
    record = {name: value for name, value in plan.store[key].items() if name not in ("key", "dataset")}
    return Regret(**record)


def figure_of(experiment: Experiment, svg: str, found: Measured) -> Figure:
    """The figure with a table of all problems."""
    texts = list(_sentences(found))
    cells = [_cells(problem, some) for problem, some in found]
    lines = [("", [*map(escape, line)]) for line in cells]
    table = html_table(experiment.title, COLUMNS, lines) + paragraph("key", KEY)
    head = [column.title for column in COLUMNS]
    written = markdown_table(head, [[*map(markdown_text, line)] for line in cells], 3)
    markdown = [
        " ".join(texts),
        written,
        f"{FIRST}: the first group of columns. {SECOND}: the second. {KEY}",
    ]
    return Figure(experiment, svg, RegretKind.section, table=table, sentences=texts, markdown=markdown)


def _sentences(found: Measured) -> Iterator[str]:
    """Whether the bounds hold, what they are worth, and which eta Theorem 1 asks for."""
    points = [one for _, some in found for one in some]
    broken = sum(not one.holds for one in points)
    yield (
        f"{broken or 'None'} of {counted(len(points), 'run')} broke a bound of the theorems, in the "
        "form that holds for any eta."
    )
    tightest = [min(one.tightness for one in some) for _, some in found]
    if finite := [one for one in tightest if math.isfinite(one)]:
        low, high = short_number(min(finite)), short_number(max(finite))
        yield (
            "At the rate at which it is tightest, of those tried, the bound of Theorem 1 is "
            f"{low} to {high} times the regret."
        )
    yield from _worth(found)
    asked = [one.asked_eta / one.eta for one in points if math.isfinite(one.asked_eta)]
    if asked:
        more = sum(one > 1.0 for one in asked)
        low, high = short_number(min(asked)), short_number(max(asked))
        yield (
            f"The eta that Theorem 1 asks for in hindsight is {low} to {high} times the one that was "
            f"used, and larger than it in {more:,} of {counted(len(asked), 'run')}."
        )


def _worth(found: Measured) -> Iterator[str]:
    """How often the bounds on the sum and on the cost say something."""
    least = [(problem, min(some, key=lambda one: one.bound).metric_bound) for problem, some in found]
    sums = [bound < 0.0 for problem, bound in least if METRICS[problem.metric.key].is_percent]
    costs = [
        bound > problem.dataset.negatives * problem.metric.fp_cost
        for problem, bound in least
        if not METRICS[problem.metric.key].is_percent
    ]
    for name, below, empty in (
        ("sum (Theorem 2)", "below zero", sums),
        ("cost (Theorem 3)", "above the cost of flagging every row", costs),
    ):
        if empty:
            yield f"The bound on the {name} is {below} in {sum(empty):,} of {len(empty):,} comparisons."


def _panels(found: Measured) -> list[Panel]:
    """How tight the bounds are: the bound over the regret, against the learning rate."""
    panels = []
    for dataset in dict.fromkeys(problem.dataset for problem, _ in found):
        lines = []
        for problem, points in found:
            if problem.dataset == dataset:
                name = f"{problem.candidate.name}, {problem.metric.name}"
                ratio = [one.tightness if math.isfinite(one.tightness) else math.nan for one in points]
                lines.append(Line(name, [one.eta for one in points], ratio))
        labels = (dataset.title, AXES["eta"], "bound / regret")
        panels.append(Panel(*labels, lines, log_x=True, log_y=True, better="less"))
    return panels


FIRST, SECOND = "Theorem 1, where its bound is tightest", "Theorem 2 or 3, where it says most"
COLUMNS = [
    Column("stream", left=True),
    *(Column(title, left=True) for title in ("learner", "metric")),
    *(Column(title, FIRST) for title in ("\N{GREEK SMALL LETTER ETA}", "regret", "bound", "ratio")),
    *(Column(title, SECOND) for title in ("\N{GREEK SMALL LETTER ETA}", "reached", "bound")),
    *(Column(title, "at all rates") for title in ("broken", "solver's gap")),
]
KEY = WORDS["regret_key"]


def _cells(problem: Problem, points: Sequence[Regret]) -> list[str]:
    dataset, metric = problem.dataset, problem.metric
    tight = min(points, key=lambda one: one.tightness)
    least = min(points, key=lambda one: one.bound)
    counts = dataset.positives, dataset.negatives
    dearest = Tally(*counts, *counts, metric.costs).cost  # every row is a mistake
    is_percent = METRICS[metric.key].is_percent
    empty = least.metric_bound < 0.0 if is_percent else least.metric_bound >= dearest
    bound = metric_text(metric.key, least.metric_bound)
    if empty:
        bound = f"({short_number(least.metric_bound * (100.0 if is_percent else 1.0))})"
    return [
        *(dataset.title, problem.candidate.name, metric.name),
        *(short_number(value) for value in (tight.eta, tight.regret, tight.bound, tight.tightness)),
        *(short_number(least.eta), metric_text(metric.key, least.metric), bound),
        f"{sum(not one.holds for one in points)} of {len(points)}",
        short_number(max(one.gap for one in points)),
    ]
