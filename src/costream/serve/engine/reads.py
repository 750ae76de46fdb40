"""What can be read of a service while it works, from any thread."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Literal

import msgspec

from ..messages import Answer, State, Summary
from ..storage.hourly_costs import summary
from ..storage.log import Log
from ..storage.records import EventRecord, LabelRecord
from .clock import Clock
from .fit import UnfitEvents
from .jobs import answer_of
from .names import Names
from .served_model import ServedModel

LATEST_FLAGS = 100
decode = msgspec.json.Decoder().decode


class Reads:
    """The methods of the engine that change nothing; they see what is committed."""

    clock: Clock
    log: Log
    served: ServedModel
    models: dict[int, str]  # the names of base models, by their numbers
    model_name: str
    latest_flags: deque[EventRecord]
    events: int
    labels: int
    pending: int
    unmatched: int
    unmatched_expired: int
    rejected: int
    groups: int
    last_group: int
    last_commit: float
    started: float
    unfit: UnfitEvents
    snapshot_learnt: int
    snapshot_time: float
    names: Names
    _leader: tuple[int, str | None]

    def find(self, event_id: str) -> dict[str, Any] | None:
        """An event and what became of it."""
        found = self.log.read(
            f"SELECT {', '.join(EventRecord._fields)} FROM events WHERE id = ?", (event_id,)
        )
        if not found:
            return None
        event = EventRecord._make(found[0])
        rows = self.log.read(
            f"SELECT {', '.join(LabelRecord._fields)} FROM labels WHERE event = ? ORDER BY seq",
            (event.seq,),
        )
        return described(
            event,
            [LabelRecord._make(row) for row in rows],
            answer_of(event, self.models[event.base_model]),
        )

    def summary(self, by: Literal["day", "hour"] = "day") -> Summary:
        """Counts and costs by day or hour of the events."""
        return summary(self.log, by, self.served.learnt, self.model_name, self.leader)

    @property
    def leader(self) -> str | None:
        """Who leads in the model, if it is a portfolio; looked up once for each number of labels."""
        if self._leader[0] != self.served.learnt:
            self._leader = (self.served.learnt, self.served.leader)
        return self._leader[1]

    def flags(self, limit: int = 50) -> list[dict[str, Any]]:
        """The latest flags, newest first, and what became of them."""
        found = list(self.latest_flags)[::-1][:limit]
        marks = ", ".join("?" * len(found))
        rows = self.log.read(
            f"SELECT event, kind, positive FROM labels WHERE event IN ({marks}) ORDER BY seq",
            [one.seq for one in found],
        )
        last = {event: (kind, positive) for event, kind, positive in rows}
        return [as_flag(one) | outcome(*last.get(one.seq, (None, None))) for one in found]

    def stored_flags(self) -> list[EventRecord]:
        names = ", ".join(EventRecord._fields)
        query = f"SELECT {names}, checksum FROM events WHERE flag ORDER BY seq DESC LIMIT ?"
        rows = self.log.intact("event", self.log.read(query, (LATEST_FLAGS,)))
        return [EventRecord._make(row) for row in reversed(rows)]

    def status(self) -> State:
        """The state of the service: counts, sizes and ages."""
        return State(
            events=self.events,
            labels=self.labels,
            learnt=self.served.learnt,
            pending=self.pending,
            unmatched=self.unmatched,
            unmatched_expired=self.unmatched_expired,
            clock_in_doubt=self.clock.is_in_doubt,
            rejected=self.rejected,
            flags=self.latest_flags[-1].seq if self.latest_flags else 0,
            model=self.model_name,
            learner=self.served.core.learner.name,
            leader=self.leader,
            wal_bytes=self.log.wal_bytes,
            snapshot_learnt=self.snapshot_learnt,
            snapshot_age=time.monotonic() - self.snapshot_time,
            groups=self.groups,
            last_group=self.last_group,
            last_commit=self.last_commit,
            started=self.started,
            names=self.names.taken,
            names_left_out=self.names.left_out,
            unfit=self.unfit.events,
        )


def described(event: EventRecord, labels: list[LabelRecord], answer: Answer) -> dict[str, Any]:
    """An event as its readers get it."""
    last = labels[-1] if labels else None
    return {
        **{key: value for key, value in msgspec.structs.asdict(answer).items() if value is not None},
        "received": event.received / 1000,
        "time": None if event.time is None else decode(event.time),
        "features": decode(event.features),
        "costs": {key: getattr(event, key) for key in ("fn_cost", "fp_cost", "tp_cost", "tn_cost")},
        **(outcome(last.kind, last.positive) if last else outcome()),
        "labels": [
            {
                "kind": one.kind,
                "positive": bool(one.positive),
                "label": None if one.label is None else decode(one.label),
                "received": one.received / 1000,
                "time": None if one.time is None else decode(one.time),
            }
            for one in labels
        ],
    }


def as_flag(event: EventRecord) -> dict[str, Any]:
    """A flag as the page and the stream show it."""
    return {
        "seq": event.seq,
        "id": event.id,
        "received": event.received / 1000,
        "time": None if event.time is None else decode(event.time),
        "score": event.score,
        "probability": event.probability,
        "fn_cost": event.fn_cost,
        "fp_cost": event.fp_cost,
        "reasons": None if event.reasons is None else decode(event.reasons),
    }


def outcome(kind: str | None = None, positive: int | None = None) -> dict[str, Any]:
    """What became of an event whose last label is of this kind; of one without a label."""
    state = {None: "pending", "expiry": "expired", "deferred": "deferred"}.get(kind, "labelled")
    return {"state": state, "positive": None if positive is None else bool(positive)}
