"""The default: CAROW and ACOG-II at many settings beside the constant policies; the cheapest decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.hinge import LOSS_II
from ...kernels.records import Floats, State
from ...kernels.rules import Rule
from ..base import Learner, count, register
from . import members, rule, standings
from .record import Portfolio
from .standings import Standings

LONGEST = 10**15  # rows of a half-life


@register
class Auto(Learner):
    """The default: CAROW and ACOG-II at many settings, in several geometries; the cheapest decide.

    It sees to the scale of features and to the intercept itself, calibrates probabilities on the
    stream, and needs no tuning.

    Examples
    --------
    >>> from costream import Auto, Cost, OnlineClassifier
    >>> model = OnlineClassifier(Auto(), Cost(fn_cost=5, fp_cost=1))
    >>> for amount, label in [(900.0, 1), (20.0, 0), (700.0, 1), (35.0, 0)] * 10:
    ...     score = model.learn_one({"amount": amount}, label)
    >>> model.predict_one({"amount": 800.0}), model.predict_one({"amount": 25.0})
    (1, 0)
    """

    name = "auto"
    reference = (
        "A portfolio of CAROW, ACOG-II and the two constant policies (costream, 2026), docs/default.md"
    )
    rule = Rule(
        Portfolio,
        rule.update,
        rule.score,
        variance=rule.variance,
        log_odds=rule.member_log_odds,
    )
    hinge = LOSS_II
    has_probabilities = True
    has_standings = True
    prepares_rows = True
    scratch = ("rows", "slots", "work")
    half_life: int | None = count(
        None,
        "For streams that change: number of rows after which the weight of a mistake halves and the "
        "covariances are reset.",
        (3, 20),
        at_most=LONGEST,
        optional=True,
    )

    def bytes_needed(self, d: int) -> int:
        return members.portfolio_bytes(d)

    def state(self, d: int) -> State:
        n = self.half_life
        return members.new_portfolio(d, 1.0 if n is None else 0.5 ** (1.0 / n), float(n or 0))

    def weights(self, model: Any) -> Floats:
        # those of the best member, for its kind of row
        return _of_best(model, [*model.mu.T, *model.standardised_mu, *model.mean])

    def variances(self, model: Any) -> Floats:
        # the diagonal of the best member's Sigma
        full = map(np.diagonal, model.Sigma)
        return _of_best(model, [*model.variance.T, *model.standardised_variance, *full])

    def is_consistent(self, model: Any) -> bool:
        known = self.state(1)._asdict()["settings"]
        return bool(np.array_equal(model.settings, known)) and members.is_consistent(model)

    def probabilities(self, model: Any, scores: Floats) -> Floats:
        return standings.probabilities(model, scores)

    def standings(self, model: Any) -> Standings:
        return standings.standings_of(model)


def _of_best(model: Portfolio, found: list[Floats]) -> Floats:
    """What the best member has for each slot; 0 beyond the last one that it may have."""
    best = found[model.clock[rule.BEST]]
    return np.pad(best, (0, len(model.mu) - len(best)))
