"""The recorded stream again, with its real delays: what another learner would have cost.

Each event was decided after some label and before the next; that order is in the log, and replay reads
no clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..._typing import Bools
from ...costs.tally import Costs, Tally
from ...errors import CostreamError
from ...learners import Learner
from ...model.classifier import OnlineClassifier
from ...model.file import dumps
from ...model.header import beginning_of
from ..messages import Event, decode
from ..storage.database import UNREADABLE, damaged
from ..storage.directory import LOG, SNAPSHOTS, existing
from ..storage.reader import LogReader
from ..storage.records import EventRecord, LearntRecord
from ..storage.snapshots import Snapshots
from .recovery import example_from, lost_records
from .served_model import BAD_ROW, ServedModel

PAGE = 1000  # events or labels that are read at once

OnProgress = Callable[[int, int], None]  # events done, of how many
Examples = list[LearntRecord]


def silent(_done: int, _total: int) -> None:
    """Show no progress."""


class Span(NamedTuple):
    """A part of a log: events and labels after some of them, up to others."""

    event: int
    label: int
    last_event: int
    last_label: int


@contextmanager
def opened_log(directory: Path) -> Iterator[LogReader]:
    """The log of a directory, to be read while a service may write it."""
    log = LogReader(existing(directory) / LOG)
    try:
        if not log.base_models():  # tokens were made, and nothing was served yet, or all of it is lost
            if lost := Snapshots(directory / SNAPSHOTS, 1).of_lost_records(log):
                raise lost_records(directory, [one.why for one in lost])
            raise CostreamError(
                f"{directory} has no model yet", f"costream serve --dir {directory} begins one"
            )
        yield log
    except UNREADABLE as error:
        raise damaged(log.path, f"it cannot be read: {error}") from None
    finally:
        log.close()


def course(log: LogReader, span: Span) -> Iterator[tuple[Examples, list[EventRecord]]]:
    """What was learnt, and the events that were decided then, as they came."""
    rejected = log.rejected()
    examples = (
        row
        for rows in log.in_pages(lambda seq: log.examples(seq, PAGE), span.label)
        for row in rows
        if row.seq not in rejected
    )
    events = (
        event
        for rows in log.in_pages(lambda seq: log.events(seq, span.last_event, PAGE), span.event)
        for event in rows
    )
    coming = next(examples, None)
    for label, decided in groupby(events, key=lambda one: one.label_seq):
        due: Examples = []
        while coming is not None and coming.seq <= label:
            due.append(coming)
            coming = next(examples, None)
            if len(due) == PAGE:
                yield due, []
                due = []
        yield due, list(decided)
    while coming is not None and coming.seq <= span.last_label:
        yield [coming], []
        coming = next(examples, None)


def event_of(record: EventRecord) -> Event:
    given = (None,) * 4 if record.given is None else decode(record.given)
    return Event(record.id, decode(record.features), None, *given)


# --- the costs of other learners ----------------------------------------------------------------------


@dataclass
class Player:
    """Somebody who decides on the events of a log, and what that has cost."""

    name: str
    tally: Tally = field(default_factory=Tally)
    seconds: float = float("nan")
    refused: int = 0  # events and labels that it could not take

    def add_costs(self, flags: Sequence[bool], events: Sequence[EventRecord], positive: Bools) -> None:
        """Add what decisions have cost, at the costs that were recorded."""
        if not len(events):
            return
        costs = np.array([(one.fn_cost, one.fp_cost, one.tp_cost, one.tn_cost) for one in events])
        keys = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
        given = dict(zip(keys, costs.T, strict=True))
        self.tally += Tally.of(np.where(flags, 1.0, -1.0), positive, Costs(), **given)


def total_costs(
    directory: Path, learners: Sequence[Learner] = (), on_progress: OnProgress = silent
) -> list[Player]:
    """What a service has cost so far, and what others would have cost, over events that have a label.

    These are the learners, each of which begins with nothing, learns what the service has learnt when
    it did, and decides on each event with what it knows then; and the two constant policies.
    """
    with opened_log(directory) as log:
        span = Span(0, 0, log.last("events"), log.last("labels"))
        base_models, count = log.base_models(), log.count("events")
        model, total = beginning_of(log.base_model(1).content).fresh, count * len(learners)
        live, flag_all, flag_none = (
            Player(f"live: {base_models[-1].name}"),
            Player("always-positive"),
            Player("always-negative"),
        )
        for events, positive in _labelled(log, span):
            live.add_costs([bool(one.flag) for one in events], events, positive)
            flag_all.add_costs([True] * len(events), events, positive)
            flag_none.add_costs([False] * len(events), events, positive)
        players = [
            _play(log, _empty(model, learner), span, partial(_forward, on_progress, n * count, total))
            for n, learner in enumerate(learners)
        ]
        return [live, *players, flag_all, flag_none]


def learner_of(directory: Path) -> Learner:
    with opened_log(directory) as log:
        return beginning_of(log.base_model(1).content).fresh.learner


def _forward(on_progress: OnProgress, before: int, total: int, done: int) -> None:
    on_progress(before + done, total)


def _empty(model: OnlineClassifier, learner: Learner) -> ServedModel:
    made = OnlineClassifier(
        learner, model.objective, fit_intercept=model.fit_intercept, normalize=model.normalize
    )
    return ServedModel(dumps(made))


def _labelled(log: LogReader, span: Span) -> Iterator[tuple[list[EventRecord], Bools]]:
    """The events that have a label, in pages, and which of them are positive."""
    for events in log.in_pages(lambda seq: log.events(seq, span.last_event, PAGE)):
        known = log.outcomes([one.seq for one in events], span.last_label)
        kept = [one for one in events if one.seq in known]
        yield kept, np.array([known[one.seq] for one in kept], np.bool_)


def _play(log: LogReader, served: ServedModel, span: Span, on_events: Callable[[int], None]) -> Player:
    """Learn and decide in the order of the log; costs are added up in pages of decisions."""
    player, said = Player(served.model.learner.name), dict[int, bytes]()
    waiting: list[tuple[EventRecord, bool]] = []
    seconds, done = 0.0, 0

    def add_waiting() -> None:
        known = log.outcomes([event.seq for event, _ in waiting], span.last_label)
        kept = [one for one in waiting if one[0].seq in known]
        positive = np.array([known[event.seq] for event, _ in kept], np.bool_)
        player.add_costs([flag for _, flag in kept], [event for event, _ in kept], positive)
        waiting.clear()

    for due, events in course(log, span):
        began = time.perf_counter()
        own = [row._replace(label=None, forecast=said.pop(row.event, None)) for row in due]
        player.refused += len(served.learn(list(map(example_from, own))))
        for event in events:
            try:
                decision = served.decide(event_of(event))
                flag = decision.flag
                if decision.forecast is not None:
                    said[event.seq] = decision.forecast
            except BAD_ROW:
                player.refused, flag = player.refused + 1, False
            waiting.append((event, flag))
        seconds += time.perf_counter() - began
        done += len(events)
        if len(waiting) >= PAGE:
            add_waiting()
            on_events(done)
    add_waiting()
    on_events(done)
    player.seconds = seconds
    return player
