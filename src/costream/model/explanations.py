"""Why a row has its probability: what each of its columns does to its log-odds.

The columns of a row are the players of a game. A coalition of them is worth the log-odds of a row in
which these columns are as they are, and all others as usual; the effect of a column is its Shapley
value. All features of a column, such as the parts of a time, go together.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools, Floats, Names, Row
from ..errors import CostreamError
from ..kernels.loop import score_rows, variance_rows
from ..kernels.records import Chunk
from ..kernels.rules import RULES
from ..tables.arrays import Batch, as_row
from ..tables.naming import MISSING_VALUE, column_of, feature_name
from ..tables.reading import Reading
from ..tables.row import flat
from .core import Core
from .shapley import Game, shapley_values

ENTRIES_AT_ONCE = 1 << 20
FEW = 1000  # features, whose names are all at hand
SMALLEST = 0.005  # effect of a reason: less is 0.00 when it is shown


@dataclass(frozen=True)
class Explanation:
    """What a column of a row does to its log-odds.

    Attributes
    ----------
    feature : hashable
        The name of the column, or the key in a dict.
    value : object
        Its value as the row has it: a number, text, a time; None if it is missing.
    usual : float, bool, str or None
        Its usual value: the median of a number in a sample of the rows so far, or its mean; the text
        that more than half of the rows have. None if there is none.
    effect : float
        How much higher the log-odds are than they would be at the usual value; below 0 where the value
        lowers the risk. It is a Shapley value: the mean over all orders in which the columns of the row
        can take their values, one after the other, beginning with a row where all are as usual.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> model = OnlineClassifier()
    >>> for amount, label in [(1.0, 0), (2.0, 0), (9.0, 1), (8.0, 1)] * 10:
    ...     score = model.learn_one({"amount": amount, "hour": 3.0}, label)
    >>> first = model.explain_one({"amount": 9.0, "hour": 3.0})[0]
    >>> first.feature, first.value, first.usual, first.effect > 0
    ('amount', 9.0, 5.0, True)
    """

    feature: Hashable
    value: Any
    usual: float | bool | str | None
    effect: float


def explain_row(core: Core, x: Row, flag: bool, top: int | None) -> list[Explanation]:
    """The reasons for the decision on a row; all effects, whatever they speak for, if top is None."""
    whole = isinstance(top, int | np.integer) and not isinstance(top, bool)
    if top is not None and not (whole and top >= 1):
        raise CostreamError(f"top must be a whole number, at least 1, not {top!r}")
    row = as_row(x)
    found = effects_of(core, row)
    return found.explanations() if top is None else found.reasons(flag, top)


def effects_of(core: Core, row: Row) -> Effects:
    raw = flat(row) if isinstance(row, Mapping) else None
    with core.lock:
        return explain_batch(core, *core.row.as_batch(row), raw)


class Changed(NamedTuple):
    """A feature of a row that is not as usual."""

    name: Hashable
    value: float
    usual: float


class Effects(NamedTuple):
    """What the columns of a row do, and how to show it.

    A column has an effect, and the places of its features among those that are not as usual. ``raw``
    has the values of the columns as the user wrote them, ``reading`` says how these are read.
    """

    columns: dict[Hashable, list[int]]
    effects: list[float]
    features: list[Changed]
    raw: Mapping[Any, Any] | None
    reading: Reading

    @property
    def ordered(self) -> list[tuple[Hashable, float]]:
        return sorted(zip(self.columns, self.effects, strict=True), key=lambda one: -abs(one[1]))

    def explanations(self) -> list[Explanation]:
        return [self._explanation(*one) for one in self.ordered]

    def reasons(self, flag: bool, top: int) -> list[Explanation]:
        """Those that speak for a decision; if none does, those against it."""
        seen = [one for one in self.ordered if SMALLEST <= abs(one[1]) < math.inf]
        speaking = [one for one in seen if (one[1] > 0.0) == flag]
        return [self._explanation(*one) for one in (speaking or seen)[:top]]

    def _explanation(self, column: Hashable, effect: float) -> Explanation:
        features = [self.features[at] for at in self.columns[column]]
        own = next((one for one in features if str(one.name) == str(column)), None)
        known = self.reading.schema.by_name.get(column) if isinstance(column, str) else None
        if self.raw is not None and column in self.raw:
            value = self.raw[column]
            value = None if self.reading.is_missing(value, known) else value
        else:
            value = own.value if own is not None and (self.raw is None or own.value) else None
        mark = f"{column}={MISSING_VALUE}" if known is not None and known.missing_indicator else None
        missing = next((one for one in features if one.name == mark), None)
        usual: float | bool | str | None = None
        if own is None and missing is None:
            usual = _usual_text(f"{column}=", value, features)
        elif missing is None or missing.usual == 0.0:
            usual = 0.0 if own is None else own.usual
            if isinstance(value, bool | np.bool_) or (known is not None and known.kind == "yes/no"):
                usual = bool(usual)
        return Explanation(column, value, usual, effect)


def _usual_text(before: str, value: Any, features: list[Changed]) -> str | None:
    """The text that a column usually has, and the row has not; None if values are lists."""
    there = [str(one.name) for one in features if one.value != 0.0]
    found = [str(one.name) for one in features if one.value == 0.0 < one.usual]
    whole = there in ([], [f"{before}{str(value).strip()}"])
    single = whole and len(found) == 1 and found[0].startswith(before)
    return found[0].removeprefix(before) if single else None


def explain_batch(
    core: Core,
    batch: Batch,
    names: Names | None,
    raw: Mapping[Any, Any] | None = None,
    reading: Reading | None = None,
) -> Effects:
    """What the columns of a batch of one row do."""
    with core.lock, np.errstate(over="ignore", invalid="ignore"):  # a mean may get out of range
        core.learner.check_probabilities()
        reading = core.encoder.readers.rows.reading if reading is None else reading
        batch = core.with_encodings(batch)
        placed = core.encoder.place(batch, names)
        known = placed.index < core.features.count
        slots, values = placed.index[known].astype(np.intp), placed.value[known]
        usual = usual_row(core)
        if usual is None:
            usual = np.zeros(len(slots))
        else:
            whole = np.zeros(len(usual))
            whole[slots] = values
            values = whole
            slots = np.flatnonzero((values != 0.0) | (usual != 0.0))
            values, usual = values[slots], usual[slots]
        differ = np.flatnonzero(values != usual)
        called = _names(core, slots[differ].tolist(), batch, names)
        column = partial(column_of, columns={*reading.schema.by_name, *(raw or ())})
        columns: dict[Hashable, list[int]] = {}  # the places of their features
        for at, feature in enumerate(called):
            columns.setdefault(column(feature), []).append(at)
        player = np.empty(len(called), np.intp)
        player[[*chain(*columns.values())]] = [
            number for number, places in enumerate(columns.values()) for _ in places
        ]
        effects = shapley_values(_game(core, slots, values, usual, differ, player), len(columns))
    features = [*map(Changed, called, values[differ].tolist(), usual[differ].tolist())]
    return Effects(columns, effects.tolist(), features, raw, reading)


def _game(
    core: Core,
    slots: NDArray[np.intp],
    values: Floats,
    usual: Floats,
    differ: NDArray[np.intp],
    player: NDArray[np.intp],
) -> Game:
    """The log-odds of rows in which some players have the values of the row, and others usual ones."""

    def log_odds(coalitions: Bools) -> Floats:
        odds = np.empty(len(coalitions))
        at_once = max(ENTRIES_AT_ONCE // max(len(slots), 1), 1)
        for begin in range(0, len(odds), at_once):
            part = coalitions[begin : begin + at_once]
            table = np.empty((len(part), len(slots)))
            table[:] = usual
            table[:, differ] = np.where(part[:, player], values[differ], usual[differ])
            odds[begin : begin + at_once] = log_odds_at(core, slots, table)
        return odds

    return log_odds


# --- what is usual ----------------------------------------------------------------------------------


def usual_row(core: Core) -> Floats | None:
    """The usual value of each feature; None where it is 0, absent, for all of too many.

    A number that is missing in some rows is as usual in the others, and a text value is there if more
    than half of the rows have it. It stays until something is learnt.
    """
    rows = core.learner.rows_learnt(core.state)
    now = rows, core.features.count, core.schema
    if rows is None or core.usual is None or core.usual[0] != now:
        core.usual = now, _usual_row(core)
    return core.usual[1]


def _usual_row(core: Core) -> Floats | None:
    before, features = core.encoder.fit_intercept, core.features
    pairs = _missing_indicators(core)
    moved = [(number + before, indicator + before) for number, indicator in pairs]
    found = core.learner.usual_values(core.state, moved)
    if found is None:
        return None
    usual = found[before : core.encoder.size]
    if features.names is not None:
        columns = () if core.schema is None else core.schema.by_name
        names = features.in_order()
        for at in np.flatnonzero(usual % 1.0).tolist():
            name = names[at]
            if isinstance(name, str) and "=" in name and name not in columns:
                usual[at] = np.ceil(usual[at] - 0.5)
    for number, indicator in pairs:
        if usual[indicator] > 0.0:
            usual[number] = 0.0
    return usual


def _missing_indicators(core: Core) -> list[tuple[int, int]]:
    names, schema = core.features.names, core.schema
    if names is None or schema is None:
        return []
    marked = [one.name for one in schema.features if one.missing_indicator]
    pairs = ((feature_name(one), f"{one}={MISSING_VALUE}") for one in marked)
    return [(names[one], names[two]) for one, two in pairs if one in names and two in names]


# --- rows of the model ------------------------------------------------------------------------------


def log_odds_at(core: Core, columns: NDArray[np.intp], table: Floats) -> Floats:
    """The log-odds of rows that have the values of a table at columns of the model."""
    count, width = table.shape
    value = table.ravel()
    start = np.arange(count + 1, dtype=np.uint64) * np.uint64(width)
    index = np.empty((count, width), np.uint32)
    index[:] = columns
    rows = Batch(start, index.ravel(), value, core.features.count)
    if not value.all():
        rows = rows.entries_where(value != 0.0)
    return log_odds_of_placed(core, rows)


def log_odds_of_placed(core: Core, rows: Batch) -> Floats:
    x = core.encoder.chunk_of(rows)._replace(cost_ratio=np.ones(rows.rows))
    odds = np.empty(rows.rows)
    score_rows(core.state, x, np.empty(rows.rows), odds)
    return odds


def _names(core: Core, columns: list[int], batch: Batch, names: Names | None) -> list[Hashable]:
    """The names of columns; two that are hashed into one have its number.

    Where there are many, all columns are those of the row, which has their names.
    """
    features = core.features
    if features.names is not None and features.count <= FEW:
        every = features.in_order()
        return [every[column] for column in columns]
    places: list[int] = list(dict.fromkeys(batch.index.tolist()))
    used: list[Hashable] = [at if names is None else names[at] for at in places]
    found: dict[int, list[Hashable]] = {}
    for name, column in zip(used, features.columns(used, learn=False).tolist(), strict=True):
        found.setdefault(column, []).append(name)

    def name_of(column: int) -> Hashable:
        own = found.get(column, [])
        return own[0] if len(own) == 1 else column

    return [name_of(column) for column in columns]


# --- variances --------------------------------------------------------------------------------------


def feature_variances(core: Core, columns: NDArray[np.intp]) -> Floats | None:
    """The diagonal of Sigma at some features; None for a learner that keeps no covariance."""
    with core.lock:
        if RULES[core.record].variance is None:
            return None
        slots = columns + core.encoder.fit_intercept
        own = core.learner.variances(core.state)
        if own is not None:
            return np.asarray(own[slots])
        count = len(columns)
        ones = np.ones(count)
        starts = np.arange(count + 1, dtype=np.uint64)
        variances = np.empty(count)
        x = Chunk(starts, slots.astype(np.uint32), *([ones] * 6))
        variance_rows(core.state, x, variances)
        return variances
