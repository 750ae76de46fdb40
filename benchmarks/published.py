"""The tables and sentences of README.md and docs/ that come from `benchmarks/results`.

`TEXTS` has a function for each marker; `docs/fill.py` puts what it returns between the comments of
that name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import aside
import published_cards
import published_columns
import published_late_labels
import published_reasons
import published_serve
import published_speed
import quality
import stored
from rivals import boosting, descent, riverside, wabbit
from rivals.base import COSTS, LARGE, SMALL, WIDEST
from standings import (
    AHEAD,
    BEHIND,
    LINEAR,
    MISSING,
    TITLES,
    WITHIN,
    Cell,
    cells_of,
    counts,
    counts_against,
    extreme,
    leads,
    middle,
    standing,
    strongest,
)
from wording import filled, provenance

PLAYERS = [name for name in TITLES if name not in ("paper", "constant")]
UNITS = {"sum": "points", "cost": "% of its cost"}
WORDS = {metric: f"{unit} under the {metric}" for metric, unit in UNITS.items()}
SHORT = {
    "vw": "Vowpal Wabbit",
    "sgd": "SGD",
    "river": "logistic regression",
    "forest": "forest",
    "lightgbm": "LightGBM",
    "paper": "paper",
    "constant": "constant",
}


def quality_cells() -> list[Cell]:
    return cells_of(stored.read("quality")["records"], sorted(quality.NAMES))


def aside_cells() -> list[Cell]:
    return cells_of(stored.read("kept-aside")["records"], sorted(aside.NAMES, key=str.lower))


# --- the table ------------------------------------------------------------------------------------


def speed(rate: float) -> str:
    """Rows a second, to two digits."""
    two = float(f"{rate:.2g}")
    return f"{two / 1e6:g}M/s" if two >= 1e6 else f"{two / 1e3:g}k/s" if two >= 1e3 else f"{two:g}/s"


def table(cells: Sequence[Cell]) -> str:
    shown = [name for name in TITLES if any(cell.rivals([name]) for cell in cells)]
    ours = ["ours, tuned"] if any("ours" in cell.record for cell in cells) else []
    head = [
        "data set",
        "rows",
        "orders",
        "metric",
        "auto",
        *(TITLES[name] for name in shown),
        *ours,
        "auto is",
    ]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join(lines + [f"| {' | '.join(line(cell, shown, bool(ours)))} |" for cell in cells])


def line(cell: Cell, shown: Sequence[str], with_ours: bool) -> list[str]:
    n, auto = cell.digits, cell.auto
    found = [f"{auto['mean']:,.{n}f} ± {auto['error']:,.{n}f}; {speed(auto['rows_per_second'])}"]
    found += [entry(cell, name) for name in shown]
    if with_ours:
        ours = cell.record["ours"]
        found.append(f"{ours['mean']:,.{n}f} {ours['learner']}")
    return [cell.dataset, f"{cell.rows:,}", str(cell.orders), cell.metric, *found, verdict(cell)]


def entry(cell: Cell, name: str) -> str:
    """A rival's mean, auto's on the same rows in brackets where these are fewer, and rows a second."""
    rival = cell.rivals([name]).get(name)
    if rival is None:
        return ""
    if standing(rival) == MISSING:
        return MISSING
    value = f"{rival['mean']:,.{cell.digits}f}"
    same = rival.get("auto", cell.auto)
    if same["mean"] != cell.auto["mean"]:
        value += f" ({same['mean']:,.{cell.digits}f})"
    return f"{value}; {speed(rival['rows_per_second'])}" if "rows_per_second" in rival else value


def verdict(cell: Cell) -> str:
    found, tough = cell.standing(), cell.toughest()
    if found == AHEAD:
        return "first"
    rival = cell.rivals()[tough]
    ahead = f"ahead of those that ran ({', '.join(SHORT[name] for name in cell.missing())} did not)"
    if found == MISSING and standing(rival) == AHEAD:
        return ahead
    unit = UNITS[cell.metric]
    by = f"{figure(-rival['lead'])} ± {figure(rival['lead_error'])} {unit}"
    return f"{'**behind**' if found == BEHIND else 'within one error of'} {SHORT[tough]}, by {by}"


def figure(value: float) -> str:
    """Two decimals below 10, one below 100, none above."""
    return f"{value:,.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f}"


# --- sentences ------------------------------------------------------------------------------------


def three_counts(cells: Sequence[Cell], names: Sequence[str] = tuple(TITLES)) -> str:
    """The three counts; cells where a rival did not run are counted apart, unless auto is behind."""
    found = counts(cells, names)
    text = f"""strictly first in {found[AHEAD]} of {len(cells)} cells, within one standard error of
        the best rival in {found[WITHIN]} and behind in {found[BEHIND]}"""
    apart = [cell for cell in cells if cell.standing(names) == MISSING]
    if apart:
        absent = sorted({SHORT[name] for cell in apart for name in cell.missing(names)})
        level = any(standing(cell.rivals()[cell.toughest(names)]) == WITHIN for cell in apart)
        where = ", ".join(sorted({cell.dataset for cell in apart}))
        text += f"""; in the other {len(apart)} ({where}) it is
            {"not behind" if level else "ahead of"} those that ran, but the
            {" and the ".join(absent)} did not run"""
    return text


def against(cells: Sequence[Cell], name: str) -> str:
    """How auto stands against one rival, in cells and at the median."""
    found = counts_against(cells, name)
    text = f"""{TITLES[name]}: `auto` is ahead of it in {found[AHEAD]} cells, within one standard error
        in {found[WITHIN]} and behind in {found[BEHIND]}"""
    for metric, words in WORDS.items():
        known = leads(cells, metric, name)
        worst, best = extreme(known), extreme(known, max)
        text += f"""; the median lead is {middle(known):+,.1f} {words} (from {known[worst]:+,.1f} on
            {worst} to {known[best]:+,.1f} on {best})"""
    return text


def all_counts(cells: Sequence[Cell]) -> str:
    """The counts in words, and a line for each rival."""
    words = f"""`auto` is {three_counts(cells)}. Against linear rivals alone (without the forest and
        LightGBM) it is {three_counts(cells, LINEAR)}."""
    lines = [
        filled(words),
        "",
        "| auto against | ahead | within one standard error | behind | did not run | median lead, sum "
        "| median lead, cost |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in TITLES:
        found = counts_against(cells, name)
        if sum(found.values()):
            medians = [middle(leads(cells, metric, name)) for metric in UNITS]
            lines.append(
                f"| {TITLES[name]} | {' | '.join(str(n) for n in found.values())} "
                f"| {medians[0]:+.2f} points | {medians[1]:+.1f} % |"
            )
    tough = strongest(cells)
    return "\n".join([*lines, "", filled(f"The strongest rival is {against(cells, tough)}.")])


def in_short() -> str:
    """The small table of the README: the counts, and how far behind the strongest rival at most."""
    groups = {
        "its members were chosen on": quality_cells(),
        "were kept aside": aside_cells(),
    }
    tough = strongest([cell for cells in groups.values() for cell in cells])
    lines = [
        "| data sets that | cells | first | within one standard error | behind | not all ran "
        f"| behind {TITLES[tough]} |",
        "|---|---|---|---|---|---|---|",
    ]
    for words, cells in groups.items():
        found = counts(cells)
        numbers = [len(cells), found[AHEAD], found[WITHIN], found[BEHIND], found[MISSING]]
        lines.append(
            f"| {words} ({sets(cells)}) | {' | '.join(map(str, numbers))} | {losses(cells, tough)} |"
        )
    return "\n".join(lines)


def losses(cells: Sequence[Cell], name: str) -> str:
    """In how many cells auto is behind a rival, and by how much at most under each objective."""
    parts = []
    for metric, unit in UNITS.items():
        lost = {d: -lead for d, lead in leads(cells, metric, name).items() if lead < 0.0}
        if lost:
            worst = extreme(lost, max)
            parts.append(f"{lost[worst]:,.1f} {unit} ({worst})")
    most = f", by at most {' or '.join(parts)}" if parts else ""
    return f"{counts_against(cells, name)[BEHIND]}{most}"


def sets(cells: Sequence[Cell]) -> int:
    return len({cell.dataset for cell in cells})


def named(cells: Sequence[Cell]) -> str:
    return ", ".join(dict.fromkeys(cell.dataset for cell in cells))


def chosen_on() -> str:
    """Which sets the members were chosen on, and which were kept aside."""
    chosen, kept = quality_cells(), aside_cells()
    return filled(
        f"""The members of `auto` were chosen on the {sets(chosen)} data sets of
        `benchmarks/quality.py`: {named(chosen)}. What it reaches there is an optimistic estimate. The
        {sets(kept)} data sets of `benchmarks/aside.py` were not looked at while choosing:
        {named(kept)}. They are run for a release only, and published whatever they say."""
    )


def rules() -> str:
    """How everyone was run."""
    words = f"""Means over orders, with the standard error of `auto`: the sum in %, or the cost at
        {COSTS.fn_cost:g} for a false negative and {COSTS.fp_cost:g} for a false positive. Every
        row is scored before it is learnt, by all in the same orders. In brackets: `auto` on the
        same rows and orders, where a rival has fewer. After the semicolon: rows a second on one
        core (rows over CPU seconds), from rows in memory, or from text for Vowpal Wabbit; the
        machine was shared with other work, so these are rough. "First" is strictly first: ahead of
        every rival in the mean. "Within" is not ahead, but behind none by more than one standard
        error of the paired lead. A cell where a rival did not run does not count as first. Leads
        are in points (sum) or in % of the rival's cost (cost). `auto` is not tuned and estimates
        the class ratio. Every rival has the best of its settings in hindsight: below {SMALL:,} rows
        that of all orders, above that of the first two, above {LARGE:,} rows that of the first."""
    return "\n".join([filled(words), "", "| who or what | how it was run |", "|---|---|", *_how_run()])


def _how_run() -> list[str]:
    """A line for each rival, and for each other column of the tables."""
    settings = "; ".join(boosting.SETTINGS)
    known = "knows the true class ratio"
    bayes = "decides by its probabilities, at the costs or at the class rate so far"
    how = {
        TITLES["vw"]: f"hinge and logistic loss; its adaptive updates at {len(wabbit.RATES)} rates "
        f"({len(wabbit.RATES[1::2])} above {LARGE:,} rows) and `--coin`; rows divided by their L2 "
        f"norm, raw, and, up to {WIDEST} columns, standardised by their running mean and deviation; "
        f"then {len(wabbit.PENALTIES)} values of `--l2` at the best of these; {known}",
        TITLES["sgd"]: f'hinge and log loss; {len(descent.RATES)} constant rates and "optimal"; rows '
        f"divided by their L2 norm or standardised; its update is compiled by us; {known}",
        TITLES["river"]: f"behind its scaler; {len(riverside.RATES)} rates; {known}",
        TITLES["forest"]: f"{riverside.TREES} trees; the first {riverside.FOREST_ROWS:,} rows of "
        f"{riverside.FOREST_ORDERS} orders, up to {riverside.FOREST_COLUMNS:,} columns; {bayes}",
        TITLES["lightgbm"]: f"fitted on all rows so far after {boosting.FIRST} rows and whenever they "
        f"have grown by half; {len(boosting.SETTINGS)} settings ({settings}); {boosting.WIDE_ORDERS} "
        f"orders where there are more than {WIDEST} columns; {bayes}",
        TITLES["constant"]: "the better one of flagging all rows and none",
        TITLES["paper"]: "its best printed number",
        "ours, tuned": "not a rival: the best of our other learners, tuned in the first order; no full "
        f"covariances above {WIDEST} columns or {LARGE:,} rows, no sketches above {LARGE:,} rows",
        "River's generators": "not a rival but data: as many seeds, in their own order, as the table "
        "has orders",
    }
    return [f"| {name} | {what} |" for name, what in how.items()]


TEXTS: dict[str, Callable[[], str]] = {
    "chosen on": chosen_on,
    "quality rules": rules,
    "quality run": partial(provenance, "quality"),
    "quality": lambda: table(quality_cells()),
    "quality counts": lambda: all_counts(quality_cells()),
    "kept aside run": partial(provenance, "kept-aside"),
    "kept aside": lambda: table(aside_cells()),
    "kept aside counts": lambda: all_counts(aside_cells()),
    "quality in short": in_short,
    **published_cards.TEXTS,
    **published_columns.TEXTS,
    **published_late_labels.TEXTS,
    **published_reasons.TEXTS,
    **published_serve.TEXTS,
    **published_speed.TEXTS,
}
