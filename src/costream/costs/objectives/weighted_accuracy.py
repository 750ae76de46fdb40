"""The weighted sum of sensitivity and specificity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, overload

from ..._typing import Floats
from ..objective import Objective, check_positive, register
from ..tally import Costs


@register
@dataclass(frozen=True)
class WeightedAccuracy(Objective):
    """Maximise ``alpha_p * sensitivity + (1 - alpha_p) * specificity``.

    A positive row costs rho = ``alpha_p / (1 - alpha_p) * T_n / T_p``, and a negative row costs 1.

    Parameters
    ----------
    alpha_p : float, default=0.5
        The weight of sensitivity, between 0 and 1.
    ratio : float, default=None
        The number of negatives per positive, T_n / T_p. None means the running estimate
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
    >>> from costream import WeightedAccuracy
    >>> WeightedAccuracy(ratio=99.0).rho(0, 0)
    99.0
    >>> WeightedAccuracy().rho(positives=1, negatives=9)
    5.0
    """

    alpha_p: float = 0.5
    ratio: float | None = None
    half_life: float | None = None
    name: ClassVar[str] = "sum"
    goal: ClassVar[str] = "the sum of sensitivity and specificity"
    metric: ClassVar[str] = "sum"
    score: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        check_positive("alpha_p", self.alpha_p, below=1.0)
        for name in ("ratio", "half_life"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name))

    @classmethod
    def known(cls, positives: int, negatives: int, alpha_p: float = 0.5) -> WeightedAccuracy:
        """Make the objective of a stream whose totals are known.

        Parameters
        ----------
        positives, negatives : int
            The numbers of positive and of negative rows in the whole stream.
        alpha_p : float, default=0.5
            The weight of sensitivity.

        Returns
        -------
        WeightedAccuracy
            The objective, with their ratio.

        Examples
        --------
        >>> from costream import WeightedAccuracy
        >>> WeightedAccuracy.known(positives=20, negatives=80)
        WeightedAccuracy(alpha_p=0.5, ratio=4.0, half_life=None)
        """
        check_positive("positives", positives)
        check_positive("negatives", negatives)
        return cls(alpha_p, negatives / positives)

    @overload
    def rho(self, positives: float, negatives: float) -> float: ...
    @overload
    def rho(self, positives: Floats, negatives: Floats) -> Floats | float: ...
    def rho(self, positives: float | Floats, negatives: float | Floats) -> float | Floats:
        ratio = (negatives + 1) / (positives + 1) if self.ratio is None else self.ratio
        return self.alpha_p / (1.0 - self.alpha_p) * ratio

    @property
    def needs_counts(self) -> bool:
        return self.ratio is None

    @classmethod
    def of(
        cls, costs: Costs, counts: tuple[int, int] | None = None, half_life: float | None = None
    ) -> WeightedAccuracy:
        if counts is not None:
            return cls.known(*counts, costs.alpha_p)
        return cls(costs.alpha_p, half_life=half_life)

    @property
    def costs(self) -> Costs:
        """The costs of the paper, and the weight of sensitivity."""
        return Costs(alpha_p=self.alpha_p)

    @property
    def sources(self) -> dict[str, Any]:
        """Its settings, and a remark if the ratio is estimated."""
        known = super().sources
        return known if self.ratio else {**known, "ratio": "estimated from the rows so far"}

    @classmethod
    def weights_in_words(cls, costs: Costs) -> str:
        return f"sensitivity weighs {costs.alpha_p:g}, specificity {1.0 - costs.alpha_p:g}"
