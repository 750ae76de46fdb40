"""A log as it is read, from any thread and while another process writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..messages import decode
from .corrections import CORRECTING, Correction, corrections_of, effective_sql
from .database import check_format, connect, damaged
from .records import (
    EVENT,
    FORMAT,
    LABEL,
    BaseModel,
    EventRecord,
    LearntRecord,
    Operation,
    checksum,
    checksum_of_event,
    in_parts,
    is_intact,
)

BASE_MODEL = ", ".join(BaseModel._fields)


class LogReader:
    """What can be read of a log, from any thread, and while another process writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = connect(path, read_only=True)
        self.format = check_format(self._reader, path)
        if 0 < self.format < FORMAT:  # nobody has served it with this release
            self._reader.execute("PRAGMA query_only = OFF")
            self._reader.execute(
                "CREATE TEMP VIEW events AS SELECT *, NULL AS forecast FROM main.events"
            )
            self._reader.execute("PRAGMA query_only = ON")
        self._reading = threading.Lock()

    def close(self) -> None:
        self._reader.close()

    def read(self, query: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        """The rows of a query over what is committed."""
        with self._reading:
            return self._reader.execute(query, values).fetchall()

    def end_reading(self) -> None:
        """End a transaction that `read` has begun."""
        with self._reading:
            if self._reader.in_transaction:
                self._reader.execute("ROLLBACK")

    def count(self, table: str) -> int:
        return int(self.read(f"SELECT count(*) FROM {table}")[0][0])

    def base_models(self) -> list[BaseModel]:
        """All base models, the newest last, without their models."""
        names = BASE_MODEL.removesuffix(", model")
        rows = self.read(f"SELECT {names}, NULL FROM base_models ORDER BY number")
        return [BaseModel._make(row) for row in rows]

    def base_model(self, number: int) -> BaseModel:
        rows = self.read(f"SELECT {BASE_MODEL}, checksum FROM base_models WHERE number = ?", (number,))
        return BaseModel._make(self.intact("base model", rows)[0])

    def intact(
        self, what: str, rows: list[Any], of: Callable[[Sequence[Any]], int] = checksum
    ) -> list[Any]:
        """Rows without their checksums, which must be right."""
        for row in rows:
            if not is_intact(row, of):
                raise damaged(self.path, f"{what} {row[0]} is not as it was written")
        return [row[:-1] for row in rows]

    def names(self) -> list[str]:
        return [row[0] for row in self.intact("name", self.read("SELECT * FROM names"))]

    def rejected(self) -> set[int]:
        return {row[0] for row in self.read("SELECT label FROM rejected")}

    def operations(self, *kinds: str) -> list[Operation]:
        """What was decided about the service itself, the newest last; of these kinds alone."""
        marks = ", ".join("?" * len(kinds))
        query = f"SELECT * FROM operations WHERE kind IN ({marks}) ORDER BY seq"
        rows = self.read(query, kinds)
        self.intact("operation", [row[1:] for row in rows])
        return [Operation._make(row[:-1]) for row in rows]

    def events(self, after: int, last: int, most: int) -> list[EventRecord]:
        """Events after one of them up to another one."""
        rows = self.read(
            f"SELECT {EVENT} FROM events e WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (after, last, most),
        )
        return [EventRecord._make(row) for row in rows]

    def outcomes(self, events: Sequence[int], last: int) -> dict[int, bool]:
        """What events are by their last labels, up to one of these."""
        found: dict[int, bool] = {}
        for marks, part in in_parts(events):
            query = f"SELECT event, positive FROM labels WHERE event IN ({marks}) AND seq <= ?"
            rows = self.read(f"{query} ORDER BY seq", [*part, last])
            found.update({event: bool(positive) for event, positive in rows})
        return found

    def examples(self, after: int, most: int) -> list[LearntRecord]:
        """Labels to be learnt after one of them."""
        rows = self.read(
            f"SELECT {LABEL}, l.checksum, {EVENT}, e.checksum FROM labels l JOIN events e "
            "ON e.seq = l.event WHERE l.seq > ? AND l.kind IN ('label', 'due', 'expiry') "
            "ORDER BY l.seq LIMIT ?",
            (after, most),
        )
        found = []
        for row in rows:
            if not (is_intact(row[:8]) and is_intact(row[8:], checksum_of_event)):
                raise damaged(self.path, f"label {row[0]} or its event is not as it was written")
            seq, event, _, positive, label, *_ = row
            of = EventRecord._make(row[8:-1])
            costs = of.fn_cost, of.fp_cost, of.tp_cost, of.tn_cost
            found.append(
                LearntRecord(seq, event, positive, label, of.features, of.own, costs, of.forecast)
            )
        return found

    def in_pages(self, page: Callable[[int], list[Any]], after: int = 0) -> Iterator[list[Any]]:
        """Pages of rows, each read by itself, so that nobody reads for long: ``page(after)``."""
        while rows := page(after):
            yield rows
            after = rows[-1][0]

    def old(self, before: int) -> int:
        """How many events received before a time wait for nothing."""
        return int(self.read(f"SELECT count(*) {self.old_events()}", {"before": before})[0][0])

    def old_events(self) -> str:
        """The events received before ``:before`` that wait for nothing, as a part of a statement."""
        received = effective_sql(self.corrections())
        return f"FROM events WHERE {received} < :before AND seq NOT IN (SELECT event FROM pending)"

    def check_hourly_costs(self) -> None:
        """Raise an error if the costs of an hour are not as they were written."""
        for table in ("hourly_costs", "hourly_costs_removed"):
            self.intact("row of hourly costs", self.read(f"SELECT * FROM {table}"))

    def corrections(self) -> list[Correction]:
        return corrections_of(self.operations(*CORRECTING))

    def mark(self, label_seq: int) -> list[int] | None:
        """What tells a label from that of the same number in another history of the directory."""
        rows = self.read("SELECT event, positive, received FROM labels WHERE seq = ?", (label_seq,))
        return list(rows[0]) if rows else None

    def last(self, table: str) -> int:
        """The last sequence number of events or labels, those no longer kept included."""
        column = {"events": "event_seq", "labels": "label_seq"}[table]
        query = (
            f"SELECT max(coalesce(max(seq), 0), (SELECT coalesce(max({column}), 0) FROM base_models))"
        )
        return int(self.read(f"{query} FROM {table}")[0][0])

    def last_received(self) -> int:
        """The latest time in the log, since it was set back if it was."""
        since = {"last": 0, "label_seq": 0, "base_model": 0}
        times: list[int] = []
        for one in self.operations(*CORRECTING):
            if one.kind == "clock-set-back":
                since, times = decode(one.detail), []
            times.append(one.received)
        for table, seq, received, least in (
            ("events", "seq", "received", since["last"]),
            ("labels", "seq", "received", since["label_seq"]),
            ("base_models", "number", "made", since["base_model"]),
        ):
            query = f"SELECT {received} FROM {table} WHERE {seq} > ? ORDER BY {seq} DESC LIMIT 1"
            times += [row[0] for row in self.read(query, (least,))]
        return max(times, default=0)
