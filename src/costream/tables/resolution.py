"""What each column of a table means, and who decided it: the user, a model, or its first rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import CostreamError
from .infer import MOSTLY, infer, strings_of
from .layout import Layout
from .leakage import cost_leaks, left_out_message
from .naming import feature_name
from .numbers import as_numbers, resolve
from .reading import Raw, Reading, Text, silent
from .schema import Column, Schema
from .times import FEATURES

LABEL_NAMES = ("label", "target", "class", "y")  # tried in this order where nobody names the label
INDEX = re.compile(r"__index_level_\d+__")  # the row labels of a pandas data frame, in Parquet
SHOWN = 8  # columns that a warning names


class ResolvedSchema:
    """What each column of a table means, and who decided it.

    The names alone decide which columns are the label, costs or features, so that no others are read;
    `resolve` decides by the first rows what they hold, where neither the user nor a model knows better.
    ``by_type``: columns go by the types of their values alone, as single rows do.
    """

    def __init__(
        self, layout: Layout, names: Sequence[str], label: str | None = None, by_type: bool = False
    ) -> None:
        self.layout = layout
        self.names = names
        self.label = label
        self.by_type = by_type
        self.schema = Schema()  # what the columns hold, once that is resolved
        self.costs = {cost: one for cost, one in layout.costs.items() if one.name in names}
        special = layout.special | {label}
        self.features = [name for name in names if name not in special and not INDEX.fullmatch(name)]
        self._leaking: list[str] = []  # costs that leak the label, which are not used as features
        self._learnt: Mapping[str, Column] = {}  # as a model knows them

    @classmethod
    def of(cls, names: Sequence[str], layout: Layout, file: str) -> ResolvedSchema:
        """The columns of a file; those that are needed must be there."""
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CostreamError(f"{file}: two columns are called {twice}", "rename one of them")
        layout.check(names, file)
        return cls(layout, names, label_of(names, layout))

    @property
    def used(self) -> list[str]:
        """The columns that are features, the label or costs."""
        label = () if self.label is None else (self.label,)
        return list(dict.fromkeys([*self.features, *label, *(one.name for one in self.costs.values())]))

    @property
    def wanted(self) -> list[str]:
        """The columns that must be read."""
        return list(dict.fromkeys([*self.used, *self.layout.passed]))

    @property
    def kept(self) -> list[str]:
        """The columns whose values are passed on as they stand."""
        shown = self.features if self.layout.keeps_features else ()
        return list(dict.fromkeys([*self.layout.passed, *shown]))

    @property
    def of_rows(self) -> list[str]:
        """The columns of features and costs, which rows are made of."""
        features = (one.name for one in self.schema.features)
        return list(dict.fromkeys([*features, *(one.name for one in self.costs.values())]))

    @property
    def known(self) -> set[str]:
        """All columns that have a meaning, even if it is to be left out."""
        return {*self.schema.by_name, *self.names, *self.layout.special}

    @property
    def roles(self) -> dict[str, str]:
        """The columns that are not features, and what they are instead."""
        costs = {one.name for one in self.costs.values()}
        features = {*self.features} - {*self._leaking}
        kinds = {name: "cost" if name in costs else "left out" for name in self.names}
        if self.label is not None:
            kinds[self.label] = "label"
        return {name: kind for name, kind in kinds.items() if name not in features}

    def decided_by(self, name: str) -> str:
        """Who decided what a column is: "user", "model", or "inferred" by its values."""
        if self.layout.decides(name):
            return "user"
        return "model" if name in self._learnt or name in self.layout.named else "inferred"

    def absent(self, table: str) -> str | None:
        """The warning of columns that a model knows and a table does not have."""
        learnt = () if self.layout.learnt is None else self.layout.learnt.features
        gone = [one.name for one in learnt if one.name not in self.names]
        if not gone:
            return None
        more = f" and {len(gone) - SHOWN} more" if len(gone) > SHOWN else ""
        what = "columns that the model knows are not there and count as missing"
        if len(gone) == 1:
            what = "a column that the model knows is not there and counts as missing"
        return f"{table}: {what}: {', '.join(gone[:SHOWN])}{more}"

    # --- by the first rows ----------------------------------------------------------------------

    def leave_out_leaking(self, sample: Mapping[str, Raw], labels: Sequence[Any]) -> dict[str, str]:
        """Use no cost as a feature that leaks the labels of the first rows; returns what to warn of."""
        overrides, found = self.layout.overrides, {}
        reading = Reading(overrides)
        learnt = {} if self.layout.learnt is None else self.layout.learnt.by_name
        for name in dict.fromkeys(one.name for one in self.costs.values()):
            if name in learnt or name not in self.features or name not in sample:
                continue
            column = overrides.by_name.get(name, Column(name, "cost"))
            column = column if column.kind == "number" else Column(name, "cost")
            if cost_leaks(reading.numbers(sample[name], column, silent), labels):
                self._leaking.append(name)
                found[f"{name} leaks"] = left_out_message(name)
        return found

    def resolve(self, sample: Mapping[str, Raw], *, text_file: bool = False) -> list[str]:
        """Say by the first rows what the columns hold; returns what may surprise.

        In a ``text_file`` all values are text, and may be numbers; elsewhere text is text.
        """
        layout, overrides = self.layout, self.layout.overrides
        before = None if layout.learnt is None else _written(layout.learnt, overrides)
        learnt, remarks = self._as_written(self._as_learnt(before, sample), sample)
        roles = {name: kind for name, kind in self.roles.items() if name in sample}
        new = {name: raw for name, raw in sample.items() if name not in learnt}
        given = overrides if before is None else overrides.over(before.with_columns(()))
        found = infer(new, given, roles, text_file=text_file, by_type=self.by_type)
        remarks += found.remarks
        if before is None and learnt:
            remarks += self._disagreements(sample, learnt, roles, text_file)
        by_name = {**learnt, **{one.name: one for one in found.columns}}
        if not self.by_type and any(one.is_feature and not one.words for one in by_name.values()):
            by_name.update((one.name, one) for one in self._narrowed(found.columns))
        first = {} if before is None else before.by_name  # whose order stays
        columns = {**first, **{name: by_name[name] for name in sample}, **by_name}
        self.schema, self._learnt = given.with_columns(columns.values()), learnt
        return remarks

    def _as_learnt(self, before: Schema | None, names: Collection[str]) -> dict[str, Column]:
        """The columns that a model knows, but for those that the user overrides."""
        if before is not None:
            return {one.name: one for one in before.columns if not self._is_overridden(one)}
        features = self.layout.learnt_features
        if not features:
            return {}
        text = {one.split("=", 1)[0] for one in features if isinstance(one, str) and "=" in one}
        found = {}
        for name in names:
            if name in self.layout.overrides.by_name:
                continue
            if feature_name(name) in features or name in features:
                found[name] = Column(name, "number")
            elif name in text:
                found[name] = Column(name, "text", exact=True)
            elif any(f"{name}.{part}" in features for part in FEATURES):
                found[name] = Column(name, "time")
        return found

    def _is_overridden(self, column: Column) -> bool:
        """Whether the user defines a column in another way than the model."""
        overrides = self.layout.overrides
        given = overrides.by_name.get(column.name)
        if given is None:
            return column.kind == "id" and column.name in overrides.keep
        differs = given.kind != column.kind or given.words != column.words
        return differs or column.name not in overrides.open

    def _narrowed(self, new: Sequence[Column]) -> list[Column]:
        """The new columns of words beside others: their target encodings do not widen a model."""
        overrides = self.layout.overrides
        given = overrides.by_name.keys() - overrides.open
        return [
            replace(one, target_encoding=True) for one in new if one.words and one.name not in given
        ]

    def _as_written(
        self, learnt: dict[str, Column], sample: Mapping[str, Raw]
    ) -> tuple[dict[str, Column], list[str]]:
        """The columns of numbers that a model knows, as this table writes them, and what surprises.

        Where a table shows another decimal sign than those before, its own counts.
        """
        before, overrides = self.layout.learnt, self.layout.overrides
        if before is None or overrides.decimal or overrides.thousands is not None:
            return learnt, []
        words = Reading(before).words_of_numbers
        fits = {}
        for name, raw in sample.items():
            if isinstance(raw, Text) and name in learnt and learnt[name].kind in ("number", "cost"):
                values, counts = strings_of(raw)
                fits[name] = as_numbers(values, counts, words)
        shown = {fit.shows for fit in fits.values() if fit.shows and fit.share >= MOSTLY}
        found, remarks = dict(learnt), []
        for name, fit in resolve(fits).items():
            column = learnt[name]
            if len(shown) == 1 and column.decimal not in shown and fit.decimal in shown:
                found[name] = replace(column, decimal=fit.decimal, thousands=fit.thousands)
                if fit.example is not None or fit.shows:
                    remarks.append(
                        f"{name}: the decimal sign is {fit.decimal!r} here, and was {column.decimal!r} "
                        "in what the model has learnt; numbers are read so (--decimal "
                        f"{column.decimal} overrules it)"
                    )
        return found, remarks

    def _disagreements(
        self,
        sample: Mapping[str, Raw],
        learnt: Mapping[str, Column],
        roles: Mapping[str, str],
        text_file: bool,
    ) -> list[str]:
        """How a table differs from the single rows that a model has learnt."""
        other = {name: raw for name, raw in sample.items() if name in learnt and name not in roles}
        remarks = []
        for one in infer(other, self.layout.overrides, {}, text_file=text_file).columns:
            kind = learnt[one.name].kind
            if one.kind != kind and not (kind == "number" and one.kind in ("yes/no", "id")):
                remarks.append(
                    f"{one.name}: the model has learnt it as {_plural(kind)}, and here it looks like "
                    f"{_plural(one.kind)}; it is read as {_plural(kind)}"
                )
        return remarks


def label_of(names: Collection[str], layout: Layout) -> str | None:
    """The column of the label: that of the layout, or one of `LABEL_NAMES` in any case.

    >>> label_of(["amount", "Class"], Layout())
    'Class'
    """
    if layout.label is not None:
        return layout.label if layout.label in names else None
    special = layout.special
    free = [name for name in names if name not in special]
    by_word = {name.strip().lower(): name for name in reversed(free)}
    exact = (name for name in LABEL_NAMES if name in free)
    return next(exact, None) or next((by_word[name] for name in LABEL_NAMES if name in by_word), None)


def _written(learnt: Schema, overrides: Schema) -> Schema:
    """The schema of a table with the user's way of writing values."""
    return learnt.with_columns(_column_written(one, overrides) for one in learnt.columns)


def _column_written(column: Column, overrides: Schema) -> Column:
    """A column with the signs and the order of days that the user has given."""
    if column.kind == "time" and overrides.day_first is not None:
        return replace(column, day_first=overrides.day_first)
    if column.kind not in ("number", "cost"):
        return column
    decimal, thousands = column.decimal, column.thousands
    if overrides.thousands is not None:
        thousands = overrides.thousands
        decimal = "," if thousands == decimal == "." else "." if thousands == decimal else decimal
    if overrides.decimal is not None:
        decimal = overrides.decimal
        thousands = "" if thousands == decimal else thousands
    return replace(column, decimal=decimal, thousands=thousands)


def _plural(kind: str) -> str:
    return {"number": "numbers", "time": "times", "id": "an id"}.get(kind, kind)
