"""Metrics, settings, data sets and experiments as text, the same in all reports."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from ..costs.metrics import METRICS
from ..costs.policies import POLICIES
from ..datasets.catalogue import entries
from ..learners import make_learner
from ..report.numbers import (
    DASH,
    counted,
    listed,
    number,
    percent,
    plus_minus,
    settings_text,
    value_text,
)
from .experiment import Candidate, Experiment, Metric, values
from .paper.printed import Printed, printed_rows
from .plan import Summary
from .results import VERDICTS, Block, Outcome, Row

ALMOST = "\N{ALMOST EQUAL TO}"
SIGNS = dict(zip(VERDICTS, ("=", ALMOST, f"({ALMOST})", "\N{NOT EQUAL TO}"), strict=True))
POLICY_NAMES = dict(zip(POLICIES, ("flag every row", "flag none"), strict=True))
SYMBOLS = {"eta": "\N{GREEK SMALL LETTER ETA}", "gamma": "\N{GREEK SMALL LETTER GAMMA}"}
WORDS: dict[str, Any] = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))
SAMPLE, HOW_COMPARED, AXES = (WORDS[key] for key in ("sample", "how_compared", "axes"))


# --- numbers ----------------------------------------------------------------------------------------


def metric_text(metric: str, value: float) -> str:
    """A sum in percent as the paper prints it, a cost as a plain number."""
    return percent(value, 3) if METRICS[metric].is_percent else number(value, 1)


def best_value(metric: str, values: Iterable[float]) -> float:
    return (max if METRICS[metric].more_is_better else min)(values)


def mean_text(metric: str, outcome: Outcome) -> str:
    return metric_text(metric, outcome.summary.mean[metric])


def summary_text(metric: str, summary: Summary) -> str:
    std = None if summary.runs < 2 else metric_text(metric, summary.std[metric])
    return plus_minus(metric_text(metric, summary.mean[metric]), std)


def printed_text(printed: Printed | None) -> str:
    if printed is None:
        return ""
    std = None if printed.value_std is None else metric_text(printed.metric, printed.value_std)
    return plus_minus(metric_text(printed.metric, printed.value), std)


def z_score_text(row: Row) -> str:
    """How well the paper is met: a sign, and the difference of each number in standard errors."""
    if not row.verdict:
        return ""
    return f"{SIGNS[row.verdict]} {' / '.join(map(_signed, row.z_scores.values()))}"


def _signed(z_score: float) -> str:
    plus = "+" if z_score > 0.05 else ""
    return f"{plus}{number(z_score, 1)}" if math.isfinite(z_score) else "no error known"


def compared_text(table: str) -> str:
    """What of a printed table is compared, and whose spread it is measured by."""
    rows = printed_rows(table).values()
    rates = sum(bool(one.rates) for one in rows)
    what = "the value, sensitivity and specificity"
    if rates == 0:
        what = "the value alone (no sensitivity and specificity are printed)"
    elif rates < len(rows):
        what += f" of {rates:,} rows whose rates another table prints, else the value alone"
    spread = all(one.value_std is not None for one in rows)
    whose = "the printed spread" if spread else "the spread of our own runs (none is printed)"
    return f"{what}, measured by {whose}"


def setting_text(setting: Mapping[str, Any]) -> str:
    """A setting in a few letters; a dash where there is nothing to set.

    >>> setting_text({"eta": 0.1, "margin": "ratio"})
    'η 0.1, margin ratio'
    """
    shown = {key: value for key, value in setting.items() if value != "run"}
    return settings_text(shown, SYMBOLS) or DASH


def unstated_text(candidate: Candidate, setting: Mapping[str, Any]) -> str:
    """How a setting differs from those that the paper states; nothing if it is one of them.

    >>> arow = Candidate("arow", grid={"gamma": "1e-5..1e5"}, stated={"gamma": [1.0]})
    >>> unstated_text(arow, {"gamma": 0.1})
    'γ 0.1 instead of 1'
    """
    if candidate.is_stated(setting):
        return ""
    known, parts = make_learner(candidate.learner).get_params(), []
    for key, value in setting.items():
        name = f"{SYMBOLS.get(key, key)} {value_text(value)}"
        grid, stated = candidate.grid.get(key), candidate.stated.get(key)
        if stated is not None and value not in values(stated):
            parts.append(f"{name} instead of {listed([*map(value_text, values(stated))])}")
        elif grid is not None and value not in values(grid):
            parts.append(f"{name} off the grid")
        elif grid is None and key not in candidate.params and value != known[key]:
            parts.append(f"{name} instead of {value_text(known[key])}")
    return ", ".join(parts)


def grid_text(candidate: Candidate, dataset: str) -> str:
    """The axes of a grid, as they are written in the experiment, and what was tried beside it."""
    also = [f"also {axis}" for axis in map(_axis_text, candidate.also.get(dataset, {}).items())]
    return "; ".join([*map(_axis_text, candidate.grid.items()), *also])


def _axis_text(axis: tuple[str, Any]) -> str:
    key, points = axis
    text = (
        points.replace("..", " to ") if isinstance(points, str) else ", ".join(map(value_text, points))
    )
    return f"{SYMBOLS.get(key, key)} {text}"


# --- names ------------------------------------------------------------------------------------------


def title_of(dataset: str) -> str:
    """A data set as the paper prints it."""
    found = entries().get(dataset.lower())
    return found.title if found else dataset


def label_of(experiment: Experiment) -> str:
    """'Table 2' for an experiment of that name, nothing for others."""
    found = re.fullmatch(r"(table|figure)(\d+)", experiment.name)
    return f"{found[1].capitalize()} {found[2]}" if found else ""


def short_name(experiment: Experiment) -> str:
    return label_of(experiment) or experiment.title


def heading_of(experiment: Experiment) -> str:
    label = label_of(experiment)
    return f"{label}. {experiment.title}" if label else experiment.title


def names_of(experiments: Iterable[Experiment]) -> str:
    """Short names; those of tables as 'Tables 2 and 3'."""
    names = list(dict.fromkeys(map(short_name, experiments)))
    if len(names) > 1 and all(name.startswith("Table ") for name in names):
        return f"Tables {listed([name.removeprefix('Table ') for name in names])}"
    return listed(names)


def metric_title(metric: Metric) -> str:
    """A metric with its costs, and what is better."""
    known = METRICS[metric.key]
    unit = " in %" if known.is_percent else ""
    weights = metric.kind.weights_in_words(metric.costs)
    return f"{known.title.capitalize()}{unit} ({weights}; {known.better})"


def size_text(experiment: Experiment, block: Block) -> str:
    """The size of a data set, and how often it was run."""
    dataset, runs = block.dataset, experiment.runs_on(block.dataset.name)
    order = f"run of {experiment.folds}-fold cross-validation" if experiment.folds else "permutation"
    words = [
        counted(dataset.rows, "row"),
        f"{dataset.positives:,} positive ({percent(dataset.positives / dataset.rows)} %)",
        f"{runs:,} {order.replace('run', 'runs', 1)}" if experiment.folds else counted(runs, order),
    ]
    tuned = experiment.tuning_on(dataset.name)
    return ", ".join([*words, *([f"settings chosen on {tuned} of them"] if tuned < runs else [])])


def runs_text(runs: Mapping[str, int]) -> str:
    """How many runs, of which data sets if not of all.

    >>> runs_text({"a": 5, "b": 5}), runs_text({"a": 5, "b": 1})
    ('5 runs', '5 runs on a, 1 run on b')
    """
    groups: dict[int, list[str]] = {}
    for title, count in runs.items():
        groups.setdefault(count, []).append(title)
    if len(groups) < 2:
        return "".join(counted(n, "run") for n in groups)
    return ", ".join(f"{counted(n, 'run')} on {listed(titles)}" for n, titles in groups.items())
