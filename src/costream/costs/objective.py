"""What is to be optimised: the interface of objectives, and the columns that costs come from.

An objective reaches a learner only as the cost of each row: rho if it is positive, 1 if it is negative
(Eq. 1 of the paper), unless rows have costs of their own.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar, overload

import numpy as np

from .._typing import Floats
from ..errors import CostreamError

if TYPE_CHECKING:
    from .tally import Costs

COSTS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
FN_COST, FP_COST = 0.9, 0.1  # of the paper
OBJECTIVES: dict[str, type[Objective]] = {}
Kind = TypeVar("Kind", bound="type[Objective]")


class Objective(ABC):
    """What a model optimises; one is a frozen dataclass in a file of ``costs/objectives/``.

    The command line, model files, the lab and reports find it by its name. Its fields are written into
    model files; where `has_costs`, the four costs are among them.

    Attributes
    ----------
    name : str
        What it is called on the command line, in experiments and in model files.
    goal : str
        What is optimised, in a few words.
    metric : str
        The name in ``METRICS`` of what it optimises: learners are ranked by it.
    score : str
        The name in ``METRICS`` of the same on a scale that ends at 1: what estimators of scikit-learn
        maximise.
    has_costs : bool
        Whether it is about costs: rows may have their own, and there is money to be saved.
    """

    name: ClassVar[str]
    goal: ClassVar[str]
    metric: ClassVar[str]
    score: ClassVar[str]
    has_costs: ClassVar[bool] = False
    fn_cost: Any  # these four only where `has_costs`
    fp_cost: Any
    tp_cost: Any
    tn_cost: Any

    @classmethod
    @abstractmethod
    def of(
        cls, costs: Costs, counts: tuple[int, int] | None = None, half_life: float | None = None
    ) -> Objective:
        """Make the objective of decisions that are tallied at some costs.

        Parameters
        ----------
        costs : Costs
            The costs, and the weight of sensitivity.
        counts : tuple of int, default=None
            The numbers of positive and of negative rows in the whole stream, where they are known.
        half_life : float, default=None
            The number of rows after which a row counts half.

        Returns
        -------
        Objective
            The objective, which takes of these what it knows.
        """

    @overload
    def rho(self, positives: float, negatives: float) -> float: ...
    @overload
    def rho(self, positives: Floats, negatives: Floats) -> Floats | float: ...
    @abstractmethod
    def rho(self, positives: float | Floats, negatives: float | Floats) -> float | Floats:
        """Compute the cost of a positive row, relative to that of a negative one.

        Parameters
        ----------
        positives, negatives : float or ndarray
            The numbers of rows before it.

        Returns
        -------
        float or ndarray
            The cost rho; NaN where rows have their own costs.
        """

    @property
    @abstractmethod
    def costs(self) -> Costs:
        """What decisions are tallied at where rows have no costs of their own."""

    @property
    def half_life(self) -> float | None:
        """The number of rows after which a row counts half for rho; None for never."""
        return None

    @property
    def needs_counts(self) -> bool:
        """Whether rho depends on the rows seen so far."""
        return False

    @property
    def unit(self) -> float:
        """What learners count as 1."""
        return 1.0

    @property
    def columns(self) -> dict[str, CostColumn]:
        """The columns that costs come from, by the names of the costs."""
        return {}

    def with_columns(self, columns: dict[str, CostColumn]) -> Objective:
        """Take some costs from columns: a number that was given becomes the default of its column.

        An objective without costs stays as it is.

        Parameters
        ----------
        columns : dict of str to CostColumn
            The columns, by the names of the costs.

        Returns
        -------
        Objective
            The same objective, but for these columns.
        """
        return self

    def with_costs(self, **costs: Any) -> Objective:
        """Go by other costs; an objective without costs becomes the `Cost`.

        Parameters
        ----------
        **costs : float, str or CostColumn
            Some of the four costs, by their names; the others stay.

        Returns
        -------
        Objective
            The objective at these costs.
        """
        from .objectives.cost import Cost

        return Cost(**costs)

    @property
    def sources(self) -> dict[str, Any]:
        """Its settings, as they are shown: numbers, or columns in words."""
        return {key: value for key, value in vars(self).items() if value is not None}

    @property
    def in_words(self) -> str:
        """What is optimised, with the costs if there are any."""
        return self.goal

    @classmethod
    def weights_in_words(cls, costs: Costs) -> str:
        """Say what decides the metric, for the title of a table.

        Parameters
        ----------
        costs : Costs
            The costs, and the weight of sensitivity.

        Returns
        -------
        str
            A few words.
        """
        return ", ".join(f"{key} {value:g}" for key, value in vars(cls.of(costs).costs).items())


def register(cls: Kind) -> Kind:
    OBJECTIVES[cls.name] = cls
    return cls


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
            check_finite(f"the default of column {self.name}", self.default)

    @property
    def plain(self) -> bool:
        """Whether the name is all there is to show."""
        return self.default is None and self.feature

    @property
    def in_words(self) -> str:
        """The column, and what is not usual about it."""
        notes = [] if self.default is None else [f"{self.default:g} where empty"]
        notes += [] if self.feature else ["not used as a feature"]
        return f"column {self.name} ({', '.join(notes)})" if notes else f"column {self.name}"


CostSource: TypeAlias = float | str | CostColumn


def check_positive(name: str, value: float, *, below: float = math.inf) -> None:
    """Raise an error unless a setting is above 0, and below a bound."""
    if not (isinstance(value, int | float | np.number) and 0 < value < below):
        bounds = "a finite number above 0" if below == math.inf else f"between 0 and {below:g}"
        raise CostreamError(f"{name} must be {bounds}, not {value!r}")


def check_finite(name: str, value: Any) -> None:
    good = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        good = good and math.isfinite(value)
    except OverflowError:  # a whole number that is too large
        good = False
    if not good:
        raise CostreamError(f"{name} must be a finite number, not {value!r:.60}")
