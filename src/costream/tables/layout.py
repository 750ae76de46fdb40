"""What is known of the columns of a table before it is read: from the user, and from a model."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import cached_property
from typing import Any, Protocol

from ..costs.objective import CostColumn, Objective
from ..errors import CostreamError
from .naming import TextSlots, text_names
from .schema import HASH_BITS, Schema

SHOWN = 12  # columns that an error names


class ColumnsOfModel(Protocol):
    """What a model knows of the columns of tables."""

    @property
    def schema(self) -> Schema | None: ...

    @property
    def schema_is_inferred(self) -> bool: ...  # of every column, not only of those that the user names

    @property
    def feature_names(self) -> list[Hashable]: ...

    @property
    def objective(self) -> Objective: ...  # where costs come from


@dataclass(frozen=True)
class Layout:
    """What the user defines of the columns of a table, and what a model has learnt of them."""

    label: str | None = None  # without it: label, target, class or y
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()  # even where they look like numbers
    costs: dict[str, CostColumn] = field(default_factory=dict)  # by the names of the costs
    number: tuple[str, ...] = ()
    time: tuple[str, ...] = ()  # the first is the time of the rows
    schema: Schema = field(default_factory=Schema)  # what else is known
    passed: tuple[str, ...] = ()  # columns whose values are passed on as they stand in the file
    keeps_features: bool = False  # those of features, too, for reasons that show them
    fixed: frozenset[str] = frozenset()  # costs that are numbers, even where a model has columns
    learnt: Schema | None = None  # what a model has learnt of the columns
    learnt_features: Collection[Hashable] = ()  # of a model that has learnt rows without a schema
    user: frozenset[str] | None = None  # columns that the user names; None: all that are named
    required: frozenset[str] | None = None  # columns that must be there; None: all that are named
    learns: bool = False  # rows are learnt: one without a label or a cost is skipped
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        kinds: dict[str, str] = {}
        named = {"text": self.text, "number": self.number, "time": self.time, "words": self.words}
        for kind, names in {**named, "left out": self.ignore}.items():
            for name in names:
                if kinds.setdefault(name, kind) != kind:
                    raise CostreamError(f"column {name} cannot be {kinds[name]} and {kind}")

    def needs(self, name: str | None) -> bool:
        """Whether a column must be there."""
        return name is not None and (self.required is None or name in self.required)

    @property
    def special(self) -> set[str]:
        """The columns that are not features."""
        both = {one.name for one in self.costs.values() if one.feature}
        left_out = (*self.ignore, *self.schema.named("left out"))
        return {name for name in (self.label, *left_out) if name} | (self.cost_names - both)

    @property
    def cost_names(self) -> set[str]:
        return {one.name for one in self.costs.values()}

    @property
    def named(self) -> frozenset[str]:
        """All columns that are named."""
        kinds = (*self._kinds, *self.schema.by_name, *self.schema.keep)
        names = (self.label, *self.cost_names, *self.ignore, *self.passed, *kinds)
        return frozenset(name for name in names if name is not None)

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The columns of features whose kind is given."""
        return (*self.text, *self.number, *self.time, *self.words)

    @cached_property
    def overrides(self) -> Schema:
        """What the user defines of columns, which counts before all else."""
        kinds = {
            **dict.fromkeys(self.text, "text"),
            **dict.fromkeys(self.number, "number"),
            **dict.fromkeys(self.time, "time"),
            **dict.fromkeys(self.words, "words"),
            **dict.fromkeys(self.ignore, "left out"),
        }
        return Schema(kinds).over(self.schema)

    @property
    def zone(self) -> tzinfo | None:
        """The zone of hours and days, by the user or the model; None for UTC."""
        return (self.overrides if self.learnt is None else self.overrides.over(self.learnt)).zone

    def decides(self, name: str) -> bool:
        """Whether the user has decided something about a column."""
        return name in (self.named if self.user is None else self.user)

    def for_model(self, model: ColumnsOfModel) -> Layout:
        """The layout with what a model remembers of the tables that it has learnt from.

        Columns that only the model names may be absent, but for those of costs. A column of costs that
        this layout replaces is left out; one that the model has learnt as a feature stays a feature.
        """
        if model.schema is not None and not model.schema_is_inferred:  # only overrides so far
            given = replace(self, schema=self.schema.over(model.schema))._for_model(model, None)
            costs = {one.name for one in given.costs.values()}
            return replace(given, required=self.named | costs)
        return self._for_model(model, model.schema)

    def _for_model(self, model: ColumnsOfModel, schema: Schema | None) -> Layout:
        bits = None if schema is None else schema.bits
        if bits is not None and self.schema.hash_bits not in (None, bits):
            raise CostreamError(f"the model has {bits} hash bits, not {self.schema.hash_bits}")
        own = {cost: one for cost, one in model.objective.columns.items() if cost not in self.fixed}
        costs = {**own, **self.costs}
        replaced = {one.name for one in model.objective.columns.values() if not one.feature}
        replaced -= {one.name for one in costs.values()}
        label = None if schema is None else next(iter(schema.named("label")), None)
        left_out = () if schema is None else schema.named("left out")
        features = frozenset(model.feature_names) if schema is None else frozenset()
        return replace(
            self,
            label=self.label or label,
            ignore=tuple(
                dict.fromkeys(
                    [*(n for n in left_out if n not in self._kinds), *self.ignore, *sorted(replaced)]
                )
            ),
            costs=costs,
            learnt=schema,
            learnt_features=features,
            user=self.named,
            required=self.named | {one.name for one in costs.values()},
        )

    def slots(self, features: Iterable[Any] = ()) -> TextSlots:
        """The slots of text values, some of which have a feature already."""
        bits = self.schema.hash_bits or (self.learnt.bits if self.learnt else HASH_BITS)
        return TextSlots(bits, text_names(features, self.learnt or self.overrides))

    def check(self, columns: Collection[str], file: str) -> None:
        """Raise an error if a column that must be there is not, or if the label is a cost."""
        if self.label is not None and self.label in self.cost_names:
            raise CostreamError(f"column {self.label} cannot be the label and a cost")
        for cost, column in self.costs.items():
            if self.needs(column.name) and column.name not in columns:
                raise self._no_cost_column(cost, columns, file)
        for name in sorted(self.named - self.cost_names):
            if self.needs(name) and name not in columns:
                raise no_column(name, columns, file)

    def _no_cost_column(self, cost: str, columns: Collection[str], file: str) -> CostreamError:
        """The error for a column of costs that is not there."""
        option = cost.replace("_", "-")
        hint = f"name the column with --{option}-column, or give one number for all rows: --{option}"
        free = [name for name in columns if name not in self.cost_names]  # not that of another cost
        name = self.costs[cost].name
        return no_column(name, columns, file, f", from which {cost} is taken", hint, free)


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
    close = difflib.get_close_matches(name, columns if free is None else free, 1)
    return CostreamError(
        f"{file}: there is no column {name}{role} (there are {shown}{more})",
        f"did you mean {close[0]}?" if close else hint,
    )
