"""How the tables came out, in sentences: who is better, and how well the paper is met."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...evaluate.policies import POLICIES, best_of, is_better
from ...learners import LEARNERS
from ...report.numbers import counted, listed, number
from ..experiment import Candidate
from ..paper.differences import Difference, Score, is_compared, rows_with, score_of
from ..paper.printed import printed_rows
from ..plan import CLOSE
from ..results import APART, EXACT, STATED, VERDICTS, Block, Row, Table
from ..texts import POLICY_NAMES, mean_text, metric_text, names_of, short_name

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
    printed, name = table.experiment.printed, row.candidate.beside or row.candidate.name
    return bool(printed) and name not in {key[2] for key in printed_rows(printed)}


def about_rows(table: Table) -> str:
    """How learners of a table that prepare rows differ from those beside them."""
    return about_learners([row.candidate for _, row in table.rows()])


def about_learners(candidates: Sequence[Candidate]) -> str:
    """How learners that prepare rows, or estimate the class ratio, differ from those beside them."""
    names = {one.name for one in candidates}
    own = {one.name: one for one in candidates if LEARNERS[one.learner].prepares_rows}
    if not own or len(own) == len(names):
        return ""
    estimated = all(one.ratio == "estimated" for one in own.values())
    extra = ", and estimates the class ratio on the way" if estimated else ""
    known = " and are given the ratio" if estimated else ""
    return (
        f"{listed(list(own))} has an intercept and scales the features itself{extra}; the others "
        f"have neither{known}."
    )


# --- sentences --------------------------------------------------------------------------------------


def sentences(tables: Sequence[Table], known: Sequence[Difference]) -> list[str]:
    """How the tables that stand beside printed ones came out."""
    return [*counts_of_rows(tables, known), *remarks(tables)]


def counts_of_rows(tables: Sequence[Table], known: Sequence[Difference]) -> list[str]:
    """How many rows come out, which of them to the digit, and what chance would do."""
    tables = [table for table in tables if is_compared(table)]
    if not tables:
        return []
    return [_counts_text(tables, known), *_exact_rows(tables), *_by_chance(tables)]


def remarks(tables: Sequence[Table]) -> list[str]:
    """What else the comparison shows."""
    tables = [table for table in tables if is_compared(table)]
    return [*_printed_start(tables), *_lost_to_constants(tables), *_won_by_ours(tables)]


def _counts_text(tables: Sequence[Table], known: Sequence[Difference]) -> str:
    score = score_of(tables)
    names = names_of(one.experiment for one in tables)
    exact, stated, another, apart = (score.counts[verdict] for verdict in VERDICTS)
    moved = sum(bool(one.row.unstated) for one in rows_with(EXACT, tables, known))
    text = (
        f"Of the {score.printed:,} printed rows of {names}, {score.compared:,} were run again. A row "
        "comes out if every number that is printed does: the value, sensitivity and specificity. "
        f"{exact:,} come out to all printed digits"
        + (f" ({moved:,} of them at another setting than the paper states)" if moved else "")
        + f", {stated:,} within three standard errors at a setting that the paper states, "
        f"{another:,} at another setting, which is named, and {apart:,} are apart"
    )
    if apart:
        explained = sum(one.reason is not None for one in rows_with("apart", tables, known))
        text += "" if explained == apart else f" ({explained or 'none'} of them discussed)"
    lost, missing = score.printed - score.compared, any(table.missing for table in tables)
    rest = f". The other {lost:,} {'are of data sets that are missing' if missing else 'were not run'}."
    return text + (rest if lost else ".")


def _exact_rows(tables: Sequence[Table]) -> Iterator[str]:
    """Where the rows are that come out to all digits."""
    found: dict[str, int] = {}
    for table in tables:
        for block, row in table.rows():
            if row.counts and row.verdict == EXACT:
                place = f"of {short_name(table.experiment)} on {block.dataset.title}"
                found[place] = found.get(place, 0) + 1
    if found:
        places = listed([f"{counted(n, 'row')} {place}" for place, n in found.items()])
        yield f"Exact are {places}."


def _by_chance(tables: Sequence[Table]) -> Iterator[str]:
    """How many numbers would be apart by chance."""
    rows = [row for table in tables for _, row in table.rows() if row.counts]
    numbers = sum(len(row.z_scores) for row in rows)
    if numbers:
        expected = number(numbers * math.erfc(CLOSE / math.sqrt(2.0)), 1)
        yield (
            f"Of the {numbers:,} numbers compared, about {expected} would be beyond three standard "
            "errors by chance, were all settings right."
        )


def _printed_start(tables: Sequence[Table]) -> Iterator[str]:
    """How the variants that stand beside printed rows came out, and the learners they are "
    "variants of."""
    variants, plain = [], []
    for table in tables:
        for block in table.blocks:
            rows = {row.candidate.name: row for row in block.rows}
            some = [row for row in block.rows if row.candidate.beside and row.verdict]
            variants += some
            plain += [rows[row.candidate.beside] for row in some]
    if variants:
        came_out = [sum(row.verdict != APART for row in rows) for rows in (variants, plain)]
        at_stated = [sum(row.verdict == STATED for row in rows) for rows in (variants, plain)]
        yield (
            f"Of the {len(variants):,} rows of sketched learners {came_out[0]:,} come out with "
            "the sketch "
            f"started as printed ({at_stated[0]:,} at a stated setting), and {came_out[1]:,} "
            "with ours, "
            f"which starts empty ({at_stated[1]:,}); ours are the ones that are counted."
        )


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


def scores(tables: Sequence[Table]) -> Iterator[tuple[str, Score]]:
    """How each table came out, then all of them together."""
    for table in tables:
        yield short_name(table.experiment), score_of([table])
    if len(tables) > 1:
        yield "all", score_of(tables)
