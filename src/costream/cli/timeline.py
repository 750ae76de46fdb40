"""The times of rows: their period, and whether they are in order."""

from __future__ import annotations

import numpy as np

from ..files.blocks import Block
from .terminal import notify

OUT_OF_ORDER = (
    "is earlier than the row before it: the rows are not in the order of time, so results may look "
    "better than they are"
)


class Timeline:
    """The period of the rows of a stream, where a column of their times is named.

    With ``ordered``, there is one warning if a row is earlier than the one before it.
    """

    def __init__(self, ordered: bool = True) -> None:
        self._ordered = ordered
        self._first = self._last = self._before = np.datetime64("NaT", "us")

    def add(self, block: Block) -> None:
        """Take the times of a block, in its order; missing ones are skipped."""
        if block.moments is None:
            return
        at = np.flatnonzero(~np.isnat(block.moments))
        if not len(at):
            return
        times = block.moments[at]
        if self._ordered:
            falls = times < np.concatenate([[self._before], times[:-1]])  # never, against NaT
            if falls.any():
                self._ordered = False
                notify(f"warning: {block.where(int(at[np.argmax(falls)]))} {OUT_OF_ORDER}")
        self._before = times[-1]
        self._first = np.fmin(self._first, times.min())
        self._last = np.fmax(self._last, times.max())

    @property
    def period(self) -> dict[str, str | None]:
        """The first and the last time, as ISO 8601 writes them."""
        if np.isnat(self._first):
            return {"from": None, "to": None}
        first, last = np.datetime_as_string(np.array([self._first, self._last]), unit="s").tolist()
        return {"from": first, "to": last}

    def end(self) -> None:
        """Tell the period."""
        if not np.isnat(self._first):
            both = np.datetime_as_string(np.array([self._first, self._last]), unit="m").tolist()
            first, last = (one.replace("T", " ") for one in both)
            notify(f"times: {first} to {last}")
