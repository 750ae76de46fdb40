"""Any file as a stream of blocks: the format found out, and read ahead in a second thread."""

from __future__ import annotations

import queue
import re
import threading
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any

from ..errors import CostreamError
from .block import IN_FLIGHT, Block, Layout
from .hashing import TextSlots
from .libsvm import libsvm_blocks
from .source import Source

FORMATS = ("libsvm", "csv", "tsv", "jsonl", "parquet", "arrow")
SUFFIXES = {
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
AHEAD = IN_FLIGHT - 2  # blocks that wait to be learnt
PATIENCE = 2.0  # seconds, see `Stream`
FEATURE = rb"(?:\d+:[-+.\deE]+|qid:\S+)"
LIBSVM_LINE = re.compile(
    rb"(?:[^\s:]+|%b)(?:\s+%b)+\s*(?:#.*)?|(?:[^\s:,]+|%b)\s*(?:#.*)?" % (FEATURE, FEATURE, FEATURE)
)


class Stream:
    """The blocks of a file, read by one thread while another one learns from them.

    The first block decides what columns and labels mean, so from a pipe it is as long as from a file,
    unless the pipe pauses for ``patience`` seconds. Later ones come as soon as they can be had.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".libsvm") as file:
    ...     _ = file.write("+1 1:0.5 7:2\\n-1 2:1e-3\\n")
    ...     file.flush()
    ...     with Stream(file.name) as stream:
    ...         [(block.rows.rows, block.label.tolist()) for block in stream]
    [(2, [1.0, -1.0])]
    """

    def __init__(
        self,
        path: Any,
        layout: Layout | None = None,
        *,
        format: str | None = None,  # noqa: A002 (the name of the option)
        slots: TextSlots | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.layout = layout or Layout()
        self.slots = slots or TextSlots(self.layout.hash_bits)
        if format is not None and format not in FORMATS:
            raise CostreamError(f"unknown format {format!r}", f"known are {', '.join(FORMATS)}")
        self.source = Source(path)
        self.source.patience = patience
        try:
            self.format = format or guess_format(self.source)
            self._blocks = self._read()
        except BaseException:
            self.source.close()
            raise
        self._queue: queue.Queue[Any] = queue.Queue(AHEAD)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._fill, name="costream reader", daemon=True)
        self._started = False
        self.label: str | None = None  # the column of the label, once a block has been read

    def _read(self) -> Iterator[Block]:
        """The reader of the format, which does nothing before it is asked for a block."""
        if self.format == "libsvm":
            self._refuse_columns()
            return libsvm_blocks(self.source)
        if self.format == "jsonl":
            from .jsonl import jsonl_blocks

            return jsonl_blocks(self.source, self.layout, self.slots)
        from . import tables

        if self.format in ("csv", "tsv"):
            delimiter = None if self.format == "csv" else "\t"
            return tables.csv_blocks(self.source, self.layout, self.slots, delimiter)
        read = tables.parquet_blocks if self.format == "parquet" else tables.arrow_blocks
        return read(self.source, self.layout, self.slots)

    def _refuse_columns(self) -> None:
        if any(map(self.layout.needs, (*self.layout.special, *self.layout.text))):
            raise CostreamError(
                f"{self.source.name} is LIBSVM text, which has no columns with names",
                "say --format if it is something else; its label stands first in each line",
            )

    def _fill(self) -> None:
        item: Any = None
        try:
            for item in self._blocks:
                if not self._put(item):
                    return
            item = None
        except BaseException as error:
            item = error
        self._put(item)

    def _put(self, item: Any) -> bool:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def __iter__(self) -> Iterator[Block]:
        if not self._started:
            self._started = True
            self._thread.start()
        while not self._stop.is_set():
            try:
                item = self._queue.get(timeout=0.1)
            except queue.Empty:
                continue
            if item is None or isinstance(item, BaseException):
                self._stop.set()
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            self.label = item.label_name
            yield item

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stop(self) -> None:
        """Give no more blocks."""
        self._stop.set()

    def close(self) -> None:
        """Stop reading; a thread that waits for a pipe is left alone."""
        self.stop()
        if self._started and not self.source.live:
            self._thread.join()
        self.source.close()


def guess_format(source: Source) -> str:
    """The format, by the suffix of the name or else by the first bytes."""
    if source.suffix in SUFFIXES:
        return SUFFIXES[source.suffix]
    head = source.start()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    head = head.removeprefix(BOM_UTF8)
    lines = [line.strip() for line in head.splitlines() if line.strip()]
    line = next((line for line in lines if not line.startswith(b"#")), b"")
    if line.startswith((b"{", b"[")):
        return "jsonl"
    if b"\n" not in head:  # a line that is cut: its last word may be half
        line = line.rsplit(None, 1)[0] if line.split()[1:] else line
    if LIBSVM_LINE.fullmatch(line):
        return "libsvm"
    counts = {delimiter: line.count(delimiter) for delimiter in (b"\t", b",", b";", b"|")}
    if not any(counts.values()):
        return "libsvm"
    return "tsv" if max(counts, key=counts.__getitem__) == b"\t" else "csv"
