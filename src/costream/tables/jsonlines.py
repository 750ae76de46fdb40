"""Blocks of JSON lines as columns; where all keys are known, without making dicts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import tzinfo
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import msgspec

from .reading import Raw
from .records import (
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

TRIES = 20  # how many blocks may have other keys before slots are given up
WIDEST = 1000  # slots
# The value of a key that ends in a letter: a bare quote after a letter cannot begin a text.
NAN = re.compile(rb'NaN(?:(?<=\w":NaN)|(?<=\w": NaN))(?=[,}])')


def _line(file: str, numbers: list[int], t: int) -> str:
    return f"{file}, line {numbers[t]}"


class _Rows:
    """The rows of a block of lines, and the numbers of these."""

    def __init__(self, file: str, numbers: list[int]) -> None:
        self.file = file
        self.numbers = numbers
        self.where = partial(_line, file, numbers)  # how errors name a row

    def __len__(self) -> int:
        return len(self.numbers)


class Lists(_Rows):
    """Rows with the same keys, by the values of each."""

    def __init__(self, file: str, numbers: list[int], lists: dict[str, list[Any]]) -> None:
        super().__init__(file, numbers)
        self._lists = lists

    @property
    def names(self) -> list[str]:
        return list(self._lists)

    def values(self, name: str) -> list[Any]:
        """The values of a key as they stand, None for rows without it."""
        found = self._lists.get(name)
        return [None] * len(self) if found is None else found

    def columns(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[str, Raw]:
        """Some columns, as `records.columns_of` has them."""
        return {
            name: as_raw(self.values(name), name, self.where, name in as_text, zone, True)
            for name in names
        }

    def besides(self, known: Collection[str]) -> Sequence[Record]:
        """The rows with at least those keys that are not known; none where all are."""
        others = [name for name in self._lists if name not in known]
        rows = zip(*(self._lists[name] for name in others), strict=True)
        return [dict(zip(others, row, strict=True)) for row in rows]


class Dicts(_Rows):
    """Rows with any keys."""

    def __init__(self, file: str, numbers: list[int], rows: list[Record]) -> None:
        super().__init__(file, numbers)
        self.rows = rows

    @property
    def names(self) -> list[str]:
        """All keys of the rows."""
        return list(dict.fromkeys(chain.from_iterable(self.rows)))

    def values(self, name: str) -> list[Any]:
        return [row.get(name) for row in self.rows]

    def columns(
        self, names: Sequence[str], as_text: Collection[str] = (), zone: tzinfo | None = None
    ) -> dict[str, Raw]:
        entries: Any = entries_of(self.rows, names, self.where, as_text, zone, from_json=True)
        return {name: spread(raw, places, len(self)) for name, (places, raw) in entries.items()}

    def besides(self, known: Collection[str]) -> Sequence[Record]:
        return self.rows


Records: TypeAlias = Lists | Dicts


class Lines:
    """The lines of a file, read block by block."""

    def __init__(self, file: str, ignore: Collection[Any] = ()) -> None:
        self.file = file
        self._ignore = ignore
        self._names: list[str] = []  # of the slots
        self._slots: msgspec.json.Decoder[Any] | None = None
        self._misses = 0

    def expect(self, names: Iterable[str]) -> None:
        """Read blocks that have no other keys than these without making dicts."""
        self._names, self._slots, self._misses = list(names), None, 0
        if 0 < len(self._names) <= WIDEST:
            fields = [(f"slot{k}", Any, None) for k in range(len(self._names))]
            keys = {f"slot{k}": name for k, name in enumerate(self._names)}
            try:
                row = msgspec.defstruct(
                    "Row", fields, rename=keys, forbid_unknown_fields=True, gc=False
                )
            except ValueError:  # a key with quotes in it
                return
            self._slots = msgspec.json.Decoder(row)

    def dicts(self, text: memoryview, before: int) -> Dicts:
        """The rows of a block of whole lines, before which there were `before` lines."""
        return Dicts(self.file, *read_lines(text, self.file, before, self._ignore))

    def read(self, text: memoryview, before: int) -> Records:
        """As `dicts`, but in the way that is fastest for the rows."""
        lines = without_mark(text, before)
        objects = count(lines, b"{")
        if objects > count(lines, b"\n") + 1:
            return self._nested(text, before)
        found = self._by_slots(lines, before)
        if found is None and b"NaN" in lines:
            found = self._by_slots(NAN.sub(b"null", lines), before)
        if found is None or objects != len(found[0]):
            self._miss()
            return self.dicts(text, before)
        numbers, rows = found
        every = list(chain.from_iterable(map(msgspec.structs.astuple, rows)))
        width = len(self._names)
        return Lists(self.file, numbers, {n: every[k::width] for k, n in enumerate(self._names)})

    def _nested(self, text: memoryview, before: int) -> Records:
        """The rows of a block with objects in objects."""
        numbers, rows = decode_lines(text, self.file, before)
        lists = as_lists(rows, self._ignore)
        if lists is not None:
            return Lists(self.file, numbers, lists)
        flat = flattened(rows, partial(_line, self.file, numbers), self._ignore)
        return Dicts(self.file, numbers, flat)

    def _by_slots(self, lines: bytes, before: int) -> tuple[list[int], list[Any]] | None:
        """The numbers of lines and their values in slots, if all of their keys are known and pay."""
        most = len(self._names) * count(lines, b"\n")
        if self._slots is None or most > len(lines):  # an entry takes at least six bytes
            return None
        return decoded(lines, self._slots, before)

    def _miss(self) -> None:
        self._misses += 1
        if self._misses == TRIES:
            self._slots = None
