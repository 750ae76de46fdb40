"""What the engine is given to do, and what it has done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..messages import Answer, Event, Label, LabelAnswer, Problem


class Scored(NamedTuple):
    """The answer to an event, and whether it had been given before."""

    answer: Answer
    replayed: bool


@dataclass(eq=False)
class ScoreJob:
    """Events to be decided; ``reasons`` None gives flags as many as the settings say."""

    events: list[Event]
    reasons: int | None = None
    results: list[Scored | Problem] = field(default_factory=list)
    done: int = 0  # rows whose results are on disk; what is not done yet comes in a later group
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        self.rows = len(self.events)


@dataclass(eq=False)
class LabelJob:
    """Labels to be recorded and learnt."""

    labels: list[Label]
    results: list[LabelAnswer | Problem] = field(default_factory=list)
    records: list[int | None] = field(default_factory=list)  # their numbers; None where there is none
    done: int = 0
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        self.rows = len(self.labels)


@dataclass(eq=False)
class ExpireJob:
    """Let events expire whose window has ended, labels be learnt that waited for it, parked ones go."""

    expired: int = 0
    results: list[Problem] = field(default_factory=list)
    done: int = 0
    rows: int = 0


Job = ScoreJob | LabelJob | ExpireJob


class LogFull(Exception):  # noqa: N818
    """The disk is full: the group was taken back, and may be tried again later."""


class LogFailed(Exception):  # noqa: N818
    """The log cannot be trusted any more; the process must end, and recover when it starts."""
