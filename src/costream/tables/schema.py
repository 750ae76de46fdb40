"""What the columns of a table hold: inferred, given, kept in a model, overruled column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from shlex import quote
from typing import Any
from zoneinfo import ZoneInfo

from ..errors import CostreamError
from .numbers import DECIMALS, THOUSANDS

KINDS = ("number", "text", "yes/no", "time", "id", "label", "cost", "left out")
FEATURE_KINDS = frozenset(("number", "text", "yes/no", "time"))
HASH_BITS = 18
MOST_BITS = 30
STORED = {"missing_indicator": "marks"}  # names of fields in files
READ = {stored: name for name, stored in STORED.items()}
WORDS = "words"  # stands for text whose words are features


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "text", "words", "yes/no", "time", "id", "label", "cost", "left out"}
        What it holds. Numbers, text, yes/no and times become features; the others do not. ``"words"``
        is text whose words are features.
    decimal : {".", ","}, default="."
        The decimal sign of numbers that are written as text.
    thousands : {"", ",", ".", " ", "'"}, default=""
        What separates their thousands.
    day_first : bool, default=None
        Whether the day comes before the month in times such as 03/04/2024.
    missing_indicator : bool, default=False
        Whether a missing number is a feature of its own, such as ``amount=missing``.
    target_encoding : bool, default=False
        Whether text becomes one number instead of a feature for each value: by the share of positives
        among the rows of its value so far. Of words, the sum and the highest of these numbers.
    exact : bool, default=False
        Whether text is taken as it stands: spaces stay, and words such as NA are text.
    key : bool, default=False
        Whether text is the key of something that comes again, such as the number of a card; 7 and 7.0
        are one key.
    words : bool, default=False
        Whether text becomes its words, each a feature whose value is its count.

    Examples
    --------
    >>> from costream import Column
    >>> Column("amount", "number", decimal=",", thousands=".")
    Column('amount', 'number', decimal=',', thousands='.')
    """

    name: str
    kind: str
    decimal: str = "."
    thousands: str = ""
    day_first: bool | None = None
    missing_indicator: bool = False
    target_encoding: bool = False
    exact: bool = False
    key: bool = False
    words: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise CostreamError(f"the name of a column must be a string, not {self.name!r}")
        if self.kind == WORDS:
            object.__setattr__(self, "kind", "text")
            object.__setattr__(self, "words", True)
        if self.kind not in KINDS:
            raise CostreamError(
                f"column {self.name} cannot be of the kind {self.kind!r}",
                f"use one of {', '.join((*KINDS, WORDS))}",
            )
        if self.words and self.kind != "text":
            raise CostreamError(f"column {self.name} cannot be words and of the kind {self.kind!r}")
        _check_signs(self.decimal, self.thousands)

    def __repr__(self) -> str:
        default = {one.name: one.default for one in fields(self)}
        more = [f", {key}={value!r}" for key, value in vars(self).items() if value != default[key]]
        return f"Column({self.name!r}, {self.kind!r}{''.join(more[2:])})"

    @property
    def is_feature(self) -> bool:
        """Whether it becomes features."""
        return self.kind in FEATURE_KINDS

    @property
    def is_plain(self) -> bool:
        """Whether its numbers are written as Python writes them."""
        return self.kind in ("number", "cost") and self.decimal == "." and not self.thousands


@dataclass(frozen=True)
class Schema:
    """What the columns of a table hold, and how they are written.

    A schema may name some columns: the others are inferred from the first 2,000 rows that come, be it
    from a file, a data frame or a list of dicts. The schema of a model is whole and in its attribute
    ``schema``.

    Parameters
    ----------
    columns : mapping of str to str, or iterable of Column
        The kind of each column: ``{"amount": "number", "zip": "text", "note": "words", "row": "left
        out"}``; all else is inferred. A `Column` is taken as it is.
    keep : sequence of str, default=()
        Columns that stay, even if they look like ids.
    missing : sequence of str, default=()
        Words that stand for a missing value, besides those that always do.
    decimal : {".", ","}, default=None
        The decimal sign of all numbers that are written as text; None to find out.
    thousands : {"", ",", ".", " ", "'"}, default=None
        What separates their thousands; None to find out.
    day_first : bool, default=None
        Whether the day comes before the month in times such as 03/04/2024; None to find out.
    time_zone : str, default="UTC"
        The zone in which hours and days are counted, such as "Europe/Berlin", for times that say
        theirs. Times that do not are taken as they stand.
    hash_bits : int, default=None
        Text values share 2^hash_bits features; None for 2^18.

    See Also
    --------
    Column : One column, with how its values are written.

    Examples
    --------
    >>> from costream import OnlineClassifier, Schema
    >>> model = OnlineClassifier(schema=Schema({"zip": "text"}))
    >>> model.learn_many([{"zip": 1234, "amount": 5.0}, {"zip": 99, "amount": 7.0}], [0, 1])
    >>> model.schema.columns
    (Column('zip', 'text', exact=True), Column('amount', 'number', missing_indicator=True))
    >>> model.feature_names
    ['amount', 'zip=1234', 'zip=99']
    """

    columns: tuple[Column, ...] = ()
    keep: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    day_first: bool | None = None
    time_zone: str = "UTC"
    hash_bits: int | None = None
    open: frozenset[str] = field(default=frozenset(), repr=False, compare=False)  # only kinds are given

    def __init__(
        self,
        columns: Mapping[str, str] | Iterable[Column] = (),
        *,
        keep: Iterable[str] = (),
        missing: Iterable[str] = (),
        decimal: str | None = None,
        thousands: str | None = None,
        day_first: bool | None = None,
        time_zone: str = "UTC",
        hash_bits: int | None = None,
    ) -> None:
        is_open: list[str] = []
        if isinstance(columns, Mapping):
            is_open = [name for name, kind in columns.items() if isinstance(kind, str)]
            columns = [
                Column(name, kind, exact=kind == "text") if isinstance(kind, str) else kind
                for name, kind in columns.items()
            ]
        values = {
            "columns": tuple(columns),
            "keep": _words("keep", keep),
            "missing": _words("missing", missing),
            "decimal": decimal,
            "thousands": thousands,
            "day_first": day_first,
            "time_zone": time_zone,
            "hash_bits": hash_bits,
            "open": frozenset(is_open),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)
        self._check()

    def _check(self) -> None:
        names: set[str] = set()
        for one in self.columns:
            if not isinstance(one, Column):
                raise CostreamError(
                    f"{one!r:.40} is not a column", 'write Schema({"amount": "number"}), or use Column'
                )
            if one.name in names:
                raise CostreamError(f"column {one.name} is in the schema twice")
            names.add(one.name)
        _check_signs(
            "." if self.decimal is None else self.decimal, self.thousands or "", self.decimal is None
        )
        whole = isinstance(self.hash_bits, int) and not isinstance(self.hash_bits, bool)
        if self.hash_bits is not None and not (whole and 1 <= self.hash_bits <= MOST_BITS):
            raise CostreamError(f"hash bits must be from 1 to {MOST_BITS}, not {self.hash_bits!r}")
        if self.day_first not in (None, True, False):
            raise CostreamError(f"day_first must be True or False, not {self.day_first!r}")
        _ = self.zone

    def __repr__(self) -> str:
        default = Schema()
        given = {key: value for key, value in vars(self).items() if key in _FIELDS}
        parts = [repr(list(self.columns))] if self.columns else []
        parts += [
            f"{key}={value!r}"
            for key, value in given.items()
            if key != "columns" and value != getattr(default, key)
        ]
        return f"Schema({', '.join(parts)})"

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {one.name: one for one in self.columns}

    @property
    def features(self) -> tuple[Column, ...]:
        """The columns that become features."""
        return tuple(one for one in self.columns if one.is_feature)

    @cached_property
    def zone(self) -> ZoneInfo | None:
        """The zone of hours and days, None for UTC."""
        try:
            return None if self.time_zone == "UTC" else ZoneInfo(self.time_zone)
        except (ValueError, OSError, KeyError, TypeError):
            raise CostreamError(
                f"there is no time zone {self.time_zone!r}", 'use a name such as "Europe/Berlin"'
            ) from None

    @property
    def bits(self) -> int:
        """Text values share 2^bits features."""
        return self.hash_bits or HASH_BITS

    def named(self, kind: str) -> tuple[str, ...]:
        """List the columns of a kind.

        Parameters
        ----------
        kind : str
            The kind.

        Returns
        -------
        tuple of str
            Their names, in their order.
        """
        return tuple(one.name for one in self.columns if one.kind == kind)

    def over(self, other: Schema) -> Schema:
        """Overrule another schema, column by column.

        Parameters
        ----------
        other : Schema
            What holds where this schema says nothing.

        Returns
        -------
        Schema
            Both in one.
        """
        own = self.by_name
        columns = [own.get(one.name, one) for one in other.columns]
        columns += [one for one in self.columns if one.name not in other.by_name]
        found = Schema(
            columns,
            keep=dict.fromkeys([*other.keep, *self.keep]),
            missing=dict.fromkeys([*other.missing, *self.missing]),
            decimal=other.decimal if self.decimal is None else self.decimal,
            thousands=other.thousands if self.thousands is None else self.thousands,
            day_first=other.day_first if self.day_first is None else self.day_first,
            time_zone=other.time_zone if self.time_zone == "UTC" else self.time_zone,
            hash_bits=self.hash_bits or other.hash_bits,
        )
        object.__setattr__(found, "open", self.open | (other.open - own.keys()))
        return found

    def with_columns(self, columns: Iterable[Column]) -> Schema:
        """Replace the columns, and leave all else as it is.

        Parameters
        ----------
        columns : iterable of Column
            The columns.

        Returns
        -------
        Schema
            The schema that has them.
        """
        plain = {key: getattr(self, key) for key in _FIELDS if key != "columns"}
        return Schema(columns, **plain)

    def header(self) -> dict[str, Any]:
        """Give the schema as what JSON can hold.

        Returns
        -------
        dict
            What `restore` takes.
        """
        default = {one.name: one.default for one in fields(Column)}
        columns = [
            {STORED.get(key, key): value for key, value in asdict(one).items() if value != default[key]}
            for one in self.columns
        ]
        plain = {key: getattr(self, key) for key in _FIELDS if key != "columns"}
        lists = {key: list(plain[key]) for key in ("keep", "missing")}
        return {"columns": columns, **plain, **lists}

    @classmethod
    def restore(cls, header: dict[str, Any]) -> Schema:
        """Make the schema that gave a header.

        Parameters
        ----------
        header : dict
            What `header` gave.

        Returns
        -------
        Schema
            The schema.
        """
        given = dict(header)
        columns = [
            Column(**{READ.get(key, key): value for key, value in one.items()})
            for one in given.pop("columns")
        ]
        return cls(columns, **given)


_FIELDS = tuple(one.name for one in fields(Schema) if one.repr)


def leave_out(name: Any, what: str = "column") -> str:
    """The hint for a column that cannot be read."""
    python = f"Schema({{{str(name)!r}: 'left out'}})"
    return f"leave the {what} out with --ignore {quote(str(name))} (in Python: {python})"


def _words(what: str, words: Iterable[str]) -> tuple[str, ...]:
    found = (words,) if isinstance(words, str) else tuple(words)
    for one in found:
        if not isinstance(one, str):
            raise CostreamError(f"{what} must be a sequence of strings, not of {one!r}")
    return found


def _check_signs(decimal: str, thousands: str, open_decimal: bool = False) -> None:
    if decimal not in DECIMALS:
        raise CostreamError(f"the decimal sign cannot be {decimal!r}", "use . or ,")
    if thousands not in THOUSANDS:
        raise CostreamError(
            f"the thousands cannot be separated by {thousands!r}", "use , or . or ' or a space"
        )
    if thousands == decimal and not open_decimal:
        raise CostreamError(f"{decimal!r} cannot be the decimal sign and separate the thousands")
