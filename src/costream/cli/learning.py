"""Learning from a stream as it is read: tallies, progress, and Ctrl-C."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

import numpy as np

from .._typing import Bools, Floats
from ..costs.metrics import METRICS
from ..costs.tally import Costs, Tally
from ..errors import CostreamError
from ..evaluation.evaluating import learn_stream
from ..evaluation.record import Record
from ..files.blocks import Block
from ..files.following import Following
from ..files.reader import Stream
from ..labels.labels import WHERE_IT_IS, Labels
from ..model.classifier import OnlineClassifier, core_of
from ..report.numbers import counted, number
from ..report.tables import metric_text
from .detected import report_columns, report_hashing
from .terminal import Progress, notify

OUT_OF_ORDER = (
    "is earlier than the row before it: the rows are not in the order of time, so results may look "
    "better than they are"
)


class Timeline:
    """The period of the rows of a stream, where a column of their times is named.

    With ``ordered``, there is one warning if a row is earlier than the one before it.
    """

    def __init__(self, ordered: bool = True) -> None:
        self._ordered = ordered
        self._first = self._last = self._before = np.datetime64("NaT", "us")

    def add(self, block: Block) -> None:
        """Take the times of a block, in its order; missing ones are skipped."""
        if block.moments is None:
            return
        at = np.flatnonzero(~np.isnat(block.moments))
        if not len(at):
            return
        times = block.moments[at]
        if self._ordered:
            falls = times < np.concatenate([[self._before], times[:-1]])  # never, against NaT
            if falls.any():
                self._ordered = False
                notify(f"warning: {block.where(int(at[np.argmax(falls)]))} {OUT_OF_ORDER}")
        self._before = times[-1]
        self._first = np.fmin(self._first, times.min())
        self._last = np.fmax(self._last, times.max())

    @property
    def period(self) -> dict[str, str | None]:
        """The first and the last time, as ISO 8601 writes them."""
        if np.isnat(self._first):
            return {"from": None, "to": None}
        first, last = np.datetime_as_string(np.array([self._first, self._last]), unit="s").tolist()
        return {"from": first, "to": last}

    def end(self) -> None:
        """Tell the period."""
        if not np.isnat(self._first):
            both = np.datetime_as_string(np.array([self._first, self._last]), unit="m").tolist()
            first, last = (one.replace("T", " ") for one in both)
            notify(f"times: {first} to {last}")


FIRST_LINE = 100  # rows; the next lines come at each doubling
SHOWN = [METRICS[name] for name in ("sensitivity", "specificity", "sum", "cost", "savings")]
HEADER = ("rows", *(metric.title for metric in SHOWN), "rows/s")
WIDTHS = (13, 12, 12, 8, 14, 9, 12)


class Interruptible:
    """Ctrl-C ends a stream after the block at hand; a second one ends the program at once."""

    def __init__(self, stream: Stream | Following, also: int | None = None) -> None:
        self._stream = stream
        self._signals = [signal.SIGINT] if also is None else [signal.SIGINT, also]
        self.code = 0  # for the program to end with

    @property
    def hit(self) -> bool:
        return self.code != 0

    def __enter__(self) -> Interruptible:
        self._before = {which: signal.signal(which, self._handle) for which in self._signals}
        return self

    def __exit__(self, *_: object) -> None:
        for which, handler in self._before.items():
            signal.signal(which, handler)

    def _handle(self, which: int, frame: FrameType | None) -> None:
        if self.hit:
            raise KeyboardInterrupt
        self.code = 128 + which
        self._stream.stop()


class Journal(Record):
    """The record of a stream, with a line on standard error at each doubling of the rows."""

    def __init__(self, costs: Costs) -> None:
        super().__init__(costs)
        self.timeline = Timeline()
        self._printed = -1
        self._last = (0, 0.0)  # rows and seconds at the last line

    def end(self, stream: Stream) -> None:
        """The last line, the period, what was skipped, and a warning if there is only one class."""
        self.line()
        self.timeline.end()
        report_rows(stream, self.unlabelled, self.tally.positives, self.tally.negatives)
        report_undefined_savings(self.tally)

    def add_block(self, scores: Floats, positive: Bools, block: Block) -> None:
        """Count the rows of a block that have a label, and print the lines that fall into it."""
        self.timeline.add(block)
        super().add_block(scores, positive, block)

    def first_point(self) -> int:
        return FIRST_LINE

    def point(self) -> int:
        self.line()
        return 2 * self.tally.rows

    def shown_in(self, bar: Progress, stream: Stream) -> Callable[[Block], None]:
        """What shows after each block in a bar how many rows of a stream there are by now."""
        return lambda _: bar.to(stream.source.position, f"{self.tally.rows:,} rows")

    def line(self) -> None:
        """A line for the rows so far, unless it is there already."""
        if self._printed == self.tally.rows:
            return
        if self._printed < 0:
            notify(_aligned(HEADER))
        self._printed = self.tally.rows
        tally = self.tally
        rows, seconds = tally.rows - self._last[0], self.seconds - self._last[1]
        self._last = (tally.rows, self.seconds)
        cells = (
            f"{tally.rows:,}",
            *(metric_text(one, one.value(tally, self.costs.alpha_p)) for one in SHOWN),
            number(rows / max(seconds, 1e-9), 0, plain=True),
        )
        notify(_aligned(cells))


def _aligned(cells: Sequence[str]) -> str:
    """Cells in their columns, with a space between them however long they are."""
    return "".join(f" {cell}".rjust(width) for cell, width in zip(cells, WIDTHS, strict=True))


def learn(
    model: OnlineClassifier,
    stream: Stream,
    journal: Journal,
    what: str,
    announce: Callable[[Labels], None],
) -> None:
    """Learn from a stream, with a journal, and a progress bar on a terminal."""
    with Progress(what, stream.source.size) as bar:
        on_block = journal.shown_in(bar, stream)
        learn_stream(model, stream, journal, on_start=announce, on_block=on_block)
    if journal.started:
        journal.end(stream)
        report_hashing(stream)
    if journal.unlabelled and not journal.tally.rows:
        raise no_label(stream.source.name)


def learn_again(model: OnlineClassifier, stream: Stream, what: str) -> None:
    """Learn from a stream whose rows the model has seen before: there is nothing to be measured."""
    rows = 0
    with Progress(what, stream.source.size) as bar:

        def count(block: Block, *_: object) -> None:
            nonlocal rows
            rows += block.rows.rows
            bar.to(stream.source.position, f"{rows:,} rows")

        with warnings.catch_warnings(), core_of(model).learning_again():
            warnings.simplefilter("ignore", UserWarning)  # of what the first pass has warned of
            model.learn_stream(stream, on_block=count)


def watched(stream: Stream, what: str, timeline: Timeline | None = None) -> Iterator[Block]:
    """The blocks of a stream, with a progress bar on a terminal; a timeline takes their times."""
    rows = 0
    with Progress(what, stream.source.size) as bar:
        for block in stream:
            if timeline is not None:
                timeline.add(block)
            yield block
            rows += block.rows.rows
            bar.to(stream.source.position, f"{rows:,} rows")


def report_undefined_savings(tally: Tally) -> None:
    if tally.nothing_to_save:
        notify(f"savings are undefined: {tally.nothing_to_save}")


def report_rows(
    stream: Stream, unlabelled: int, positives: int, negatives: int, warnings: Sequence[str] = ()
) -> None:
    """Print how many rows were skipped, and warn where all others are of one class."""
    if unlabelled:
        notify(f"skipped {counted(unlabelled, 'row')} without a label")
    if stream.without_cost:
        notify(f"skipped {counted(stream.without_cost, 'row')} without a cost")
    for warning in warnings:
        notify(f"warning: {warning}")
    if not positives or not negatives:  # the positive label may be misspelt
        notify(f"warning: no row is {'negative' if positives else 'positive'} (check --positive)")


def report_labels(labels: Labels, stream: Stream) -> None:
    """Print which column is the label, which of its values are positive, and what the others hold."""
    positive = ", ".join(map(str, labels.positive)) or str(labels.pair[1])
    negative = str(labels.pair[0])
    if labels.others == "negative":
        one = len(labels.negative) == 1
        negative = f"the rest, such as {negative}" if one else "the rest"
    column = f"label: {stream.label}; " if stream.label else ""
    notify(f"{column}positive: {positive}; negative: {negative}")
    report_columns(stream)


def no_label(name: str) -> CostreamError:
    return CostreamError(f"{name}: no row has a label", WHERE_IT_IS)
