"""What kinds of experiments make of their trials: tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..costs.policies import POLICIES
from ..costs.tally import Tally
from .experiment import Candidate, DatasetInfo, Experiment, Metric
from .paper.printed import Printed
from .plan import CLOSE, Setting, Summary
from .trial import Result

VERDICTS = (
    "exact",
    "reproduced with stated settings",
    "reproduced with settings the paper does not state",
    "not reproduced",
)
EXACT, STATED, UNSTATED, NOT_REPRODUCED = VERDICTS


@dataclass(frozen=True)
class Outcome:
    """A setting and what it reached; seconds are None where they are not known."""

    setting: Setting
    summary: Summary
    seconds: float | None


@dataclass(frozen=True)
class Row:
    """A learner under one metric."""

    candidate: Candidate
    best: Outcome
    printed: Printed | None = None
    nearest: Outcome | None = None
    tried: int = 1  # settings
    unstated: str = ""  # how the nearest setting differs from those that the paper states, if it does

    @property
    def counts(self) -> bool:
        """Whether it is one of the rows that were compared; a variant beside a printed row is not."""
        return bool(self.verdict) and not self.candidate.beside

    @property
    def z_scores(self) -> dict[str, float]:
        """How far the nearest setting is from the printed numbers, in standard errors."""
        if self.printed is None or self.nearest is None:
            return {}
        return self.printed.z_scores(self.nearest.summary)

    @property
    def verdict(self) -> str:
        """How well the printed numbers are met: the value, sensitivity and specificity, each of them.

        To all digits, within three standard errors with a setting that the paper states or with
        another one, or not at all; "" where nothing is printed.
        """
        if self.printed is None or self.nearest is None:
            return ""
        if self.printed.equals(self.nearest.summary):
            return EXACT
        if self.printed.distance(self.nearest.summary) > CLOSE:
            return NOT_REPRODUCED
        return UNSTATED if self.unstated else STATED


@dataclass(frozen=True)
class Block:
    """All learners on one data set under one metric; ``stands_for`` names one that is missing."""

    dataset: DatasetInfo
    metric: Metric
    rows: list[Row]
    stands_for: str = ""

    def policies(self) -> dict[str, Tally]:
        """What flagging every row, and what flagging none, would have come to."""
        rows, positives = self.dataset.rows, self.dataset.positives
        mistakes = (0, rows - positives), (positives, 0)  # missed, and false alarms
        found = [Result(rows, positives, *some).tally(self.metric) for some in mistakes]
        return dict(zip(POLICIES, found, strict=True))


@dataclass(frozen=True)
class Table:
    """A table of the paper, or of a user."""

    experiment: Experiment
    blocks: list[Block]
    missing: list[str]  # data sets that are not at hand

    def rows(self) -> Iterable[tuple[Block, Row]]:
        return ((block, row) for block in self.blocks for row in block.rows)

    def count(self, verdict: str) -> int:
        return sum(row.counts and row.verdict == verdict for _, row in self.rows())


@dataclass(frozen=True)
class Figure:
    """An experiment that is drawn, and what its kind reports beside that."""

    experiment: Experiment
    svg: str
    section: str = "figures"  # of the page
    runs: Mapping[str, int] = field(default_factory=dict)  # by the title of the data set
    table: str = ""  # HTML that stands below it
    sentences: Sequence[str] = ()  # for the summary of the page
    meanings: Mapping[str, str] = field(default_factory=dict)  # of the columns of its table
    markdown: Sequence[str] = ()  # parts of the Markdown document
    missing: Sequence[str] = ()  # data sets that are not at hand
