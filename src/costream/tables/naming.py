"""The names and numbers of features: those of columns, and of text values, which share hashed slots."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np

from ..errors import CostreamError
from .reading import Ints
from .schema import Column, Schema
from .times import FEATURES

ENCODING_BITS = 18  # target encodings have 2^18 slots
MISSING_VALUE = "missing"  # amount=missing is the feature of a missing number
MOST_BITS = 30
WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
REMEMBERED = 1 << 17  # values whose number is known without hashing them again
NONE = -1


def feature_name(column: str) -> str | int:
    """The name of a column of numbers as a feature; LIBSVM files name theirs by whole numbers.

    >>> feature_name("17"), feature_name("017"), feature_name("amount")
    (17, '017', 'amount')
    """
    return int(column) if WHOLE.fullmatch(column) else clean(column)


def column_of(feature: Hashable, columns: Collection[Hashable]) -> Hashable:
    """The column that a feature is made from: the longest whose name it begins with, or itself.

    A feature has the name of its column, or goes on with ``=``, a point or a space: ``city=Ulm``,
    ``amount=missing``, ``time.hour``, ``shop rate``.

    >>> columns = {"shop", "shop name", "time", "17"}
    >>> [column_of(one, columns) for one in ("shop=A", "shop name=B", "shop rate", "time.hour")]
    ['shop', 'shop name', 'shop', 'time']
    >>> column_of(17, columns), column_of("age", columns)
    ('17', 'age')
    """
    if feature in columns:
        return feature
    if not isinstance(feature, str):
        return str(feature) if str(feature) in columns else feature
    longest = max((len(one) for one in columns if isinstance(one, str)), default=0)
    ends = (at for at in range(min(longest, len(feature) - 1), 0, -1) if feature[at] in "=. ")
    return next((feature[:at] for at in ends if feature[:at] in columns), feature)


def fixed_names(column: Column) -> list[Any]:
    """The features that a column has, whatever its values are."""
    if column.kind == "time":
        return time_names(column.name)
    if column.kind == "text":
        return []
    return [feature_name(column.name)]


def plain_keys(schema: Schema) -> tuple[Any, ...]:
    """The keys, in their order, of a row that needs no reading if all are numbers; else none."""
    simple = schema.columns and all(one.kind == "number" for one in schema.features)
    return tuple(name for one in schema.features for name in fixed_names(one)) if simple else ()


def time_names(key: Any) -> list[Any]:
    return [f"{key}.{part}" for part in FEATURES]


def encoding_names(column: Column) -> list[str]:
    """The features of the target encoding of a column's values, or of its words."""
    if not column.target_encoding:
        return []
    return [f"{column.name} rate", *([f"{column.name} highest rate"] if column.words else [])]


def text_names(features: Iterable[Any], schema: Schema | None) -> Iterator[str]:
    """The features that are text values, such as ``country=DE``, among those of a model."""
    columns = () if schema is None else schema.features
    fixed = {name for one in columns for name in [*fixed_names(one), *encoding_names(one)]}
    return (one for one in features if isinstance(one, str) and "=" in one and one not in fixed)


@lru_cache(maxsize=1 << 16)
def encoding_slot(column: str, value: str) -> int:
    return slot_of(f"{column}={value}", ENCODING_BITS)


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


class Names:
    """Numbers features by their names, which text values share as in `TextSlots`."""

    def __init__(self, slots: TextSlots) -> None:
        self._slots = slots
        self._names: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._values: dict[str, dict[str | None, int]] = {}  # of each column
        self._remembered = 0

    def name(self, name: Any) -> int:
        """The number of a feature."""
        number = self._numbers.setdefault(name, len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return number

    def column(self, name: str) -> int:
        return self.name(feature_name(name))

    def text(self, pair: tuple[str, str]) -> int:
        """The number of a column and a text value."""
        return self.name(self._slots.name(*pair))

    def known(self, column: str, values: list[str | None]) -> list[int | None]:
        """The numbers of values: `NONE` for no value, None for those that are not known."""
        if self._remembered > REMEMBERED:
            self._values.clear()
            self._remembered = 0
        known = self._values.setdefault(column, {None: NONE, "": NONE})
        return list(map(known.get, values))

    def learn(self, column: str, value: str) -> int:
        """The number of a value that was not known."""
        self._values[column][value] = number = self.text((column, value))
        self._remembered += 1
        return number

    def local(self, columns: list[int], used: Ints) -> tuple[Ints, list[Any]]:
        """The places and the names of some features: the columns first, then others in use."""
        seen = np.zeros(len(self._names) + 1, np.bool_)  # the last one is for `NONE`
        seen[used] = True
        seen[columns] = False
        seen[NONE] = False
        places = np.cumsum(seen) - 1 + len(columns)
        places[columns] = np.arange(len(columns))
        places[NONE] = NONE
        return places, [self._names[k] for k in [*columns, *np.flatnonzero(seen).tolist()]]
