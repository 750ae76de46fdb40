"""The answers that clients got, compared with the records of a directory and with a replay of them.

The records are read with SQLite alone. The replay goes row by row, in one thread, from the base model:
no snapshot, no groups, nothing of the service's own recovery.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import msgspec

from costream import loads
from costream.costs.rows import FourCosts
from costream.model.classifier import core_of
from costream.model.file import dumps
from costream.serve.engine.served_model import ServedModel, TrainingExample
from costream.serve.messages import Answer, Event, LabelAnswer, Reason

decode = msgspec.json.decode
LEARNT = ("label", "due", "expiry")
SENT = ("label", "deferred", "revision")
REASONS = 3  # of a flag, where nobody says otherwise
Row = dict[str, Any]


@dataclass
class Records:
    """All tables of a log."""

    base_models: list[Row]
    events: list[Row]
    labels: list[Row]
    rejected: list[Row]
    pending: list[Row]
    unmatched: list[Row]
    hourly_costs: list[Row]
    integrity: str

    @property
    def by_id(self) -> dict[str, Row]:
        return {one["id"]: one for one in self.events}

    def labels_of_events(self) -> dict[int, list[Row]]:
        found: defaultdict[int, list[Row]] = defaultdict(list)
        for one in self.labels:
            found[one["event"]].append(one)
        return found

    @property
    def rejected_labels(self) -> set[int]:
        return {one["label"] for one in self.rejected}

    @property
    def examples(self) -> list[Row]:
        """The labels that are there to be learnt, in their order."""
        return [one for one in self.labels if one["kind"] in LEARNT]


def records_of(directory: Path) -> Records:
    """The records of a directory that no process has open."""
    tables = ("base_models", "events", "labels", "rejected", "pending", "unmatched", "hourly_costs")
    with closing(sqlite3.connect(directory / "log.sqlite")) as db:
        db.row_factory = sqlite3.Row
        found = {name: [*map(dict, db.execute(f"SELECT * FROM {name} ORDER BY 1"))] for name in tables}
        return Records(**found, integrity=db.execute("PRAGMA integrity_check").fetchone()[0])


# --- what the records must be among themselves --------------------------------------------------------


def faults_of(records: Records) -> list[str]:
    """What is wrong with records in themselves."""
    found = [] if records.integrity == "ok" else [records.integrity]
    events = {one["seq"] for one in records.events}
    learnt = Counter(one["event"] for one in records.examples)
    found += [f"a label of no event: {one}" for one in records.labels if one["event"] not in events]
    found += [f"event {event} is learnt {n} times" for event, n in learnt.items() if n > 1]
    if {one["event"] for one in records.pending} != events - set(learnt):
        found.append("other events are pending than those without an example")
    if {one["id"] for one in records.unmatched} & set(records.by_id):
        found.append("labels are unmatched whose event is there")
    for rows in (records.events, records.labels):
        if [one["seq"] for one in rows] != list(range(1, len(rows) + 1)):
            found.append("sequence numbers have gaps")
        found += [f"{b} was received before {a}" for a, b in pairs(one["received"] for one in rows)]
    found += [f"learnt fell from {a} to {b}" for a, b in pairs(one["learnt"] for one in records.events)]
    if not records.rejected_labels <= {one["seq"] for one in records.examples}:
        found.append("what is rejected is not an example")
    return found


def pairs(values: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Where a sequence falls."""
    rows = list(values)
    return ((a, b) for a, b in pairwise(rows) if b < a)


def costs_of(records: Records) -> dict[int, tuple[float, ...]]:
    """Counts and costs by hour, from events and the last label of each."""
    hours: defaultdict[int, list[float]] = defaultdict(lambda: [0.0] * 11)
    labels = records.labels_of_events()
    for event in records.events:
        hour, flag = hours[event["hour"]], bool(event["flag"])
        hour[0] += 1
        hour[1] += flag
        if event["seq"] not in labels:
            continue
        last = labels[event["seq"]][-1]
        positive = bool(last["positive"])
        hour[2] += positive
        hour[3] += not positive
        hour[4] += positive and not flag
        hour[5] += flag and not positive
        hour[6] += last["kind"] == "expiry"
        flagged = event["tp_cost"] if positive else event["fp_cost"]
        passed = event["fn_cost"] if positive else event["tn_cost"]
        hour[7] += flagged if flag else passed
        hour[8] += passed
        hour[9] += flagged
        hour[10] += min(flagged, passed)
    return {hour: tuple(values) for hour, values in hours.items()}


def stored_costs(records: Records) -> dict[int, tuple[float, ...]]:
    """Counts and costs by hour, as the service has kept them."""
    return {one["hour"]: tuple(map(float, list(one.values())[1:-1])) for one in records.hourly_costs}


# --- a replay, row by row -----------------------------------------------------------------------------


def example_of(event: Row, label: Row) -> TrainingExample:
    own = FourCosts(*(event[f"{kind}_cost"] for kind in ("fn", "fp", "tp", "tn")))
    return TrainingExample(
        decode(event["features"]),
        own if event["own"] else None,
        bool(label["positive"]),
        None if label["label"] is None else decode(label["label"]),
    )


def event_of(row: Row) -> Event:
    given = [None] * 4 if row["given"] is None else decode(row["given"])
    moment = None if row["time"] is None else decode(row["time"])
    return Event(row["id"], decode(row["features"]), moment, *given)


@dataclass
class Replay:
    """A model that has learnt the records one by one, and its other decisions on the way."""

    bits: bytes
    learnt: int
    refused: set[int]
    other_decisions: list[str]


def replay(records: Records, with_decisions: bool = True) -> Replay:
    """Learn all labels in their order, one by one; between them, decide on each event again."""
    served = ServedModel(records.base_models[0]["model"])
    events = {one["seq"]: one for one in records.events}
    waiting = iter(records.events if with_decisions else ())
    event = next(waiting, None)
    refused: set[int] = set()
    other: list[str] = []
    for label in [*records.examples, None]:
        while event is not None and (label is None or event["learnt"] == served.learnt):
            other += difference(served, event)
            event = next(waiting, None)
        if label is not None:
            seq = label["seq"]
            if served.learn([example_of(events[label["event"]], label)]):
                refused.add(seq)
    return Replay(served.dump({}), served.learnt, refused, other)


def difference(served: ServedModel, row: Row) -> list[str]:
    """How the decision on an event differs from the one that was stored."""
    event = event_of(row)
    made = served.decide(event)
    stored = (bool(row["flag"]), row["score"], row["probability"], row["learnt"])
    found = []
    if (made.flag, made.score, made.probability, served.learnt) != stored:
        found.append(f"{row['id']}: {stored} is stored, {made} is right after {served.learnt}")
    if row["reasons"] is not None:
        stored_reasons = decode(row["reasons"], type=list[Reason])
        if served.reasons(event, made.flag, REASONS) != stored_reasons:
            found.append(f"{row['id']}: other reasons")
    return found


def first_labels(records: Records, most: int) -> Records:
    """The records up to the first label that is not simply learnt, or to so many of them."""
    labels = [*takewhile(lambda one: one["kind"] != "expiry", records.examples)][:most]
    return replace(records, labels=labels)


def learnt_plainly(records: Records) -> bytes:
    """The bits by `load` and `learn_one` alone; before an event expires, or columns are inferred."""
    model = loads(records.base_models[0]["model"])
    core_of(model).read_by_type()  # a note in the file, which means nothing to single rows
    core_of(model).ignore_leakage()  # what was seen of it would be in the file
    events = {one["seq"]: one for one in records.events}
    for label in records.examples:
        if label["seq"] not in records.rejected_labels:
            example = example_of(events[label["event"]], label)
            costs = {} if example.own is None else example.own._asdict()
            model.learn_one(example.features, example.label, **costs)
    model.notes["serve"] = {}
    return dumps(model)


# --- answers -----------------------------------------------------------------------------------------


def name_of(base_model: bytes) -> str:
    """The name of a model as answers have it."""
    return f"{loads(base_model).learner.name}-{hashlib.sha256(base_model).hexdigest()[:8]}"


def lost_answers(records: Records, answers: Iterable[Answer]) -> list[str]:
    """Acknowledged events that are not stored, or not with the answer that was given."""
    stored, model = records.by_id, name_of(records.base_models[0]["model"])
    found = []
    for answer in answers:
        row = stored.get(answer.id)
        if row is None:
            found.append(f"{answer.id} is lost")
            continue
        reasons = None if row["reasons"] is None else decode(row["reasons"], type=list[Reason])
        kept = (bool(row["flag"]), row["score"], row["probability"], row["learnt"], model, reasons)
        answered = (
            answer.flag,
            answer.score,
            answer.probability,
            answer.learnt,
            answer.model,
            answer.reasons,
        )
        if kept != answered:
            found.append(f"{answer.id}: {answered} was answered, {kept} is kept")
    return found


def lost_labels(records: Records, answered: Iterable[tuple[bool, LabelAnswer]]) -> list[str]:
    """Acknowledged labels that are not recorded, each once, in the order of the answers.

    A label that says the same as the one before adds no record. All labels of an id come from one
    client, or say the same.
    """
    values: defaultdict[str, list[bool]] = defaultdict(list)
    for value, answer in answered:
        if values[answer.id][-1:] != [value]:
            values[answer.id].append(value)
    labels, events = records.labels_of_events(), records.by_id
    unmatched = {one["id"]: bool(one["positive"]) for one in records.unmatched}
    found = []
    for name, sent in values.items():
        if name in events:
            rows = labels.get(events[name]["seq"], [])
            kept = [bool(one["positive"]) for one in rows if one["kind"] in SENT]
        else:
            kept = [unmatched[name]] if name in unmatched else []
        if kept != sent:
            found.append(f"{name}: {sent} was answered, {kept} is kept")
    return found


def several_answers(answers: Iterable[Answer]) -> list[str]:
    """Ids that got more than one answer."""
    first: dict[str, Answer] = {}
    return [one.id for one in answers if first.setdefault(one.id, one) != one]
