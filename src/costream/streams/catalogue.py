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
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path, PurePath

import numpy as np

from ..errors import CostreamError
from ..inputs import Batch
from .block import Block
from .dataset import Dataset, load_dataset
from .download import Unreachable, data_folder, downloaded, name_of
from .download import Watch as Watch
from .labels import as_objects
from .lines import line_blocks
from .reader import Stream
from .source import MAGIC, Source

COMPRESSIONS = ("", *MAGIC)
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
BINARY, MULTICLASS = f"{LIBSVM}/binary.html", f"{LIBSVM}/multiclass.html"
UCI = "https://archive.ics.uci.edu"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set: where its files are, and how to know that they are the right ones."""

    name: str
    title: str  # as the paper prints it
    files: tuple[str, ...]  # any one of them holds it, plain or compressed
    home: str  # a page for people
    rows: int
    features: int
    positives: int
    positive: str = "1"  # labels, as for --positive
    table: int | None = None  # of the paper, None for one that is not in it
    ratio: str = ""  # of positives to negatives, as the paper prints it
    sources: tuple[str, ...] = ()  # addresses of its parts, in order; none: it cannot be downloaded
    checksums: tuple[str, ...] = ()  # see `fingerprint`; empty if it was never at hand
    exact: bool = True  # whether the content must be one of the checksums
    layout: str = "libsvm"  # of files without that suffix; "csv": no header, numbers, the label last
    max_abs: bool = False  # columns are divided by their largest absolute value
    orders: str = ""  # a file of known permutations beside it
    stands_for: str = ""  # the name of another one that is hard to get
    note: str = ""  # how it differs from what the paper says


ENTRIES = (
    Entry(
        name="covtype",
        title="covtype",
        table=1,
        files=("covtype.libsvm", "covtype"),
        sources=(f"{LIBSVM}/binary/covtype.libsvm.binary.bz2",),
        home=f"{BINARY}#covtype.binary",
        rows=581_012,
        features=54,
        positive="2",
        positives=283_301,
        ratio="1:1",
        checksums=("7043da873fc94ca30085d0f4",),
        note="cover type 2 against the rest; the ratio is 1:1.05",
    ),
    Entry(
        name="german",
        title="german",
        table=1,
        files=("german.libsvm",),
        sources=(f"{LIBSVM}/binary/german.numer",),
        home=f"{BINARY}#german.numer",
        rows=1000,
        features=24,
        positives=300,
        ratio="1:2.3",
        checksums=("8ff365f4caf4e232a69bc904",),
        orders="german.perm20.txt",
    ),
    Entry(
        name="a9a",
        title="a9a",
        table=1,
        files=("a9a.libsvm",),
        sources=(f"{LIBSVM}/binary/a9a", f"{LIBSVM}/binary/a9a.t"),
        home=f"{BINARY}#a9a",
        rows=48_842,
        features=123,
        positives=11_687,
        ratio="1:3.2",
        checksums=("56a6409945d1c50efdeec4af",),
        note="the training and the test file, one after the other",
    ),
    Entry(
        name="ijcnn1",
        title="ijcnn1",
        table=1,
        files=("ijcnn1.libsvm",),
        sources=(f"{LIBSVM}/binary/ijcnn1.bz2",),
        home=f"{BINARY}#ijcnn1",
        rows=49_990,
        features=22,
        positives=4853,
        ratio="1:9.4",
        checksums=("2d55323b3829caf9c3ee5450",),
        note="Table 1 says 141691 rows, which is with the test file; the paper's costs are those of "
        "these 49990 rows, 1:9.30",
    ),
    Entry(
        name="mushrooms",
        title="mushrooms",
        table=4,
        files=("mushrooms.libsvm",),
        sources=(f"{LIBSVM}/binary/mushrooms",),
        home=f"{BINARY}#mushrooms",
        rows=8124,
        features=112,
        positive="2",
        positives=4208,
        ratio="1:1.07",
        checksums=("f69549212af1d101878eb1e0",),
        note="the ratio 1:1.07 is that of label 1; the paper's costs are those of label 2, 1:0.93",
    ),
    Entry(
        name="protein",
        title="protein",
        table=4,
        files=("protein.libsvm",),
        sources=(f"{LIBSVM}/multiclass/protein.bz2",),
        home=f"{MULTICLASS}#protein",
        rows=17_766,
        features=357,
        positive="0",
        positives=8198,
        ratio="1:1.7",
        note="the ratio 1:1.7 is a misprint: the paper's costs are those of label 0, 1:1.17",
    ),
    Entry(
        name="usps",
        title="usps",
        table=4,
        files=("usps.libsvm",),
        sources=(f"{LIBSVM}/multiclass/usps.bz2",),
        home=f"{MULTICLASS}#usps",
        rows=7291,
        features=256,
        positives=1194,
        ratio="1:5.11",
        checksums=("ae72d17c699acd765ce16268",),
        exact=False,
        note="the digit 0 against the rest; the copy that is known was computed from the ESL data "
        "zip.train, and agrees with that of LIBSVM to 1e-6",
    ),
    Entry(
        name="sensorless",
        title="Sensorless",
        table=4,
        files=("sensorless.libsvm",),
        sources=(f"{LIBSVM}/multiclass/Sensorless",),
        home=f"{MULTICLASS}#Sensorless",
        rows=58_509,
        features=48,
        positives=5319,
        ratio="1:10",
        note="the paper does not say which of the 11 classes is positive; all have 5319 rows",
    ),
    Entry(
        name="australian",
        title="Australian",
        table=7,
        files=("australian.libsvm",),
        sources=(f"{LIBSVM}/binary/australian",),
        home=f"{BINARY}#australian",
        rows=690,
        features=14,
        positives=307,
        ratio="1:1.25",
        checksums=("199abf5d59ebb65764e0dbd2",),
    ),
    Entry(
        name="magic04",
        title="Magic04",
        table=7,
        files=("magic04.libsvm",),
        sources=(f"{UCI}/ml/machine-learning-databases/magic/magic04.data",),
        home=f"{UCI}/dataset/159/magic+gamma+telescope",
        rows=19_020,
        features=10,
        positive="1,h",
        positives=6688,
        ratio="1:1.8",
        checksums=("a1041947391297bf2d679468",),
        layout="csv",
        note="hadrons (h, or label 1) are positive",
    ),
    Entry(
        name="dna",
        title="DNA",
        table=7,
        files=("dna.libsvm",),
        sources=(f"{LIBSVM}/multiclass/dna.scale",),
        home=f"{MULTICLASS}#dna",
        rows=2000,
        features=180,
        positives=464,
        ratio="1:3.31",
        checksums=("5ca440eee7a2ac6c9fd1adf7",),
    ),
    Entry(
        name="kddcup08",
        title="KDDCUP08",
        table=7,
        files=("kddcup08.libsvm",),
        home="https://www.kdd.org/kdd-cup/view/kdd-cup-2008",
        rows=102_294,
        features=117,
        positives=623,
        ratio="1:163.19",
        note="the training data of KDD Cup 2008 are given out after registration only",
    ),
    Entry(
        name="protein-val",
        title="protein.val",
        files=("protein_val.libsvm",),
        sources=(f"{LIBSVM}/multiclass/protein.val.bz2",),
        home=f"{MULTICLASS}#protein",
        rows=2871,
        features=357,
        positive="0",
        positives=1489,
        checksums=("7eee85aba5d721dcc39ce189",),
        stands_for="protein",
        note="the validation part of protein: 2871 of its 17766 rows, 1:0.93",
    ),
    Entry(
        name="sensorless2200",
        title="Sensorless-2200",
        files=("sensorless2200.libsvm",),
        home=f"{UCI}/dataset/325/dataset+for+sensorless+drive+diagnosis",
        rows=2200,
        features=48,
        positives=200,
        checksums=("9a4727497abdf47a32e07ad1",),
        stands_for="sensorless",
        note="200 rows of each of the 11 classes of Sensorless, 1:10",
    ),
    Entry(
        name="kdd99",
        title="KDD99",
        files=("kdd99_normal_r2l_u2r.libsvm",),
        home=f"{UCI}/dataset/130/kdd+cup+1999+data",
        rows=98_456,
        features=118,
        positive="1,2",
        positives=1178,
        checksums=("a08531040d64fa0953036880",),
        max_abs=True,
        stands_for="kddcup08",
        note="from kddcup.data_10_percent: all normal rows (label 0), R2L attacks (1) and U2R attacks "
        "(2) in their order; the 38 columns of numbers, then one column for each protocol (3), service "
        "(66) and flag (11); 1:82.6; when read, columns are divided by their largest absolute value",
    ),
    Entry(
        name="covtype-4",
        title="covtype-4",
        files=("covtype.libsvm", "covtype"),
        home=f"{MULTICLASS}#covtype",
        rows=581_012,
        features=54,
        positive="4",
        positives=2747,
        checksums=("319b065985d8da7181e3ee2d",),
        stands_for="kddcup08",
        note="cover type 4 against the rest, 1:210.5; it takes the file with all 7 labels",
    ),
    Entry(
        name="covtype-36",
        title="covtype-36",
        files=("covtype.libsvm", "covtype"),
        home=f"{MULTICLASS}#covtype",
        rows=581_012,
        features=54,
        positive="3,6",
        positives=53_121,
        checksums=("3e97d585d59ddef590dd2672",),
        stands_for="sensorless",
        note="cover types 3 and 6 against the rest, 1:9.94; it takes the file with all 7 labels",
    ),
    Entry(
        name="sector",
        title="sector",
        files=("sector.libsvm",),
        sources=(
            f"{LIBSVM}/multiclass/sector/sector.scale.bz2",
            f"{LIBSVM}/multiclass/sector/sector.t.scale.bz2",
        ),
        home=f"{MULTICLASS}#sector",
        rows=9619,
        features=55_197,
        positives=85,
        checksums=("9affed9e206e741373939bac",),
        exact=False,
        note="not in the paper: one of 105 classes of web pages against the rest, 1:112; tf-idf",
    ),
    Entry(
        name="news20",
        title="news20",
        files=("news20_multiclass.libsvm",),
        sources=(f"{LIBSVM}/multiclass/news20.bz2",),
        home=f"{MULTICLASS}#news20",
        rows=15_935,
        features=62_061,
        positives=797,
        checksums=("d442db579cf64d18d41d693e",),
        note="not in the paper: one of 20 newsgroups against the rest, 1:19; counts of words",
    ),
)
CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in ENTRIES}


class Missing(CostreamError):  # noqa: N818 (it is the data that are missing)
    """A data set is neither at hand nor to be downloaded."""


def load(
    name: str, folder: Path | None = None, *, download: bool = True, watch: Watch | None = None
) -> Dataset:
    """A data set by its name, read and checked; ``watch`` is told how a download goes on."""
    wanted = entry(name)
    paths = locate(wanted, folder)
    if paths is not None:
        data = _read(wanted, paths)
        known = _check(wanted, data, " and ".join(map(str, paths)))
    elif download and wanted.sources:
        try:
            data, known = _download(wanted, watch)
        except Unreachable as error:
            raise _missing(wanted, folder, f", and {error}") from None
    else:
        raise _missing(wanted, folder)
    if not known:
        warnings.warn(
            f"{wanted.title} has the right counts, but this copy of it was not seen before "
            f"(fingerprint {fingerprint(data)})",
            stacklevel=2,
        )
    return data


def entry(name: str) -> Entry:
    """The entry of that name, in whatever case."""
    found = CATALOGUE.get(name.lower())
    if found is None:
        close = get_close_matches(name.lower(), CATALOGUE, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(CATALOGUE)}"
        raise CostreamError(f"there is no data set {name!r} in the catalogue", hint)
    return found


def locate(entry: Entry, folder: Path | None) -> list[Path] | None:
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


def orders_path(entry: Entry, folder: Path | None) -> Path | None:
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
            f"there is no folder {named}", "--data or else COSTREAM_DATA names the folder of data sets"
        )
    return [Path(named), data_folder()]


def _file(place: Path, name: str) -> Path | None:
    """A file, plain or compressed."""
    paths = (place / f"{name}{suffix}" for suffix in COMPRESSIONS)
    return next((path for path in paths if os.path.isfile(path)), None)


def _plain(name: str) -> str:
    """The name without a suffix for compression."""
    path = PurePath(name)
    return path.stem if path.suffix in MAGIC else name


def _missing(entry: Entry, folder: Path | None, reason: str = "") -> Missing:
    places = _places(folder)
    where = " and not in ".join(map(str, places))
    if entry.sources:
        hint = "try again later" if reason else "let it be downloaded"
        hint += f", or put {' and '.join(entry.sources)} into {places[0]}"
    else:
        hint = (
            f"get it from {entry.home} and put it into {places[0]} as {entry.files[0]} ({entry.note})"
        )
    others = [one.name for one in CATALOGUE.values() if one.stands_for == entry.name]
    if others:
        hint += f"; {' or '.join(others)} can stand in for it"
    return Missing(f"{entry.title} is not at hand: {entry.files[0]} is not in {where}{reason}", hint)


def _download(entry: Entry, watch: Watch | None) -> tuple[Dataset, bool]:
    """The data, and whether their content is known; a complaint names the address, not the draft."""
    with downloaded(entry.sources, data_folder(), watch) as paths:
        try:
            data = _read(entry, paths)
            return data, _check(entry, data, " and ".join(entry.sources))
        except CostreamError as error:
            reason = str(error).partition("\n")[0]
            for path, address in zip(paths, entry.sources, strict=True):
                reason = reason.replace(str(path), address)
            hint = f"see {entry.home}; what was downloaded is not kept"
            raise CostreamError(reason, hint) from None


def _check(entry: Entry, data: Dataset, where: str) -> bool:
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
            f"rows must be in their order, and values not scaled or rounded; see {entry.home}",
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


def _read(entry: Entry, paths: Sequence[Path]) -> Dataset:
    """The rows of all files, one after the other."""
    with closing(_blocks(entry, paths)) as blocks:
        data, _ = load_dataset(blocks, entry.positive, " and ".join(map(str, paths)))
    return replace(data, rows=_by_largest(data.rows)) if entry.max_abs else data


def _blocks(entry: Entry, paths: Sequence[Path]) -> Generator[Block]:
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
            raise CostreamError(f"{where(t)}: {dense.shape[1]} numbers and a label are wanted")
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
