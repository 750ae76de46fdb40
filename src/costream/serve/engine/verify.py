"""Every decision of a log, made again from its base models, against what was recorded.

Before that the records themselves are checked (`integrity`). Snapshots are compared too: nothing is
taken from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import CostreamError
from ...model.file import load
from ..messages import decode, encode
from ..storage.directory import SNAPSHOTS
from ..storage.integrity import Integrity
from ..storage.reader import LogReader
from ..storage.records import BaseModel, EventRecord
from ..storage.snapshots import Snapshots
from .fingerprint import fingerprint
from .recovery import example_from
from .replay import Examples, OnProgress, Span, course, event_of, opened_log, silent
from .served_model import ServedModel

SHOWN = 5  # differences that are reported


@dataclass
class Checked:
    """What was made again, and where it differs."""

    decisions: int = 0
    labels: int = 0
    snapshots: int = 0
    records: int = 0  # rows whose checksums were compared, those included that are not made again
    elsewhere: int = 0  # decisions of another release or machine, which may have other bits
    compacted: int = 0  # decisions before a compaction, which has taken what the model had learnt
    differences: int = 0
    examples: list[str] = field(default_factory=list)  # the first differences

    def differs(self, what: str) -> None:
        self.differences += 1
        if len(self.examples) < SHOWN:
            self.examples.append(what)


def check(directory: Path, on_progress: OnProgress = silent) -> Checked:
    """Make every decision of a log again, and compare it with the recorded one; a service may run."""
    with opened_log(directory) as log:
        return _Checker(log, directory, on_progress).run()


class _Saved(NamedTuple):
    """A snapshot to be compared."""

    label_seq: int
    name: str
    notes: dict[str, Any]
    content: bytes


class _Checker:
    """A check of one directory."""

    def __init__(self, log: LogReader, directory: Path, on_progress: OnProgress) -> None:
        self.log, self.directory, self.on_progress = log, directory, on_progress
        self.found = Checked()
        self.last = log.last("events"), log.last("labels")
        self.total = log.count("events")

    def run(self) -> Checked:
        records = Integrity(self.log, self.found.differs)
        records.run()
        self.found.records = records.records
        if records.is_readable:
            for one in Snapshots(self.directory / SNAPSHOTS, 1).of_lost_records(self.log):
                self.found.differs(f"records are lost: {one.why}")
            try:
                self._make_again()
            except Exception as error:
                if not self.found.differences:
                    raise
                self.found.differs(f"the rest could not be made again: {type(error).__name__}")
        return self.found

    def _make_again(self) -> None:
        base_models = self.log.base_models()
        begin = max(n for n, one in enumerate(base_models) if one.cause == "compaction" or n == 0)
        for n, base_model in enumerate(base_models):
            span = self._span(base_model, base_models[n + 1] if n + 1 < len(base_models) else None)
            if n < begin:
                self.found.compacted += self._decisions(span)
            elif base_model.fingerprint != fingerprint():
                self.found.elsewhere += self._decisions(span)
            else:
                self._part(self.log.base_model(base_model.number), span)

    def _span(self, base_model: BaseModel, after: BaseModel | None) -> Span:
        """The events that were decided from one base model to the next, and the labels before them."""
        if after is None:
            return Span(base_model.event_seq, base_model.label_seq, *self.last)
        query = "SELECT coalesce(max(label_seq), 0) FROM events WHERE seq > ? AND seq <= ?"
        latest = int(self.log.read(query, (base_model.event_seq, after.event_seq))[0][0])
        return Span(
            base_model.event_seq, base_model.label_seq, after.event_seq, max(latest, after.label_seq)
        )

    def _decisions(self, span: Span) -> int:
        query = "SELECT count(*) FROM events WHERE seq > ? AND seq <= ?"
        return int(self.log.read(query, (span.event, span.last_event))[0][0])

    def _part(self, base_model: BaseModel, span: Span) -> None:
        served = ServedModel(base_model.content, base_model.learnt)
        saved = self._saved(base_model.number, span)
        for due, events in course(self.log, span):
            self._learn(served, due, saved)
            for event in events:
                self._decide(served, event)
            self.on_progress(self.found.decisions, self.total)
        for one in saved:
            self._compare(served, one)

    def _saved(self, base_model: int, span: Span) -> list[_Saved]:
        """The snapshots of a base model that can be read, the oldest first."""
        found = []
        for file in Snapshots(self.directory / SNAPSHOTS, 1).files():
            try:
                notes, content = load(file).notes["serve"], file.read_bytes()
                if notes["base_model"] == base_model and notes["label_seq"] <= span.last_label:
                    found.append(_Saved(notes["label_seq"], file.name, notes, content))
            except (CostreamError, OSError, KeyError, TypeError):
                self.found.differs(f"snapshot {file.name} cannot be read")
        return sorted(found)

    def _learn(self, served: ServedModel, due: Examples, saved: list[_Saved]) -> None:
        """Learn labels, and compare a snapshot where its last label was learnt."""
        while due:
            size = len(due)
            if saved:
                size = sum(row.seq <= saved[0].label_seq for row in due)
                if not size:
                    self._compare(served, saved.pop(0))
                    continue
            part, due = due[:size], due[size:]
            self.found.labels += size
            for t, why in served.learn([example_from(row) for row in part]).items():
                self.found.differs(f"label {part[t].seq} cannot be learnt: {why}")

    def _compare(self, served: ServedModel, saved: _Saved) -> None:
        self.found.snapshots += 1
        if served.dump(saved.notes) != saved.content:
            self.found.differs(f"snapshot {saved.name} is another model")

    def _decide(self, served: ServedModel, record: EventRecord) -> None:
        event = event_of(record)
        again = served.decide(event)
        reasons = None
        if record.reasons is not None:
            top = len(decode(record.reasons))
            reasons = encode(served.reasons(event, again.flag, top) if top else [])
        self.found.decisions += 1
        now = (again.flag, again.score, again.probability, again.forecast, served.learnt, reasons)
        then = (
            *(bool(record.flag), record.score, record.probability, record.forecast),
            *(record.learnt, record.reasons),
        )
        if now != then:
            self.found.differs(
                f"event {record.id!r}: score {record.score!r} after {record.learnt} labels, now "
                f"{again.score!r} after {served.learnt}"
            )
