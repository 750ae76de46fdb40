"""What the catalogue knows of a data set, read from a TOML file and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from ..errors import CostreamError

Value = str | int | bool | tuple[str, ...]
LAYOUTS = ("libsvm", "csv")
CHECKSUM = re.compile("[0-9a-f]{24}")


@dataclass(frozen=True, kw_only=True)
class CatalogueEntry:
    """A data set: where its files are, and how to know that they are the right ones.

    The comment at the top of ``catalogue.toml`` says what each field means.
    """

    name: str
    title: str
    files: tuple[str, ...]
    home: str
    rows: int
    features: int
    positives: int
    positive: str = "1"
    table: int | None = None
    ratio: str = ""
    sources: tuple[str, ...] = ()
    checksums: tuple[str, ...] = ()
    exact: bool = True
    layout: str = "libsvm"
    max_abs: bool = False
    orders: str = ""
    stands_for: str = ""
    note: str = ""


TYPES = {
    "str": str,
    "int": int,
    "int | None": int,
    "bool": bool,
    "tuple[str, ...]": tuple,
}


def read_catalogue(path: Path) -> dict[str, CatalogueEntry]:
    """The entries of a catalogue by their names, in the order of the file."""
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise CostreamError(f"{path}: {error}") from None
    entries = {}
    for name, table in tables.items():
        try:
            entries[name] = _read_entry(name, table)
        except ValueError as error:
            raise CostreamError(f"{path}, [{name}]: {error}") from None
    for entry in entries.values():
        if entry.stands_for and entry.stands_for not in entries:
            raise CostreamError(f"{path}, [{entry.name}]: there is no data set {entry.stands_for!r}")
    return entries


def _read_entry(name: str, table: object) -> CatalogueEntry:
    """An entry from its table; a ValueError says what is wrong with it."""
    if not isinstance(table, Mapping):
        raise ValueError("a table is expected")
    known = {field.name: field for field in fields(CatalogueEntry) if field.name != "name"}
    if unknown := set(table) - set(known):
        raise ValueError(f"unknown key {min(unknown)!r}")
    values: dict[str, Value] = {}
    for key, field in known.items():
        if key in table:
            values[key] = _checked(key, table[key], TYPES[str(field.type)])
        elif field.default is MISSING:
            raise ValueError(f"{key} is missing")
    entry = CatalogueEntry(name=name, **values)  # type: ignore[arg-type]
    if name != name.lower():
        raise ValueError("a name must be in lower case")
    if entry.layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}")
    if not 0 < entry.positives < entry.rows:
        raise ValueError("positives must be more than 0 and less than rows")
    if not entry.files:
        raise ValueError("files must name at least one file")
    if wrong := [one for one in entry.checksums if not CHECKSUM.fullmatch(one)]:
        raise ValueError(f"{wrong[0]!r} is not a checksum of 24 hexadecimal digits")
    return entry


def _checked(key: str, value: object, wanted: type) -> Value:
    """The value of a key, if it has the right type."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = tuple(value)
    if type(value) is not wanted:
        kind = "list of strings" if wanted is tuple else wanted.__name__
        raise ValueError(f"{key} must be of type {kind}, not {value!r}")
    assert isinstance(value, str | int | tuple)
    return value
