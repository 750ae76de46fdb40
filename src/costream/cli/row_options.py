"""The options for how rows are read: the format, the columns, and how values are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ..files.formats import FORMATS
from . import UsageError, excluded, usage
from .groups import add, options

if TYPE_CHECKING:
    from .._typing import Label
    from ..costs.objective import CostColumn
    from ..files.reader import Stream
    from ..files.source import Source
    from ..model.classifier import OnlineClassifier
    from ..tables.layout import Layout
    from ..tables.schema import Schema

DECIMALS = {".": ".", ",": ",", "point": ".", "comma": ","}
THOUSANDS = {
    **DECIMALS,
    " ": " ",
    "'": "'",
    "": "",
    "space": " ",
    "apostrophe": "'",
    "none": "",
}

Callback = Callable[[click.Context, click.Parameter, str | None], str | None]


def _sign(signs: dict[str, str], which: str) -> Callback:
    """What turns the value of an option into a sign, be it the sign or its name."""

    def convert(_: click.Context, param: click.Parameter, given: str | None) -> str | None:
        if given is None or given.lower() in signs:
            return given if given is None else signs[given.lower()]
        raise UsageError(f"{param.opts[0]} cannot be {given!r}\nhint: use {which}")

    return convert


ignore_option = options(
    "Columns", "--ignore COLUMN...  A column that is not used as a feature; may be repeated."
)
input_options = options(
    "Input",
    f"""
--label COLUMN             The label column.  [label, target, class or y]
--positive L[,L...]        The positive label or labels; all others are negative.  [detected]
--format FORMAT            {", ".join(FORMATS)}.  [detected]
--decimal SIGN             Decimal sign of numbers: . or , (point or comma).  [detected]
--thousands SIGN           What separates thousands: , . ' space or none.  [detected]
--missing WORD...          One more word that stands for a missing value; may be repeated.
--day-first/--month-first  Read 03/04/2024 as April 3 or as March 4.  [detected]
--time-zone NAME           Convert times that have a zone to this one, such as Europe/Berlin.  [UTC]
""",
    format={"type": click.Choice([*FORMATS])},
    decimal={"callback": _sign(DECIMALS, ". or , (point or comma)")},
    thousands={"callback": _sign(THOUSANDS, ", or . or ' or space or none")},
    day_first={"default": None},
)
column_options = add(
    ignore_option,
    options(
        "Columns",
        """
--number COLUMN...  Read a column as numbers; what is not a number counts as missing.
--text COLUMN...    Read a column as text, such as postal codes; each value is a feature.
--words COLUMN...   Read a column as text of words; each word is a feature.
--time COLUMN...    Read a column as times; the first is the time of the rows, whose order is checked.
--keep COLUMN...    Keep a column that looks like an id.
--hash-bits BITS    Hash text values into 2^BITS features, 30 at most.  [18]
""",
        hash_bits={"type": click.IntRange(1, 30)},
    ),
)


@dataclass(frozen=True)
class RowOptions:
    """How a file is to be read."""

    format: str | None = None
    label: str | None = None
    positive: str | None = None
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    fn_cost_column: str | None = None
    fp_cost_column: str | None = None
    tp_cost_column: str | None = None
    tn_cost_column: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = ()
    day_first: bool | None = None
    time_zone: str | None = None
    hash_bits: int | None = None
    defaults: tuple[float | None, ...] = (None,) * 4  # where a cost column is empty
    passed: tuple[str, ...] = ()  # columns that are passed through
    keeps_features: bool = False  # whether features are passed on, to be shown in reasons

    @property
    def cost_columns(self) -> dict[str, CostColumn]:
        """The columns of costs, by the names of the costs."""
        from ..costs.objective import COSTS, CostColumn

        return {
            cost: CostColumn(name, default, name not in self.ignore)
            for cost, default in zip(COSTS, self.defaults, strict=True)
            if (name := getattr(self, f"{cost}_column")) is not None
        }

    @property
    def schema(self) -> Schema:
        """How values are written, and what else is set about columns."""
        from ..tables.schema import Schema

        with usage():
            return Schema(
                keep=self.keep,
                missing=self.missing,
                decimal=self.decimal,
                thousands=self.thousands,
                day_first=self.day_first,
                time_zone=self.time_zone or "UTC",
                hash_bits=self.hash_bits,
            )

    @property
    def layout(self) -> Layout:
        """Which columns mean what."""
        from ..costs.objective import COSTS
        from ..tables.layout import Layout

        self._check()
        columns = self.cost_columns
        given = {cost for cost, one in zip(COSTS, self.defaults, strict=True) if one is not None}
        return Layout(
            label=self.label,
            ignore=self.ignore,
            text=self.text,
            costs=columns,
            number=self.number,
            time=self.time,
            words=self.words,
            schema=self.schema,
            passed=self.passed,
            keeps_features=self.keeps_features,
            fixed=frozenset(given - set(columns)),
        )

    def _check(self) -> None:
        """Raise an error if a column, or a sign, is given two meanings."""
        if self.decimal is not None and self.decimal == self.thousands:
            hint = "leave one of them out, and it will be detected"
            raise excluded(f"--decimal {self.decimal}", f"--thousands {self.thousands}", hint)
        kinds: dict[str, str] = {}
        for kind in ("ignore", "number", "text", "words", "time"):
            for name in getattr(self, kind):
                if kinds.setdefault(name, kind) != kind:
                    raise excluded(f"--{kinds[name]} {name}", f"--{kind} {name}")
        for name in self.keep:
            if kinds.get(name) == "ignore":
                raise excluded(f"--keep {name}", f"--ignore {name}")

    @property
    def positive_labels(self) -> tuple[Label, ...] | None:
        """The labels of --positive."""
        from ..labels.labels import parsed_labels

        return parsed_labels(self.positive)

    def stream(self, path: str) -> Stream:
        """Open a file."""
        from ..files.reader import stream_of_layout

        layout = replace(self.layout, learns=True)
        return stream_of_layout(path, layout, positive=self.positive_labels, format=self.format)

    def stream_for(self, path: str | Source, model: OnlineClassifier, *, live: bool = False) -> Stream:
        """Open a file for a model, which remembers its columns; ``live``: do not wait for more rows."""
        from ..files.reader import PATIENCE, Stream

        return Stream.for_model(
            path,
            model,
            self.layout,
            positive=self.positive_labels,
            format=self.format,
            patience=0.0 if live else PATIENCE,
        )
