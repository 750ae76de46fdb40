"""What decisions cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..._typing import Floats
from ...errors import CostreamError
from ..objective import COSTS, FN_COST, FP_COST, CostColumn, Objective, check_finite, register
from ..tally import Costs


@register
@dataclass(frozen=True, repr=False)
class Cost(Objective):
    """Minimise the total cost of decisions.

    A missed positive costs ``fn_cost``, a false alarm ``fp_cost``, a positive that is flagged
    ``tp_cost``, and a negative that is passed ``tn_cost``. Benefits are negative costs. Only two
    differences matter: missing a positive row costs a = ``fn_cost - tp_cost`` more than flagging it,
    and flagging a negative row costs b = ``fp_cost - tn_cost`` more than passing it. A row that
    is positive with probability q is flagged if ``q * a >= (1 - q) * b``.

    Parameters
    ----------
    fn_cost, fp_cost : float, str or CostColumn
        What a missed positive and a false alarm cost: a number, or the column with the cost of each
        row. Give both or neither; neither means 0.9 and 0.1, as in the paper.
    tp_cost, tn_cost : float, str or CostColumn, default=0.0
        What a flagged positive and a passed negative cost.

    See Also
    --------
    CostColumn : A column that may be empty, or is not a feature.
    WeightedAccuracy : Maximise the weighted sum of sensitivity and specificity.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019. Equation 1.

    Elkan, "The Foundations of Cost-Sensitive Learning", IJCAI 2001.

    Examples
    --------
    >>> from costream import Cost
    >>> Cost(fn_cost=500, fp_cost=5).rho(0, 0)
    100.0
    >>> Cost(fn_cost="amount", fp_cost=5, tp_cost=5)    # a call costs 5, whoever is called
    Cost(fn_cost='amount', fp_cost=5, tp_cost=5)
    """

    fn_cost: Any = None
    fp_cost: Any = None
    tp_cost: Any = 0.0
    tn_cost: Any = 0.0
    name: ClassVar[str] = "cost"
    goal: ClassVar[str] = "the cost"
    metric: ClassVar[str] = "cost"
    score: ClassVar[str] = "savings"
    has_costs: ClassVar[bool] = True
    needs_counts: ClassVar[bool] = False
    half_life: ClassVar[None] = None

    def __post_init__(self) -> None:
        if self.fn_cost is None and self.fp_cost is None:
            object.__setattr__(self, "fn_cost", FN_COST)
            object.__setattr__(self, "fp_cost", FP_COST)
        for name in COSTS:
            object.__setattr__(self, name, _source(name, getattr(self, name)))
        self._check_difference("fn_cost", "tp_cost", "no row would ever be flagged")
        self._check_difference("fp_cost", "tn_cost", "every row would be flagged")

    def _check_difference(self, wrong: str, right: str, so: str) -> None:
        """Raise an error if a mistake costs no more than the right decision, for every row."""
        more, less = getattr(self, wrong), getattr(self, right)
        if isinstance(more, CostColumn) or isinstance(less, CostColumn) or more > less:
            return
        what = "missing a positive row costs no more than flagging it"
        if wrong == "fp_cost":
            what = "flagging a negative row costs no more than passing it"
        raise CostreamError(
            f"{wrong}={more:g} must be above {right}={less:g}: {what}, so {so}",
            f"costs are positive and benefits negative; is {wrong} or {right} the other way round?",
        )

    def __repr__(self) -> str:
        shown = []
        for name in COSTS:
            source = getattr(self, name)
            if name in ("fn_cost", "fp_cost") or source != 0.0:
                plain = isinstance(source, CostColumn) and source.plain
                shown.append(f"{name}={source.name!r}" if plain else f"{name}={source!r}")
        return f"Cost({', '.join(shown)})"

    @property
    def columns(self) -> dict[str, CostColumn]:
        sources = {name: getattr(self, name) for name in COSTS}
        return {name: one for name, one in sources.items() if isinstance(one, CostColumn)}

    def with_columns(self, columns: dict[str, CostColumn]) -> Cost:
        known: dict[str, Any] = {} if self == Cost() else dict(vars(self))
        for name, column in columns.items():
            number = known.get(name)
            given = number is not None and not isinstance(number, CostColumn)
            if given and column.default is None and (number or name[0] == "f"):
                column = replace(column, default=number)
            known[name] = column
        return Cost(**known)

    def rho(self, positives: float | Floats, negatives: float | Floats) -> float:
        try:  # every row that is learnt asks, so there is no look at the columns
            return float((self.fn_cost - self.tp_cost) / (self.fp_cost - self.tn_cost))
        except TypeError:
            return math.nan

    @property
    def unit(self) -> float:
        """The cost that learners count as 1: b if it is a number, otherwise its value in the paper."""
        numbers: list[Any] = [
            one.default if isinstance(one, CostColumn) else one for one in (self.fp_cost, self.tn_cost)
        ]
        if None in numbers or numbers[0] <= numbers[1]:
            return FP_COST
        return float(numbers[0] - numbers[1])

    @classmethod
    def of(
        cls,
        costs: Costs,
        counts: tuple[int, int] | None = None,  # noqa: ARG003
        half_life: float | None = None,  # noqa: ARG003
    ) -> Cost:
        return cls(costs.fn_cost, costs.fp_cost, costs.tp_cost, costs.tn_cost)

    @property
    def costs(self) -> Costs:
        """The four costs as numbers; that of a column is its default, or 0."""
        sources = {name: getattr(self, name) for name in COSTS}
        return Costs(
            **{
                name: (one.default or 0.0) if isinstance(one, CostColumn) else one
                for name, one in sources.items()
            }
        )

    def with_costs(self, **costs: Any) -> Cost:
        return replace(self, **costs)

    @property
    def sources(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in COSTS}
        return {
            name: one.in_words if isinstance(one, CostColumn) else one
            for name, one in given.items()
            if name in ("fn_cost", "fp_cost") or one != 0.0
        }

    @property
    def in_words(self) -> str:
        each = (
            f"{name}={one if isinstance(one, str) else format(one, 'g')}"
            for name, one in self.sources.items()
        )
        return f"{self.goal} ({', '.join(each)})"

    @classmethod
    def weights_in_words(cls, costs: Costs) -> str:
        return f"{costs.fn_cost:g} a missed positive, {costs.fp_cost:g} a false alarm"


def _source(name: str, source: Any) -> float | CostColumn:
    """A cost as a number or a column; an error says what it may be."""
    if isinstance(source, str):
        return CostColumn(source)
    if isinstance(source, CostColumn):
        return source
    if source is None and name in ("fn_cost", "fp_cost"):
        raise CostreamError(
            f"Cost needs {name}, too", "give both fn_cost and fp_cost: Cost(fn_cost=100, fp_cost=5)"
        )
    if np.ndim(source):
        raise CostreamError(
            f"{name} of an objective must be a number or the name of a column",
            f"give one a row with the rows, as in learn_many(X, y, {name}=...)",
        )
    check_finite(name, source)
    return source  # type: ignore[no-any-return]
