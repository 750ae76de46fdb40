"""Tables of Python as rows of a model: the schema that it has, or the one that they show."""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._typing import Names
from ..costs.columns import not_features, split_rows
from ..costs.objective import CostColumn
from ..costs.rows import GivenCosts, row_name
from ..errors import CostreamError
from ..tables.arrays import Batch, Rows, as_batch
from ..tables.extras import Extras
from ..tables.frames import NamedArray, Records, Table, as_table, records_of
from ..tables.infer import ROWS
from ..tables.layout import Layout
from ..tables.reading import Raw, Text
from ..tables.resolution import ResolvedSchema
from ..tables.schema import Schema
from .core import UNKNOWN, Core

Taken = tuple[Batch, Names | None, GivenCosts]


def take_rows(
    core: Core,
    X: Rows,
    names: Iterable[Hashable] | None,
    given: GivenCosts,
    *,
    learn: bool = False,
    y: Any = None,
) -> Taken:
    """Rows without their costs, the names of their columns, and the costs; those given count first.

    A table (a data frame, a list of dicts) is read by the schema of the model. If there is none yet and
    the rows are to be learnt, their first 2,000 make one; ``y``, their labels, say whether a column of
    costs may be a feature.
    """
    known = None if names is None else list(names)
    table = as_table(X, known)
    encoder = core.encoder
    if table is None and known is not None and encoder.schema is not None and not hasattr(X, "tocsr"):
        table = NamedArray(X, known)
    if table is None:
        X, columns, given = split_rows(X, known, given, core.cost_columns)
        batch = as_batch(X)
        if not learn:
            _check_known(core, batch, columns)
        return batch, columns, given
    if encoder.by_type or (not learn and encoder.schema is None):
        return _like_dicts(core, X, table, known, given, learn)
    schema, before, used = _schema(core, table, learn, y), encoder.schema, encoder.readers.slots.used
    batch, features = _batch(core, table, schema)
    if not learn:
        encoder.readers.leave_slots(used)
    found = given._replace(**_costs(table, given, core.cost_columns))
    if learn and table.rows and schema is not before:
        encoder.readers.adopt(schema)
    if not learn:
        _check_known(core, batch, features)
    return batch, features, found


def infer_schema(core: Core, X: Rows, given: GivenCosts, y: Any) -> Schema:
    """What the columns of a table hold by its rows, silently: the model reads by it from then on."""
    with core.lock, core.encoder.warner.muted():
        take_rows(core, X, None, given, learn=True, y=y)
        core.encoder.readers.forget_slots()
        return core.schema or Schema()


def _check_known(core: Core, batch: Batch, names: Names | None) -> None:
    """Warn if the model knows none of the features of rows to be scored, once."""
    fits = names is None or len(names) == batch.width
    was_warned = UNKNOWN in core.encoder.warner.warned
    if fits and not was_warned and len(batch.index) and not core.knows(batch, names):
        core.warn_of_unknown()


def _like_dicts(
    core: Core, X: Any, table: Table, names: Names | None, given: GivenCosts, learn: bool
) -> Taken:
    """The rows of a table as single dicts are read: by the type of each value."""
    costs = core.cost_columns
    if core.schema is None and _is_numeric(X):
        X, columns, given = split_rows(X, names, given, costs)
        return as_batch(X), columns, given
    drop: set[Any] = {*not_features(costs)}
    if isinstance(X, list) and (plain := plain_rows(core, X, drop)):
        return *plain, given._replace(**_costs(table, given, costs))
    entries: list[tuple[int, float]] = []
    places: dict[Any, int] = {}
    start, slots, times = [0], [], Extras()
    lists: list[int] = []
    for t, row in enumerate(records_of(X, names)):
        kept = {key: value for key, value in row.items() if key not in drop} if drop else row
        try:
            found, own, moments = core.encoder.readers.rows.read(kept, learn, lists=lists)
        except CostreamError as error:
            raise CostreamError(f"{row_name(t)}: {error}") from None
        entries += [(places.setdefault(name, len(places)), value) for name, value in found.items()]
        start.append(len(entries))
        slots.append(own)
        for key, moment in moments.items():
            times.times.setdefault(key, {})[t] = moment
    index = np.array([place for place, _ in entries], np.uint32)
    values = np.array([value for _, value in entries], np.float64)
    batch = Batch(np.array(start, np.uint64), index, values, len(places))
    there = [at for at, name in enumerate(core.encoder.readers.rows.encodings) if name in places]
    if there:
        to_encode = tuple(places[core.encoder.readers.rows.encodings[at]] for at in there)
        listed = np.array(lists, np.int64) if lists else None
        batch = replace(
            batch, to_encode=to_encode, slots=np.array(slots, np.int64)[:, there], lists=listed
        )
    if times.times:
        batch = replace(batch, times=times.time_columns(batch.rows, list(places)))
    return batch, list(places), given._replace(**_costs(table, given, costs))


def plain_rows(core: Core, X: list[Any], drop: set[Any]) -> tuple[Batch, list[Any]] | None:
    """Dicts of the same keys, all of whose values are finite numbers, at once; None for others.

    Names with an equals sign are left to the reader of rows, since text may have the same ones.
    """
    keys = list(X[0]) if X and type(X[0]) is dict else []
    if not keys or not drop.isdisjoint(keys) or not core.encoder.readers.reads_plainly(keys):
        return None
    if any(isinstance(key, str) and "=" in key for key in keys):
        return None
    if any(type(row) is not dict or list(row) != keys for row in X):
        return None
    rows, width = len(X), len(keys)
    pack = struct.Struct(f"={width}d").pack
    try:
        values = np.frombuffer(bytearray().join([pack(*row.values()) for row in X]))
    except (struct.error, TypeError, OverflowError):
        return None
    if not np.isfinite(values).all():
        return None
    start = np.arange(rows + 1, dtype=np.uint64) * np.uint64(width)
    return Batch(start, np.tile(np.arange(width, dtype=np.uint32), rows), values, width), keys


def _is_numeric(X: Any) -> bool:
    if not hasattr(X, "iloc") or not all(isinstance(one, np.dtype) for one in X.dtypes):
        return False
    kinds = {one.kind for one in X.dtypes}
    return kinds <= set("biuf") and not ("f" in kinds and X.isna().to_numpy().any())


def _batch(core: Core, table: Table, schema: Schema) -> tuple[Batch, list[Any]]:
    reader = core.encoder.readers.tables(schema)
    columns = [one.name for one in schema.features]
    known = {*schema.by_name, *(one.name for one in core.cost_columns.values())}
    raw = table.columns(columns, set(schema.named("text")), schema.zone)
    return reader.batch(table.rows, raw, _where, table.extras(known, reader.reading))


def records_at(
    X: Any, names: Iterable[Hashable] | None
) -> Callable[[list[int]], list[Mapping[Any, Any]]] | None:
    """What gives some rows of a table as dicts; None for an array."""
    known = None if names is None else list(names)
    if as_table(X, known) is None:
        return None

    def some(rows: list[int]) -> list[Mapping[Any, Any]]:
        if isinstance(X, list | tuple):
            return [X[t] for t in rows]
        if hasattr(X, "iloc"):
            return records_of(X.iloc[rows], known)
        return records_of(X.take(np.array(rows, np.int64)) if hasattr(X, "take") else X[rows], known)

    return some


def _schema(core: Core, table: Table, learn: bool, y: Any) -> Schema:
    """What the columns of a table hold: as the model knows, or as the first rows say."""
    encoder, names = core.encoder, table.names
    columns = ResolvedSchema(_layout(core), names, by_type=not learn)
    remarks: dict[str, str] = {}
    if encoder.is_resolved:
        assert encoder.schema is not None
        absent = columns.absent("the table")
        if absent is not None and table.rows:
            encoder.warner.warn_once(absent, absent)
        names = [name for name in names if name not in encoder.schema.by_name]
        if not learn or not names or not table.rows:
            return encoder.schema
    else:
        if learn:
            remarks = _leave_out_leaking(columns, table, y)
        _check_names(core, columns.layout.overrides, table)
    sample = _sample(columns, table, names)
    if not sample and encoder.is_resolved and encoder.schema is not None:
        return encoder.schema
    remarks |= {remark: remark for remark in columns.resolve(sample)}
    if learn:
        for key, remark in {**remarks, **_remarks_on_keys(columns, sample)}.items():
            encoder.warner.warn_once(key, remark)
    return columns.schema


def _layout(core: Core) -> Layout:
    encoder, costs = core.encoder, core.cost_columns
    if encoder.is_resolved:
        return Layout(costs=costs, learnt=encoder.schema)
    features = () if encoder.features.names is None else encoder.features.names.keys()
    return Layout(costs=costs, schema=encoder.schema or Schema(), learnt_features=features)


def _sample(columns: ResolvedSchema, table: Table, names: Iterable[str]) -> dict[str, Raw]:
    """The first rows of some columns, those left out that have no value yet."""
    layout, roles = columns.layout, columns.roles
    found = table.columns([name for name in names if name not in roles], set(), layout.zone, ROWS)
    nothing = Text(np.empty(0, np.int64), [])
    given = layout.overrides.by_name
    return {
        name: found.get(name, nothing)
        for name in names
        if name in roles or name in given or not _is_empty(found[name])
    }


def _leave_out_leaking(columns: ResolvedSchema, table: Table, y: Any) -> dict[str, str]:
    """Use no cost as a feature that leaks the labels of the first rows; returns what to warn of."""
    names = sorted({one.name for one in columns.costs.values() if one.feature})
    if not names or y is None or len(y := list(y)) != table.rows:
        return {}
    sample = table.columns(names, set(), columns.layout.zone, ROWS)
    return columns.leave_out_leaking(sample, y[:ROWS])


def _remarks_on_keys(columns: ResolvedSchema, sample: Mapping[str, Raw]) -> dict[str, str]:
    """The warning of columns of whole numbers that are read as text, since they are keys."""
    names = [
        one.name
        for one in columns.schema.columns
        if one.key
        and one.name in sample
        and columns.decided_by(one.name) == "inferred"
        and not isinstance(sample[one.name], Text)
    ]
    if not names:
        return {}
    message = (
        f"{', '.join(names)}: whole numbers named like keys are read as text "
        f'(Schema({{{names[0]!r}: "number"}}) reads them as numbers)'
    )
    return {message: message}


def _check_names(core: Core, overrides: Schema, table: Table) -> None:
    """Warn if a schema names columns that a first table does not have; dicts may have them later."""
    named = [
        name for name, one in overrides.by_name.items() if one.is_feature or name in overrides.open
    ]
    absent = [name for name in (*named, *overrides.keep) if name not in table.names]
    if absent and table.rows and not isinstance(table, Records):
        message = f"the schema names columns that the table does not have: {', '.join(absent[:8])}"
        core.encoder.warner.warn_once(message, message)


def _is_empty(raw: Raw) -> bool:
    """Whether a column has no value yet, so that a later table may say what it holds."""
    if isinstance(raw, Text):
        return not (raw.codes >= 0).any()
    return raw.dtype.kind == "f" and bool(np.isnan(raw).all())


def _costs(table: Table, given: GivenCosts, columns: dict[str, CostColumn]) -> dict[str, Any]:
    """The costs that stand in columns of a table; text is left for others to refuse."""
    wanted = {
        cost: one.name
        for cost, one in columns.items()
        if one.name in table.names and getattr(given, cost) is None
    }
    return {cost: table.values(name) for cost, name in wanted.items()}


def _where(t: int, column: str) -> str:
    return f"{row_name(t)}, column {column}"
