"""The state of an engine, and what can be read of it while it works, from any thread."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..messages import Answer, State, Summary, decode
from ..settings import Settings
from ..storage.corrections import CLOCK, Unresolved
from ..storage.directory import DirectoryLock
from ..storage.hourly_costs import summary, totals
from ..storage.log import Log
from ..storage.records import EVENT, LABEL, BaseModel, EventRecord, LabelRecord, checksum_of_event
from ..storage.snapshots import Snapshots
from .clock import Clock
from .fit import UnfitEvents
from .jobs import Group, answer_of
from .names import Names
from .served_model import ServedModel

LATEST_FLAGS = 100


class EngineState:
    """Log, model and counts of a directory; its methods change nothing, and see what is committed."""

    def __init__(
        self,
        directory: Path,
        lock: DirectoryLock,
        log: Log,
        served: ServedModel,
        base_model: BaseModel,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self.directory = directory
        self.settings = settings
        self.served = served
        self.log = log
        self.base_model = base_model
        self.snapshots = Snapshots(directory / "snapshots", settings.snapshots)
        self.clock = clock
        self._lock = lock
        self._unresolved = Unresolved.of(log.operations(*CLOCK))
        self.last_event = log.last("events")
        self.last_label = log.last("labels")
        self.pending = log.count("pending")
        self.unmatched = log.count("unmatched")
        self.rejected = log.count("rejected")
        self.unmatched_expired = sum(
            decode(o.detail)["labels"] for o in log.operations("unmatched-expired")
        )
        self.labels = log.count("labels")
        self.events = int(totals(log)["events"])
        self._has_deferred = bool(log.deferred(1))
        self.names = Names(served.core, log.names(), settings)
        self._group: Group | None = None
        self._is_behind = False  # whether the model lacks labels that are committed
        self._rejected: dict[int, str] = {}  # labels that could not be learnt, and are not yet written
        self.models = {one.number: one.name for one in log.base_models()}
        self.latest_flags = deque(self.stored_flags(), LATEST_FLAGS)
        self.groups = self.last_group = 0
        self.last_commit = 0.0
        self.started = time.time()
        self.snapshot_learnt = served.resumed
        self.snapshot_time = time.monotonic()
        self._tried_learnt, self._tried_time = self.snapshot_learnt, self.snapshot_time
        self.unfit = UnfitEvents()
        self._leader: tuple[int, str | None] = (-1, None)

    def find(self, event_id: str) -> dict[str, Any] | None:
        found = self.log.read(f"SELECT {EVENT} FROM events e WHERE id = ?", (event_id,))
        if not found:
            return None
        event = EventRecord._make(found[0])
        query = f"SELECT {LABEL} FROM labels l WHERE event = ? ORDER BY seq"
        labels = [LabelRecord._make(row) for row in self.log.read(query, (event.seq,))]
        return described(event, labels, answer_of(event, self.models[event.base_model]))

    def summary(self, by: Literal["day", "hour"] = "day") -> Summary:
        return summary(self.log, by, self.served.learnt, self.base_model.name, self.leader)

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
        query = f"SELECT {EVENT}, checksum FROM events e WHERE flag ORDER BY seq DESC LIMIT ?"
        rows = self.log.intact("event", self.log.read(query, (LATEST_FLAGS,)), checksum_of_event)
        return [EventRecord._make(row) for row in reversed(rows)]

    def status(self) -> State:
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
            model=self.base_model.name,
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
    shown = ("seq", "id", "score", "probability", "fn_cost", "fp_cost")
    return {
        **{name: getattr(event, name) for name in shown},
        "received": event.received / 1000,
        "time": None if event.time is None else decode(event.time),
        "reasons": None if event.reasons is None else decode(event.reasons),
    }


def outcome(kind: str | None = None, positive: int | None = None) -> dict[str, Any]:
    """What became of an event whose last label is of this kind; of one without a label."""
    state = {None: "pending", "expiry": "expired", "deferred": "deferred"}.get(kind, "labelled")
    return {"state": state, "positive": None if positive is None else bool(positive)}
