"""The data sets of the paper and those that stand in for them: what they are, and where to get them.

A data set is looked for in a folder (``COSTREAM_DATA``), then among those downloaded before; then it is
downloaded from where it was published. Its counts and its content are checked wherever it comes from.
"""

from __future__ import annotations

import hashlib
import math
import os
import warnings
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path, PurePath
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from ..errors import CostreamError
from ..files.blocks import Block
from ..files.reader import Stream
from ..files.source import MAGIC, Source, line_blocks
from ..labels.labels import parsed_labels
from ..labels.parsing import as_objects
from ..tables.arrays import Batch
from .dataset import Dataset, load_dataset
from .download import OnProgress, Unreachable, data_folder, downloaded, name_of


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


COMPRESSIONS = ("", *MAGIC)
FILE = Path(__file__).with_name("catalogue.toml")


class Missing(CostreamError):  # noqa: N818 (it is the data that are missing)
    """A data set is neither at hand nor to be downloaded."""


# --- data sets --------------------------------------------------------------------------------------


@cache
def entries() -> dict[str, CatalogueEntry]:
    return read_catalogue(FILE)


def load(
    name: str,
    folder: Path | None = None,
    *,
    download: bool = True,
    on_progress: OnProgress | None = None,
) -> Dataset:
    """A data set by its name, read and checked; ``on_progress`` is called as a download goes on."""
    wanted = entry(name)
    paths = locate(wanted, folder)
    if paths is not None:
        data = _read(wanted, paths)
        known = _check(wanted, data, " and ".join(map(str, paths)))
    elif download and wanted.sources:
        try:
            data, known = _download(wanted, on_progress)
        except Unreachable as error:
            raise _missing(wanted, folder, f", and {error}") from None
    else:
        raise _missing(wanted, folder)
    if not known:
        warnings.warn(
            f"{wanted.title} has the right counts, but this copy was not seen before "
            f"(fingerprint {fingerprint(data)})",
            stacklevel=2,
        )
    return data


def entry(name: str) -> CatalogueEntry:
    """The entry of that name, in whatever case."""
    found = entries().get(name.lower())
    if found is None:
        close = get_close_matches(name.lower(), entries(), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(entries())}"
        raise CostreamError(f"there is no data set {name!r} in the catalogue", hint)
    return found


def locate(entry: CatalogueEntry, folder: Path | None) -> list[Path] | None:
    """The files of a data set, its parts in order, or None if they are nowhere.

    Looked for in the folder, or else in that of ``COSTREAM_DATA``, then among those downloaded before.
    """
    wholes = [[file] for file in entry.files]
    parts = [_plain(name_of(address)) for address in entry.sources]
    for place in _places(folder):
        for names in [*wholes, parts] if parts else wholes:
            paths = [path for name in names if (path := _file(place, name)) is not None]
            if len(paths) == len(names):
                return paths
    return None


def orders_path(entry: CatalogueEntry, folder: Path | None) -> Path | None:
    """The file of known permutations of a data set, if it has one and that is at hand."""
    if not entry.orders:
        return None
    found = (_file(place, entry.orders) for place in _places(folder))
    return next((path for path in found if path is not None), None)


def _places(folder: Path | None) -> list[Path]:
    """Where files are looked for: the folder that somebody named, then that of downloads."""
    named = folder or os.environ.get("COSTREAM_DATA")
    if not named:
        return [data_folder()]
    if not os.path.isdir(named):
        raise CostreamError(
            f"there is no folder {named}", "set the folder of data sets with --data or COSTREAM_DATA"
        )
    return [Path(named), data_folder()]


def _file(place: Path, name: str) -> Path | None:
    paths = (place / f"{name}{suffix}" for suffix in COMPRESSIONS)
    return next((path for path in paths if os.path.isfile(path)), None)


def _plain(name: str) -> str:
    """The name without a suffix for compression."""
    path = PurePath(name)
    return path.stem if path.suffix in MAGIC else name


def _missing(entry: CatalogueEntry, folder: Path | None, reason: str = "") -> Missing:
    places = _places(folder)
    where = " and not in ".join(map(str, places))
    if entry.sources:
        hint = "try again later" if reason else "allow the download"
        hint += f", or put {' and '.join(entry.sources)} into {places[0]}"
    else:
        hint = (
            f"get it from {entry.home} and put it into {places[0]} as {entry.files[0]} ({entry.note})"
        )
    others = [one.name for one in entries().values() if one.stands_for == entry.name]
    if others:
        hint += f"; {' or '.join(others)} can stand in for it"
    return Missing(f"{entry.title} is not at hand: {entry.files[0]} is not in {where}{reason}", hint)


def _download(entry: CatalogueEntry, on_progress: OnProgress | None) -> tuple[Dataset, bool]:
    """The data, and whether their content is known; an error names the address."""
    with downloaded(entry.sources, data_folder(), on_progress) as paths:
        try:
            data = _read(entry, paths)
            return data, _check(entry, data, " and ".join(entry.sources))
        except CostreamError as error:
            reason = str(error).partition("\n")[0]
            for path, address in zip(paths, entry.sources, strict=True):
                reason = reason.replace(str(path), address)
            hint = f"see {entry.home}; what was downloaded is not kept"
            raise CostreamError(reason, hint) from None


def _check(entry: CatalogueEntry, data: Dataset, where: str) -> bool:
    """Whether the content is known; an error says what is not as it must be."""
    found = {"rows": len(data), "features": data.rows.largest, "positives": data.positives}
    wrong = [
        f"{count:,} {what} instead of {getattr(entry, what):,}"
        for what, count in found.items()
        if count != getattr(entry, what)
    ]
    if wrong:
        raise CostreamError(
            f"{where} is not {entry.title}: {', '.join(wrong)}",
            f"remove or replace it; see {entry.home}",
        )
    known = fingerprint(data) in entry.checksums
    if not known and entry.exact and entry.checksums:
        raise CostreamError(
            f"{where} is not {entry.title}: the counts are right, but the content is not",
            f"rows must be in their original order, and values not scaled or rounded; see {entry.home}",
        )
    return known


def fingerprint(data: Dataset) -> str:
    """24 hex digits that are the same for the same content, whatever files it came in."""
    rows = data.rows.entries_where(data.rows.value != 0.0)
    row = np.repeat(np.arange(rows.rows), np.diff(rows.start).astype(np.int64))
    keys = row * 2**32 + rows.index
    index, value = rows.index, rows.value
    if (keys[1:] < keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        index, value = index[order], value[order]
    digest = hashlib.sha256()
    for array, kind in ((rows.start, "<u8"), (index, "<u4"), (value, "<f8"), (data.positive, "u1")):
        digest.update(array.astype(kind).tobytes())
    return digest.hexdigest()[:24]


def _read(entry: CatalogueEntry, paths: Sequence[Path]) -> Dataset:
    """The rows of all files, one after the other."""
    with closing(_blocks(entry, paths)) as blocks:
        data, _ = load_dataset(blocks, parsed_labels(entry.positive), " and ".join(map(str, paths)))
    return replace(data, rows=_by_largest(data.rows)) if entry.max_abs else data


def _blocks(entry: CatalogueEntry, paths: Sequence[Path]) -> Generator[Block]:
    for path in paths:
        if entry.layout == "csv" and PurePath(_plain(path.name)).suffix != ".libsvm":
            yield _table(path)
        else:
            with Stream(path, format="libsvm") as stream:
                yield from stream


def _table(path: Path) -> Block:
    """Numbers between commas, the label last; columns are numbered from 1, as in LIBSVM text."""
    with closing(Source(path)) as source:
        lines = b"".join(map(bytes, line_blocks(source))).splitlines()
    fields = [line.split(b",") for line in lines if line.strip()]

    def where(t: int) -> str:
        return f"{path}, row {t + 1}"

    dense = np.empty((len(fields), len(fields[0]) - 1 if fields else 0))
    for t, line in enumerate(fields):
        try:
            numbers = [float(field) for field in line[:-1]]
        except ValueError:
            numbers = []
        if len(numbers) != dense.shape[1] or not all(map(math.isfinite, numbers)):
            raise CostreamError(f"{where(t)}: {dense.shape[1]} numbers and a label are expected")
        dense[t] = numbers
    row, column = np.nonzero(dense)
    start = np.searchsorted(row, np.arange(len(fields) + 1)).astype(np.uint64)
    rows = Batch(start, (column + 1).astype(np.uint32), dense[row, column], 0)
    labels = np.empty(len(fields), object)
    labels[:] = [line[-1] for line in fields]
    return Block(rows, None, as_objects(labels), where)


def _by_largest(rows: Batch) -> Batch:
    """Values divided by the largest absolute value of their column."""
    largest = np.zeros(rows.largest + 1)
    np.maximum.at(largest, rows.index, np.abs(rows.value))
    return replace(rows, value=rows.value / largest[rows.index])
