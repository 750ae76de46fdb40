"""Snapshots of the model: a short cut past records that it has learnt, and nothing more."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..._files import write_atomically
from ...errors import CostreamError
from ...model.classifier import OnlineClassifier
from ...model.file import load
from .directory import sync_folder
from .log import reached
from .reader import LogReader

logger = logging.getLogger("costream.serve")


class Snapshot(NamedTuple):
    """A model as it was after some labels."""

    model: OnlineClassifier
    notes: dict[str, Any]


class Lost(NamedTuple):
    """A snapshot of records that the log does not have."""

    file: Path
    why: str


class Snapshots:
    """A folder of model files; the newest few are kept."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self.keep = max(keep, 1)

    def files(self) -> list[Path]:
        """The snapshots, newest first."""
        return sorted(self.folder.glob("*.costream"), reverse=True)

    def write(self, label_seq: int, content: bytes) -> None:
        """Write one, whole or not at all, and remove the oldest."""
        reached("before rename")
        write_atomically(self.folder / f"{label_seq:015d}.costream", content, 0o600)
        sync_folder(self.folder)
        reached("after rename")
        known = [one for one in self.files() if one.stem <= f"{label_seq:015d}"]
        for old in {*self.files()} - {*known[: self.keep]}:  # those after it are of another history
            old.unlink(missing_ok=True)
        for draft in self.folder.glob(".*.costream.*"):  # of a process that was killed
            draft.unlink(missing_ok=True)

    def of_lost_records(self, log: LogReader) -> list[Lost]:
        """Snapshots that prove that the log had records which it has no longer, newest first."""
        last = {table: log.last(table) for table in ("events", "labels")}
        base_models = max((one.number for one in log.base_models()), default=0)
        found = []
        for file in self.files():
            try:
                notes = load(file).notes["serve"]
                base_model, label, event = (
                    notes[key] for key in ("base_model", "label_seq", "event_seq")
                )
                mark = log.mark(label)
                if base_model > base_models:
                    why = (
                        f"snapshot {file.name} is of base model {base_model}, the log has {base_models}"
                    )
                elif label > last["labels"]:
                    why = f"snapshot {file.name} has {label:,} labels, the log {last['labels']:,}"
                elif event > last["events"]:
                    why = f"snapshot {file.name} has {event:,} events, the log {last['events']:,}"
                elif mark is not None and notes["last"] != mark:
                    why = f"label {label:,} of the log is not the one of snapshot {file.name}"
                else:
                    break
            except (CostreamError, OSError, KeyError, TypeError):
                continue  # it cannot be read, and proves nothing
            found.append(Lost(file, why))
        return found

    def newest(self, base_model: int, mark: Callable[[int], list[int] | None]) -> Snapshot | None:
        """The newest that can be read and belongs to this base model and log, or none.

        ``mark`` gives the mark of a label in the log. A log that was restored from a backup may go on
        in another way than the snapshots beside it.
        """
        for file in self.files():
            try:
                model = load(file)
                notes = model.notes["serve"]
                if notes["base_model"] == base_model and notes["last"] == mark(notes["label_seq"]):
                    return Snapshot(model, notes)
            except (CostreamError, OSError, KeyError, TypeError) as error:
                logger.warning("snapshot %s is skipped: %s", file.name, str(error).split("\n")[0])
        return None
