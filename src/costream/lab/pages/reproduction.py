"""How well the printed tables are reproduced, in sentences."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence

from ...errors import extra
from ...report.numbers import counted, listed, number
from ..paper.differences import Difference, Match, Score, is_compared, rows_with, score_of
from ..plan import CLOSE
from ..results import EXACT, NOT_REPRODUCED, STATED, VERDICTS, Row, Table
from ..texts import mean_text, names_of, short_name
from .sentences import best_text, is_ours, paper_loses, prepares_rows


def sentences(tables: Sequence[Table], known: Sequence[Difference]) -> list[str]:
    """How the tables that stand beside printed ones came out."""
    return [*counts_of_rows(tables, known), *remarks(tables)]


def scores(tables: Sequence[Table]) -> Iterator[tuple[str, Score]]:
    """How each table came out, then all of them together."""
    for table in tables:
        yield short_name(table.experiment), score_of([table])
    if len(tables) > 1:
        yield "all", score_of(tables)


# --- how many rows are reproduced -------------------------------------------------------------------


def counts_of_rows(tables: Sequence[Table], known: Sequence[Difference]) -> list[str]:
    """How many rows are reproduced, by how many numbers, which to the digit, and what chance does."""
    tables = [table for table in tables if is_compared(table)]
    if not tables:
        return []
    return [
        _counts_text(tables, known),
        *_exact_rows(tables),
        *_without_spread(tables),
        *_by_chance(tables),
    ]


def _counts_text(tables: Sequence[Table], known: Sequence[Difference]) -> str:
    score = score_of(tables)
    names = names_of(one.experiment for one in tables)
    exact, stated, unstated, lost = (rows_with(verdict, tables, known) for verdict in VERDICTS)
    moved = sum(bool(one.row.unstated) for one in exact)
    text = (
        f"Of the {score.printed:,} printed rows of {names}, {score.compared:,} were run again. A row "
        "is reproduced if every number that is printed of it is: the value, and the sensitivity and "
        f"specificity where they are printed. {len(exact):,} are reproduced to all printed digits"
        + (f" ({moved:,} of them at a setting that the paper does not state)" if moved else "")
        + f", {len(stated):,} within three standard errors at a setting that the paper states"
        f"{_by_numbers(stated)}, {len(unstated):,} at one that it does not state"
        f"{_by_numbers(unstated)}, and {len(lost):,} are not reproduced"
    )
    if lost:
        explained = sum(one.reason is not None for one in lost)
        text += "" if explained == len(lost) else f" ({explained or 'none'} of them discussed)"
    others, missing = score.printed - score.compared, any(table.missing for table in tables)
    rest = (
        f". The other {others:,} {'are of data sets that are missing' if missing else 'were not run'}."
    )
    return text + (rest if others else ".")


def _by_numbers(matches: Sequence[Match]) -> str:
    """How many rows were compared by all three numbers, and how many by the value alone."""
    whole = sum(len(one.row.z_scores) > 1 for one in matches)
    if not matches:
        return ""
    return f" ({whole:,} by all three numbers, {len(matches) - whole:,} by the value alone)"


def _exact_rows(tables: Sequence[Table]) -> Iterator[str]:
    """Where the rows are that are reproduced to all digits."""
    found: dict[str, int] = {}
    for table in tables:
        for block, row in table.rows():
            if row.counts and row.verdict == EXACT:
                place = f"of {short_name(table.experiment)} on {block.dataset.title}"
                found[place] = found.get(place, 0) + 1
    if found:
        places = listed([f"{counted(n, 'row')} {place}" for place, n in found.items()])
        yield f"Exact: {places}."


def _without_spread(tables: Sequence[Table]) -> Iterator[str]:
    """How wide three standard errors are where no spread is printed, and ours is used."""
    for table in tables:
        widths = [width for _, row in table.rows() if row.counts for width in _tolerance(row)]
        if widths:
            middle, widest = (number(100.0 * f(widths), 1) for f in (statistics.median, max))
            yield (
                f"{short_name(table.experiment)} prints no spread, so {counted(len(widths), 'row')} "
                "of it are measured by the spread of our own runs: three standard errors are "
                f"{middle} points in the median and up to {widest}."
            )


def _tolerance(row: Row) -> Iterator[float]:
    """Three standard errors of a sum without a printed spread."""
    if row.printed is not None and row.nearest is not None and row.printed.value_std is None:
        value = row.printed.numbers["value"]
        yield CLOSE * value.error(row.nearest.summary, row.printed.runs)


def _by_chance(tables: Sequence[Table]) -> Iterator[str]:
    """How many numbers are beyond three standard errors, and how many would be by chance."""
    with extra("lab", "the page of the paper needs SciPy", "scipy"):
        from scipy.special import stdtr

    rows = [row for table in tables for _, row in table.rows() if row.counts]
    numbers = [z for row in rows for z in row.z_scores.values()]
    if numbers:
        beyond = sum(abs(z) > CLOSE for z in numbers)
        expected = sum(2.0 * stdtr(_freedom(row), -CLOSE) * len(row.z_scores) for row in rows)
        yield (
            f"Of the {len(numbers):,} numbers compared, {beyond:,} are beyond three standard errors; "
            f"about {number(expected, 1)} would be by chance (Student's t), fewer where the nearest of "
            "several settings was taken."
        )


def _freedom(row: Row) -> int:
    """The degrees of freedom of the spread that a row is measured by."""
    assert row.printed is not None
    assert row.nearest is not None
    theirs = row.printed.value_std is not None
    return (row.printed.runs if theirs else row.nearest.summary.runs) - 1


# --- what else it shows -----------------------------------------------------------------------------


def remarks(tables: Sequence[Table]) -> list[str]:
    tables = [table for table in tables if is_compared(table)]
    return [*_printed_start(tables), *_lost_to_constants(tables), *_won_by_ours(tables)]


def _printed_start(tables: Sequence[Table]) -> Iterator[str]:
    """How the variants beside printed rows came out, and the learners that they are variants of."""
    for table in tables:
        variants, plain = [], []
        for block in table.blocks:
            rows = {row.candidate.name: row for row in block.rows}
            some = [row for row in block.rows if row.candidate.beside and row.verdict]
            variants += some
            plain += [rows[row.candidate.beside] for row in some]
        if variants:
            printed, ours = map(_reproduced, (variants, plain))
            yield (
                f"Of the {counted(len(variants), 'row')} of sketched learners in "
                f"{short_name(table.experiment)}, {printed} with the sketch started as printed, and "
                f"{ours} with ours, which starts empty and is the one that is counted."
            )


def _reproduced(rows: Iterable[Row]) -> str:
    verdicts = [row.verdict for row in rows]
    found = len(verdicts) - verdicts.count(NOT_REPRODUCED)
    stated = verdicts.count(STATED) + verdicts.count(EXACT)
    return f"{found:,} are reproduced, {stated:,} of them at a stated setting,"


def _lost_to_constants(tables: Sequence[Table]) -> Iterator[str]:
    blocks = [block for table in tables for block in table.blocks]
    lost = dict.fromkeys(block.dataset.title for block in blocks if paper_loses(block))
    if lost:
        yield (
            f"On {listed(list(lost))} the best cost that the paper prints is more than a constant "
            "policy costs, so both constant policies stand in every table."
        )


def _won_by_ours(tables: Sequence[Table]) -> Iterator[str]:
    """How often learners that are not in the paper have the best value, those on equal terms first."""
    blocks = [(table, block) for table in tables for block in table.blocks]
    blocks = [(t, b) for t, b in blocks if any(is_ours(t, row) for row in b.rows)]
    alike: list[list[str]] = []
    prepared: list[list[str]] = []
    for table, block in blocks:
        metric = block.metric.key
        plain = [row for row in block.rows if not prepares_rows(row.candidate)]
        for rows, winners in ((plain, alike), (block.rows, prepared)):
            best = best_text(block, rows)
            mine = [row for row in rows if is_ours(table, row) and mean_text(metric, row.best) == best]
            winners.append([row.candidate.name for row in mine])
    names = sorted({name for some in alike for name in some})
    if names:
        text = (
            f"Of {counted(len(blocks), 'comparison')} (data set, metric and table) {listed(names)}, "
            f"which the paper does not have, win {sum(map(bool, alike)):,} on equal terms, tuned as "
            "the others"
        )
        others = sorted({name for some in prepared for name in some} - set(names))
        if others:
            wins = sum(bool(set(some) & set(others)) for some in prepared)
            text += (
                f"; {listed(others)}, which needs no tuning but has an intercept and scales its "
                "features, "
                f"has the best value in {wins:,}"
            )
        yield f"{text}."
