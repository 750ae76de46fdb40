"""The default: views of a row, members that learn them, and a council that decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...kernels.hinge import LOSS_II
from ...kernels.records import Floats, State
from ...kernels.rules import RULES, Rule
from ..base import Learner, NamedFeatures, register
from ..hyper_parameters import choice, count
from . import consistency, growth, layout, members, rule, standings, usual
from .members import VIEWS
from .record import Portfolio
from .standings import Standings
from .trees import name_key
from .views import leaves, waves

LONGEST = 10**15  # rows of a half-life

RULES[leaves.Growth] = Rule(leaves.Growth, rule.update, work=leaves.grow)


@register
class Auto(Learner):
    """The default: views of a row, members that learn them, and a council that decides.

    CAROW and ACOG-II learn several views of each row: linear ones, curves of each feature (hats), waves
    of all of them, and the leaves of trees. A logistic regression of their scores, learnt online, gives
    one probability, and a row is flagged where that costs less on average, at its own costs where it
    has some. Scale, intercept and calibration are seen to; it needs no tuning.

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
    reference = "Views, members and a council (costream, 2026), docs/default.md"
    rule = Rule(Portfolio, rule.update, rule.score, variance=rule.variance, log_odds=rule.log_odds)
    hinge = LOSS_II
    has_probabilities = True
    has_standings = True
    prepares_rows = True
    scratch = (
        *("directions", "keys", "rows", "slots", "hat_slots", "hat_values", "waves", "single", "leaf"),
        *("work", "now"),
    )
    elastic: ClassVar[tuple[str, ...]] = (
        *("leaves_mu", "leaves_variance", "leaves_value", "feature", "threshold", "child"),
        *("next_mu", "next_variance", "next_value", "next_feature", "next_threshold", "next_child"),
        *("sample", "sample_label"),
    )
    half_life: int | None = count(
        None,
        "For streams that change: number of rows after which what was learnt counts half.",
        (3, 20),
        at_most=LONGEST,
        optional=True,
    )
    views: tuple[str, ...] = choice(VIEWS, "The views of a row that members learn.", (("linear",),))

    def bytes_needed(self, d: int) -> int:
        return members.portfolio_bytes(d)

    def state(self, d: int) -> State:
        n = self.half_life
        keep = 1.0 if n is None else 0.5 ** (1.0 / n)
        return members.new_portfolio(d, self.views, keep, float(n or 0))

    def name_features(self, model: Any, features: NamedFeatures) -> None:
        # a batch may announce more columns than rows have so far
        if model.clock[layout.SLOTS] <= layout.DENSE_WIDEST:
            for slot, name in enumerate(features.in_order()[: layout.DENSE_WIDEST - 1], start=1):
                model.keys[slot] = name_key(name)
                if slot < layout.NARROWEST:
                    model.directions[slot] = waves.direction(name_key(name))

    def rows_until_event(self, model: Any) -> float:
        return growth.rows_until_event(model)

    def progress_due(self, model: Any) -> float:
        return growth.progress_due(model)

    def event(self, model: Any) -> tuple[State, State | None]:
        return growth.event(model)

    def weights(self, model: Any) -> Floats:
        # those of the best linear member, for its kind of row
        return _of_best(model, [*model.mu.T, *model.standardised_mu, *model.mean])

    def variances(self, model: Any) -> Floats:
        # the diagonal of its Sigma
        full = map(np.diagonal, model.Sigma)
        return _of_best(model, [*model.variance.T, *model.standardised_variance, *full])

    def is_consistent(self, model: Any) -> bool:
        fresh: Any = self.state(1)
        return consistency.is_consistent(model, fresh)

    def rows_learnt(self, model: Any) -> int:
        return int(model.clock[layout.ROWS])

    def usual_values(self, model: Any, missing: Sequence[tuple[int, int]] = ()) -> Floats | None:
        return usual.usual_values(model, missing)

    def sample_rows(self, model: Any) -> Floats:
        return usual.sample_rows(model)

    def standings(self, model: Any) -> Standings:
        return standings.standings_of(model)


def _of_best(model: Portfolio, found: list[Floats]) -> Floats:
    """What the best linear member has for each slot; 0 beyond the last one that it may have."""
    places = [k for k, member in enumerate(members.TEAM) if member.view == "linear"]
    active = [
        k for k, place in enumerate(places) if model.clock[layout.SLOTS] <= members.TEAM[place].widest
    ]
    best = found[min(active, key=lambda k: (model.costs[places[k]], k))]
    return np.pad(best, (0, len(model.mu) - len(best)))
