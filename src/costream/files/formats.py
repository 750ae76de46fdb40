"""The formats of files: one table, from which names, suffixes, first bytes and readers come.

A new format is a line of `FORMATS` and a file with its reader.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import CostreamError
from .foreign import refuse_foreign

if TYPE_CHECKING:
    from .source import Source

FEATURE = rb"(?:\d+:[-+.\deE]+|qid:\S+)"
LIBSVM_LINE = re.compile(
    rb"(?:[^\s:]+|%b)(?:\s+%b)+\s*(?:#.*)?|(?:[^\s:,;|]+|%b)\s*(?:#.*)?" % (FEATURE, FEATURE, FEATURE)
)
DELIMITERS = (b"\t", b",", b";", b"|")  # of several that are as frequent in a line, the first


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str  # as --format has it
    title: str  # in a sentence
    reader: str  # module and function that makes blocks: ``read(source, layout, slots, warn)``
    suffixes: tuple[str, ...]
    magic: tuple[bytes, ...] = ()  # how its files begin, if they are binary
    has_names: bool = True  # of its columns
    fits: Callable[[bytes], bool] = lambda _line: False  # the first line, for text without a suffix

    @property
    def is_binary(self) -> bool:
        """Whether it has no lines, and is of use only when it is complete."""
        return bool(self.magic)


def _is_json(line: bytes) -> bool:
    return line.startswith((b"{", b"["))


def _delimiter(line: bytes) -> bytes | None:
    """What most likely stands between the fields of a line that is not JSON."""
    found = max(DELIMITERS, key=line.count)
    return found if found in line and not _is_json(line) else None


def _is_libsvm(line: bytes) -> bool:
    return not _is_json(line) and (_delimiter(line) is None or LIBSVM_LINE.fullmatch(line) is not None)


def _is_csv(line: bytes) -> bool:
    return _delimiter(line) not in (None, b"\t")


_ALL = (  # where a line fits several, the first
    Format(
        "libsvm",
        "LIBSVM",
        "libsvm:read",
        (".libsvm", ".svmlight", ".svm"),
        has_names=False,
        fits=_is_libsvm,
    ),
    Format(
        "csv",
        "CSV",
        "csv:csv_blocks",
        (".csv",),
        fits=_is_csv,
    ),
    Format("tsv", "TSV", "csv:tsv_blocks", (".tsv",), fits=lambda line: _delimiter(line) == b"\t"),
    Format("jsonl", "JSON lines", "jsonl:jsonl_blocks", (".jsonl", ".ndjson", ".json"), fits=_is_json),
    Format("parquet", "Parquet", "columnar:parquet_blocks", (".parquet", ".pq"), (b"PAR1",)),
    Format(
        "arrow",
        "Arrow",
        "columnar:arrow_blocks",
        (".arrow", ".arrows", ".feather", ".ipc"),
        (b"ARROW1", b"\xff\xff\xff\xff"),
    ),
)
FORMATS = {one.name: one for one in _ALL}
SUFFIXES = {suffix: one for one in _ALL for suffix in one.suffixes}
BINARY = {magic: one for one in _ALL for magic in one.magic}


def titles(formats: Iterable[Format], last: str = "and") -> str:
    *others, end = [one.title for one in formats]
    return f"{', '.join(others)} {last} {end}" if others else end


def format_named(name: str) -> Format:
    """The format of a name."""
    if name not in FORMATS:
        raise CostreamError(f"unknown format {name!r}", f"use one of {', '.join(FORMATS)}")
    return FORMATS[name]


def guess_format(source: Source) -> Format:
    """The format, by the suffix of the name or else by the first bytes."""
    if source.suffix in SUFFIXES:
        return SUFFIXES[source.suffix]
    head = source.start()
    refuse_foreign(source.name, source.suffix, head, None)  # compressed files, too
    for magic, binary in BINARY.items():
        if head.startswith(magic):
            return binary
    head = head.removeprefix(BOM_UTF8)
    lines = [line.strip() for line in head.splitlines() if line.strip()]
    line = next((line for line in lines if not line.startswith(b"#")), b"")
    if b"\n" not in head:  # a line that is cut: its last word may be half
        line = line.rsplit(None, 1)[0] if line.split()[1:] else line
    return next((one for one in _ALL if one.fits(line)), FORMATS["libsvm"])
