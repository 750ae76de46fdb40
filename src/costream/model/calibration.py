"""Probabilities for learners that have none: their scores, calibrated on the stream as they learn."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from .._typing import Floats
from ..costs.learning import UNKNOWN_RATIO
from ..kernels.platt import decide, decide_one, learn_platt, new_platt, platt_odds

AT_ONCE = 512  # single rows that wait to be seen
ROW_BYTES = 3 * 8
FULL = AT_ONCE * ROW_BYTES
PACK = struct.Struct("=3d").pack_into


def margins_of(scores: Floats, odds: Floats, cost_ratio: Floats) -> Floats:
    """The decision scores of rows; the scores as they are where the cost ratio is not known."""
    known, margins = cost_ratio != UNKNOWN_RATIO, np.empty(len(scores))
    decide(odds, np.where(known, cost_ratio, 1.0), margins)
    return np.where(known, margins, scores)


class Calibration:
    """Platt scaling of the scores of one model.

    Single rows wait until there are some, or until a probability is asked for: rows one by one and in
    batches are bit-identical.
    """

    def __init__(self, platt: Floats | None = None) -> None:
        self._platt = new_platt() if platt is None else np.array(platt, np.float64)
        self._waiting = np.empty((AT_ONCE, 3))  # score, label and weight of each row
        self._bytes = memoryview(self._waiting).cast("B")  # type: ignore[arg-type]
        self._end = 0  # of those that wait, in bytes

    def add(self, score: float, label: float, weight: float) -> None:
        """See a row that was scored before it was learnt."""
        if self._end == FULL:  # looked at first, so that an interrupt does no harm
            self._catch_up()
        PACK(self._bytes, self._end, score, label, weight)
        self._end += ROW_BYTES

    def _catch_up(self) -> None:
        if self._end:
            score, label, weight = self._waiting[: self._end // ROW_BYTES].T.copy()
            self._end = 0
            learn_platt(self._platt, score, label, weight, np.empty(len(score)))

    def add_many(self, scores: Floats, label: Floats, weight: Floats | None) -> Floats:
        """See rows in turn; returns the log-odds that each had before it was seen."""
        self._catch_up()
        odds = np.empty(len(scores))
        weights = np.ones(len(scores)) if weight is None else weight
        learn_platt(self._platt, scores, label, weights, odds)
        return odds

    def log_odds(self, scores: Floats) -> Floats:
        """The log-odds of scored rows."""
        self._catch_up()
        odds = np.empty(len(scores))
        platt_odds(self._platt, scores, odds)
        return odds

    def margin(self, score: float, cost_ratio: float) -> float:
        """The decision score of one row."""
        self._catch_up()
        return float(decide_one(self._platt, score, cost_ratio))

    def __getstate__(self) -> dict[str, Any]:
        """What it has learnt, with nothing left waiting."""
        return {"platt": self.numbers}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @property
    def numbers(self) -> Floats:
        """All that it has learnt."""
        self._catch_up()
        return self._platt.copy()
