"""Warnings about values that their columns cannot hold, and of signs that may mean two things."""

from __future__ import annotations

from shlex import quote
from typing import Any

from .numbers import number_of
from .schema import Column
from .times import time_of


def invalid_message(where: str, value: Any, column: Column) -> str:
    """The warning of a value that does not fit into its column."""
    what = {"number": "a number", "time": "a time", "yes/no": "yes or no, true or false"}[column.kind]
    name, other = column.name, "," if column.decimal == "." else "."
    otherwise = ""
    if isinstance(value, str) and column.kind == "number":
        reads = number_of(value, other, "", frozenset()) is not None
        otherwise = f"--decimal {other} reads such numbers, " if reads else ""
    elif isinstance(value, str) and column.kind == "time" and column.day_first is not None:
        reads = time_of(value, not column.day_first, digits=False) is not None
        order = "month" if column.day_first else "day"
        otherwise = f"--{order}-first reads such times, " if reads else ""
    return (
        f"{where}: {value!r:.60} is not {what}; such values count as missing ({otherwise}"
        f"--text {quote(name)} reads the column as text, --ignore {quote(name)} leaves it out; in "
        f'Python: Schema({{{name!r}: "text"}}) or "left out")'
    )


def grouped_message(value: str, column: Column) -> str:
    """The warning of a separator of thousands in a column that has had none so far."""
    sign = "," if column.decimal == "." else "."
    return (
        f"column {column.name}: in {value.strip():.40}, {sign!r} is taken to separate thousands, which "
        f"there were none of before; if it is the decimal sign, say --decimal {sign} (in Python: "
        f"Schema(decimal={sign!r}))"
    )
