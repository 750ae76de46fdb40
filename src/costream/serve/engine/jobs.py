"""What the engine is given to do, the group in which it is done, and what is made of its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from ...costs.rows import FourCosts
from ...errors import CostreamError
from ..messages import (
    ID_BYTES,
    LARGEST_COST,
    Answer,
    Event,
    Label,
    LabelAnswer,
    Problem,
    Reason,
    decode,
)
from ..storage.hourly_costs import CostChanges
from ..storage.records import EventRecord, LabelRecord
from .fit import Unfit
from .served_model import TrainingExample

decode_reasons = msgspec.json.Decoder(list[Reason]).decode


class Scored(NamedTuple):
    """The answer to an event, and whether it had been given before."""

    answer: Answer
    replayed: bool


@dataclass(eq=False)
class ScoreJob:
    """Events to be decided; with ``reasons`` None, flags get as many as the settings allow."""

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
    """Let events expire whose window has ended, learn deferred labels, and drop old unmatched ones."""

    expired: int = 0
    results: list[Problem] = field(default_factory=list)
    done: int = 0
    rows: int = 0


Job = ScoreJob | LabelJob | ExpireJob


class LogFull(Exception):  # noqa: N818
    """The disk is full: the group was taken back, and may be tried again later."""


class LogFailed(Exception):  # noqa: N818
    """The log cannot be trusted any more; the process must end, and recover when it starts."""


class GroupExample(NamedTuple):
    """A training example of a group: the number of its label, and the answer that waits for it."""

    seq: int
    example: TrainingExample
    answer: LabelAnswer | None


class Group:
    """What a group of jobs adds to the log, until it is committed and learnt."""

    def __init__(self, jobs: Sequence[Job], now: int, end: float = math.inf) -> None:
        self.jobs = jobs
        self.now = now
        self.hour = now // 3_600_000  # of events that have no time of their own
        self.end = end  # by `time.perf_counter`: events after it are left for a later group
        self.events: list[EventRecord] = []
        self.labels: list[LabelRecord] = []
        self.examples: list[GroupExample] = []
        self.answers: list[LabelAnswer] = []  # to be given the number of labels learnt
        self.costs = CostChanges()
        self.resolved: list[int] = []  # events that no longer wait for a label
        self.unmatched = 0
        self.names: dict[str, None] = {}  # of features, which are new
        self.left_out = 0  # features whose names were not taken
        self.size = 0  # bytes of the events that are to be learnt
        self.unmatched_expired = 0  # labels whose events have not come in time
        self.unfit: list[tuple[tuple[Unfit, ...], str]] = []  # events that do not fit, and the answer


def answer_of(event: EventRecord, model: str) -> Answer:
    return Answer(
        event.id,
        bool(event.flag),
        event.score,
        event.probability,
        event.learnt,
        model,
        None if event.reasons is None else decode_reasons(event.reasons),
        None if event.warnings is None else decode(event.warnings),
    )


def check_id(event_id: str) -> None:
    """Raise an error unless a text can be an id: 1 to 200 bytes, none of them NUL."""
    size = 4 * len(event_id)
    if not size or (size > ID_BYTES and len(event_id.encode()) > ID_BYTES) or "\0" in event_id:
        raise CostreamError(f"an id has 1 to {ID_BYTES} bytes of UTF-8, none of them NUL")


def is_same(stored: EventRecord, features: bytes, time: str | None, given: str | None) -> bool:
    """Whether an event is the stored one: as it is written, or with 1.0 for 1."""
    if (stored.features, stored.time, stored.given) == (features, time, given):
        return True
    then, now = decode(stored.features), decode(features)
    moments = (None if one is None else decode(one) for one in (stored.time, time))
    return stored.given == given and _is_alike(*moments) and _is_alike(then, now)


def _is_alike(one: Any, other: Any) -> bool:
    """Whether two things are equal as JSON; the order of keys counts, since it numbers columns."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(map(_is_alike, one.values(), other.values()))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_alike, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def check_costs(costs: FourCosts) -> None:
    if not all(abs(one) <= LARGEST_COST for one in costs):
        raise CostreamError(f"a cost may be at most {LARGEST_COST:,.0f}", "count in a larger unit")


def width_of(value: Any) -> int:
    """How many features an event has, nested ones and tags included."""
    if isinstance(value, dict):
        return sum(map(width_of, value.values()))
    return sum(map(width_of, value)) if isinstance(value, list) else 1


def refusal(error: Exception, event_id: str) -> Problem:
    if isinstance(error, RecursionError):  # which Python releases get as far as this differs
        return Problem("the row is nested too deeply", None, event_id)
    return Problem.of(error, event_id)


def example_of(event: EventRecord, label: LabelRecord) -> TrainingExample:
    own = FourCosts(event.fn_cost, event.fp_cost, event.tp_cost, event.tn_cost) if event.own else None
    given = label.label and decode(label.label)
    return TrainingExample(decode(event.features), own, bool(label.positive), given, event.forecast)
