"""What can be set about a service."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..errors import CostreamError

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}

LearnAt = Literal["at-once", "at-window"]
Side = Literal["negative", "positive"]


def seconds_of(text: str) -> float:
    """The seconds of a duration such as ``30d``, ``12h``, ``15m`` or ``90s``.

    >>> seconds_of("30d"), seconds_of("1.5h")
    (2592000.0, 5400.0)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*", text)
    if not found or float(found[1]) == 0.0:
        raise CostreamError(
            f"{text!r} is not a duration", "write a number and a unit: 30d, 12h, 15m or 90s"
        )
    return float(found[1]) * UNITS[found[2]]


@dataclass(frozen=True)
class Settings:
    """What can be set about a service; all of it may differ from one start to the next.

    Parameters
    ----------
    expire : float, default=None
        Seconds after which an event without a label counts as `expire_as`, from when it was received.
    expire_as : {"negative", "positive"}, default="negative"
        What an event counts as then.
    learn : {"at-once", "at-window"}, default="at-once"
        Whether a label is learnt when it comes, or when the window of its event ends.
    reasons : int, default=3
        How many reasons a flag comes with at most.
    strict : bool, default=False
        Whether an event is refused that does not fit what the model has learnt.
    max_body, max_rows, max_features, max_queue, max_pending, max_unmatched : int
        Bytes of a request, rows of a batch, features of an event, rows that wait to be written, events
        that wait for a label, and labels that wait for an event.
    max_name, max_text, max_names : int
        Bytes of the name of a feature, bytes of a text, and names beyond those that the model began
        with: others are left out of events. A text that is longer than a name may be counts as one.
    keep_unmatched : float, default=604800.0
        Seconds that a label waits for its event; then it is dropped.
    snapshot_labels : int, default=10000
        Labels after which the model is written to disk.
    snapshot_seconds : float, default=300.0
        Seconds after which it is, if it has learnt anything.
    snapshots : int, default=3
        How many of them are kept.
    accept_loss : bool, default=False
        Whether to go on where the log lacks records that were acknowledged. That is recorded.
    """

    expire: float | None = None
    expire_as: Side = "negative"
    learn: LearnAt = "at-once"
    reasons: int = 3
    strict: bool = False
    max_body: int = 1_000_000
    max_rows: int = 1000
    max_features: int = 1000
    max_queue: int = 10_000
    max_pending: int = 10_000_000
    max_unmatched: int = 100_000
    max_name: int = 200
    max_text: int = 4000
    max_names: int = 100_000
    keep_unmatched: float = 7 * 86400.0
    snapshot_labels: int = 10_000
    snapshot_seconds: float = 300.0
    snapshots: int = 3
    accept_loss: bool = False

    def __post_init__(self) -> None:
        if self.learn == "at-window" and self.expire is None:
            raise CostreamError(
                "labels can be learnt at the window only if there is one", "add --expire 30d"
            )
