"""Blocks of JSON lines as columns; where keys are those of lines before, without making dicts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Sequence
from datetime import tzinfo
from itertools import chain
from typing import Any

import msgspec

from .cells import Ints, Raw
from .records import (
    DECODER,
    SPARSE,
    Record,
    as_lists,
    count,
    decode_lines,
    decoded,
    entries_of,
    flattened,
    read_lines,
    without_mark,
)
from .values import as_raw, spread

TRIES = 20  # how often new keys make new slots
WIDEST = 1000  # slots
# The value of a key that ends in a letter: a bare quote after a letter cannot begin a text.
NAN = re.compile(rb'NaN(?:(?<=\w":NaN)|(?<=\w": NaN))(?=[,}])')
FIRST_LINE = 1 << 16  # bytes


class Records(ABC):
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

    @abstractmethod
    def values(self, name: str) -> list[Any]:
        """The values of a key as they stand, None for rows without it."""

    @abstractmethod
    def entries(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[Hashable, tuple[Ints | None, Raw]]:
        """Some columns where they have values, as `records.entries_of` has them."""

    def columns(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[Hashable, Raw]:
        """Some columns, as `records.columns_of` has them."""
        entries = self.entries(names, as_text, zone)
        return {name: spread(raw, places, len(self)) for name, (places, raw) in entries.items()}


class _Lists(Records):
    """Rows with the same keys, by the values of each."""

    def __init__(self, file: str, numbers: list[int], lists: dict[str, list[Any]]) -> None:
        super().__init__(file, numbers, list(lists))
        self._lists = lists

    def values(self, name: str) -> list[Any]:
        found = self._lists.get(name)
        return [None] * len(self) if found is None else found

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
        if objects > count(lines, b"\n") + 1:
            return self._nested(text, before)
        if self._tries == 0:
            self._make_slots(_first_keys(lines))
        found = self._by_slots(lines, before)
        if found is None and b"NaN" in lines:
            found = self._by_slots(NAN.sub(b"null", lines), before)
        if found is not None and objects == len(found[0]):
            numbers, rows = found
            every = list(chain.from_iterable(map(msgspec.structs.astuple, rows)))
            width = len(self._names)
            return _Lists(self.file, numbers, {n: every[k::width] for k, n in enumerate(self._names)})
        dicts = _Dicts(self.file, *read_lines(text, self.file, before, self._ignore))
        self._learn_keys(dicts)
        return dicts

    def _nested(self, text: memoryview, before: int) -> Records:
        """The rows of a block with objects in objects."""
        numbers, rows = decode_lines(text, self.file, before)
        lists = as_lists(rows, self._ignore)
        if lists is not None:
            return _Lists(self.file, numbers, lists)
        flat = flattened(rows, lambda t: f"{self.file}, line {numbers[t]}", self._ignore)
        return _Dicts(self.file, numbers, flat)

    def _by_slots(self, lines: bytes, before: int) -> tuple[list[int], list[Any]] | None:
        """The numbers of lines and their values in slots, if all of their keys are known and pay."""
        most = len(self._names) * count(lines, b"\n")
        if self._slots is None or most > len(lines):  # an entry takes at least six bytes
            return None
        return decoded(lines, self._slots, before)

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
    line = lines[:FIRST_LINE].lstrip().partition(b"\n")[0]
    try:
        return list(DECODER.decode(NAN.sub(b"null", line)))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return []
