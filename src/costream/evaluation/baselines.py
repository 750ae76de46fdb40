"""Rules of the user's own, to compare learners with: one comparison, or a column of decisions.

A rule is parsed, and never evaluated as Python.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Bools
from ..errors import CostreamError
from ..tables.reading import FLAGS, Reading
from ..tables.schema import Column, Schema

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
QUOTED = r"\"[^\"]*\"|'[^']*'|`[^`]*`"
RULE = re.compile(rf"\s*({QUOTED}|[^<>=!\"'`]+?)\s*(>=|<=|==|!=|>|<|=)\s*({QUOTED}|[^<>=!\"'`]+?)\s*")
COLUMN = re.compile(rf"\s*({QUOTED}|[^<>=!\"'`]+?)\s*")
JOINED = re.compile(r"\s(?:and|or|not)\s|&|\|", re.IGNORECASE)
HOW = "for example --baseline 'amount > 220', or the name of a column with decisions"
QUOTE_IT = 'quote what is one name or one value: --baseline \'"my column" == "this and that"\''
DECISIONS = {**FLAGS, "flag": 1.0, "pass": 0.0, "1": 1.0, "0": 0.0, "-1": 0.0}


@dataclass(frozen=True)
class Baseline:
    """A rule that flags rows by one of their columns."""

    column: str
    operator: str | None = None  # None: the column holds the decisions themselves
    value: float | str = ""

    @classmethod
    def parse(cls, text: str) -> Baseline:
        """Read ``COLUMN OP VALUE``, where OP is >, >=, <, <=, == (or =) or !=; or ``COLUMN``.

        Names and values may be quoted; a quoted value is text.

        >>> Baseline.parse("amount > 220")
        Baseline(column='amount', operator='>', value=220.0)
        """
        if found := COLUMN.fullmatch(text):
            return cls(_unquoted(found[1]))
        found = RULE.fullmatch(text)
        if found is None:
            raise CostreamError(f"{text!r} is not one comparison COLUMN OP VALUE", HOW)
        column, sign, value = found.groups()
        for one in (column, value):
            if one[0] not in "\"'`" and JOINED.search(one):
                raise CostreamError(f"{text!r} is more than one comparison", QUOTE_IT)
        sign = "==" if sign == "=" else sign
        number = _number(value)
        if number is None and sign not in ("==", "!="):
            raise CostreamError(
                f"{text!r} compares with {value}, which is not a number", "compare text with == or !="
            )
        return cls(_unquoted(column), sign, _unquoted(value) if number is None else number)

    @property
    def name(self) -> str:
        """The rule as it is shown beside learners."""
        if self.operator is None:
            return f"column {self.column}"
        value = f"{self.value:.15g}" if isinstance(self.value, float) else self.value
        return f"{self.column} {self.operator} {value}"

    def flags(
        self,
        values: Sequence[Any],
        schema: Schema | None = None,
        where: Callable[[int], str] = "row {}".format,
    ) -> Bools:
        """Which rows are flagged, by their values in the column; one without a value is not."""
        schema = Schema() if schema is None else schema
        column = schema.by_name.get(self.column, Column(self.column, "number"))
        reading = Reading(schema)
        keys = [(type(value), str(value)) for value in values]  # JSON has values without a hash
        found: dict[tuple[type, str], bool] = {}
        for row, key in enumerate(keys):
            if key not in found:
                flag = self._flag(values[row], reading, column)
                if flag is None:
                    raise self._misfit(f"{where(row)}, column {self.column}", values[row])
                found[key] = flag
        return np.array([found[key] for key in keys], np.bool_)

    def _flag(self, value: Any, reading: Reading, column: Column) -> bool | None:
        """Whether a row is flagged; None where that cannot be decided."""
        text = reading.text(value, column)
        text = None if text is None else text.strip()
        if not text:
            return False
        if self.operator is None:
            decision = DECISIONS.get(text.lower())
            return None if decision is None else decision > 0.0
        compare = OPERATORS[self.operator]
        if isinstance(self.value, str):
            return compare(text, self.value)
        number = reading.number(value, column)
        if number is None:
            return None if self.operator not in ("==", "!=") else self.operator == "!="
        return not math.isnan(number) and compare(number, self.value)

    def _misfit(self, where: str, value: Any) -> CostreamError:
        if self.operator is None:
            return CostreamError(
                f"{where}: {value!r} is not a decision",
                "decisions are 1 or 0, true or false, yes or no, flag or pass",
            )
        return CostreamError(
            f"{where}: {value!r} is not a number, so that {self.name} cannot be decided",
            "compare text with == or !=",
        )


def _unquoted(text: str) -> str:
    return text[1:-1] if text[0] in "\"'`" else text


def _number(text: str) -> float | None:
    """A finite number; None for everything else, such as text in quotes."""
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None
