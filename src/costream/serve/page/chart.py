"""What the charts of the page show, in numbers only."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from ..messages import Period, Summary

ROWS = {"day": 366, "hour": 168}  # the latest, which the charts show
STEPS = {"day": 86400, "hour": 3600}  # seconds


def shown_rows(summary: Summary) -> list[Period]:
    """The periods that the charts show."""
    return summary.rows[-ROWS[summary.by] :]


def is_cut(summary: Summary) -> bool:
    """Whether the charts begin later than the summary does."""
    return summary.truncated or len(summary.rows) > ROWS[summary.by]


def chart_data(summary: Summary, starts: Iterable[str] | None = None) -> dict[str, Any]:
    """The periods that the charts show, or those of them that start so, each by steps since 1970."""
    shown, step = shown_rows(summary), STEPS[summary.by]
    wanted = None if starts is None else set(starts)
    rows = [_numbers(row, step) for row in shown if wanted is None or row.start in wanted]
    return {"step": step, "first": _steps(shown[0], step) if shown else 0, "rows": rows}


def _numbers(row: Period, step: int) -> list[float]:
    """When, the three total costs, flags, and the share without a label; in few characters."""
    costs = (_rounded(one, 6) for one in (row.cost, row.flag_nothing, row.flag_all))
    return [_steps(row, step), *costs, row.flags, _rounded(row.unlabelled, 3)]


def _rounded(value: float, digits: int) -> float:
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _steps(row: Period, step: int) -> int:
    assert row.start is not None
    return int(datetime.fromisoformat(row.start).timestamp()) // step
