"""How the costs of rows are filled in: given with the rows, in their columns, or of the objective.

In Python, files, adapters and the service: a cost that is given counts, then the column that the
objective names, then the default of that column, then the number of the objective.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats
from ..errors import CostreamError
from .objective import COSTS, CostColumn, Objective


class GivenCosts(NamedTuple):
    """Costs of rows, given with them: a number, one a row, or None for that of the objective."""

    fn_cost: Any = None
    fp_cost: Any = None
    tp_cost: Any = None
    tn_cost: Any = None

    @property
    def any(self) -> bool:
        return any(one is not None for one in self)

    def where(self, which: Any) -> GivenCosts:
        return GivenCosts(*(None if one is None else one[which] for one in self))


NO_COSTS = GivenCosts()
NOTHING = GivenCosts(0.0, 0.0, 0.0, 0.0)  # where counts alone matter


class FourCosts(NamedTuple):
    """All costs of some rows, as arrays, or of one row, as numbers."""

    fn_cost: Any
    fp_cost: Any
    tp_cost: Any
    tn_cost: Any

    @property
    def a(self) -> Any:
        """What missing a row costs more than flagging it, were it positive."""
        return self.fn_cost - self.tp_cost

    @property
    def b(self) -> Any:
        """What flagging a row costs more than passing it, were it negative."""
        return self.fp_cost - self.tn_cost

    def expected(self, q: Any) -> tuple[Any, Any]:
        """What flagging and what passing is expected to cost, given probabilities of being positive."""
        flag = q * self.tp_cost + (1.0 - q) * self.fp_cost
        return flag, q * self.fn_cost + (1.0 - q) * self.tn_cost


def row_name(t: int) -> str:
    return f"row {t}"


def four_costs(
    given: GivenCosts, objective: Objective, rows: int, where: Callable[[int], str] = row_name
) -> FourCosts | None:
    """All costs of rows: as given, or else those of the objective; None where no row has its own.

    ``where`` names a row in errors.
    """
    if not given.any and not objective.columns:
        return None
    costs = []
    for name, values in zip(COSTS, given, strict=True):
        source = getattr(objective, name, 0.0 if name[0] == "t" else None)
        if values is None:
            costs.append(np.full(rows, _number(name, source, objective), np.float64))
        else:
            costs.append(filled(name, values, source, rows, where))
    return FourCosts(*costs)


def costs_for_all(objective: Objective) -> FourCosts | None:
    """The costs that all rows share, as numbers; None where there are none, or rows have their own."""
    if not objective.has_costs or objective.columns:
        return None
    return FourCosts(*(float(getattr(objective, name)) for name in COSTS))


def known_costs(given: GivenCosts, objective: Objective, rows: int) -> FourCosts | None:
    """The costs that rows have in columns, as far as they are known: for scores, which need none.

    NaN where one is not known; None where the objective takes none from columns.
    """
    if not objective.columns:
        return None
    costs = []
    for name, values in zip(COSTS, given, strict=True):
        source = getattr(objective, name)
        default = source.default if isinstance(source, CostColumn) else source
        other = np.nan if default is None else default
        try:
            numbers = np.broadcast_to(np.asarray(other if values is None else values, np.float64), rows)
        except (TypeError, ValueError, OverflowError):
            numbers = np.full(rows, np.nan)
        costs.append(np.where(np.isfinite(numbers), numbers, other))
    return FourCosts(*costs)


def known_costs_of_one(given: GivenCosts, objective: Objective) -> FourCosts | None:
    own = known_costs(given, objective, 1)
    return None if own is None else FourCosts(*(float(cost[0]) for cost in own))


def four_costs_of_one(given: GivenCosts, objective: Objective) -> FourCosts:
    costs = []
    for name, value in zip(COSTS, given, strict=True):
        source = getattr(objective, name, 0.0 if name[0] == "t" else None)
        if value is None:
            costs.append(_number(name, source, objective))
        elif value.__class__ is float and math.isfinite(value):
            costs.append(value)
        else:
            one: list[Any] = [value]
            costs.append(float(filled(name, one, source, 1, lambda _: "the row")[0]))
    return FourCosts(*costs)


def _number(name: str, source: Any, objective: Objective) -> float:
    if isinstance(source, CostColumn):
        raise CostreamError(
            f"the model takes the {name} of each row from column {source.name}, which is not there",
            f"give {name}=, or rows with a column {source.name}",
        )
    if source is None:
        raise CostreamError(
            f"there is no {name}: the objective of the model is the {objective.name}, which has no "
            "costs",
            "give both fn_cost= and fp_cost=, or make the model with objective=Cost(...)",
        )
    return float(source)


def filled(
    name: str, values: ArrayLike, source: Any, rows: int, where: Callable[[int], str] = row_name
) -> Floats:
    """One finite number a row; an empty one takes the default of its column."""
    column = source if isinstance(source, CostColumn) else None
    try:
        array = np.asarray(values)
        if array.ndim == 1 and array.dtype.kind in "OUS":
            array = _numbers_of(array.tolist(), name, column, where)
        if array.dtype.kind not in "fiubO":
            raise TypeError
        numbers = np.array(array, np.float64)
    except CostreamError:  # which is a ValueError
        raise
    except (TypeError, ValueError, OverflowError):
        raise CostreamError(f"{name} must be a finite number, not {values!r:.60}") from None
    if numbers.ndim == 0:
        numbers = np.full(rows, numbers)
    if numbers.shape != (rows,):
        raise CostreamError(f"{name} must have one number for each of {rows} rows")
    bad = ~np.isfinite(numbers)
    if bad.any():
        if column is not None and column.default is not None:
            numbers[np.isnan(numbers)] = column.default
            bad = ~np.isfinite(numbers)
        if bad.any():
            t = int(np.argmax(bad))
            raise bad_cost(where(t), name, numbers[t], column)
    return numbers


def is_empty(value: Any) -> bool:
    """Whether there is no cost: None, NaN or the NA of pandas."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _numbers_of(
    values: list[Any], name: str, column: CostColumn | None, where: Callable[[int], str]
) -> Floats:
    """Objects as numbers, NaN for those that are empty; text is never a number."""
    numbers = np.full(len(values), np.nan)
    for t, one in enumerate(values):
        try:
            if isinstance(one, str | bytes):
                raise TypeError
            if not is_empty(one):
                numbers[t] = one
        except (TypeError, ValueError, OverflowError):
            raise bad_cost(where(t), name, one, column) from None
    return numbers


def bad_cost(where: str, name: str, value: Any, column: CostColumn | None) -> CostreamError:
    if column is None:
        return CostreamError(f"{where}: {name} must be a finite number, not {value!s:.40}")
    place = f"{where}, column {column.name}"
    if value is not None and value == value:
        return CostreamError(
            f"{place}: {value!s:.40} is not a valid {name}", "a cost is a finite number"
        )
    option = f"--{name.replace('_', '-')}"
    return CostreamError(
        f"{place}: the {name} is missing",
        f"{option} NUMBER {option}-column {column.name} gives the cost where the column is empty "
        f"(in Python: CostColumn({column.name!r}, default=...))",
    )
