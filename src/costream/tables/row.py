"""One dict as a row: the same features, in the same order, as in a table.

Without a schema each value goes by its type: numbers, true and false by their key, text by key and
value, times by their parts, lists as tags, nested dicts by dotted names; None and NaN have no entry.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import CostreamError, PlainWarning
from .arrays import NOT_FINITE
from .coverage import NOT_BEGUN, Coverage
from .extras import Word
from .naming import (
    MISSING_VALUE,
    TextSlots,
    encoding_names,
    encoding_slot,
    feature_name,
    fixed_names,
    time_names,
)
from .reading import Reading, grouped_message, invalid_message, is_grouped, is_none, is_number, is_time
from .schema import Column, Schema
from .times import NAT, PART_OF, time_features_of
from .words import counted, list_words, too_many_message

BY_TYPE = Column("", "text", exact=True)  # text goes as it stands where no schema decides otherwise
DEEPEST = 20
PLAIN = frozenset((float, int, str, bool, type(None)))  # types of values that hold no others


class RowReader:
    """Turns dicts into features, following a schema where there is one."""

    def __init__(
        self,
        schema: Schema | None,
        slots: TextSlots,
        warn: Callable[[str, str | Warning], None],
        is_number: Callable[[Any], bool] = lambda _key: False,
    ) -> None:
        """``is_number`` is whether a key that no schema knows has been a number before."""
        self.schema = Schema() if schema is None else schema
        self.slots = slots
        self.reading = Reading(self.schema)
        self._warn = warn
        self.gone: set[str] = set()  # numbers of the last row that are missing or invalid
        self.invalid: list[str] = []  # its columns with a value that they cannot hold
        self._was_number = is_number
        self._keys = frozenset(self.schema.by_name)
        self._numbers = [(one, fixed_names(one)) for one in self.schema.features if one.kind != "text"]
        self._words = [
            one for one in self.schema.features if one.kind == "text" or one.missing_indicator
        ]
        self.encodings = [name for one in self.schema.features for name in encoding_names(one)]
        self.fixed = [name for _, names in self._numbers for name in names]
        self.fixed += self.encodings

    def read(
        self,
        row: Mapping[Any, Any],
        learn: bool,
        coverage: Coverage | None = None,
        lists: list[int] | None = None,
    ) -> tuple[dict[Any, float], list[int], dict[Any, int]]:
        """The features of a row with their values, its slots of target encodings, and its times.

        The value of a target encoding is for others to write. Of times only those parts are features
        that ``coverage`` has, or all of them. The slots of words come at the end of ``lists``.
        """
        found: dict[Any, float] = {}
        slots: list[int] = []
        times: dict[Any, int] = {}
        gone = self.gone = set()
        self.invalid = []
        lists = [] if lists is None else lists
        if not self._keys.issuperset(row):
            row = flat(row)
        for column, names in self._numbers:
            value = row.get(column.name)
            if type(value) is float and value - value == 0.0 and column.kind == "number":  # most are
                if value != 0.0:
                    found[names[0]] = value
                continue
            if column.kind == "time":
                moment = self._moment(value, column)
                if moment != NAT:
                    times[column.name] = moment
                    add_time(found, names, moment, _begun(coverage, column.name))
                continue
            number = self._number(value, column)
            if number != number:
                gone.add(column.name)
            elif number != 0.0:
                found[names[0]] = number
        for column in self._words:
            if column.kind != "text":
                if column.name in gone:
                    self._add_text(found, column.name, MISSING_VALUE, learn)
            elif column.target_encoding:
                self._add_encoding(found, slots, column, row.get(column.name), lists)
            elif not column.words:
                self._add_words(found, column, row.get(column.name), learn)
        for column in self._words:
            if column.words and not column.target_encoding:
                self._add_counts(found, column, row.get(column.name), learn)
            elif (
                column.kind == "text" and not column.target_encoding and _is_list(row.get(column.name))
            ):
                self._add_tags(found, column.name, row[column.name], column, learn)
        if not self._keys.issuperset(row):
            self._add_others(found, row, learn, times, coverage)
        return found, slots, times

    def own(self, row: Mapping[Any, Any]) -> dict[Any, float]:
        """The features of keys that no schema knows, if the row has no other keys; else none."""
        found: dict[Any, float] = {}
        if self._keys.isdisjoint(row) and self._keys.isdisjoint(flat(row)):
            self._add_others(found, flat(row), False, {}, None)
        return found

    # --- columns of the schema ------------------------------------------------------------------

    def _number(self, value: Any, column: Column) -> float:
        number = self.reading.number(value, column)
        if number is None:
            if not _is_list(value):
                _check(column.name, value)
            self._invalid(value, column)
            return math.nan
        if is_grouped(value, column):
            words = f"column {column.name}: a sign is taken to separate thousands for the first time"
            message = PlainWarning(grouped_message(value, column), words)
            self._warn(f"{column.name} thousands", message)
        if math.isinf(number):
            raise CostreamError(f"feature {column.name!r} is not finite: {value!r:.60}", NOT_FINITE)
        return number

    def _moment(self, value: Any, column: Column) -> int:
        moment = self.reading.moment(value, column)
        if moment is None:
            if not _is_list(value):
                _check(column.name, value)
            self._invalid(value, column)
            return NAT
        return moment

    def _invalid(self, value: Any, column: Column) -> None:
        self.invalid.append(column.name)
        where = f"column {column.name}"
        words = f"{where}: a value cannot be read as {column.kind}; such values count as missing"
        self._warn(column.name, PlainWarning(invalid_message(where, value, column), words))

    def _add_encoding(
        self,
        found: dict[Any, float],
        slots: list[int],
        column: Column,
        value: Any,
        lists: list[int],
    ) -> None:
        if column.words:
            place = list_words(column, self._counted(column, value), lists)
            slots += [place, place + 1 if place >= 0 else place]
            found.update(dict.fromkeys(encoding_names(column) if place >= 0 else (), 1.0))
            return
        _check(column.name, value)
        text = self.reading.text(value, column)
        slots.append(-1 if text is None else encoding_slot(column.name, text))
        if text is not None:
            found[encoding_names(column)[0]] = 1.0

    def _add_words(self, found: dict[Any, float], column: Column, value: Any, learn: bool) -> None:
        if not _is_list(value):
            _check(column.name, value)
            text = self.reading.text(value, column)
            if text is not None:
                self._add_text(found, column.name, text, learn)

    def _add_counts(self, found: dict[Any, float], column: Column, value: Any, learn: bool) -> None:
        for word, count in self._counted(column, value).items():
            self._add_text(found, column.name, word, learn, count)

    def _counted(self, column: Column, value: Any) -> Counter[str]:
        """The words of a value with their counts."""

        def too_many() -> None:
            self._warn(f"{column.name} words", PlainWarning(too_many_message(column.name)))

        if _is_list(value):
            text: Any = [self.reading.text(one, column) for one in value]
        else:
            _check(column.name, value)
            text = self.reading.text(value, column)
        return counted(text or "", too_many)

    def _add_text(
        self, found: dict[Any, float], key: str, text: str, learn: bool, count: float = 1.0
    ) -> None:
        name = self.slots.name(key, text) if learn else self.slots.find(key, text)
        found[name] = found.get(name, 0.0) + count

    def _add_tags(
        self, found: dict[Any, float], key: str, tags: Any, column: Column, learn: bool
    ) -> None:
        for tag in dict.fromkeys(self.reading.text(one, column) for one in tags):
            if tag is not None:
                self._add_text(found, key, tag, learn)

    # --- keys that no schema knows --------------------------------------------------------------

    def _add_others(
        self,
        found: dict[Any, float],
        row: Mapping[Any, Any],
        learn: bool,
        times: dict[Any, int],
        coverage: Coverage | None,
    ) -> None:
        others = {key: value for key, value in row.items() if key not in self._keys}
        for name, value in by_type(others, self.reading, _not_a_feature):
            if isinstance(name, TimeKey):
                names, times[name.key] = time_names(name.key), int(value)
                found.update((one, 0.0) for one in names if one not in found)  # known from now on
                add_time(found, names, int(value), _begun(coverage, name.key))
            elif isinstance(name, Word):
                if self._was_number(name.column):
                    self.invalid.append(name.column)
                    words = f"feature {name.column!r} is a text, and the model knows it as a number"
                    self._warn(name.column, PlainWarning(_was_number(name), words))
                self._add_text(found, name.column, name.text, learn)
            else:
                called = feature_name(name) if self._keys and isinstance(name, str) else name
                if isinstance(called, str) and "=" in called:
                    called = self.slots.keep(called, learn)
                found[called] = found.get(called, 0.0) + value


class TimeKey(NamedTuple):
    """A key that no schema knows, whose value is a time."""

    key: Any


def add_time(
    found: dict[Any, float], names: list[Any], moment: int, begun: tuple[bool, ...] | None
) -> None:
    """Add the features of a time, of those parts that are features by now."""
    for at, (name, value) in enumerate(zip(names, time_features_of(moment), strict=True)):
        if value != 0.0 and (begun is None or begun[PART_OF[at]]):
            found[name] = value


def _begun(coverage: Coverage | None, key: Any) -> tuple[bool, ...] | None:
    if coverage is None:
        return None
    known = coverage.get(key)
    return NOT_BEGUN if known is None else known.begun


def by_type(
    row: Mapping[Any, Any], reading: Reading, error: Callable[[Any, Any], CostreamError]
) -> Iterator[tuple[Any, float]]:
    """The features of keys that no schema knows, by the types of their values.

    A text value is named by a `Word`; a time by a `TimeKey`, with its moment for a value. Zeros are
    there, too: a feature is known from its first number on. ``error`` makes the error for a key whose
    value cannot be one.
    """
    for key, value in row.items():
        if type(value) is float and value - value == 0.0:  # as most are
            yield key, value
        elif isinstance(value, str):
            if value:
                yield Word(str(key), str(value)), 1.0
        elif is_none(value):
            continue
        elif is_number(value):
            number = reading.number(value, BY_TYPE)
            if number is None or math.isinf(number):
                raise error(key, value)
            if number == number:
                yield key, number
        elif is_time(value):
            moment = reading.moment(value, BY_TYPE)
            if moment not in (None, NAT):
                yield TimeKey(key), moment
        elif _is_list(value) and not any(map(_is_container, value)):
            tags = dict.fromkeys(reading.text(one, BY_TYPE) for one in value)
            yield from ((Word(str(key), tag), 1.0) for tag in tags if tag is not None)
        else:
            raise error(key, value)


def _was_number(word: Word) -> str:
    """The warning of text where a model knows numbers."""
    return (
        f"feature {word.column!r} is the text {word.text!r:.60}, and the model knows it as a number; "
        f"it is taken as another feature, {word.column}={word.text:.60}"
    )


def _not_a_feature(key: Any, value: Any) -> CostreamError:
    if is_number(value):
        return CostreamError(f"feature {key!r} is not finite: {value!r:.60}", NOT_FINITE)
    return CostreamError(
        f"feature {key!r} is not a number: {value!r:.60}",
        "a feature is a number, text, true or false, a time, or a list of these",
    )


def flat(row: Mapping[Any, Any], before: str = "", depth: int = 0) -> Mapping[Any, Any]:
    """A row without nested dicts: what they hold has dotted names."""
    if depth > DEEPEST:
        raise CostreamError(f"feature {before[:-1]!r:.60} is nested more than {DEEPEST} deep")
    if not before and PLAIN.issuperset(map(type, row.values())):  # as most are
        return row
    if not before and not any(isinstance(value, Mapping) for value in row.values()):
        return row
    found: dict[Any, Any] = {}
    for key, value in row.items():
        name = f"{before}{key}" if before else key
        if isinstance(value, Mapping):
            found.update(flat(value, f"{name}.", depth + 1))
        else:
            found[name] = value
    return found


def _check(key: Any, value: Any) -> None:
    """Raise an error if a value can be no feature, as in a table."""
    if not (isinstance(value, str) or is_none(value) or is_number(value) or is_time(value)):
        raise _not_a_feature(key, value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_container(value: Any) -> bool:
    return _is_list(value) or isinstance(value, Mapping)
