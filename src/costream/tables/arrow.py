"""Columns of pyarrow as raw columns; pyarrow is asked for only when a table is read."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import tzinfo
from typing import Any

import numpy as np

from ..errors import CostreamError
from .reading import Ints, Raw, Text
from .times import Moments, on_clock
from .values import as_raw


def arrow(part: str = "") -> Any:
    """pyarrow, or a part of it."""
    return importlib.import_module(f"pyarrow.{part}" if part else "pyarrow")


@contextmanager
def damaged(file: str, what: str) -> Iterator[None]:
    """Whatever pyarrow complains of within is an error about the file."""
    try:
        yield
    except CostreamError:
        raise
    except (arrow().ArrowException, OSError, ValueError, ArithmeticError, MemoryError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CostreamError(
            f"{file}: the {what} data are damaged or cut short ({reason:.120})", "fetch the file again"
        ) from None


def readable(kind: Any) -> bool:
    """Whether a column of this type can be a feature."""
    types = arrow().types
    if types.is_dictionary(kind):
        return readable(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind):
        return readable(kind.value_type) and not types.is_list(kind.value_type)
    return types.is_null(kind) or _is_number(kind) or _is_string(kind) or _is_date(kind)


def raw_column(array: Any, where: Any, name: str, zone: tzinfo | None = None) -> Raw:
    """A column as it comes: numbers, true and false, times or text, as its type says."""
    pa = arrow()
    types, kind = pa.types, array.type
    if types.is_null(kind):
        return Text(np.full(len(array), -1, np.int64), [])
    if types.is_boolean(kind) and not array.null_count:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    if types.is_timestamp(kind) or types.is_date(kind):
        return _moments(array, zone)
    if types.is_list(kind) or types.is_large_list(kind):
        return as_raw(array.to_pylist(), name, where, True, zone)
    if not _is_number(kind) or types.is_boolean(kind):
        return encoded(array)
    if types.is_decimal(kind):
        array = array.cast(pa.string())  # the cast of decimals to numbers does not round well
    floats = array.cast(pa.float64(), safe=False)  # whole numbers beyond 2^53 are rounded
    return np.asarray(floats.to_numpy(zero_copy_only=False))


def whole_text(array: Any) -> Text | None:
    """Whole numbers as text, all of their digits; None where there are others."""
    if not arrow().types.is_integer(array.type):
        return None
    return encoded(array.cast(arrow().string()))


def _moments(array: Any, zone: tzinfo | None) -> Moments:
    """Times in microseconds, in the zone where they say theirs."""
    pa = arrow()
    aware = pa.types.is_timestamp(array.type) and array.type.tz is not None
    times = array.cast(pa.timestamp("us", array.type.tz if aware else None), safe=False)
    plain = times.cast(pa.timestamp("us")).cast(pa.int64())
    found = plain.fill_null(np.iinfo(np.int64).min).to_numpy(zero_copy_only=False)
    moments = np.array(found).view("datetime64[us]")
    return on_clock(moments, zone) if aware else moments


def encoded(array: Any) -> Text:
    """A column by its distinct values, as text; true and false stay what they are."""
    if arrow().types.is_boolean(array.type):
        return Text(_codes(array.cast(arrow().int8())), [False, True])
    if not arrow().types.is_dictionary(array.type):
        if _is_date(array.type):
            array = array.cast(arrow().string())
        array = array.dictionary_encode()
    codes, values = _codes(array.indices), array.dictionary
    if len(values) > len(codes):  # a dictionary of many blocks: take what is used
        used, inverse = np.unique(codes[codes >= 0], return_inverse=True)
        codes[codes >= 0] = inverse
        values = values.take(arrow().array(used))
    return Text(codes, _texts(values))


def label_column(array: Any) -> Raw:
    """A column of labels; true and false stay what they are."""
    if arrow().types.is_boolean(array.type):
        return Text(_codes(array.cast(arrow().int8())), [False, True])
    if _is_number(array.type):
        return raw_column(array, None, "")
    return encoded(array)


def _codes(indices: Any) -> Ints:
    return np.array(indices.cast(arrow().int64()).fill_null(-1).to_numpy())


def _texts(values: Any) -> list[str | None]:
    """Values as text, numbers with a fraction as Python writes them; NaN is none."""
    types = arrow().types
    if types.is_floating(values.type):
        return [None if v is None or v != v else str(v) for v in values.to_pylist()]
    if not _is_string(values.type):
        values = values.cast(arrow().string())
    return values.to_pylist()  # type: ignore[no-any-return]


def _is_number(kind: Any) -> bool:
    types = arrow().types
    checks = (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal)
    return any(check(kind) for check in checks)


def _is_string(kind: Any) -> bool:
    types = arrow().types
    return any(check(kind) for check in (types.is_string, types.is_large_string, types.is_string_view))


def _is_date(kind: Any) -> bool:
    types = arrow().types
    return any(
        check(kind) for check in (types.is_date, types.is_time, types.is_timestamp, types.is_duration)
    )
