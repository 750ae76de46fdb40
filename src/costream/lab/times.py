"""Running times beside the printed ones: of each learner, as a ratio to one that all tables have.

Seconds of two machines and two languages cannot be compared; what a learner takes beside another one on
the same machine can.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..report.numbers import counted, number, seconds_text
from .paper.differences import is_compared
from .results import Row, Table
from .texts import short_name

BASES = ("COG-I", "SACOG-I")  # the first that a table has is the one to compare with
ALIKE = 2.0  # ratios that differ by no more than this factor


@dataclass(frozen=True)
class TimeRatio:
    """What a learner takes on a data set, in seconds and beside another one, as printed and here."""

    table: str
    dataset: str
    algorithm: str
    base: str
    printed: float
    ours: float
    printed_base: float
    our_base: float

    @property
    def printed_ratio(self) -> float:
        return self.printed / self.printed_base

    @property
    def our_ratio(self) -> float:
        return self.ours / self.our_base

    @property
    def verdict(self) -> str:
        """Whether ours is about the printed ratio, up to a factor of two."""
        change = self.our_ratio / self.printed_ratio
        if 1.0 / ALIKE <= change <= ALIKE:
            return "alike"
        return "relatively slower here" if change > 1.0 else "relatively faster here"


def time_ratios(tables: Iterable[Table]) -> list[TimeRatio]:
    """All that can be compared; the times of a learner under several metrics are averaged."""
    return [one for table in tables if is_compared(table) for one in _ratios(table)]


def _ratios(table: Table) -> Iterator[TimeRatio]:
    for dataset in dict.fromkeys(block.dataset for block in table.blocks):
        rows = [row for block in table.blocks if block.dataset == dataset for row in block.rows]
        times = _times([row for row in rows if row.counts])
        for base in [name for name in BASES if name in times][:1]:
            for name in [one for one in times if one != base]:
                label, own = short_name(table.experiment), (*times[name], *times[base])
                yield TimeRatio(label, dataset.title, name, base, *own)


def _times(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """The printed seconds and ours of each learner, where both are known and not 0."""
    found: dict[str, tuple[float, float]] = {}
    for name in dict.fromkeys(row.candidate.name for row in rows):
        mine = [row for row in rows if row.candidate.name == name]
        printed = [row.printed.seconds for row in mine if row.printed]
        ours = [row.nearest.seconds for row in mine if row.nearest and row.nearest.seconds]
        if printed and len(ours) == len(printed) and min(printed) > 0.0:  # NaN is not
            found[name] = statistics.fmean(printed), statistics.fmean(ours)
    return found


# --- as text ----------------------------------------------------------------------------------------

HEAD = ("table", "data set", "algorithm", "beside", "paper, s", "ours, s", "paper", "ours", "ratios")


def cells(one: TimeRatio) -> list[str]:
    """A line of the table of times."""
    return [
        *(one.table, one.dataset, one.algorithm, one.base),
        *(number(one.printed, 3), seconds_text(one.ours)),
        *(number(one.printed_ratio, 1), number(one.our_ratio, 1), one.verdict),
    ]


def time_sentences(ratios: Sequence[TimeRatio]) -> list[str]:
    """How the ratios came out, and whether what the paper says about them holds here."""
    if not ratios:
        return []
    verdicts = [one.verdict for one in ratios]
    slower, faster = (verdicts.count(f"relatively {word} here") for word in ("slower", "faster"))
    change = math.exp(statistics.fmean(math.log(one.our_ratio / one.printed_ratio) for one in ratios))
    text = (
        f"Of {counted(len(ratios), 'ratio')} of running times, {verdicts.count('alike'):,} are within "
        "a factor of two of the printed ones; here the learner is relatively slower in "
        f"{slower:,} and relatively faster in {faster:,}. The geometric mean of our ratios is "
        f"{number(change, 1)} times that of the printed ones."
    )
    return [text, *_claims(ratios)]


def _claims(ratios: Sequence[TimeRatio]) -> Iterator[str]:
    """The claims of the paper: the sparse sketch takes less time than the explicit one, and so on."""
    pairs = {"the diagonal ACOG": ("_diag", "", "the full one"), "SSACOG": ("SSACOG", "SACOG", "SACOG")}
    for name, (part, other, against) in pairs.items():
        found = []
        for one in ratios:
            wanted = one.algorithm.replace(part, other)
            for two in (*ratios, _base_of(one)):
                same = (two.table, two.dataset) == (one.table, one.dataset)
                if part in one.algorithm and same and two.algorithm == wanted:
                    found.append((one.printed < two.printed, one.ours < two.ours))
        if found:
            printed, ours = (sum(some) for some in zip(*found, strict=True))
            yield (
                f"In {printed} of {len(found)} comparisons of the paper, and in {ours} of ours, {name} "
                f"takes less time than {against}."
            )


def _base_of(one: TimeRatio) -> TimeRatio:
    """The learner that a ratio is taken to, as a ratio to itself."""
    seconds = one.printed_base, one.our_base
    return TimeRatio(one.table, one.dataset, one.base, one.base, *seconds, *seconds)
