"""Text columns of many values as one number each: the running rate of positive rows of the value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools, Floats
from ..errors import CostreamError
from ..kernels.rates import (
    LISTED,
    MOST,
    POSITIVE,
    SEEN,
    RateSlots,
    count_one,
    learn_rates,
    listed_now,
    new_counts,
    rate_now,
    write_rates,
)
from ..tables.arrays import Batch

MOST_BITS = 28
PARTS = ("slot", "seen", "positive", "base")


class Rates:
    """What has been seen of the values of text columns, by hash slot.

    Rates are written into batches as they were read: the columns of ``Batch.rates`` are those of the
    batch, which change as the encoder places it. A batch that has been written has none left.
    """

    def __init__(self, bits: int) -> None:
        if not 0 <= bits <= MOST_BITS:
            raise ValueError(f"the bits of rates must be from 0 to {MOST_BITS}, not {bits}")
        self.bits = bits
        self.again = False  # whether the rows to be learnt have been learnt before
        self._made: Floats | None = None

    @property
    def _counts(self) -> Floats:
        """The counts, made when first needed."""
        if self._made is None:
            self._made = new_counts(1 << self.bits)
        return self._made

    # --- batches --------------------------------------------------------------------------------

    def write(self, batch: Batch) -> Batch:
        """Rows with their rates as they are now; the batch given stays as it is."""
        if not batch.rates:
            return batch
        place, slots = self._places(batch), self._slots(batch)
        value = np.array(batch.value)
        write_rates(self._counts, batch.start, batch.index, value, place, slots)
        return replace(batch, value=value, rates=(), slots=None)

    def learn(self, batch: Batch, positive: Bools, weights: Floats | None) -> Batch:
        """Rows with the rates that each had before it was counted; the batch given stays as it is.

        A row whose weight is 0 is written, and not counted.
        """
        if not batch.rates:
            return batch
        place, slots = self._places(batch), self._slots(batch)
        value = np.array(batch.value)
        truth = np.require(positive, np.bool_, ["C", "W"])
        weight = np.ones(batch.rows) if weights is None else np.require(weights, np.float64, ["C", "W"])
        if not len(truth) == len(weight) == batch.rows:
            raise CostreamError(f"expected a label and a weight for each of {batch.rows} rows")
        counts = self._counts
        learn_rates(counts, batch.start, batch.index, value, place, slots, truth, weight, self.again)
        return replace(batch, value=value, rates=(), slots=None)

    def _places(self, batch: Batch) -> NDArray[np.int64]:
        """For each column of a batch its place among the rates, -1 for those that are none."""
        place = np.full(max(batch.rates) + 1, -1, np.int64)
        place[list(batch.rates)] = np.arange(len(batch.rates))
        return place

    def _slots(self, batch: Batch) -> RateSlots:
        """The slots of a batch, checked: compiled code takes them as they are."""
        shape = (batch.rows, len(batch.rates))
        if batch.slots is None or batch.slots.shape != shape:
            raise CostreamError(f"the slots of rates must have the shape {shape}")
        slots = np.require(batch.slots, np.int64, ["C", "W"])
        if batch.lists is None:
            if slots.size:
                self._check(int(slots.max()))
            return RateSlots(slots, np.empty(0, np.int64))
        lists = np.require(batch.lists, np.int64, ["C", "W"])
        self._check(int(slots.max(where=slots < LISTED, initial=-1)))
        self._check(int(lists.max(initial=-1)))
        places = (slots[slots >= LISTED] - LISTED) >> 1
        if len(places):
            ends = places + lists[np.minimum(places, len(lists) - 1)]
            if not len(lists) or max(int(places.max()), int(ends.max())) >= len(lists):
                raise CostreamError("a list of slots of rates is not there")
        return RateSlots(slots, lists)

    def _check(self, slot: int) -> None:
        if slot >= 1 << self.bits:
            raise CostreamError(f"slot {slot} of a rate is beyond the {1 << self.bits} that there are")

    # --- one row --------------------------------------------------------------------------------

    def write_one(self, slots: Sequence[int], lists: Sequence[int] = ()) -> list[float]:
        """The rates of one row as they are now, 0 where the slot is -1."""
        counts = self._counts
        if not lists:
            self._check(max(slots, default=-1))
            return [float(rate_now(counts, int(slot))) for slot in slots]
        self._check(max(self._single(slots, lists), default=-1))
        several = np.array(lists, np.int64)
        return [
            float(rate_now(counts, slot) if slot < LISTED else listed_now(counts, several, slot))
            for slot in map(int, slots)
        ]

    def learn_one(
        self, slots: Sequence[int], positive: bool, weight: float, lists: Sequence[int] = ()
    ) -> None:
        """Count one row, after it was written."""
        single = self._single(slots, lists) if lists else slots
        self._check(max(single, default=-1))
        if weight > 0.0:
            for slot in (*single, 1 << self.bits):
                count_one(self._counts, int(slot), bool(positive), float(weight))

    def _single(self, slots: Sequence[int], lists: Sequence[int]) -> list[int]:
        """The slots of one row, with those of its lists."""
        found = [slot for slot in slots if slot < LISTED]
        for place in ((slot - LISTED) >> 1 for slot in slots if slot >= LISTED and not slot & 1):
            found += lists[place + 1 : place + 1 + lists[place]]
        return found

    # --- files ----------------------------------------------------------------------------------

    def parts(self) -> dict[str, NDArray[Any]]:
        """All that it has seen, as arrays: of slots, only those in use."""
        slots, base = self._counts[:-1], self._counts[-1]
        used = np.flatnonzero(slots[:, SEEN])
        return {
            "slot": used.astype(np.int64),
            "seen": slots[used, SEEN],
            "positive": slots[used, POSITIVE],
            "base": base.copy(),
        }

    @classmethod
    def restore(cls, bits: int, parts: Mapping[str, NDArray[Any]]) -> Rates:
        """Rates out of their parts; raises ValueError if these cannot be what `parts` gave."""
        rates = cls(bits)
        slot, seen, positive, base = _checked_parts(parts)
        if len(slot) and not (slot[0] >= 0 and slot[-1] < 1 << bits and (np.diff(slot) > 0).all()):
            raise ValueError("the slots of rates are out of range or out of order")
        rates._counts[slot, SEEN] = seen
        rates._counts[slot, POSITIVE] = positive
        rates._counts[-1] = base
        return rates

    def __getstate__(self) -> dict[str, Any]:
        """What makes another one: a table of counts is mostly empty."""
        return {"bits": self.bits, "parts": self.parts()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.bits = state["bits"]
        self.again = False
        self._made = Rates.restore(**state)._made


def joined_slots(
    batches: Sequence[Batch],
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """The slots of some batches one after the other, and their lists."""
    found: list[NDArray[np.int64]] = []
    lists: list[NDArray[np.int64]] = []
    before = 0
    for batch in batches:
        if batch.slots is not None:
            found.append(batch.slots + np.where(batch.slots >= LISTED, 2 * before, 0))
        if batch.lists is not None:
            lists.append(batch.lists)
            before += len(batch.lists)
    slots = np.concatenate(found) if found else None
    return slots, np.concatenate(lists) if lists else None


def _checked_parts(parts: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """The parts in their order, of the right types and lengths, with counts that can be."""
    if set(parts) != set(PARTS):
        raise ValueError(f"the parts of rates must be {', '.join(PARTS)}")
    arrays = [np.asarray(parts[name]) for name in PARTS]
    slot, seen, positive, base = arrays
    kinds = [str(array.dtype) for array in arrays]
    if kinds != ["int64", "float64", "float64", "float64"]:
        raise ValueError("the parts of rates have the wrong types")
    if slot.ndim != 1 or not slot.shape == seen.shape == positive.shape or base.shape != (2,):
        raise ValueError("the parts of rates have the wrong lengths")
    if not (seen > 0.0).all():
        raise ValueError("a slot of rates that is in use was not seen")
    whole, part = np.append(seen, base[SEEN]), np.append(positive, base[POSITIVE])
    if not ((part >= 0.0) & (part <= whole) & (whole <= MOST)).all():
        raise ValueError("the counts of rates cannot be")
    return arrays
