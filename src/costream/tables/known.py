"""The schema of a table: as its rows say, where neither the user nor a model knows better."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .cells import Raw, Text
from .infer import MOSTLY, Found, infer, strings_of
from .naming import feature_name
from .numbers import as_numbers, settle
from .reading import Reading
from .schema import Column, Schema
from .times import FEATURES


@dataclass(frozen=True)
class Known:
    """What is known of the columns of a table before it is read.

    Attributes
    ----------
    wishes : Schema
        What the user says.
    schema : Schema or None
        What a model has learnt.
    features : collection of hashable
        The features of a model that has learnt single rows without a schema.
    by_type : bool
        Whether columns go by the types of their values alone, as single rows do.
    """

    wishes: Schema = field(default_factory=Schema)
    schema: Schema | None = None
    features: Collection[Hashable] = ()
    by_type: bool = False

    def known_columns(self, names: Collection[str]) -> dict[str, Column]:
        """The columns that a model knows, but for those that the user overrules."""
        wished = self.wishes.by_name
        if self.schema is not None:
            return {one.name: one for one in self.schema.columns if not self._overrules(one)}
        if not self.features:
            return {}
        text = {one.split("=", 1)[0] for one in self.features if isinstance(one, str) and "=" in one}
        found = {}
        for name in names:
            if name in wished:
                continue
            if feature_name(name) in self.features or name in self.features:
                found[name] = Column(name, "number")
            elif name in text:
                found[name] = Column(name, "text", exact=True)
            elif any(f"{name}.{part}" in self.features for part in FEATURES):
                found[name] = Column(name, "time")
        return found

    def _overrules(self, column: Column) -> bool:
        """Whether the user says something else about a column than the model knows."""
        wished = self.wishes.by_name.get(column.name)
        if wished is None:
            return column.kind == "id" and column.name in self.wishes.keep
        differs = wished.kind != column.kind or wished.words != column.words
        return differs or column.name not in self.wishes.open

    def settle(
        self, sample: Mapping[str, Raw], roles: Mapping[str, str], *, text_file: bool = False
    ) -> tuple[Schema, list[str]]:
        """The whole schema of a table by its first rows, and what is to be said about it."""
        known = self.known_columns(sample)
        known, said = self._rewritten(known, sample)
        wishes = self.wishes if self.schema is None else self.wishes.over(self.schema.with_columns(()))
        new = {name: raw for name, raw in sample.items() if name not in known}
        found = infer(new, wishes, roles, text_file=text_file, by_type=self.by_type)
        remarks = [*said, *found.remarks, *self._disagreements(sample, known, roles, text_file)]
        by_name = {**known, **{one.name: one for one in found.columns}}
        if not self.by_type and any(one.is_feature and not one.words for one in by_name.values()):
            by_name.update((one.name, one) for one in self._narrowed(found))
        before = {} if self.schema is None else self.schema.by_name  # whose order stays
        columns = {**before, **{name: by_name[name] for name in sample}, **by_name}
        return wishes.with_columns(columns.values()), remarks

    def _narrowed(self, found: Found) -> list[Column]:
        """The new columns of words beside others: the running rates of words do not widen a model."""
        given = self.wishes.by_name.keys() - self.wishes.open
        words = (one for one in found.columns if one.words and one.name not in given)
        return [replace(one, rate=True) for one in words]

    def _rewritten(
        self, known: dict[str, Column], sample: Mapping[str, Raw]
    ) -> tuple[dict[str, Column], list[str]]:
        """The columns of numbers that a model knows, as this table writes them, and what is said of it.

        Where a table shows another decimal sign than those before, its own counts.
        """
        if self.schema is None or self.wishes.decimal or self.wishes.thousands is not None:
            return known, []
        words = Reading(self.schema).words_of_numbers
        fits = {}
        for name, raw in sample.items():
            if isinstance(raw, Text) and name in known and known[name].kind in ("number", "cost"):
                values, counts = strings_of(raw)
                fits[name] = as_numbers(values, counts, words)
        shown = {fit.shows for fit in fits.values() if fit.shows and fit.share >= MOSTLY}
        written = settle(fits)
        found, remarks = dict(known), []
        for name, fit in written.items():
            column = known[name]
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
        known: Mapping[str, Column],
        roles: Mapping[str, str],
        text_file: bool,
    ) -> list[str]:
        """How a table differs from the single rows that a model has learnt."""
        if self.schema is not None or not known:
            return []
        other = {name: raw for name, raw in sample.items() if name in known and name not in roles}
        found: Found = infer(other, self.wishes, {}, text_file=text_file)
        remarks = []
        for one in found.columns:
            kind = known[one.name].kind
            if one.kind != kind and not (kind == "number" and one.kind in ("yes/no", "id")):
                remarks.append(
                    f"{one.name}: the model has learnt it as {_plural(kind)}, and here it looks like "
                    f"{_plural(one.kind)}; it is read as {_plural(kind)}"
                )
        return remarks


def gone(schema: Schema | None, names: Sequence[str], name: str) -> str | None:
    """The warning of columns that a model knows and a table does not have."""
    if schema is None:
        return None
    there = set(names)
    absent = [one.name for one in schema.features if one.name not in there]
    if not absent:
        return None
    shown = ", ".join(absent[:8]) + (f" and {len(absent) - 8} more" if len(absent) > 8 else "")
    if len(absent) == 1:
        return f"{name}: a column that the model knows is not there and counts as missing: {shown}"
    return f"{name}: columns that the model knows are not there and count as missing: {shown}"


def _plural(kind: str) -> str:
    return {"number": "numbers", "time": "times", "id": "an id"}.get(kind, kind)
