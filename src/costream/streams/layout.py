"""Which columns of a table are the label, features or costs: as the user or a model says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import CostreamError
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
    fn_cost, fp_cost : str, default=None
        The columns of what missing or flagging a row costs; they are no features.
    hash_bits : int, default=None
        Text values share 2^hash_bits features; without it 2^18, or as many as a model has.
    numbers : frozenset of str
        Columns that a model knows as numbers.
    required : frozenset of str, default=None
        Columns that must be there; None: all that are named.
    """

    label: str | None = None
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    fn_cost: str | None = None
    fp_cost: str | None = None
    hash_bits: int | None = None
    numbers: frozenset[str] = frozenset()
    required: frozenset[str] | None = None

    def needs(self, name: str | None) -> bool:
        """Whether a column must be there."""
        return name is not None and (self.required is None or name in self.required)

    @property
    def costs(self) -> tuple[str, ...]:
        """The columns of costs."""
        return tuple(name for name in (self.fn_cost, self.fp_cost) if name)

    @property
    def special(self) -> set[str]:
        """The columns that are not features; a cost that the model knows as a feature is both."""
        costs = (name for name in self.costs if name not in self.numbers)
        return {name for name in (self.label, *self.ignore, *costs) if name}

    @property
    def named(self) -> frozenset[str]:
        """All columns that are named."""
        names = (self.label, self.fn_cost, self.fp_cost, *self.ignore, *self.text)
        return frozenset(name for name in names if name is not None)

    def for_model(self, model: OnlineClassifier, learn: bool) -> Layout:
        """The layout with what a model remembers of the files that it has learnt from.

        Columns that only the model names may be absent, but for the costs, which learning needs. Where
        nothing is learnt costs are read if this layout names one. One that is a feature is both.
        """
        known: dict[str, Any] = model.notes.get("columns", {})
        bits = known.get("hash_bits") or self.hash_bits
        if self.hash_bits not in (None, bits):
            raise CostreamError(f"the model has {bits} hash bits, not {self.hash_bits}")
        text = tuple(dict.fromkeys([*known.get("text", ()), *self.text]))
        noted = [known.get("fn_cost"), known.get("fp_cost")]
        named = [self.fn_cost, self.fp_cost]
        costs = [own or other for own, other in zip(named, noted, strict=True)]
        if not learn and not any(named):
            costs = [None, None]
        ignore = dict.fromkeys([*known.get("ignore", ()), *self.ignore])
        ignore.update(dict.fromkeys(name for name in noted if name not in (None, *costs)))
        begins = _prefixes(text)
        names = map(str, model.feature_names)
        return Layout(
            label=self.label or known.get("label"),
            ignore=tuple(ignore),
            text=text,
            fn_cost=costs[0],
            fp_cost=costs[1],
            hash_bits=bits,
            numbers=frozenset(name for name in names if not name.startswith(begins)) - set(text),
            required=self.named | {cost for cost in costs if cost is not None},
        )

    def slots(self, features: Iterable[Any] = ()) -> TextSlots:
        """The slots of text values, some of which have a feature already."""
        begins = _prefixes(self.text)
        names = (name for name in features if isinstance(name, str) and name.startswith(begins))
        return TextSlots(self.hash_bits or HASH_BITS, names)


def _prefixes(columns: Iterable[str]) -> tuple[str, ...]:
    """How the names of the features of text columns begin."""
    return tuple(f"{column}=" for column in columns)
