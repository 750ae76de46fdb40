"""Features of a table by number: a stream numbers them as they come, a block has its own few."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable
from typing import Any

import numpy as np

from .cells import Ints
from .hashing import TextSlots, clean

WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
REMEMBERED = 1 << 17  # values whose number is known without hashing them again
NONE = -1


class Names:
    """Numbers features by their names, which text values share as `TextSlots` says."""

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
        """The number of a column of numbers."""
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
