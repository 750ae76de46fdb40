"""Who is better: of learners, constant policies and printed numbers, and in which words."""

from __future__ import annotations

from collections.abc import Sequence

from ...costs.metrics import METRICS
from ...costs.policies import POLICIES, best_of, is_better
from ...learners import LEARNERS
from ...report.numbers import listed
from ..experiment import Candidate
from ..paper.printed import printed_rows
from ..results import Block, Row, Table
from ..texts import POLICY_NAMES, best_value, mean_text, metric_text

# --- who is better ----------------------------------------------------------------------------------


def best_constant(block: Block) -> tuple[str, float]:
    """The better constant policy ("flagging none") and what it reaches."""
    metric = block.metric
    found = {name: one.metrics(metric.costs)[metric.key] for name, one in block.policies().items()}
    name = best_of(metric.key, found) or POLICIES[0]
    return POLICY_NAMES[name].replace("flag", "flagging", 1), found[name]


def is_worse(block: Block, row: Row) -> bool:
    """Whether a learner, tuned, does worse than the better constant policy."""
    metric = block.metric.key
    return is_better(metric, best_constant(block)[1], row.best.summary.mean[metric])


def best_text(block: Block, rows: Sequence[Row] | None = None) -> str:
    """The best tuned value of a block, or of some of its rows, as it is written."""
    metric = block.metric.key
    values = [row.best.summary.mean[metric] for row in rows or block.rows]
    return metric_text(metric, best_value(metric, values))


def best_printed(block: Block) -> float | None:
    values = [row.printed.value for row in block.rows if row.printed is not None]
    return best_value(block.metric.key, values) if values else None


def paper_loses(block: Block) -> bool:
    """Whether the best cost that the paper prints is more than a constant policy costs."""
    printed = best_printed(block) if block.metric.kind.has_costs else None
    return printed is not None and printed > best_constant(block)[1]


def is_ours(table: Table, row: Row) -> bool:
    """Whether a learner is not in the printed table."""
    printed, name = table.experiment.printed, row.candidate.beside or row.candidate.name
    return bool(printed) and name not in {key[2] for key in printed_rows(printed)}


def prepares_rows(candidate: Candidate) -> bool:
    """Whether a learner has an intercept, and scales features itself."""
    return LEARNERS[candidate.learner].prepares_rows


def about_rows(table: Table) -> str:
    """How learners of a table that prepare rows differ from those beside them."""
    return about_learners([row.candidate for _, row in table.rows()])


def about_learners(candidates: Sequence[Candidate]) -> str:
    """How learners that prepare rows, or estimate the class ratio, differ from those beside them."""
    names = {one.name for one in candidates}
    own = {one.name: one for one in candidates if prepares_rows(one)}
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


def best_sentences(tables: Sequence[Table]) -> list[str]:
    """Who is best, where the tables are few."""
    blocks = [block for table in tables for block in table.blocks]
    return [_best_sentence(block) for block in blocks] if len(blocks) <= 4 else []


def _best_sentence(block: Block) -> str:
    metric, best = block.metric.key, best_text(block)
    unit = " %" if METRICS[metric].is_percent else ""
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
