"""Text values as features: hashed into a bounded number of slots, each named by what came first."""

from __future__ import annotations

import math
from collections.abc import Iterable
from zlib import crc32

from ..errors import CostreamError

MOST_BITS = 30


def clean(text: str) -> str:
    """Text that any file can hold: JSON may smuggle in halves of characters.

    >>> clean("half" + chr(0xD800))
    'half?'
    """
    return text if text.isascii() else text.encode(errors="replace").decode()


def slot_of(name: str, bits: int) -> int:
    """The slot of a name among 2^bits."""
    return crc32(name.encode(errors="replace")) & ((1 << bits) - 1)


class TextSlots:
    """The value v of column c is the feature ``c=v``; those that share a slot are one feature.

    A slot is a hash of ``bits`` bits and bears the name of the first value in it, so a model of text
    columns stays readable and still has at most 2^bits features from them.

    >>> slots = TextSlots(bits=18)
    >>> slots.name("country", "DE")
    'country=DE'
    """

    def __init__(self, bits: int, names: Iterable[str] = ()) -> None:
        if not 1 <= bits <= MOST_BITS:
            raise CostreamError(f"hash bits must be from 1 to {MOST_BITS}, not {bits}")
        self.bits = bits
        self.columns: dict[str, int] = {}  # those that had text, and how many new values each
        self._names: dict[int, str] = {}
        for name in names:
            self._names.setdefault(self._slot(name), name)

    def _slot(self, name: str) -> int:
        return slot_of(name, self.bits)

    def name(self, column: str, value: str) -> str:
        """The name of the feature of a text value."""
        name, used = clean(f"{column}={value}"), self.used
        found = self._names.setdefault(self._slot(name), name)
        self.columns[column] = self.columns.get(column, 0) + self.used - used
        return found

    def find(self, column: str, value: str) -> str:
        """The name of the feature of a text value, which takes no slot if it has none yet."""
        name = clean(f"{column}={value}")
        return self._names.get(self._slot(name), name)

    def keep(self, name: str, learn: bool) -> str:
        """The feature of a number whose name could be that of a text value: both share its slot.

        >>> slots = TextSlots(bits=18)
        >>> slots.keep("country=DE", learn=True), slots.used
        ('country=DE', 1)
        """
        slot = self._slot(name)
        return self._names.setdefault(slot, name) if learn else self._names.get(slot, name)

    def leave(self, used: int) -> None:
        """Free the slots that were taken last, so that ``used`` ones remain.

        >>> slots = TextSlots(bits=18, names=["country=DE"])
        >>> _ = slots.name("country", "FR")
        >>> slots.leave(1)
        >>> slots.used
        1
        """
        while len(self._names) > used:
            self._names.popitem()

    @property
    def used(self) -> int:
        """The number of slots in use."""
        return len(self._names)

    def collisions(self) -> float:
        """About how many values share the slot of another one (linear counting).

        >>> slots = TextSlots(bits=4)
        >>> for value in range(30):
        ...     _ = slots.name("card", str(value))
        >>> 10 < slots.collisions() < 40
        True
        """
        slots = 1 << self.bits
        free = max(slots - self.used, 0.5)
        return max(slots * math.log(slots / free) - self.used, 0.0)
