"""Blocks of JSON lines as columns; where keys are those of lines before, without making dicts."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from datetime import tzinfo
from itertools import chain
from typing import Any

import msgspec

from .cells import Ints, Raw
from .records import DECODER, SPARSE, Record, count, decoded, entries_of, read_lines, without_mark
from .values import as_raw, spread

TRIES = 20  # how often new keys make new slots
WIDEST = 1000  # slots
FIRST_LINE = 1 << 16  # bytes


class Records:
    """The rows of a block of lines: their numbers, their keys, and the values of each key."""

    def __init__(self, file: str, numbers: list[int], names: list[str]) -> None:
        self.file = file
        self.numbers = numbers  # of the lines
        self.names = names  # all keys of the rows, and maybe more that none of them has

    def __len__(self) -> int:
        return len(self.numbers)

    def where(self, t: int) -> str:
        """How errors name a row."""
        return f"{self.file}, line {self.numbers[t]}"

    def values(self, name: str) -> list[Any]:
        """The values of a key as they stand, None for rows without it."""
        raise NotImplementedError

    def entries(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[Hashable, tuple[Ints | None, Raw]]:
        """Some columns where they have values, as `records.entries_of` has them."""
        raise NotImplementedError

    def columns(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[Hashable, Raw]:
        """Some columns, as `records.columns_of` has them."""
        entries = self.entries(names, as_text, zone)
        return {name: spread(raw, places, len(self)) for name, (places, raw) in entries.items()}


class _Slots(Records):
    """Rows with the same keys, as one list of values."""

    def __init__(self, file: str, numbers: list[int], names: list[str], rows: list[Any]) -> None:
        super().__init__(file, numbers, names)
        self._every = list(chain.from_iterable(map(msgspec.structs.astuple, rows)))
        self._place = {name: k for k, name in enumerate(names)}

    def values(self, name: str) -> list[Any]:
        if name not in self._place:
            return [None] * len(self)
        return self._every[self._place[name] :: len(self.names)]

    def entries(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[Hashable, tuple[Ints | None, Raw]]:
        return {
            name: (None, as_raw(self.values(name), name, self.where, name in as_text, zone, True))
            for name in names
        }


class _Dicts(Records):
    """Rows with any keys."""

    def __init__(self, file: str, numbers: list[int], rows: list[Record]) -> None:
        super().__init__(file, numbers, list(dict.fromkeys(chain.from_iterable(rows))))
        self.rows = rows

    def values(self, name: str) -> list[Any]:
        return [row.get(name) for row in self.rows]

    def entries(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[Hashable, tuple[Ints | None, Raw]]:
        return entries_of(self.rows, names, self.where, as_text, zone, from_json=True)

    def is_dense(self) -> bool:
        """Whether rows have so many of the keys that slots pay."""
        return SPARSE * sum(map(len, self.rows)) > len(self) * len(self.names)


class Lines:
    """The lines of a file, read block by block."""

    def __init__(self, file: str, ignore: Collection[Any] = ()) -> None:
        self.file = file
        self._ignore = ignore
        self._names: list[str] = []  # of the slots
        self._slots: msgspec.json.Decoder[Any] | None = None
        self._tries = 0

    def read(self, text: memoryview, before: int) -> Records:
        """The rows of a block of whole lines, before which there were `before` lines."""
        lines = without_mark(text, before)
        objects = count(lines, b"{")
        flat = objects <= count(lines, b"\n") + 1
        if flat and self._tries == 0:
            self._make_slots(_first_keys(lines))
        if flat and self._slots is not None:
            found = decoded(lines, self._slots, before)
            if found is not None and objects == len(found[0]):
                return _Slots(self.file, found[0], self._names, found[1])
        rows = _Dicts(self.file, *read_lines(text, self.file, before, self._ignore))
        if flat:
            self._learn_keys(rows)
        return rows

    def _learn_keys(self, rows: _Dicts) -> None:
        """Slots for new keys, unless rows have few of the keys or bring new ones all the time."""
        names = list(dict.fromkeys(self._names + rows.names))
        if len(names) > len(self._names) and self._tries < TRIES:
            self._make_slots(names if rows.is_dense() else [])

    def _make_slots(self, names: list[str]) -> None:
        self._tries += 1
        self._names, self._slots = names, None
        if 0 < len(names) <= WIDEST:
            fields = [(f"slot{k}", Any, None) for k in range(len(names))]
            keys = {f"slot{k}": name for k, name in enumerate(names)}
            try:
                row = msgspec.defstruct(
                    "Row", fields, rename=keys, forbid_unknown_fields=True, gc=False
                )
            except ValueError:  # a key with quotes in it
                return
            self._slots = msgspec.json.Decoder(row)


def _first_keys(lines: bytes) -> list[str]:
    """The keys of the first line; none if it is very long or cannot be read."""
    try:
        return list(DECODER.decode(lines[:FIRST_LINE].lstrip().partition(b"\n")[0]))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return []
