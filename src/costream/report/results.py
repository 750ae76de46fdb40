"""What `evaluate` and `compare` find: as text, for notebooks, and as lines of matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._html import notebook_table
from ..costs.metrics import Metric
from ..costs.objective import Objective
from ..costs.tally import Tally
from ..errors import extra
from .line_styles import line_styles
from .numbers import cost_text, counted, percent, settings_text
from .tables import metric_cells, metric_titles, metrics_table

if TYPE_CHECKING:
    from ..evaluation.results import Comparison, Entry

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]
MOST_LINES = 6  # of learners in a chart


def evaluation_text(
    learner: str,
    objective: Objective,
    tally: Tally,
    rows: Sequence[tuple[str, Mapping[str, float]]],
) -> str:
    """The metrics of one or more runs, of which the first row is the mean, and what was saved."""
    head = f"{learner}, {objective.name}, {tally.rows:,} rows, {tally.positives:,} positive"
    money, mean = objective.has_costs, rows[0][1]
    parts = [head, metrics_table(rows, money=money)]
    if money and tally.rows:
        saved = saved_sentences(mean["cost"], mean["saved"], mean["savings"], tally.better_policy)
        parts.append(saved)
    return "\n".join(parts)


def evaluation_html(
    learner: str, objective: Objective, tally: Tally, metrics: Mapping[str, float]
) -> str:
    """The same for a notebook."""
    rows = [("rows", f"{tally.rows:,}"), ("positive", f"{tally.positives:,}")]
    money = objective.has_costs
    rows += zip(metric_titles(money), metric_cells(metrics, money), strict=True)
    return notebook_table(f"{learner}, {objective.in_words}", rows, note=tally.nothing_to_save)


def comparison_text(comparison: Comparison) -> str:
    """The table of a comparison, with what was compared above it."""
    rows = [(entry.name, entry.mean) for entry in comparison.entries]
    table = metrics_table(rows, "learner", money=comparison.has_costs)
    return "\n".join(filter(None, [_heading(comparison), table, comparison.undefined]))


def comparison_html(comparison: Comparison) -> str:
    """The table of a comparison, for a notebook."""
    money = comparison.has_costs
    header = ["learner", "settings", *metric_titles(money)]
    rows = [
        [one.name, settings_text(one.settings), *metric_cells(one.mean, money)]
        for one in comparison.entries
    ]
    return notebook_table(_heading(comparison), rows, header, comparison.undefined)


def _heading(comparison: Comparison) -> str:
    share = percent(comparison.positives / max(comparison.rows, 1), 2, "%", plain=True)
    return (
        f"{comparison.title}: {counted(comparison.rows, 'row')}, {comparison.positives:,} positive "
        f"({share}), {counted(comparison.runs, 'run')}, best {comparison.objective} first"
    )


def curves_of(comparison: Comparison) -> dict[str, tuple[list[int], list[float]]]:
    """The curves of the best learners, of the user's rules and of the better constant policy."""

    def listed(entries: Iterable[Entry]) -> dict[str, tuple[list[int], list[float]]]:
        return {one.name: (comparison.places, one.curve) for one in entries if one.curve}

    learners = [one for one in comparison.entries if one.learns][:MOST_LINES]
    policy = comparison.better_policy
    rules = [one for one in comparison.entries if one.baseline]
    return listed([*learners, *rules, *([] if policy is None else [policy])])


def plot_curves(curves: Curves, metric: Metric, title: str, ax: Any = None) -> Any:
    """Draw online curves into axes of matplotlib, new ones where none are given; returns the axes."""
    with extra("plot", "plots need matplotlib", "matplotlib"):
        import matplotlib.pyplot as plt
    if ax is None:
        ax = plt.figure(layout="constrained").add_subplot()
    for name, style in line_styles(curves).items():
        x, y = curves[name]
        values = [100.0 * one for one in y] if metric.is_percent else y
        dash = (0, style.dash) if style.dash else "-"
        look = {"color": style.colour, "linestyle": dash, "linewidth": 0.72 * style.width}
        ax.plot(x, values, label=name, **look)
    ax.set_title(title)
    ax.set_xlabel("rows")
    ax.set_ylabel(f"{metric.title} so far{', %' if metric.is_percent else ''}")
    if len(curves) > 1:
        ax.legend()
    return ax


def saved_sentences(cost: float, saved: float, savings: float, policy: str) -> str:
    """What decisions cost, what the better constant policy costs, and the difference.

    >>> print(saved_sentences(60.0, 40.0, 0.5, "flagging no row"))
    The decisions cost 60.0; flagging no row, the better constant policy, costs 100.0.
    They save 40.0, which is 50.0% of what perfect decisions would save.
    >>> print(saved_sentences(120.0, -20.0, -0.25, "flagging no row"))
    The decisions cost 120.0; flagging no row, the better constant policy, costs 100.0.
    They lose 20.0 against it.
    """
    own, constant = cost_text(cost, plain=True), cost_text(cost + saved, plain=True)
    text = f"The decisions cost {own}; {policy}, the better constant policy, costs {constant}."
    if saved < 0.0:
        return f"{text}\nThey lose {cost_text(-saved, plain=True)} against it."
    share = percent(savings, unit="%", plain=True)
    part = f", which is {share} of what perfect decisions would save" if savings == savings else ""
    return f"{text}\nThey save {cost_text(saved, plain=True)}{part}."
