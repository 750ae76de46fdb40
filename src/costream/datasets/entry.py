"""What the catalogue knows of a data set, read from a TOML file and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ..errors import CostreamError


class CatalogueEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A data set: where its files are, and how to know that they are the right ones.

    The comment at the top of ``catalogue.toml`` says what each field means.
    """

    name: Annotated[str, Meta(pattern="^[^A-Z]+$")]
    title: str
    files: Annotated[tuple[str, ...], Meta(min_length=1)]
    home: str
    rows: int
    features: int
    positives: Annotated[int, Meta(gt=0)]
    positive: str = "1"
    table: int | None = None
    ratio: str = ""
    sources: tuple[str, ...] = ()
    checksums: tuple[Annotated[str, Meta(pattern="^[0-9a-f]{24}$")], ...] = ()
    exact: bool = True
    layout: Literal["libsvm", "csv"] = "libsvm"
    max_abs: bool = False
    orders: str = ""
    stands_for: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.positives >= self.rows:
            raise ValueError("positives must be less than rows")


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
            if not isinstance(table, dict) or "name" in table:
                raise ValueError("a table without a name in it is expected")
            entries[name] = msgspec.convert({"name": name, **table}, CatalogueEntry)
        except ValueError as error:
            raise CostreamError(f"{path}, [{name}]: {error}") from None
    for entry in entries.values():
        if entry.stands_for and entry.stands_for not in entries:
            raise CostreamError(f"{path}, [{entry.name}]: there is no data set {entry.stands_for!r}")
    return entries
