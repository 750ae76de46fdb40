"""Which columns of a table are the label, features or costs: as the user or a model says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import CostreamError
from ..objective import CostColumn
from .hashing import TextSlots

if TYPE_CHECKING:
    from ..classifier import OnlineClassifier

HASH_BITS = 18


@dataclass(frozen=True)
class Layout:
    """Which columns of a table mean what.

    Parameters
    ----------
    label : str, default=None
        The column of the label. Without it: label, target, class or y.
    ignore : tuple of str
        Columns to leave out.
    text : tuple of str
        Columns of text, even where they look like numbers.
    costs : dict of str to CostColumn
        The columns of costs, by the names of the costs; they are no features unless they say so.
    keep : tuple of str
        Columns whose values are kept beside the rows, as they stand in the file.
    fixed : frozenset of str
        The costs that are numbers, even where a model takes them from columns.
    hash_bits : int, default=None
        Text values share 2^hash_bits features; without it 2^18, or as many as a model has.
    numbers : frozenset of str
        Columns that a model knows as numbers.
    required : frozenset of str, default=None
        Columns that must be there; None: all that are named.
    learns : bool, default=False
        Whether rows are learnt: one without a label is passed over, and may have no cost.
    """

    label: str | None = None
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    costs: dict[str, CostColumn] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    hash_bits: int | None = None
    numbers: frozenset[str] = frozenset()
    required: frozenset[str] | None = None
    learns: bool = False

    def needs(self, name: str | None) -> bool:
        """Whether a column must be there."""
        return name is not None and (self.required is None or name in self.required)

    @property
    def special(self) -> set[str]:
        """The columns that are not features."""
        both = {one.name for one in self.costs.values() if one.feature}
        return {name for name in (self.label, *self.ignore) if name} | (self.cost_names - both)

    @property
    def cost_names(self) -> set[str]:
        """The columns of costs."""
        return {one.name for one in self.costs.values()}

    @property
    def named(self) -> frozenset[str]:
        """All columns that are named."""
        names = (self.label, *self.cost_names, *self.ignore, *self.text, *self.keep)
        return frozenset(name for name in names if name is not None)

    def for_model(self, model: OnlineClassifier) -> Layout:
        """The layout with what a model remembers of the files that it has learnt from.

        Columns that only the model names may be absent, but for those of costs. A column of costs that
        this layout replaces is left out; one that the model has learnt as a feature stays a feature.
        """
        known: dict[str, Any] = model.notes.get("columns", {})
        bits = known.get("hash_bits") or self.hash_bits
        if self.hash_bits not in (None, bits):
            raise CostreamError(f"the model has {bits} hash bits, not {self.hash_bits}")
        text = tuple(dict.fromkeys([*known.get("text", ()), *self.text]))
        begins = _prefixes(text)
        names = map(str, model.feature_names)
        numbers = frozenset(name for name in names if not name.startswith(begins)) - set(text)
        own = {cost: one for cost, one in model.objective.columns.items() if cost not in self.fixed}
        given = {
            cost: replace(one, feature=one.feature or one.name in numbers)
            for cost, one in self.costs.items()
        }
        costs = {**own, **given}
        replaced = {one.name for one in model.objective.columns.values() if not one.feature}
        replaced -= {one.name for one in costs.values()}
        return Layout(
            label=self.label or known.get("label"),
            ignore=tuple(dict.fromkeys([*known.get("ignore", ()), *self.ignore, *sorted(replaced)])),
            text=text,
            costs=costs,
            keep=self.keep,
            fixed=self.fixed,
            hash_bits=bits,
            numbers=numbers,
            required=self.named | {one.name for one in costs.values()},
        )

    def slots(self, features: Iterable[Any] = ()) -> TextSlots:
        """The slots of text values, some of which have a feature already."""
        begins = _prefixes(self.text)
        names = (name for name in features if isinstance(name, str) and name.startswith(begins))
        return TextSlots(self.hash_bits or HASH_BITS, names)


def _prefixes(columns: Iterable[str]) -> tuple[str, ...]:
    """How the names of the features of text columns begin."""
    return tuple(f"{column}=" for column in columns)
