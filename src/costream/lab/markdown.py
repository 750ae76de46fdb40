"""The tables of the lab as a Markdown document, and the words in which all reports tell results."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..datasets.catalogue import entries
from ..evaluate.calibration import BINS
from ..evaluate.policies import POLICIES, best_of, is_better
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
from ..report.tables import markdown_code, markdown_table, markdown_text
from .calibration import Calibrated, Calibrations
from .differences import VERDICTS, Difference, is_compared, rows_with, score_of
from .experiment import Candidate, Experiment, Metric
from .plan import Summary
from .printed import Printed, printed_rows
from .tables import Block, Outcome, Row, Table

ALMOST = "\N{ALMOST EQUAL TO}"
SIGNS = dict(zip(VERDICTS, ("=", ALMOST, f"({ALMOST})", "\N{NOT EQUAL TO}"), strict=True))
POLICY_NAMES = dict(zip(POLICIES, ("flag every row", "flag none"), strict=True))
SYMBOLS = {"eta": "\N{GREEK SMALL LETTER ETA}", "gamma": "\N{GREEK SMALL LETTER GAMMA}"}
SAMPLE = (
    "A quick run: two permutations of a sample of the rows, and a thin grid. Nothing here is "
    "comparable with the paper, or with a full run."
)


# --- numbers ----------------------------------------------------------------------------------------


def metric_text(metric: str, value: float) -> str:
    """A sum in percent as the paper prints it, a cost as a plain number."""
    return percent(value, 3) if metric == "sum" else number(value, 1)


def mean_text(metric: str, outcome: Outcome) -> str:
    return metric_text(metric, outcome.summary.mean[metric])


def summary_text(metric: str, summary: Summary) -> str:
    """A mean and its standard deviation."""
    std = None if summary.runs < 2 else metric_text(metric, summary.std[metric])
    return plus_minus(metric_text(metric, summary.mean[metric]), std)


def printed_text(printed: Printed | None) -> str:
    if printed is None:
        return ""
    std = None if printed.value_std is None else metric_text(printed.metric, printed.value_std)
    return plus_minus(metric_text(printed.metric, printed.value), std)


def z_score_text(row: Row) -> str:
    """How well the paper is met: a sign, and the difference in standard errors."""
    if not row.verdict:
        return ""
    z_score = row.z_scores["value"]
    far = (
        f"{'+' if z_score > 0.05 else ''}{number(z_score, 1)}"
        if math.isfinite(z_score)
        else "no error known"
    )
    return f"{SIGNS[row.verdict]} {far}"


def setting_text(setting: Mapping[str, Any]) -> str:
    """A setting in a few letters; a dash where there is nothing to set.

    >>> setting_text({"eta": 0.1, "margin": "ratio"})
    'η 0.1, margin ratio'
    """
    return settings_text(setting, SYMBOLS) or DASH


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
    if metric.name == "sum":
        weights = f"sensitivity weighs {metric.alpha_p:g}, specificity {1.0 - metric.alpha_p:g}"
        return f"Sum in % ({weights}; more is better)"
    return (
        f"Cost ({metric.fn_cost:g} a missed positive, {metric.fp_cost:g} a false alarm; less is better)"
    )


def size_text(experiment: Experiment, block: Block) -> str:
    """The size of a data set, and how often it was run."""
    facts, runs = block.dataset, experiment.runs_on(block.dataset.name)
    order = f"run of {experiment.folds}-fold cross-validation" if experiment.folds else "permutation"
    words = [
        counted(facts.rows, "row"),
        f"{facts.positives:,} positive ({percent(facts.positives / facts.rows)} %)",
        f"{runs:,} {order.replace('run', 'runs', 1)}" if experiment.folds else counted(runs, order),
    ]
    tuned = experiment.tuning_on(facts.name)
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


# --- probabilities ----------------------------------------------------------------------------------

CALIBRATED_NAMES = ("data set", "metric", "learner")
ECE, BRIER = "ECE, %", "Brier score"
CALIBRATED = (
    ("positives, %", ""),
    *((title, ECE) for title in ("scaled", "chance", "unscaled")),
    *((title, BRIER) for title in ("scaled", "unscaled", "base rate")),
)
READ_CALIBRATION = (
    f"ECE: the expected calibration error, in {BINS} bins of equal width. Chance: about what true "
    "probabilities would show. Unscaled: 1/(1 + exp(-score)). The base rate, known in hindsight, has "
    "no calibration error, but tells no rows apart: its Brier score is the one to beat."
)


def calibrated_cells(one: Calibrated) -> list[str]:
    """A line of a table of calibration: three names, then a number for each of its columns."""
    facts, found = one.dataset, one.summary
    return [
        facts.title,
        one.metric.name,
        one.candidate.name,
        percent(facts.positives / facts.rows),
        _spread(found, "error", 100.0, 2),
        percent(found.mean["chance"], 2),
        _spread(found, "unscaled", 100.0, 2),
        _spread(found, "brier", 1.0, 4),
        _spread(found, "unscaled_brier", 1.0, 4),
        number(found.mean["base_brier"], 4),
    ]


def _spread(found: Summary, key: str, unit: float, decimals: int) -> str:
    """A mean and its standard deviation."""
    std = None if found.runs < 2 else number(unit * found.std[key], decimals)
    return plus_minus(number(unit * found.mean[key], decimals), std)


def calibrated_sentences(made: Calibrations) -> list[str]:
    """How far probabilities are off on average, and how often they are worth having."""
    means = [one.summary.mean for one in made.rows]
    error, chance, unscaled = (
        number(100.0 * sum(mean[key] for mean in means) / len(means), 1)
        for key in ("error", "chance", "unscaled")
    )
    explained = sum(mean["brier"] < mean["base_brier"] for mean in means)
    return [
        f"The expected calibration error is {error} % on average over all data sets and metrics, where "
        f"{chance} % is chance; without scaling it is {unscaled} %.",
        f"The Brier score is better than that of the base rate in {explained} of {len(means)} cases.",
    ]


# --- who is better ----------------------------------------------------------------------------------


def best_constant(block: Block) -> tuple[str, float]:
    """The better constant policy ("flagging none") and what it reaches."""
    metric = block.metric
    found = {name: one.metrics(metric.costs)[metric.name] for name, one in block.policies().items()}
    name = best_of(metric.name, found) or POLICIES[0]
    return POLICY_NAMES[name].replace("flag", "flagging", 1), found[name]


def is_worse(block: Block, row: Row) -> bool:
    """Whether a learner, tuned, does worse than the better constant policy."""
    metric = block.metric.name
    return is_better(metric, best_constant(block)[1], row.best.summary.mean[metric])


def best_text(block: Block) -> str:
    """The best tuned value of a block, as it is written."""
    values = [row.best.summary.mean[block.metric.name] for row in block.rows]
    return metric_text(block.metric.name, max(values) if block.metric.name == "sum" else min(values))


def best_printed(block: Block) -> float | None:
    values = [row.printed.value for row in block.rows if row.printed is not None]
    return (max if block.metric.name == "sum" else min)(values, default=None)


def paper_loses(block: Block) -> bool:
    """Whether the best cost that the paper prints is more than a constant policy costs."""
    printed = best_printed(block) if block.metric.name == "cost" else None
    return printed is not None and printed > best_constant(block)[1]


def is_ours(table: Table, row: Row) -> bool:
    """Whether a learner is not in the printed table."""
    printed = table.experiment.printed
    return bool(printed) and row.candidate.name not in {key[2] for key in printed_rows(printed)}


# --- sentences --------------------------------------------------------------------------------------


def sentences(tables: Sequence[Table], known: Sequence[Difference]) -> list[str]:
    """How the tables that stand beside printed ones came out."""
    tables = [table for table in tables if is_compared(table)]
    if not tables:
        return []
    return [_counts_text(tables, known), *_lost_to_constants(tables), *_won_by_ours(tables)]


def _counts_text(tables: Sequence[Table], known: Sequence[Difference]) -> str:
    score = score_of(tables)
    names = names_of(one.experiment for one in tables)
    exact, close, off_grid, apart = (score.counts[verdict] for verdict in VERDICTS)
    text = (
        f"Of the {score.printed:,} printed rows of {names}, {score.compared:,} were run again: "
        f"{exact:,} come out to all printed digits, {close:,} within three standard errors, "
        f"{off_grid:,} so with a setting off the stated grid, and {apart:,} are apart"
    )
    if apart:
        explained = sum(one.reason is not None for one in rows_with("apart", tables, known))
        text += "" if explained == apart else f" ({explained or 'none'} of them discussed)"
    lost, missing = score.printed - score.compared, any(table.missing for table in tables)
    rest = f". The other {lost:,} {'are of data sets that are missing' if missing else 'were not run'}."
    return text + (rest if lost else ".")


def _lost_to_constants(tables: Sequence[Table]) -> Iterator[str]:
    blocks = [block for table in tables for block in table.blocks]
    lost = dict.fromkeys(block.dataset.title for block in blocks if paper_loses(block))
    if lost:
        yield (
            f"On {listed(list(lost))} the best cost that the paper prints is more than a constant "
            "policy costs, so both constant policies stand in every table."
        )


def _won_by_ours(tables: Sequence[Table]) -> Iterator[str]:
    """How often a learner that is not in the paper has the best tuned value."""
    rivals, winners = 0, []
    for table in tables:
        for block in table.blocks:
            ours = [row for row in block.rows if is_ours(table, row)]
            best, metric = best_text(block), block.metric.name
            rivals += bool(ours)
            winners.append([r.candidate.name for r in ours if mean_text(metric, r.best) == best])
    names = sorted({name for some in winners for name in some})
    if names:
        which = "is not in the paper, has" if len(names) == 1 else "are not in the paper, have"
        yield (
            f"{listed(names)}, which {which} the best tuned value in {sum(map(bool, winners))} of "
            f"{counted(rivals, 'comparison')}."
        )


def best_sentences(tables: Sequence[Table]) -> list[str]:
    """Who is best, where the tables are few."""
    blocks = [block for table in tables for block in table.blocks]
    return [_best_sentence(block) for block in blocks] if len(blocks) <= 4 else []


def _best_sentence(block: Block) -> str:
    metric, best = block.metric.name, best_text(block)
    unit = " %" if metric == "sum" else ""
    policy, value = best_constant(block)
    constant = f"{metric_text(metric, value)}{unit}"
    if all(is_worse(block, row) for row in block.rows):
        return (
            f"On {block.dataset.title} no learner is better than {policy}, which comes to {constant}."
        )
    name = next(row.candidate.name for row in block.rows if mean_text(metric, row.best) == best)
    return (
        f"On {block.dataset.title} {name} has the best {metric}, {best}{unit}; "
        f"{policy} comes to {constant}."
    )


# --- the document -----------------------------------------------------------------------------------


def render_markdown(
    tables: Sequence[Table],
    known: Sequence[Difference],
    command: str,
    version: str,
    calibrations: Sequence[Calibrations] = (),
) -> str:
    """A line that says how it was made, the counts, and one table for each experiment."""
    experiments = [one.experiment for one in tables] + [one.experiment for one in calibrations]
    parts = [
        f"Made by {markdown_code(command)} with costream {version}.",
        "# Results",
        f"**{SAMPLE}**" if any(one.is_quick for one in experiments) else "",
        *_summary(tables, known),
    ]
    for table in tables:
        parts += _heading(table.experiment, table.missing)
        parts += [_facts(table), _table(table)] if table.blocks else []
    for made in calibrations:
        parts += [*_heading(made.experiment, made.missing), *_calibrated(made)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(experiment: Experiment, missing: Sequence[str]) -> Iterator[str]:
    yield f"## {markdown_text(heading_of(experiment))}"
    yield markdown_text(experiment.note)
    if missing:
        yield f"**MISSING: {markdown_text(listed([*map(title_of, missing)]))}.**"


def _calibrated(made: Calibrations) -> Iterator[str]:
    """What was found, and a line for each learner on each data set under each metric."""
    yield markdown_text(" ".join(calibrated_sentences(made)))
    titles = [f"{group}: {title}" if group else title for title, group in CALIBRATED]
    rows = [[markdown_text(cell) for cell in calibrated_cells(one)] for one in made.rows]
    yield markdown_table([*CALIBRATED_NAMES, *titles], rows, len(CALIBRATED_NAMES))
    yield markdown_text(f"Means of {runs_text(made.runs)}. {READ_CALIBRATION}")


def _summary(tables: Sequence[Table], known: Sequence[Difference]) -> Iterator[str]:
    compared = [table for table in tables if is_compared(table)]
    if compared:
        yield markdown_text(" ".join(sentences(tables, known)))
        rows = [[markdown_text(name), *map(str, counts)] for name, *counts in scores(compared)]
        yield markdown_table(["", "printed rows", "compared", *VERDICTS], rows)
        yield (
            "Exact: to all printed digits, those of the standard deviation, too. Close: within three "
            "standard errors of the difference. Off grid: close, with a setting that is not on the "
            "grid. Apart: the rest. Sums are in %; costs are plain, where Table 2 of the paper prints "
            "hundreds."
        )
    if compared and known:
        yield "## Where we differ from the paper, and why"
        yield "\n".join(f"- **{markdown_text(one.title)}.** {markdown_text(one.text)}" for one in known)


def scores(tables: Sequence[Table]) -> Iterator[tuple[Any, ...]]:
    """Of each table, then of all, the rows that are printed, compared, and of each verdict."""
    groups = [(short_name(table.experiment), [table]) for table in tables]
    for name, some in [*groups, ("all", tables)] if len(tables) > 1 else groups:
        score = score_of(some)
        yield name, score.printed, score.compared, *score.counts.values()


def _facts(table: Table) -> str:
    """What the data sets are, and what those are that stand in."""
    lines = []
    for block in {block.dataset.name: block for block in table.blocks}.values():
        text = f"- {markdown_text(block.dataset.title)}: {size_text(table.experiment, block)}"
        if block.stands_for:
            name = markdown_text(title_of(block.stands_for))
            text += f"; stands in for {name}, and is not comparable with it"
        lines.append(text)
    return "\n".join(lines)


def _table(table: Table) -> str:
    compared = is_compared(table)
    head = ["data set", "metric", "algorithm"]
    head += ["paper", "ours, nearest", "setting", "difference"] if compared else []
    head += ["ours, tuned", "setting", "savings, %"]
    return markdown_table(
        head, [row for block in table.blocks for row in _rows(table, block, compared)], 3
    )


def _rows(table: Table, block: Block, compared: bool) -> Iterator[list[str]]:
    metric, best = block.metric.name, best_text(block)
    begin = [markdown_text(block.dataset.title), metric]
    for row in block.rows:
        cells = [*begin, markdown_text(row.candidate.name) + (" (ours)" if is_ours(table, row) else "")]
        if compared:
            near = row.nearest
            cells += [printed_text(row.printed), summary_text(metric, near.summary) if near else ""]
            cells += [markdown_text(setting_text(near.setting)) if near else "", z_score_text(row)]
        value = summary_text(metric, row.best.summary)
        cells.append(f"**{value}**" if mean_text(metric, row.best) == best else value)
        yield [
            *cells,
            markdown_text(setting_text(row.best.setting)),
            percent(row.best.summary.mean["savings"]),
        ]
    for name, tally in block.policies().items():
        found = tally.metrics(block.metric.costs)
        cells = [*begin, f"*{POLICY_NAMES[name]}*", *([""] * 4 if compared else ())]
        yield [*cells, metric_text(metric, found[metric]), "", percent(found["savings"])]
