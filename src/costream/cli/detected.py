"""What was found out about the columns of a file, as it is printed and shown."""

from __future__ import annotations

from typing import Any

from ..files.reader import Stream, slots_of
from ..report.numbers import counted
from ..tables.coverage import Coverage
from ..tables.schema import Column, Schema
from ..tables.times import PARTS
from .terminal import notify

SHOWN = 4  # columns of a kind that are named
SIGNS = {",": "commas", ".": "points", " ": "spaces", "'": "apostrophes"}
AFTER = {"hour": "2 days", "weekday": "2 weeks", "day": "2 months", "month": "2 years"}
COUNTED = {"number": ("number", "numbers"), "time": ("time", "times")}


def report_columns(stream: Stream) -> None:
    """Print what the columns hold, and what else was noticed."""
    if stream.schema is not None:
        notify(columns_line(stream.schema))
        report_number_formats(stream.schema)
        report_target_encoding(stream.schema)
        report_time_parts(stream.schema)


def columns_line(schema: Schema) -> str:
    """The columns by their kinds, in one line."""
    keys = tuple(one.name for one in schema.features if one.key)
    words = tuple(one.name for one in schema.features if one.words)
    by_kind = {kind: schema.named(kind) for kind in ("number", "text", "yes/no", "time")}
    by_kind["text"] = tuple(name for name in by_kind["text"] if name not in (*keys, *words))
    parts = [
        f"{len(names)} {COUNTED.get(kind, (kind, kind))[len(names) > 1]} ({_some(names)})"
        for kind, names in {**by_kind, "text of words": words}.items()
        if names
    ]
    if keys:
        how = "--number NAME reads one as numbers"
        parts.append(f"{counted(len(keys), 'key')} read as text ({_some(keys)}; {how})")
    ids, left_out = schema.named("id"), schema.named("left out")
    if ids:
        parts.append(f"{counted(len(ids), 'id')} left out ({_some(ids)})")
    if left_out:
        parts.append(f"{len(left_out)} {'more ' if ids else ''}left out ({_some(left_out)})")
    costs = schema.named("cost")
    if costs:
        parts.append(f"{counted(len(costs), 'cost')} not used as a feature ({_some(costs)})")
    return f"columns: {', '.join(parts) or 'no features'}"


def report_number_formats(schema: Schema) -> None:
    """Print how numbers are written that Python would write in another way."""
    ways: dict[str, list[str]] = {}
    for one in schema.columns:
        if way := writing_of(one):
            ways.setdefault(way, []).append(one.name)
    for way, names in ways.items():
        notify(f"numbers with {way}: {_some(names)}")


def report_target_encoding(schema: Schema) -> None:
    """Print which columns of text have many values, and become a target encoding."""
    words = [one.name for one in schema.columns if one.words and one.target_encoding]
    if words:
        notify(f"{_some(words)}: target encoding of the words (the share of positives so far)")
    names = [
        one.name
        for one in schema.columns
        if one.kind == "text" and one.target_encoding and not one.words
    ]
    if names:
        notify(f"{_some(names)}: many values, so target encoding (the share of positives so far)")


def report_time_parts(schema: Schema) -> None:
    """Print which parts of times become features, and when."""
    names = schema.named("time")
    if names:
        after = ", ".join(f"{part} after {AFTER[part]}" for part in PARTS)
        notify(
            f"{_some(names)}: a part of a time is a feature once rows have covered it twice ({after})"
        )


def report_hashing(stream: Stream) -> None:
    """Print how full the hash of text values is."""
    slots = slots_of(stream)
    others = {} if stream.schema is None else stream.schema.by_name
    names = [one for one in slots.columns if one not in others or others[one].kind == "text"]
    if names:
        notify(
            f"text: {_some(names)}; {counted(slots.used, 'feature')} of "
            f"{1 << slots.bits:,} hash slots; about {slots.collisions():,.0f} values share a slot"
        )


def schema_facts(schema: Schema) -> dict[str, Any]:
    """What a schema says about all columns together."""
    return {
        "missing_words": list(schema.missing),
        "time_zone": schema.time_zone,
        "hash_bits": schema.bits,
    }


def schema_rows(schema: Schema, coverage: Coverage | None = None) -> list[dict[str, Any]]:
    """The columns of a schema: the name, the kind and how each is read, by a model that has learnt."""
    return [
        {"column": one.name, "kind": one.kind, "reading": reading_of(one, coverage)}
        for one in schema.columns
    ]


def reading_of(column: Column, coverage: Coverage | None = None) -> str:
    """How the values of a column are read, in words."""
    parts = []
    if column.kind == "yes/no":
        parts.append("1 or 0")
    if writing := writing_of(column):
        parts.append(writing)
    if column.kind == "text":
        each = "a feature for each word, its count" if column.words else "a feature for each value"
        many = "target encoding: the share of positives among earlier rows with the value"
        if column.words:
            many = "target encoding: the sum and the highest share of positives so far of its words"
        parts.append(many if column.target_encoding else each)
        if column.exact:
            parts.append("as it stands")
    if column.kind == "time":
        parts += _time_reading(None if coverage is None else coverage.begun(column.name))
        if column.day_first is not None:
            parts.append("the day first" if column.day_first else "the month first")
    if column.is_feature and column.missing_indicator:
        parts.append(f"{column.name}=missing where there is none")
    return "; ".join(parts)


def _time_reading(begun: tuple[bool, ...] | None) -> list[str]:
    """Which parts of a time are features, and which are not yet: their periods were not seen twice."""
    if begun is None:
        return [", ".join(PARTS)]
    used = [part for part, yes in zip(PARTS, begun, strict=True) if yes]
    later = [f"{part} after {AFTER[part]}" for part in PARTS if part not in used]
    return [one for one in (", ".join(used), f"not yet: {', '.join(later)}" if later else "") if one]


def writing_of(column: Column) -> str:
    """How the numbers of a column are written, empty where it is as in Python."""
    parts = ["decimal commas"] if column.decimal == "," else []
    parts += [f"{SIGNS[column.thousands]} between thousands"] if column.thousands else []
    return " and ".join(parts) if column.kind in ("number", "cost") else ""


def _some(names: list[str] | tuple[str, ...]) -> str:
    """The first names; points stand for more."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
