"""What decisions cost, by the hour of the event, against flagging nothing and everything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

from ...costs.tally import Sums, Tally, sums_of_row
from ..messages import Period, Summary
from ..times import HOUR, iso
from .log import Log
from .records import HOURLY, EventRecord, LabelRecord

MOST_PERIODS = {"day": 400, "hour": 24 * 31}
HOURS = {"day": 24, "hour": 1}
SUMS = ", ".join(f"coalesce(sum({name}), 0)" for name in HOURLY)


class CostChanges:
    """What a group of records adds to the counts and costs of hours."""

    def __init__(self) -> None:
        self._hours: defaultdict[int, list[Any]] = defaultdict(lambda: [0] * 7 + [0.0] * 4)

    def event(self, event: EventRecord) -> None:
        """An event was decided."""
        hour = self._hours[event.hour]
        hour[0] += 1
        hour[1] += event.flag

    def label(self, event: EventRecord, positive: bool, sign: int = 1) -> None:
        """The label of an event became known, or (with sign -1) is no longer taken for true."""
        hour = self._hours[event.hour]
        flagged = bool(event.flag)
        hour[2 if positive else 3] += sign
        if positive and not flagged:
            hour[4] += sign
        if flagged and not positive:
            hour[5] += sign
        cost, flag_all, miss_all, perfect = sums_of_row(flagged, positive, event)
        hour[7] += sign * cost
        hour[8] += sign * miss_all
        hour[9] += sign * flag_all
        hour[10] += sign * perfect

    def expired(self, event: EventRecord, number: int) -> None:
        """An event expired, or (with -1) got a label after all."""
        self._hours[event.hour][6] += number

    def outcome(self, event: EventRecord, last: LabelRecord | None) -> None:
        """All that an event with this last label adds."""
        self.event(event)
        if last is not None:
            self.label(event, bool(last.positive))
            self.expired(event, int(last.kind == "expiry"))

    @property
    def hours(self) -> list[tuple[Any, ...]]:
        """The changes, as rows of the table."""
        return [(hour, *values) for hour, values in self._hours.items()]

    def write(self, log: Log, table: str = "hourly_costs") -> None:
        if self._hours:
            log.add_hourly_costs(self.hours, table)


def totals(log: Log) -> dict[str, Any]:
    return _by_name(log.read(f"SELECT {SUMS} FROM hourly_costs")[0])


def _by_name(values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(HOURLY, values, strict=True))


def summary(
    log: Log, by: Literal["day", "hour"], learnt: int, model: str, leader: str | None
) -> Summary:
    """Counts and costs by day or hour of the events, the latest ones."""
    size, most = HOURS[by], MOST_PERIODS[by]
    *rows, whole = log.read(  # one statement, so that the sums are of one moment
        f"SELECT * FROM (SELECT hour / {size} AS period, {SUMS} FROM hourly_costs "
        "GROUP BY period ORDER BY period DESC LIMIT ?) "
        f"UNION ALL SELECT NULL, {SUMS} FROM hourly_costs",
        (most + 1,),
    )
    truncated = len(rows) > most
    periods = [_period(_by_name(row[1:]), iso(row[0] * size * HOUR)) for row in reversed(rows[:most])]
    return Summary(by, periods, _period(_by_name(whole[1:])), learnt, model, leader, truncated)


def _period(values: dict[str, Any], start: str | None = None) -> Period:
    events, tally = values["events"], _tally(values)
    return Period(
        events=events,
        flags=values["flags"],
        labelled=tally.rows,
        expired=values["expired"],
        unlabelled=1 - tally.rows / events if events else 0.0,
        positives=tally.positives,
        missed=tally.missed,
        false_alarms=tally.false_alarms,
        cost=tally.cost,
        flag_nothing=tally.miss_all,
        flag_all=tally.flag_all,
        sensitivity=_defined(tally.sensitivity()),
        specificity=_defined(tally.specificity()),
        start=start,
        perfect=tally.perfect,
        savings=_defined(tally.savings()),
    )


def _tally(values: dict[str, Any]) -> Tally:
    counts = {name: values[name] for name in ("positives", "negatives", "missed", "false_alarms")}
    sums = Sums(values["cost"], values["flag_all"], values["flag_nothing"], values["perfect"])
    return Tally(**counts, sums=sums)


def _defined(value: float) -> float | None:
    """A metric, or None where it is undefined, which JSON can hold."""
    return value if value == value else None
