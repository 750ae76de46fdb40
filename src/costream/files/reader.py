"""Any file as a stream of blocks: the format found out, and read ahead in a second thread."""

from __future__ import annotations

import os
import queue
import threading
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from ..costs.objective import COSTS, CostColumn, Objective
from ..errors import CostreamError
from ..labels.labels import Choice, Labels
from ..tables.layout import ColumnsOfModel, Layout
from ..tables.naming import TextSlots
from ..tables.resolution import LABEL_NAMES, ResolvedSchema
from ..tables.schema import Schema
from .blocks import Block
from .formats import SUFFIXES, Format, format_named, guess_format
from .libsvm import IN_FLIGHT
from .source import Source

AHEAD = IN_FLIGHT - 2  # blocks that wait to be learnt
PATIENCE = 2.0  # seconds for which a pipe may pause within the first block


class Stream:
    """The rows of a file or pipe as blocks, read in a second thread while a model learns.

    LIBSVM text, CSV, TSV, JSON lines, Parquet and Arrow, plain or compressed. The first block decides
    what columns and labels mean, so from a pipe it is as long as from a file, unless the pipe pauses
    for two seconds. Later blocks come as soon as they are read. A stream can be read once.

    Parameters
    ----------
    path : str, path-like or Source
        A file, or ``"-"`` for standard input; or one that is open already.
    label : str, default=None
        The column of the label. Without it: label, target, class or y.
    positive : label or set of labels, default=None
        The positive labels, against the rest. Without it the first labels decide: positive is 1 of
        -1/1 and 0/1, 2 of 1/2, true, yes, or the rarer of two words, with a warning.
    ignore : sequence of str
        Columns to leave out.
    text : sequence of str
        Columns of text that look like numbers, such as a post code.
    schema : Schema, default=None
        What else is known of the columns; all that it does not say is inferred from the first 2,000
        rows.
    fn_cost_column, fp_cost_column, tp_cost_column, tn_cost_column : str or CostColumn, default=None
        The columns of what missing, wrongly flagging, rightly flagging or passing a row costs; they
        are features as well, unless a `CostColumn` says otherwise, ``ignore`` has them, or they tell
        the labels of the first rows.
    format : {"libsvm", "csv", "tsv", "jsonl", "parquet", "arrow"}, default=None
        The format. Without it: by the name of the file, or by its first bytes.

    Attributes
    ----------
    layout : Layout
        Which columns mean what.
    columns : ResolvedSchema or None
        What the columns mean, and who says so, once a block has been read.
    without_cost : int
        The number of rows skipped so far, since they have no cost.

    See Also
    --------
    OnlineClassifier.learn_stream : Learn from all blocks, as ``costream train`` does.

    Examples
    --------
    >>> import tempfile
    >>> from costream.files.reader import Stream
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("amount,country,fraud\\n900,FR,1\\n20,DE,0\\n")
    ...     file.flush()
    ...     with Stream(file.name, label="fraud", positive="1") as stream:
    ...         [(block.names, block.label.tolist()) for block in stream]
    [(['amount', 'country=FR', 'country=DE'], [1.0, 0.0])]
    """

    positive: Choice | None

    def __init__(
        self,
        path: str | os.PathLike[str] | Source,
        *,
        label: str | None = None,
        positive: Choice | None = None,
        ignore: Sequence[str] = (),
        text: Sequence[str] = (),
        schema: Schema | None = None,
        fn_cost_column: str | CostColumn | None = None,
        fp_cost_column: str | CostColumn | None = None,
        tp_cost_column: str | CostColumn | None = None,
        tn_cost_column: str | CostColumn | None = None,
        format: str | None = None,  # noqa: A002 (the name of the option)
    ) -> None:
        named = (fn_cost_column, fp_cost_column, tp_cost_column, tn_cost_column)
        costs = {
            cost: CostColumn(one) if isinstance(one, str) else one
            for cost, one in zip(COSTS, named, strict=True)
            if one is not None
        }
        given = Schema() if schema is None else schema
        layout = Layout(label, _names(ignore), _names(text), costs, schema=given)
        self._open(path, layout, layout.slots(), format)
        self.positive = positive

    @classmethod
    def for_model(
        cls,
        path: str | os.PathLike[str] | Source,
        model: ColumnsOfModel,
        layout: Layout | None = None,
        *,
        positive: Choice | None = None,
        format: str | None = None,  # noqa: A002
        patience: float = PATIENCE,
    ) -> Stream:
        """A stream for a model that has learnt from a file before, and remembers its columns.

        Parameters
        ----------
        path : str, path-like or Source
            A file, or ``"-"`` for standard input; or one that is open already.
        model : OnlineClassifier
            The model.
        layout : Layout, default=None
            What to change about the columns.
        positive : label or set of labels, default=None
            The positive labels, for a model that has no labels yet.
        format : str, default=None
            The format.
        patience : float, default=2.0
            The seconds for which a pipe may pause within the first block.

        Returns
        -------
        Stream
            The stream.
        """
        remembered = (layout or Layout()).for_model(model)
        stream = cls.__new__(cls)
        stream._open(path, remembered, remembered.slots(model.feature_names), format, patience)
        stream.positive = positive
        return stream

    def _open(
        self,
        path: str | os.PathLike[str] | Source,
        layout: Layout,
        slots: TextSlots,
        format: str | None,  # noqa: A002
        patience: float = PATIENCE,
    ) -> None:
        given = None if format is None else format_named(format)
        self.layout, self._slots = layout, slots
        self._warned: set[str] = set()
        self._remarks: deque[str] = deque()  # which the reading thread makes, and the other one says
        self.source = path if isinstance(path, Source) else Source(path)
        self.source.patience = patience
        try:
            self._format: Format = (
                given or SUFFIXES.get(self.source.suffix) or guess_format(self.source)
            )
            self._blocks = self._read()
        except BaseException:
            self.source.close()
            raise
        self._queue: queue.Queue[Any] = queue.Queue(AHEAD)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._fill, name="costream reader", daemon=True)
        self._started = False
        self.columns: ResolvedSchema | None = None
        self.without_cost = 0  # rows that were skipped so far, since they have no cost

    @property
    def format(self) -> str:
        """The format of the file."""
        return self._format.name

    @property
    def label(self) -> str | None:
        """The column of the label, once a block has been read."""
        return None if self.columns is None else self.columns.label

    @property
    def schema(self) -> Schema | None:
        """What the columns hold, once a block has been read."""
        return None if self.columns is None else self.columns.schema

    def _warn(self, key: str, message: str) -> None:
        """Keep a remark until the block that it is about is given out; one about each thing."""
        if key not in self._warned:
            self._warned.add(key)
            self._remarks.append(message)

    def _read(self) -> Iterator[Block]:
        """The blocks of the file, of which none is read before it is asked for."""
        module, function = self._format.reader.split(":")
        read = getattr(import_module(f".{module}", __package__), function)
        return read(self.source, self.layout, self._slots, self._warn)  # type: ignore[no-any-return]

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
        if self._started:
            raise CostreamError(
                f"{self.source.name} has been read already", "open it again: Stream(...)"
            )
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
                self.close()
                return
            if isinstance(item, BaseException):
                raise item
            self.columns = item.columns
            self.without_cost += item.without_cost
            while self._remarks:
                warnings.warn(self._remarks.popleft(), UserWarning, stacklevel=2)
            yield item

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stop(self) -> None:
        """Give no more blocks; another thread or a signal handler may call this."""
        self._stop.set()
        self.source.stop()

    def close(self) -> None:
        """Stop reading; a thread that waits for a pipe is left alone."""
        if not self._stop.is_set():
            self.stop()
        if self._started and not self.source.live:
            self._thread.join()
        self.source.close()


# --- what our other packages need of a stream --------------------------------------------------------


def stream_of_layout(
    path: str | os.PathLike[str] | Source,
    layout: Layout,
    *,
    positive: Choice | None = None,
    format: str | None = None,  # noqa: A002
) -> Stream:
    """A file, or one that is open already, whose columns are described by a layout."""
    stream = Stream.__new__(Stream)
    stream._open(path, layout, layout.slots(), format)
    stream.positive = positive
    return stream


def slots_of(stream: Stream) -> TextSlots:
    return stream._slots


def choose_labels(stream: Stream, block: Block, known: Labels) -> Labels:
    """Which labels are positive: those that a model knows, or those of the first block."""
    if stream.label is None and stream._format.has_names and not known.codes:
        names = " or ".join([", ".join(LABEL_NAMES[:-1]), LABEL_NAMES[-1]])
        raise CostreamError(
            f"{stream.source.name}: no column is called {names}",
            "name the column of the label: --label COLUMN, or label= in Python",
        )
    return known.for_file(block.label, stream.positive, stream.source.name)


def read_as_known(stream: Stream, model: ColumnsOfModel) -> None:
    """Read columns as a model knows them, before the first block.

    What the stream says itself, or has from `Stream.for_model`, counts first.
    """
    layout = stream.layout
    if not stream._format.has_names or layout.learnt is not None or layout.learnt_features:
        return
    if model.schema is not None or model.feature_names:
        stream.layout = stream.layout.for_model(model)
        stream._slots = stream.layout.slots(model.feature_names)
        stream._blocks = stream._read()


def take_costs(stream: Stream, columns: Mapping[str, CostColumn]) -> None:
    """Read the costs that an objective takes from columns, before the first block."""
    costs = {**stream.layout.costs, **columns}
    required = stream.layout.required
    if required is not None:
        required |= {one.name for one in costs.values()}
    stream.layout = replace(stream.layout, costs=costs, required=required, learns=True)
    stream._blocks = stream._read()


def with_costs_of(stream: Stream, objective: Objective) -> Objective:
    """The objective whose costs come from the columns of a stream; one without costs as it is."""
    return objective.with_columns(stream.layout.costs) if stream.layout.costs else objective


def _names(columns: Sequence[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)
