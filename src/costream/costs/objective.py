"""What is to be optimised: the weighted sum of sensitivity and specificity, or what decisions cost.

Both cost a row by rho if it is positive and by 1 if it is negative (Eq. 1 of the paper), unless rows
have costs of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias, overload

import numpy as np

from .._typing import Floats
from ..errors import CostreamError

COSTS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
FN_COST, FP_COST = 0.9, 0.1  # of the paper


def _check_positive(name: str, value: float, *, below: float = math.inf) -> None:
    if not (isinstance(value, int | float | np.number) and 0 < value < below):
        bounds = "a finite number above 0" if below == math.inf else f"between 0 and {below:g}"
        raise CostreamError(f"{name} must be {bounds}, not {value!r}")


@dataclass(frozen=True)
class Sum:
    """Maximise ``alpha_p * sensitivity + (1 - alpha_p) * specificity``.

    A positive row costs rho = ``alpha_p / (1 - alpha_p) * T_n / T_p``, a negative one 1.

    Parameters
    ----------
    alpha_p : float, default=0.5
        The weight of sensitivity, between 0 and 1.
    ratio : float, default=None
        The number of negatives per positive, T_n / T_p. None for the running estimate
        ``(t_n + 1) / (t_p + 1)`` from the rows before the current one.
    half_life : float, default=None
        The number of rows after which a row counts half in that estimate, for streams whose ratio
        drifts. None for never.

    See Also
    --------
    Cost : Minimise the total cost of mistakes.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019. Equation 1.

    Examples
    --------
    >>> from costream import Sum
    >>> Sum(ratio=99.0).rho(0, 0)
    99.0
    >>> Sum().rho(positives=1, negatives=9)
    5.0
    """

    alpha_p: float = 0.5
    ratio: float | None = None
    half_life: float | None = None
    name: ClassVar[str] = "sum"
    unit: ClassVar[float] = 1.0
    columns: ClassVar[dict[str, CostColumn]] = {}

    def __post_init__(self) -> None:
        _check_positive("alpha_p", self.alpha_p, below=1.0)
        for name in ("ratio", "half_life"):
            if getattr(self, name) is not None:
                _check_positive(name, getattr(self, name))

    @classmethod
    def known(cls, positives: int, negatives: int, alpha_p: float = 0.5) -> Sum:
        """Make the objective of a stream whose totals are known.

        Parameters
        ----------
        positives, negatives : int
            The numbers of positive and of negative rows in the whole stream.
        alpha_p : float, default=0.5
            The weight of sensitivity.

        Returns
        -------
        Sum
            The objective, with their ratio.

        Examples
        --------
        >>> from costream import Sum
        >>> Sum.known(positives=20, negatives=80)
        Sum(alpha_p=0.5, ratio=4.0, half_life=None)
        """
        _check_positive("positives", positives)
        _check_positive("negatives", negatives)
        return cls(alpha_p, negatives / positives)

    @overload
    def rho(self, positives: float, negatives: float) -> float: ...
    @overload
    def rho(self, positives: Floats, negatives: Floats) -> Floats | float: ...
    def rho(self, positives: float | Floats, negatives: float | Floats) -> float | Floats:
        """Compute the cost of a positive row, relative to that of a negative one.

        Parameters
        ----------
        positives, negatives : float or ndarray
            The numbers of rows before it, for the estimate of the ratio.

        Returns
        -------
        float or ndarray
            The cost rho.
        """
        ratio = (negatives + 1) / (positives + 1) if self.ratio is None else self.ratio
        return self.alpha_p / (1.0 - self.alpha_p) * ratio

    @property
    def needs_counts(self) -> bool:
        """Whether rho depends on the rows seen so far."""
        return self.ratio is None


@dataclass(frozen=True)
class CostColumn:
    """A cost that each row has in a column of its own, such as the amount of a payment.

    Parameters
    ----------
    name : str
        The name of the column, or the key of a dict row.
    default : float, default=None
        The cost of a row where the column is empty. None: an empty cost is an error.
    feature : bool, default=True
        Whether the column is a feature, too: what a decision costs is known when it is taken. Leave it
        out if it is not.

    See Also
    --------
    Cost : The objective that has such columns.

    Examples
    --------
    >>> from costream import Cost, CostColumn
    >>> Cost(fn_cost=CostColumn("loss", default=50), fp_cost=5)
    Cost(fn_cost=CostColumn(name='loss', default=50, feature=True), fp_cost=5)
    """

    name: str
    default: float | None = None
    feature: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise CostreamError(f"the name of a cost column must be a string, not {self.name!r}")
        if self.default is not None:
            _check_finite(f"the default of column {self.name}", self.default)

    @property
    def plain(self) -> bool:
        """Whether the name says it all."""
        return self.default is None and self.feature


CostSource: TypeAlias = float | str | CostColumn


@dataclass(frozen=True, repr=False)
class Cost:
    """Minimise what decisions cost.

    Four things can happen to a row, and each has its cost: a missed positive ``fn_cost``, a false alarm
    ``fp_cost``, a positive that is flagged ``tp_cost`` and a negative that is not ``tn_cost``. Benefits
    are negative costs. Learning and decisions go by the two differences: missing a positive row costs
    a = ``fn_cost - tp_cost`` more than flagging it, flagging a negative one b = ``fp_cost - tn_cost``
    more than passing it. A row that is positive with probability q is flagged where
    ``q * a >= (1 - q) * b``.

    Parameters
    ----------
    fn_cost, fp_cost : float, str or CostColumn
        What a missed positive and a false alarm cost: a number, or the column with the cost of each
        row. Both or neither: without them 0.9 and 0.1, as in the paper.
    tp_cost, tn_cost : float, str or CostColumn, default=0.0
        What a flagged positive and a passed negative cost.

    See Also
    --------
    CostColumn : A column that may be empty, or is not a feature.
    Sum : Maximise the weighted sum of sensitivity and specificity.

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
        """The columns that costs come from, by the names of the costs."""
        sources = {name: getattr(self, name) for name in COSTS}
        return {name: one for name, one in sources.items() if isinstance(one, CostColumn)}

    def with_columns(self, columns: dict[str, CostColumn]) -> Cost:
        """Take some costs from columns; a number that was given becomes the default of its column.

        Parameters
        ----------
        columns : dict of str to CostColumn
            The columns, by the names of the costs.

        Returns
        -------
        Cost
            The same costs, but for these.
        """
        known: dict[str, Any] = {} if self == Cost() else dict(vars(self))
        for name, column in columns.items():
            number = known.get(name)
            given = number is not None and not isinstance(number, CostColumn)
            if given and column.default is None and (number or name[0] == "f"):
                column = replace(column, default=number)
            known[name] = column
        return Cost(**known)

    def rho(self, positives: float | Floats, negatives: float | Floats) -> float:
        """Compute the cost of a positive row, relative to that of a negative one.

        Parameters
        ----------
        positives, negatives : float or ndarray
            The numbers of rows before it; they do not matter here.

        Returns
        -------
        float
            The cost rho = a / b; NaN where costs come from columns.
        """
        try:  # every row that is learnt asks, so there is no look at the columns
            return float((self.fn_cost - self.tp_cost) / (self.fp_cost - self.tn_cost))
        except TypeError:
            return math.nan

    @property
    def unit(self) -> float:
        """What learners count as 1: b where it is a number, or else what it is in the paper."""
        numbers: list[Any] = [
            one.default if isinstance(one, CostColumn) else one for one in (self.fp_cost, self.tn_cost)
        ]
        if None in numbers or numbers[0] <= numbers[1]:
            return FP_COST
        return float(numbers[0] - numbers[1])


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
    _check_finite(name, source)
    return source  # type: ignore[no-any-return]


def _check_finite(name: str, value: Any) -> None:
    good = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        good = good and math.isfinite(value)
    except OverflowError:  # a whole number that is too large
        good = False
    if not good:
        raise CostreamError(f"{name} must be a finite number, not {value!r:.60}")


Objective = Sum | Cost
OBJECTIVES: dict[str, type[Sum] | type[Cost]] = {"sum": Sum, "cost": Cost}


def as_objective(objective: str | Objective) -> Objective:
    """An objective, or the default one of that name."""
    if isinstance(objective, Sum | Cost):
        return objective
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise CostreamError(
            f"unknown objective {objective!r}", "use 'sum', 'cost', or a Sum or Cost object"
        )
    return OBJECTIVES[objective]()
