"""Target encoding: text columns of many values become one number each, from the labels so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools, Floats
from ..errors import CostreamError
from ..kernels.target_encoding import (
    FIRST_LIST,
    MOST,
    POSITIVE,
    SEEN,
    EncodingSlots,
    count_one,
    encoding_now,
    learn_encodings,
    list_encoding_now,
    new_counts,
    write_encodings,
)
from ..tables.arrays import Batch

MOST_BITS = 28
PARTS = ("slot", "seen", "positive", "base")


class TargetEncoding:
    """What has been seen of the values of text columns, by hash slot.

    Encodings are written into batches as they were read: ``Batch.to_encode`` are columns of the batch,
    which change as the encoder places it. A batch that has been written has none left.
    """

    def __init__(self, bits: int) -> None:
        if not 0 <= bits <= MOST_BITS:
            raise ValueError(f"the bits of a target encoding must be from 0 to {MOST_BITS}, not {bits}")
        self.bits = bits
        self.again = False  # whether the rows to be learnt have been learnt before
        self._made: Floats | None = None

    @property
    def _counts(self) -> Floats:
        if self._made is None:
            self._made = new_counts(1 << self.bits)
        return self._made

    # --- batches --------------------------------------------------------------------------------

    def write(self, batch: Batch) -> Batch:
        """Rows with their encodings as they are now; the batch given stays as it is."""
        if not batch.to_encode:
            return batch
        place, slots = self._places(batch), self._slots(batch)
        value = np.array(batch.value)
        write_encodings(self._counts, batch.start, batch.index, value, place, slots)
        return replace(batch, value=value, to_encode=(), slots=None)

    def learn(self, batch: Batch, positive: Bools, weights: Floats | None) -> Batch:
        """Rows with the encodings that each had before it was counted; the batch given stays as it is.

        A row whose weight is 0 is written, and not counted.
        """
        if not batch.to_encode:
            return batch
        place, slots = self._places(batch), self._slots(batch)
        value = np.array(batch.value)
        truth = np.require(positive, np.bool_, ["C", "W"])
        weight = np.ones(batch.rows) if weights is None else np.require(weights, np.float64, ["C", "W"])
        if not len(truth) == len(weight) == batch.rows:
            raise CostreamError(f"expected a label and a weight for each of {batch.rows} rows")
        counts = self._counts
        learn_encodings(
            counts, batch.start, batch.index, value, place, slots, truth, weight, self.again
        )
        return replace(batch, value=value, to_encode=(), slots=None)

    def _places(self, batch: Batch) -> NDArray[np.int64]:
        """For each column of a batch its place among those to encode, -1 for the others."""
        place = np.full(max(batch.to_encode) + 1, -1, np.int64)
        place[list(batch.to_encode)] = np.arange(len(batch.to_encode))
        return place

    def _slots(self, batch: Batch) -> EncodingSlots:
        """The slots of a batch, checked: compiled code takes them as they are."""
        shape = (batch.rows, len(batch.to_encode))
        if batch.slots is None or batch.slots.shape != shape:
            raise CostreamError(f"the slots of target encodings must have the shape {shape}")
        slots = np.require(batch.slots, np.int64, ["C", "W"])
        if batch.lists is None:
            if slots.size:
                self._check(int(slots.max()))
            return EncodingSlots(slots, np.empty(0, np.int64))
        lists = np.require(batch.lists, np.int64, ["C", "W"])
        self._check(int(slots.max(where=slots < FIRST_LIST, initial=-1)))
        self._check(int(lists.max(initial=-1)))
        places = (slots[slots >= FIRST_LIST] - FIRST_LIST) >> 1
        if len(places):
            ends = places + lists[np.minimum(places, len(lists) - 1)]
            if not len(lists) or max(int(places.max()), int(ends.max())) >= len(lists):
                raise CostreamError("a list of slots of target encodings is not there")
        return EncodingSlots(slots, lists)

    def _check(self, slot: int) -> None:
        if slot >= 1 << self.bits:
            raise CostreamError(
                f"slot {slot} of a target encoding is beyond the {1 << self.bits} that there are"
            )

    # --- one row --------------------------------------------------------------------------------

    def write_one(self, slots: Sequence[int], lists: Sequence[int] = ()) -> list[float]:
        """The encodings of one row as they are now, 0 where the slot is -1."""
        counts = self._counts
        if not lists:
            self._check(max(slots, default=-1))
            return [float(encoding_now(counts, int(slot))) for slot in slots]
        self._check(max(self._single(slots, lists), default=-1))
        several = np.array(lists, np.int64)
        return [
            float(
                encoding_now(counts, slot)
                if slot < FIRST_LIST
                else list_encoding_now(counts, several, slot)
            )
            for slot in map(int, slots)
        ]

    def learn_one(
        self, slots: Sequence[int], positive: bool, weight: float, lists: Sequence[int] = ()
    ) -> None:
        single = self._single(slots, lists) if lists else slots
        self._check(max(single, default=-1))
        if weight > 0.0:
            for slot in (*single, 1 << self.bits):
                count_one(self._counts, int(slot), bool(positive), float(weight))

    def _single(self, slots: Sequence[int], lists: Sequence[int]) -> list[int]:
        """The slots of one row, with those of its lists."""
        found = [slot for slot in slots if slot < FIRST_LIST]
        for place in (
            (slot - FIRST_LIST) >> 1 for slot in slots if slot >= FIRST_LIST and not slot & 1
        ):
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
    def restore(cls, bits: int, parts: Mapping[str, NDArray[Any]]) -> TargetEncoding:
        """Out of its parts; raises ValueError if these cannot be what `parts` gave."""
        found = cls(bits)
        slot, seen, positive, base = _checked_parts(parts)
        if len(slot) and not (slot[0] >= 0 and slot[-1] < 1 << bits and (np.diff(slot) > 0).all()):
            raise ValueError("the slots of the target encoding are out of range or out of order")
        found._counts[slot, SEEN] = seen
        found._counts[slot, POSITIVE] = positive
        found._counts[-1] = base
        return found

    def __getstate__(self) -> dict[str, Any]:
        """What makes another one: a table of counts is mostly empty."""
        return {"bits": self.bits, "parts": self.parts()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.bits = state["bits"]
        self.again = False
        self._made = TargetEncoding.restore(**state)._made


def joined_slots(
    batches: Sequence[Batch],
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """The slots of some batches one after the other, and their lists."""
    found: list[NDArray[np.int64]] = []
    lists: list[NDArray[np.int64]] = []
    before = 0
    for batch in batches:
        if batch.slots is not None:
            found.append(batch.slots + np.where(batch.slots >= FIRST_LIST, 2 * before, 0))
        if batch.lists is not None:
            lists.append(batch.lists)
            before += len(batch.lists)
    slots = np.concatenate(found) if found else None
    return slots, np.concatenate(lists) if lists else None


def _checked_parts(parts: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """The parts in their order, of the right types and lengths, with counts that can be."""
    if set(parts) != set(PARTS):
        raise ValueError(f"the parts of the target encoding must be {', '.join(PARTS)}")
    arrays = [np.asarray(parts[name]) for name in PARTS]
    slot, seen, positive, base = arrays
    kinds = [str(array.dtype) for array in arrays]
    if kinds != ["int64", "float64", "float64", "float64"]:
        raise ValueError("the parts of the target encoding have the wrong types")
    if slot.ndim != 1 or not slot.shape == seen.shape == positive.shape or base.shape != (2,):
        raise ValueError("the parts of the target encoding have the wrong lengths")
    if not (seen > 0.0).all():
        raise ValueError("a slot of the target encoding that is in use was not seen")
    whole, part = np.append(seen, base[SEEN]), np.append(positive, base[POSITIVE])
    if not ((part >= 0.0) & (part <= whole) & (whole <= MOST)).all():
        raise ValueError("the counts of the target encoding cannot be right")
    return arrays
