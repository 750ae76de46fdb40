"""What the columns of a table hold, by its first rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

import numpy as np

from .numbers import Numbers, as_numbers, looks_written, plain_numbers, resolve
from .reading import YES_NO, Raw, Reading, Text, is_none, is_number, is_time, silent
from .schema import Column, Schema
from .times import Times, as_times
from .words import are_words

ROWS = 2000  # by which a table is known
ENOUGH = 50  # rows that must be there before a column can be an id
NEARLY_ALL = 0.95  # of the values of an id occur once
MOSTLY = 0.9  # of the values of a column of numbers or times can be read
HALF = 0.5  # from here up to there a column is text, with a warning
CODE = 4  # digits of a code at least, such as a zip code
SINCE, UNTIL = 1e9, 2.2e9  # the seconds since 1970 in 2001 and 2039
MANY_VALUES = 30  # above this, text is target encoded
DIGIT = re.compile(r"\d")
FEW = 3  # ids that are reported one by one
LIKE_AN_ID = re.compile(
    r"(?i:(?:^|[_\W])(?:id|ids|uuid|guid|key|nr|no|num|number|index|row|rownum|seq|sequence)$)"
    r"|[a-z](?:Id|ID|Key|Nr|No|Index)$|^Unnamed: \d+$"  # paid, monkey and casino are none
)

# Names of keys, which come again; unlike numbers that end in no or number, which may be quantities.
LIKE_A_KEY = re.compile(
    r"(?i:(?:^|[_\W])(?:id|ids|uuid|guid|key)$)|[a-z](?:Id|ID|Key)$|^(?:id[_\W]|ID[_\W]|id(?=[A-Z]))[A-Za-z]"
    r"|(?i:(?:^|[_\W])(?:account|acct|agent|bank|branch|buyer|card|cc|client|customer|cust|device|employee"
    r"|host|invoice|item|machine|member|merchant|order|patient|phone|policy|product|seller|sensor|serial"
    r"|session|shop|station|store|supplier|terminal|user|vehicle|vendor)[_\W]?(?:id|key|nr|no|num|number)$)"
)


@dataclass(frozen=True)
class Found:
    """The columns of a table, and what is to be reported about them."""

    columns: tuple[Column, ...]
    remarks: list[str] = field(default_factory=list)


def infer(
    sample: Mapping[str, Raw],
    overrides: Schema,
    roles: Mapping[str, str],
    *,
    text_file: bool = False,
    by_type: bool = False,
) -> Found:
    """The columns of a table.

    ``sample`` has the first rows; ``overrides`` count before them; ``roles`` has which columns are
    labels, costs or left out. In a ``text_file`` all values are text, and may be numbers; elsewhere
    text is text. ``by_type``: nothing but the types of values counts, as for single dicts.
    """
    found = _Inference(overrides, text_file, by_type)
    numbers = found.numbers(
        {name: raw for name, raw in sample.items() if roles.get(name) in (None, "cost")}, roles
    )
    columns = []
    for name, raw in sample.items():
        if name in roles:
            is_cost = roles[name] == "cost" and not by_type
            columns.append(
                found.cost(name, numbers.get(name)) if is_cost else Column(name, roles[name])
            )
        else:
            columns.append(found.column(name, raw, numbers.get(name)))
    return Found(tuple(columns), [*found.remarks_on_ids(), *found.remarks_on_words(), *found.remarks])


class _Inference:
    """Infers what each column holds, and remarks what may surprise."""

    def __init__(self, overrides: Schema, text_file: bool, by_type: bool) -> None:
        self.overrides = overrides
        self.text_file = text_file
        self.by_type = by_type
        self.reading = Reading(overrides)
        self.remarks: list[str] = []
        self.ids: dict[str, str] = {}  # the remark on each
        self.words: list[str] = []
        self._known_times: dict[str, Times] = {}

    def numbers(self, sample: Mapping[str, Raw], roles: Mapping[str, str]) -> dict[str, Numbers]:
        """How well the columns of text read as numbers, and how these are written."""
        found = {}
        for name, raw in sample.items():
            given = None if name in roles else self.overrides.by_name.get(name)
            if isinstance(raw, Text) and (given is None or given.kind == "number"):
                values, counts = strings_of(raw)
                if values:
                    found[name] = self._fit(values, counts, given)
        return resolve(found)

    def _fit(self, values: list[str], counts: list[int], given: Column | None) -> Numbers:
        decimal, thousands = self.overrides.decimal, self.overrides.thousands
        if given is not None and not given.is_plain:
            decimal, thousands = given.decimal, given.thousands
        return as_numbers(values, counts, self.reading.words_of_numbers, decimal, thousands)

    def column(self, name: str, raw: Raw, numbers: Numbers | None) -> Column:
        """One column."""
        given = self.overrides.by_name.get(name)
        if self.by_type:
            return Column(name, _kind_of_type(raw), exact=True) if given is None else given
        if given is not None:
            return self._overridden(given, raw, numbers)
        kind = self._kind(name, raw, numbers)
        if kind == "number":
            column = self._number(name, numbers)
            found = self.reading.numbers(raw, column, silent)
            if _is_key(name, found):
                return Column(name, "text", target_encoding=True, key=True)
            if name not in self.overrides.keep and _is_running_number(name, found):
                return self._id(name, _are_clocks(found))
            self._look_for_codes(name, raw)
            if name not in self.overrides.keep and _are_clocks(found):
                self.remarks.append(
                    f"{name} looks like a time since 1970, and is read as numbers (--time "
                    f'{quote(name)}, or Schema({{{name!r}: "time"}}), reads it as a time)'
                )
        elif kind == "time":
            return self._time(name, raw, self._times(name, raw))
        elif kind == "text":
            return self._text(Column(name, "text"), raw, numbers)
        else:
            column = Column(name, kind)
        return replace(column, missing_indicator=self._is_usual(raw))

    def cost(self, name: str, numbers: Numbers | None) -> Column:
        """A column of costs, and how its numbers are written."""
        return replace(self._number(name, numbers), kind="cost")

    def _kind(self, name: str, raw: Raw, numbers: Numbers | None) -> str:
        if not isinstance(raw, Text):
            return _kind_of_type(raw)
        values, _ = strings_of(raw)
        others = [value for value in raw.values if not isinstance(value, str) and not is_none(value)]
        there = [value for value in values if value.strip() not in self.reading.words]
        if not there if self.text_file else not values:
            return _kind_of_type(raw) if others else "number"
        if all(value.strip().lower() in YES_NO for value in there or values) and not others:
            return "yes/no" if self.text_file else "text"
        share = 0.0 if numbers is None else numbers.share
        if others:  # of several types
            share = self._share_of_numbers(raw)
        if (self.text_file or others) and share >= MOSTLY:
            return "number"
        return "text" if others or self._times(name, raw).share < MOSTLY else "time"

    def _share_of_numbers(self, raw: Text) -> float:
        plain = Column("", "number")
        counts = raw.counts()
        read = [
            (self.reading.number(value, plain), n) for value, n in zip(raw.values, counts, strict=True)
        ]
        there = sum(n for number, n in read if number is None or number == number)
        return sum(n for number, n in read if number is not None and number == number) / max(there, 1)

    def _times(self, name: str, raw: Raw) -> Times:
        """How well a column of text reads as times."""
        if name not in self._known_times:
            values, counts = strings_of(raw) if isinstance(raw, Text) else ([], [])
            words, given = self.reading.words_of_numbers, name in self.overrides.by_name
            found = Times(0.0, self.overrides.day_first)
            if any(map(DIGIT.search, values)):  # no time is without
                found = as_times(values, counts, words, self.overrides.day_first, digits=given)
            self._known_times[name] = found
        return self._known_times[name]

    def _remark_text(self, name: str, share: float, bad: Any, kind: str = "number") -> None:
        self.remarks.append(
            f"{name} is read as text: {1.0 - share:.0%} of its values, such as {bad!r:.40}, are not "
            f"{kind}s (--{kind} {quote(name)} reads it as {kind}s, with those missing; "
            f"--text {quote(name)} says that it is text; --ignore {quote(name)} leaves it out)"
        )

    def _look_for_codes(self, name: str, raw: Raw) -> None:
        """Say that codes, such as zip codes, are taken for numbers."""
        values = strings_of(raw)[0] if self.text_file and isinstance(raw, Text) else []
        there = [bare for value in values if (bare := value.strip()) not in self.reading.words]
        digits = all(one.isdecimal() for one in there)
        alike = digits and len(there) > 1 and len(set(map(len, there))) == 1
        if alike and len(there[0]) >= CODE and any(one[0] == "0" for one in there):
            self.remarks.append(
                f"{name} has leading zeros, as codes have, and is read as numbers (--text "
                f'{quote(name)}, or Schema({{{name!r}: "text"}}), reads it as text)'
            )

    def _number(self, name: str, numbers: Numbers | None) -> Column:
        if numbers is None:
            return Column(name, "number")
        if numbers.ambiguous:
            shown, other = numbers.example, "," if numbers.decimal == "." else "."
            self.remarks.append(
                f"{name}: {shown} is read with {numbers.thousands!r} between thousands; if that is the "
                f"decimal sign, say --decimal '{other}' (in Python: Schema(decimal={other!r}))"
            )
        return Column(name, "number", decimal=numbers.decimal, thousands=numbers.thousands)

    def _time(self, name: str, raw: Raw, times: Times) -> Column:
        if not isinstance(raw, Text):
            return Column(name, "time")
        if times.ambiguous:
            first, other = ("day", "month") if times.day_first else ("month", "day")
            self.remarks.append(
                f"{name}: the {first} is taken to come first; if it is the {other}, say "
                f"--{other}-first (in Python: Schema(day_first={not times.day_first}))"
            )
        return Column(name, "time", day_first=times.day_first)

    def _text(self, column: Column, raw: Raw, numbers: Numbers | None = None) -> Column:
        text = self.reading.texts(raw, column)
        if any(isinstance(value, tuple) for value in text.values):
            return column
        counts = np.array([n for n in text.counts() if n], np.int64)
        rows = int(counts.sum())
        once = int(np.count_nonzero(counts == 1))
        is_id = rows >= ENOUGH and once >= NEARLY_ALL * len(counts) and len(counts) >= NEARLY_ALL * rows
        many = len(counts) > MANY_VALUES
        if column.name not in self.overrides.by_name and isinstance(raw, Text):
            if many and once < len(counts) and LIKE_A_KEY.search(column.name.strip()) is not None:
                return replace(column, target_encoding=True, key=True)
            seldom_repeat = many and len(counts) >= HALF * rows
            if seldom_repeat and self._is_words(column.name, raw, text, numbers):
                self.words.append(column.name)
                return replace(column, words=True)
            is_id &= column.name not in self.overrides.keep
            if is_id and self._is_id(column.name, raw, numbers):
                return self._id(column.name)
            self._remark_nearly(column.name, raw, numbers, many)
        return replace(column, target_encoding=many)

    def _is_id(self, name: str, raw: Text, numbers: Numbers | None) -> bool:
        """Whether text that is different in each row is an id: written numbers and times are none."""
        if numbers is not None and numbers.share >= MOSTLY:
            written = self._number(name, replace(numbers, ambiguous=False))
            return _is_running_number(name, self.reading.numbers(raw, written, silent))
        if LIKE_AN_ID.search(name.strip()) is not None:
            return True
        nearly = numbers is not None and numbers.share >= HALF
        return not nearly and self._times(name, raw).share < HALF and not self._is_written(raw)

    def _is_words(self, name: str, raw: Text, text: Text, numbers: Numbers | None) -> bool:
        """Whether text is made of words that its values share; written numbers and times are not."""
        nearly = numbers is not None and numbers.share >= HALF
        if (
            nearly
            or LIKE_AN_ID.search(name.strip()) is not None
            or self._times(name, raw).share >= HALF
        ):
            return False
        return are_words(strings_of(text)[0])

    def _is_written(self, raw: Text) -> bool:
        """Whether text is mostly digits and separators, which numbers might be."""
        values, counts = strings_of(raw)
        alike = sum(n for value, n in zip(values, counts, strict=True) if looks_written(value))
        return alike >= HALF * max(sum(counts), 1)

    def _remark_nearly(self, name: str, raw: Text, numbers: Numbers | None, many: bool) -> None:
        """Say that a column is text, though it nearly has numbers or times."""
        times = self._times(name, raw)
        others = any(not isinstance(value, str) and not is_none(value) for value in raw.values)
        share = 0.0 if numbers is None else numbers.share
        if others:
            share = self._share_of_numbers(raw)
        if share >= MOSTLY and not others:
            if many:
                self.remarks.append(
                    f"{name} holds numbers that are written as text, and is read as text (--number "
                    f'{quote(name)}, or Schema({{{name!r}: "number"}}), reads them as numbers)'
                )
        elif numbers is not None and share >= HALF and (self.text_file or others):
            self._remark_text(name, share, numbers.first_bad)
        elif times.share >= HALF and not others:
            self._remark_text(name, times.share, times.first_bad, "time")
        elif numbers is not None and many and self._is_written(raw):
            self._remark_text(name, share, numbers.first_bad)

    def _id(self, name: str, is_clock: bool = False) -> Column:
        time = f"; --time {quote(name)} reads it as a time" if is_clock else ""
        self.ids[name] = (
            f"{name} is left out: it looks like an id (--keep {quote(name)} keeps it{time}; in Python: "
            f"Schema(keep=[{name!r}]))"
        )
        return Column(name, "id")

    def remarks_on_ids(self) -> list[str]:
        """A remark on each id, or one on many."""
        if len(self.ids) <= FEW:
            return [*self.ids.values()]
        shown = ", ".join([*self.ids][:FEW])
        return [
            f"{len(self.ids)} columns are left out, since they look like ids: {shown} and others "
            f"(--keep NAME keeps one; in Python: Schema(keep=[...]))"
        ]

    def remarks_on_words(self) -> list[str]:
        """A remark on the columns of words."""
        if not self.words:
            return []
        name, several = (self.words[0], False) if len(self.words) == 1 else ("NAME", True)
        which = f"{', '.join(self.words)} {'are' if several else 'is'}"
        python = "Schema({" + repr(name) + ': "text"})'
        return [
            f"{which} read as words (--text {quote(name)} takes each value as a whole, --ignore "
            f'{quote(name)} leaves it out; in Python: {python} or "left out")'
        ]

    def _overridden(self, given: Column, raw: Raw, numbers: Numbers | None) -> Column:
        """A column whose kind was given; if no more than that, how it is written is found out."""
        if given.name not in self.overrides.open:
            return given
        if given.kind == "number":
            if given.is_plain and numbers is not None:
                given = replace(given, decimal=numbers.decimal, thousands=numbers.thousands)
            return replace(given, missing_indicator=self._is_usual(raw))
        if given.kind == "yes/no":
            return replace(given, missing_indicator=self._is_usual(raw))
        if given.kind == "time" and given.day_first is None:
            return self._time(given.name, raw, self._times(given.name, raw))
        return self._text(given, raw) if given.kind == "text" and not given.words else given

    def _is_usual(self, raw: Raw) -> bool:
        """Whether most rows have a value, so that a missing one may be informative."""
        column = Column("", "number")
        if isinstance(raw, Text):
            words, count = self.reading.words_of_numbers, raw.counts()
            plain = plain_numbers(raw.values, words) is not None
            gone = [
                not plain and (is_none(v) or (isinstance(v, str) and v.strip().lower() in words))
                for v in raw.values
            ]
            there = sum(n for n, one in zip(count, gone, strict=True) if not one)
        else:
            there = int(np.count_nonzero(~np.isnan(self.reading.numbers(raw, column, silent))))
        length = len(raw.codes) if isinstance(raw, Text) else len(raw)
        return there >= HALF * length


def _kind_of_type(raw: Raw) -> str:
    """The kind of a column by the type of its values; text where these differ."""
    if not isinstance(raw, Text):
        return {"b": "yes/no", "M": "time"}.get(raw.dtype.kind, "number")
    values = [value for value in raw.values if not is_none(value)]
    if values and all(isinstance(value, bool | np.bool_) for value in values):
        return "yes/no"
    if values and all(map(is_number, values)):
        return "number"
    return "time" if values and all(map(is_time, values)) else "text"


def _is_key(name: str, numbers: Any) -> bool:
    """Whether whole numbers are keys: of many values, some of which come again, and named like keys."""
    if LIKE_A_KEY.search(name.strip()) is None:
        return False
    there = numbers[~np.isnan(numbers)]
    if not np.isfinite(there).all() or (there != np.floor(there)).any():
        return False
    return MANY_VALUES < len(np.unique(there)) < len(there)


def _is_running_number(name: str, numbers: Any) -> bool:
    """Whether whole numbers are an id: nearly all different, and rising or named like one."""
    there = numbers[~np.isnan(numbers)]
    if len(there) < ENOUGH or not np.isfinite(there).all() or (there != np.floor(there)).any():
        return False
    if len(np.unique(there)) < NEARLY_ALL * len(there):
        return False
    return bool((np.diff(there) >= 0.0).all()) or LIKE_AN_ID.search(name.strip()) is not None


def _are_clocks(numbers: Any) -> bool:
    """Whether whole numbers may be seconds, milliseconds or microseconds since 1970."""
    there = numbers[~np.isnan(numbers)]
    units = (1.0, 1e3, 1e6)
    return len(there) >= ENOUGH and any(
        (there >= SINCE * unit).all() and (there < UNTIL * unit).all() for unit in units
    )


def strings_of(raw: Text) -> tuple[list[str], list[int]]:
    """The strings of a column and how often each occurs, in the order in which they come."""
    counts, first = raw.counts(), raw.first_rows()
    order = sorted(range(len(raw.values)), key=first.__getitem__)
    there = [at for at in order if counts[at] and isinstance(raw.values[at], str)]
    return [raw.values[at] for at in there], [counts[at] for at in there]
