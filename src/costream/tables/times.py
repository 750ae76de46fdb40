"""Times as people write them, and the features that a model has of them.

A moment is the number of microseconds since 1970 on the clock of the table's zone: a time that says its
zone or offset is converted, another one stands as it is. ``NAT`` is a missing one, as in NumPy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats
from .numbers import LONGEST, MISSING_NUMBERS

Moments: TypeAlias = NDArray[np.datetime64]  # in microseconds, NaT where there is none
NAT = int(np.iinfo(np.int64).min)
PANDAS_MISSING = frozenset(("NaTType", "NAType"))  # types by name: pandas need not be installed
PARTS = ("hour", "weekday", "day", "month")  # of a time, which come again and again
# The hour is a number from 0 to 1; the others are points on a circle, on which December is next to
# January and a value that has not been seen lies between two others.
FEATURES = ("hour", "weekday_sin", "weekday_cos", "day_sin", "day_cos", "month_sin", "month_cos")
PART_OF = (0, 1, 1, 2, 2, 3, 3)  # the part that each feature is of
THIS_CENTURY = 69  # years of two digits below are 2000 and so on, others 1969 to 1999, as in POSIX
DAY = 86_400_000_000  # microseconds

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = _EPOCH.toordinal()
_LAST_DAY = date.max.toordinal() - _EPOCH_DAY
_MISSING_TIMES = frozenset(("0000-00-00", "0000-00-00 00:00:00"))
_NAMES = "january february march april may june july august september october november december"
_MONTHS = {
    word: number
    for number, name in enumerate(_NAMES.split(), 1)
    for word in (name, name[:3], "sept" if number == 9 else name)
}
_CLOCK = (
    r"(?:(?:T|\s+|,\s*|:)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r"(?:\s*([ap])\.?m\.?)?(?:\s*(Z|UTC|GMT|[-+][0-9]{2}(?::?[0-9]{2})?))?)?"
)
_ISO = re.compile(
    r"(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?"
)
_ISO_LINES = re.compile(rf"{_ISO.pattern}(?:\n{_ISO.pattern})*")
_TH = r"(?:st|nd|rd|th)?"
_YEAR_FIRST = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})" + _CLOCK, re.I)
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})" + _CLOCK, re.I)
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+)?"
_DAY_NAME = re.compile(
    _WEEKDAY + rf"([0-9]{{1,2}}){_TH}\.?([-/\s])\s*([a-z]{{3,9}})\.?,?\2\s*([0-9]{{4}})" + _CLOCK, re.I
)
_NAME_DAY = re.compile(
    _WEEKDAY + rf"([a-z]{{3,9}})\.?()\s+([0-9]{{1,2}}){_TH},?\s+([0-9]{{4}})" + _CLOCK, re.I
)
_DIGITS = re.compile(
    r"([0-9]{4})()([0-9]{2})([0-9]{2})(?:[T\s]?([0-9]{2})([0-9]{2})(?:([0-9]{2})(?:\.([0-9]{1,9}))?)?()(Z)?)?",
    re.I,
)
_UNIX = re.compile(r"([0-9]{10})(?:\.([0-9]{1,9}))?|([0-9]{13})|([0-9]{16})")


@dataclass(frozen=True)
class Times:
    """How well a column of texts reads as times.

    ``share`` is that of the rows which can be read among those which are not missing, 0 if all are.
    ``day_first`` is the order of dates such as 03/04/2024, None where there are none; ``ambiguous``
    is True where no value decides it, and ``example`` is one of those dates. ``first_bad`` is the first
    value that cannot be read.
    """

    share: float
    day_first: bool | None = None
    ambiguous: bool = False
    first_bad: str | None = None
    example: str | None = None


def time_of(
    text: str,
    day_first: bool | None = None,
    missing: frozenset[str] = MISSING_NUMBERS,
    zone: tzinfo | None = None,
    digits: bool = True,
) -> int | None:
    """The moment in a text: ``NAT`` where it is missing, None where it is not a time.

    Of 03/04/2024 the month is first unless ``day_first``; if that is None, 31/12/2024 is read as well.
    Years of two digits are read in dates such as 31.12.24 and 12/31/24.
    ``digits`` alone are 20241231, 202412312359, 20241231235959, or the seconds, milliseconds or
    microseconds since 1970.
    """
    bare = text.strip()
    if bare in missing or bare in _MISSING_TIMES:
        return NAT
    if len(bare) > LONGEST:
        return None
    if bare.lower() in missing:
        return NAT
    moment = _dated(bare, day_first, zone)
    return _digits(bare, zone) if moment is None and digits else moment


def iso_moments(values: Sequence[Any]) -> Moments | None:
    """The moments of texts that all are plain ISO times, as `time_of` gives them; None for others."""
    try:
        lines = "\n".join(values)  # one match for all is several times as fast as one for each
    except TypeError:  # some are not text
        return None
    if lines.count("\n") != len(values) - 1 or not _ISO_LINES.fullmatch(lines):
        return None
    try:
        return np.array(values, "datetime64[us]")
    except ValueError:  # no such day, or no such hour
        return None


def as_times(
    values: Sequence[str],
    counts: Sequence[int],
    missing: frozenset[str],
    day_first: bool | None = None,
    digits: bool = False,
) -> Times:
    """How well the distinct values of a column, with their numbers of rows, read as times.

    Values of digits only count if ``digits``: if the column is asked to be a time.
    """
    orders = {True: 0, False: 0}
    example = None
    for value, count in zip(values, counts, strict=True):
        found = _year_last(value.strip()) if len(value) <= LONGEST else None
        if found and found[2] != ".":
            example = value if example is None else example
            first, second = int(found[1]), int(found[3])
            if (first > 12) != (second > 12):
                orders[first > 12] += int(count)
    if day_first is None and example is not None:
        chosen: bool | None = orders[True] > orders[False]
    else:
        chosen = day_first
    ambiguous = day_first is None and example is not None and not any(orders.values())
    read = total = 0
    first_bad = None
    for value, count in zip(values, counts, strict=True):
        moment = time_of(value, chosen, missing, digits=digits)
        if moment == NAT:
            continue
        total += int(count)
        if moment is None:
            first_bad = value if first_bad is None else first_bad
        else:
            read += int(count)
    share = read / total if total else 0.0
    return Times(share, chosen, ambiguous, first_bad, example)


def moment_of(value: Any, zone: tzinfo | None = None) -> int | None:
    """The moment of a Python or NumPy value or text: ``NAT`` where it is missing, None if it has none.

    Numbers are read as texts of digits are.
    """
    if isinstance(value, str):
        return time_of(value, zone=zone)
    if value is None or type(value).__name__ in PANDAS_MISSING:
        return NAT
    if isinstance(value, datetime):
        offset, ticks = value.utcoffset(), _ticks(value)
        return ticks if offset is None else _on_clock(ticks - offset // timedelta(microseconds=1), zone)
    if isinstance(value, date):
        return (value.toordinal() - _EPOCH_DAY) * DAY
    if isinstance(value, np.datetime64):
        return int(value.astype("datetime64[us]").astype(np.int64))
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        if value != value:
            return NAT
        if 0 <= value < 1e16:
            return _digits(str(int(value)) if value == int(value) else f"{float(value):.6f}", zone)
    return None


def on_clock(moments: Moments, zone: tzinfo | None) -> Moments:
    """Moments in UTC as those on the clock of a zone."""
    if zone is None:
        return moments
    ticks = moments.astype("datetime64[us]").astype(np.int64)
    distinct, places = np.unique(ticks, return_inverse=True)
    local = [one if one == NAT else _on_clock(one, zone) for one in distinct.tolist()]
    wall = np.array([NAT if one is None else one for one in local], np.int64)
    return wall[places.reshape(ticks.shape)].view("datetime64[us]")


def time_features(moments: Moments) -> Floats:
    """The features of `FEATURES`, a row each; NaN for NaT.

    Sines and cosines are looked up, so that one row has the bits of many.
    """
    moments = moments.astype("datetime64[us]")
    ticks = moments.astype(np.int64)
    days = ticks // DAY
    months = moments.astype("datetime64[M]")
    month_days = days - months.astype("datetime64[D]").astype(np.int64)
    features = np.empty((len(FEATURES), len(moments)))  # a column after the other
    features[0] = (ticks - days * DAY) / DAY
    places = ((days + 3) % 7, month_days, months.astype(np.int64) % 12)  # 1970-01-01 was a Thursday
    for at, (circle, place) in enumerate(zip(_SINES, places, strict=True)):
        circle[0].take(place, out=features[1 + 2 * at], mode="clip")  # NaT has places of no circle
        circle[1].take(place, out=features[2 + 2 * at], mode="clip")
    features[:, np.isnat(moments)] = np.nan
    return features.T


def time_features_of(moment: int) -> tuple[float, ...]:
    """The features of one moment, bit-identical with those of many."""
    days, rest = divmod(moment, DAY)
    if not -_EPOCH_DAY < days <= _LAST_DAY:  # no date of Python, or NAT
        return tuple(time_features(np.array([moment], "datetime64[us]"))[0].tolist())
    here = date.fromordinal(days + _EPOCH_DAY)
    weekdays, month_days, months = _CIRCLES
    return (
        rest / DAY,
        *weekdays[here.weekday()],
        *month_days[here.day - 1],
        *months[here.month - 1],
    )


def _circle(count: int) -> list[tuple[float, float]]:
    """The sines and cosines of as many points on a circle, exact where an axis meets it."""
    found = []
    for k in range(count):
        sine, cosine = math.sin(math.tau * k / count), math.cos(math.tau * k / count)
        on_axis = 4 * k % count == 0
        found.append((float(round(sine)), float(round(cosine))) if on_axis else (sine, cosine))
    return found


_CIRCLES = (_circle(7), _circle(31), _circle(12))
_SINES = tuple(np.array(one).T.copy() for one in _CIRCLES)


def _dated(bare: str, day_first: bool | None, zone: tzinfo | None) -> int | None:
    """The moment in a text with a date of several parts."""
    if found := _YEAR_FIRST.fullmatch(bare):
        return _moment(found, int(found[1]), int(found[3]), int(found[4]), zone)
    if found := _year_last(bare):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        if len(found[4]) == 2:
            year += 2000 if year < THIS_CENTURY else 1900
        if found[2] == "." or day_first or (day_first is None and first > 12):
            first, second = second, first
        return _moment(found, year, first, second, zone)
    if found := _DAY_NAME.fullmatch(bare):
        return _moment(found, int(found[4]), _MONTHS.get(found[3].lower(), 0), int(found[1]), zone)
    if found := _NAME_DAY.fullmatch(bare):
        return _moment(found, int(found[4]), _MONTHS.get(found[1].lower(), 0), int(found[3]), zone)
    return None


def _year_last(bare: str) -> re.Match[str] | None:
    """The parts of a date that ends with its year; 1.2.10 is a version and 23-12-31 anything."""
    found = _YEAR_LAST.fullmatch(bare)
    if found is None or len(found[4]) == 4 or found[2] == "/":
        return found
    whole = len(found[1]) == len(found[3]) == 2 or found[5] is not None
    return found if found[2] == "." and whole else None


def _digits(bare: str, zone: tzinfo | None) -> int | None:
    """The moment in a text of digits only."""
    if found := _UNIX.fullmatch(bare):
        seconds, fraction, milliseconds, microseconds = found.groups()
        if seconds:
            return _on_clock(int(seconds) * 1_000_000 + _fraction(fraction), zone)
        return _on_clock(int(milliseconds) * 1000 if milliseconds else int(microseconds), zone)
    if found := _DIGITS.fullmatch(bare):
        return _moment(found, int(found[1]), int(found[3]), int(found[4]), zone)
    return None


def _moment(found: re.Match[str], year: int, month: int, day: int, zone: tzinfo | None) -> int | None:
    """The moment of a date, at the time of day in the last six groups of a match."""
    try:
        days = date(year, month, day).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    hour, minute, second, fraction, half, offset = found.groups()[4:]
    if hour is None:
        return days * DAY
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + 12 * (half in "pP")
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    ticks = days * DAY + (hours * 3600 + minutes * 60 + seconds) * 1_000_000 + _fraction(fraction)
    if offset is None:
        return ticks
    ahead = _offset(offset)
    return None if abs(ahead) >= DAY else _on_clock(ticks - ahead, zone)


def _fraction(digits: str | None) -> int:
    """The microseconds of a fraction of a second."""
    return int(digits[:6].ljust(6, "0")) if digits else 0


def _offset(text: str) -> int:
    """The microseconds that a clock is ahead of UTC."""
    if text[0] not in "+-":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[-2:] if len(text) > 3 else 0)
    return (minutes if text[0] == "+" else -minutes) * 60_000_000


def _ticks(wall: datetime) -> int:
    """The microseconds since 1970 on the clock of a time, whatever its zone."""
    seconds = wall.hour * 3600 + wall.minute * 60 + wall.second
    return (wall.toordinal() - _EPOCH_DAY) * DAY + seconds * 1_000_000 + wall.microsecond


def _on_clock(ticks: int, zone: tzinfo | None) -> int | None:
    """A moment in UTC on the clock of a zone; None if a calendar does not go as far."""
    if zone is None:
        return ticks
    try:
        return _ticks((_EPOCH + timedelta(microseconds=ticks)).astimezone(zone))
    except (OverflowError, ValueError):
        return None
