"""Which column of a table means what."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass

from ..costs.objective import CostColumn
from ..errors import CostreamError
from .layout import Layout

LABEL_NAMES = ("label", "target", "class", "y")  # tried in this order where nobody names the label
INDEX = re.compile(r"__index_level_\d+__")  # the row labels of a pandas data frame, in Parquet
SHOWN = 12


@dataclass(frozen=True)
class Roles:
    """Which columns of a file are features, and which is the label or a cost; None: there is none."""

    columns: tuple[str, ...]  # all of them
    features: tuple[str, ...]
    label: str | None
    costs: dict[str, CostColumn]
    passed: tuple[str, ...] = ()  # whose values are passed on as they stand
    kept: tuple[str, ...] = ()  # these, and features whose values are to be shown
    learns: bool = False  # whether a row without a label is passed over

    @classmethod
    def of(cls, columns: list[str], layout: Layout, file: str) -> Roles:
        """The roles of the columns of a file, those that are needed must be there."""
        _check_columns(columns, layout, file)
        label = label_column(columns, layout)
        special = layout.special | {label}
        costs = {cost: one for cost, one in layout.costs.items() if one.name in columns}
        features = [name for name in columns if name not in special and not INDEX.fullmatch(name)]
        kept = dict.fromkeys([*layout.passed, *(features if layout.keeps_features else ())])
        return cls(
            tuple(columns), tuple(features), label, costs, layout.passed, tuple(kept), layout.learns
        )

    @property
    def wanted(self) -> list[str]:
        """The columns that must be read."""
        return list(dict.fromkeys([*self.used, *self.passed]))

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of the columns that are no features."""
        costs = {one.name for one in self.costs.values()}
        kinds = {name: "cost" if name in costs else "left out" for name in self.columns}
        if self.label is not None:
            kinds[self.label] = "label"
        return {name: kind for name, kind in kinds.items() if name not in self.features}

    @property
    def used(self) -> list[str]:
        """The columns that are features, costs or the label."""
        others = (name for name in (self.label, *(one.name for one in self.costs.values())) if name)
        return list(dict.fromkeys([*self.features, *others]))


def _check_columns(columns: list[str], layout: Layout, file: str) -> None:
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise CostreamError(f"{file}: two columns are called {twice}", "rename one of them")
    check_costs(layout)
    for cost, column in layout.costs.items():
        if layout.needs(column.name) and column.name not in columns:
            raise no_cost_column(cost, layout, columns, file)
    for name in sorted(layout.named - layout.cost_names):
        if layout.needs(name) and name not in columns:
            raise no_column(name, columns, file)


def check_costs(layout: Layout) -> None:
    """Raise an error if the label is a cost."""
    if layout.label is not None and layout.label in layout.cost_names:
        raise CostreamError(f"column {layout.label} cannot be the label and a cost")


def no_cost_column(cost: str, layout: Layout, columns: Collection[str], file: str) -> CostreamError:
    """The error for a column of costs that is not there."""
    option = cost.replace("_", "-")
    hint = f"name the column with --{option}-column, or give one number for all rows: --{option}"
    free = [name for name in columns if name not in layout.cost_names]  # not that of another cost
    name = layout.costs[cost].name
    return no_column(name, columns, file, f", which the {cost} is taken from", hint, free)


def no_column(
    name: str,
    columns: Collection[str],
    file: str,
    role: str = "",
    hint: str | None = None,
    free: Collection[str] | None = None,
) -> CostreamError:
    """The error for a column that is not there; ``free`` are those that may be meant."""
    shown = ", ".join(list(columns)[:SHOWN])
    more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
    close = difflib.get_close_matches(name, columns if free is None else free, 1, cutoff=0.7)
    return CostreamError(
        f"{file}: there is no column {name}{role} (there are {shown}{more})",
        f"did you mean {close[0]}?" if close else hint,
    )


def label_column(columns: Collection[str], layout: Layout) -> str | None:
    """The column of the label: as the layout says, or one of `LABEL_NAMES` in any case.

    >>> label_column(["amount", "Class"], Layout())
    'Class'
    """
    if layout.label is not None:
        return layout.label if layout.label in columns else None
    special = layout.special
    free = [name for name in columns if name not in special]
    by_word = {name.strip().lower(): name for name in reversed(free)}
    exact = (name for name in LABEL_NAMES if name in free)
    return next(exact, None) or next((by_word[name] for name in LABEL_NAMES if name in by_word), None)
