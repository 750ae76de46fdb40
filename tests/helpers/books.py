"""A plain book of a service: what it expects of answers, records and costs, and what tests send.

It knows nothing of logs, groups or models; it keeps all that was acknowledged in lists and dicts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec
from hypothesis import strategies as st

from costream.costs.rows import FourCosts
from costream.serve.engine.served_model import Decision
from costream.serve.messages import Answer, Event, Label
from helpers.engines import DAY, START

UNLEARNABLE = "unlearnable"  # an event with this feature can be scored, and not learnt
KEEP_UNMATCHED, MAX_UNMATCHED, MAX_PENDING = 2 * DAY, 4, 20
TEXT_TIME, TEXT_HOUR = "2023-11-14T10:30:00+01:00", 472209  # 09:30 UTC, and its hour since 1970
encode = msgspec.json.encode

# --- what is drawn ------------------------------------------------------------------------------

ids = (st.integers(0, 9) | st.integers(0, 300)).map("e{}".format)
values = st.one_of(
    st.integers(-12, 12).map(lambda n: n / 4),
    st.integers(-3, 3),
    st.booleans(),
    st.none(),
    st.sampled_from(["FR", "DE", "12.5", ""]),
    st.sampled_from([["a", "b"], ["b"], {"x": 1.0, "y": "z"}]),
)
features = st.dictionaries(
    st.sampled_from(["amount", "hour", "shop", "country", "k=1"]), values, max_size=5
) | st.builds(lambda n: {"amount": 2.5, f"new{n}": 1.0}, st.integers(0, 30))
own_costs = st.none() | st.tuples(
    st.sampled_from([1.0, 80.25]),
    st.sampled_from([None, 3.5]),
    st.none(),
    st.sampled_from([None, -0.25]),
)
times = st.sampled_from([None, None, int(START) - 7200, START + 86400.5, TEXT_TIME])


@dataclass(frozen=True)
class Draft:
    """An event to be sent, should its id be new; what is sent, should it be known."""

    id: str
    features: dict[str, Any]
    time: Any
    costs: Any
    way: str

    def event(self, known: Event | None) -> Event:
        if known is None:
            extra = {UNLEARNABLE: 1.0} if self.way == "unlearnable" else {}
            wrong = {"nested": [[1]]} if self.way == "wrong" else {}
            costs = self.costs or (None,) * 4
            return Event(self.id, self.features | extra | wrong, self.time, *costs)
        if self.way == "other":
            return msgspec.structs.replace(known, features=known.features | {"other": 1.0})
        if self.way == "reordered":
            return msgspec.structs.replace(known, features=dict(reversed(known.features.items())))
        return known


ways = st.sampled_from(["same"] * 9 + ["other", "reordered", "unlearnable", "wrong"])
drafts = st.builds(Draft, ids, features, times, own_costs, ways)
others = ["refused", "other positive", "other negative"]
sides = st.sampled_from(["negative"] * 6 + ["positive"] * 4 + others)
label_rows = st.tuples(ids, sides, st.integers(0, 2))
jobs = st.one_of(
    st.lists(drafts, min_size=1, max_size=6).map(lambda rows: ("score", rows)),
    st.lists(label_rows, min_size=1, max_size=6).map(lambda rows: ("label", rows)),
    st.just(("expire", [])),
)
late = st.fixed_dictionaries(
    {
        "expire": st.sampled_from([None, DAY, DAY, 3 * DAY]),
        "expire_as": st.sampled_from(["negative", "negative", "positive"]),
        "learn": st.sampled_from(["at-once", "at-once", "at-window"]),
    }
).map(lambda one: one | {"learn": one["learn"] if one["expire"] else "at-once"})


# --- the book -----------------------------------------------------------------------------------


@dataclass
class Entry:
    """An event in the book, and the records of its labels: kind, positive, label."""

    event: Event
    received: int
    answer: Answer
    costs: FourCosts
    labels: list[tuple[str, bool, Any]] = field(default_factory=list)
    pending: bool = True

    @property
    def hour(self) -> int:
        if isinstance(self.event.time, str):
            return TEXT_HOUR
        return int((self.received / 1000 if self.event.time is None else self.event.time) // 3600)

    @property
    def state(self) -> str:
        kind = self.labels[-1][0] if self.labels else None
        return {None: "pending", "expiry": "expired", "deferred": "deferred"}.get(kind, "labelled")


@dataclass
class Book:
    """All that was acknowledged, kept in the plainest way."""

    now: int = int(START * 1000)
    late: dict[str, Any] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    # By id: positive, label, received.
    unmatched: dict[str, tuple[bool, Any, int]] = field(default_factory=dict)
    examples: list[tuple[Entry, bool, Any]] = field(default_factory=list)
    records: list[tuple[str, str, bool]] = field(default_factory=list)  # id, kind, positive
    last_received: int = 0

    @property
    def pending(self) -> int:
        return sum(one.pending for one in self.entries.values())

    def score(self, event: Event, decision: Decision | None, learnt: int, full: bool) -> Any:
        """What an event is answered: a status of a refusal, or the answer and whether it is old."""
        known = self.entries.get(event.id)
        if known is not None:
            return (known.answer, True) if encode(known.event) == encode(event) else 409
        if full:
            return 429
        if decision is None:
            return 422
        answer = Answer(event.id, decision.flag, decision.score, decision.probability, learnt, "")
        self.entries[event.id] = Entry(event, self.now, answer, decision.costs)
        self.last_received = self.now
        return answer, False

    def label(self, label: Label, positive: bool) -> str | int:
        """What becomes of a label."""
        entry = self.entries.get(label.id)
        if entry is None:
            if label.id not in self.unmatched and len(self.unmatched) >= MAX_UNMATCHED:
                return 429
            self.unmatched[label.id] = (positive, label.label, self.now)
            return "unmatched"
        return self.record(entry, positive, label.label)

    def record(self, entry: Entry, positive: bool, label: Any) -> str:
        if not entry.labels:
            at_once = self.late["learn"] == "at-once"
            self.add(entry, "label" if at_once else "deferred", positive, label)
            return "learnt" if at_once else "deferred"
        kind, before, _ = entry.labels[-1]
        if kind != "expiry" and before == positive:
            return "duplicate"
        self.add(entry, "deferred" if kind == "deferred" else "revision", positive, label)
        return "revised"

    def add(self, entry: Entry, kind: str, positive: bool, label: Any) -> None:
        entry.labels.append((kind, positive, label))
        self.records.append((entry.event.id, kind, positive))
        self.last_received = self.now
        if kind in ("label", "due", "expiry"):
            entry.pending = False
            self.examples.append((entry, positive, label))

    def expire(self) -> int:
        """Let windows end; returns for how many events."""
        self.unmatched = {
            one: kept
            for one, kept in self.unmatched.items()
            if kept[2] >= self.now - KEEP_UNMATCHED * 1000
        }
        waiting = [one for one in self.entries.values() if one.pending]
        window = self.late["expire"]
        ended = [] if window is None else [w for w in waiting if w.received <= self.now - window * 1000]
        if not ended and self.late["learn"] == "at-once":
            ended = [one for one in waiting if one.labels]
        for one in ended:
            if one.labels:
                self.add(one, "due", *one.labels[-1][1:])
            else:
                self.add(one, "expiry", self.late["expire_as"] == "positive", None)
        return len(ended)

    def costs(self) -> dict[int, Counter[str]]:
        """Counts and costs by hour, from nothing."""
        hours: dict[int, Counter[str]] = {}
        for one in self.entries.values():
            hour, flag = hours.setdefault(one.hour, Counter()), one.answer.flag
            hour.update(events=1, flags=int(flag))
            if not one.labels:
                continue
            kind, positive, _ = one.labels[-1]
            caught, passed = (
                (one.costs.tp_cost, one.costs.fn_cost)
                if positive
                else (one.costs.fp_cost, one.costs.tn_cost)
            )
            hour.update(labelled=1, expired=int(kind == "expiry"), positives=int(positive))
            hour.update(missed=int(positive and not flag), false_alarms=int(flag and not positive))
            hour.update(cost=caught if flag else passed, flag_nothing=passed, flag_all=caught)
            hour.update(perfect=min(caught, passed))
        return hours
