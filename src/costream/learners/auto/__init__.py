"""The default: views of a row, members that learn them, and a stacker that decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ...kernels.hinge import LOSS_II
from ...kernels.records import Floats, State
from ...kernels.rules import RULES, Rule
from ..base import Learner, NamedFeatures, register
from ..hyper_parameters import choice, count
from . import consistency, layout, members, mixture, rule, standings, turns, usual
from .composition import Composition, composition_of, header_of, restored
from .layout import Portfolio
from .portfolios import OF_TREES, Portfolios, are_several
from .standings import Standings
from .trees import name_key
from .views import VIEWS, fourier, leaves

LONGEST = 10**15  # rows of a half-life
LARGEST = 16  # times the memory of a new portfolio, for one from a file

RULES[leaves.Growth] = Rule(leaves.Growth, rule.update, work=leaves.grow)
RULES[Portfolios] = Rule(
    Portfolios,
    mixture.update,
    mixture.score,
    variance=mixture.variance,
    log_odds=mixture.log_odds,
    forecast=mixture.forecast,
)


@register
class Auto(Learner):
    """The default: views of a row, members that learn them, and a stacker that decides.

    CAROW and ACOG-II learn several views of each row: linear ones, splines of each feature, random
    Fourier features of all of them, and the leaves of trees. A logistic regression of their scores,
    learnt online, gives one probability, and a row is flagged where that costs less on average, at its
    own costs where it has some. Scale, intercept and calibration are seen to; it needs no tuning.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import Auto
    >>> model = OnlineClassifier(Auto(), Cost(fn_cost=5, fp_cost=1))
    >>> for amount, label in [(900.0, 1), (20.0, 0), (700.0, 1), (35.0, 0)] * 10:
    ...     score = model.learn_one({"amount": amount}, label)
    >>> model.predict_one({"amount": 800.0}), model.predict_one({"amount": 25.0})
    (1, 0)
    """

    name = "auto"
    revision = members.REVISION
    reference = "Views, members and a stacker (costream, 2026), docs/default.md"
    rule = Rule(Portfolio, rule.update, rule.score, variance=rule.variance, log_odds=rule.log_odds)
    hinge = LOSS_II
    has_probabilities = True
    has_standings = True
    wants_names = True
    wants_prior = True
    prepares_rows = True
    scratch = (
        *("plan", "directions", "keys", "rows", "slots", "spline_slots", "spline_values"),
        *(
            "fourier",
            "single",
            "leaf",
            "work",
            "notes",
            "other_work",
            "recent_leaf",
            "paces",
            "said",
            "given",
        ),
    )
    elastic: ClassVar[tuple[str, ...]] = (
        *(name for name in OF_TREES if name not in layout.FIXED_OF_TREES),
        *(f"recent_{name}" for name in OF_TREES if name not in layout.FIXED_OF_TREES),
        "sample_hash",
    )
    half_life: int | None = count(
        None,
        "For streams that change: number of rows after which what was learnt counts half.",
        (3, 20),
        at_most=LONGEST,
        optional=True,
    )
    views: tuple[str, ...] = choice(VIEWS, "The views of a row that members learn.", (("linear",),))

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return members.portfolio_bytes(self._current() if model is None else composition_of(model), d)

    def state(self, d: int) -> State:
        return self._new(self._current(), d)

    def _current(self) -> Composition:
        """What a new model is made of: several portfolios, unless a half-life was chosen."""
        team = members.CURRENT
        return team if self.half_life is None else replace(team, portfolios=())

    def _new(self, team: Composition, d: int) -> State:
        if team.portfolios:
            return members.new_portfolios(team, d, self.views)
        n = self.half_life
        keep = 1.0 if n is None else 0.5 ** (1.0 / n)
        return members.new_portfolio(team, d, self.views, keep, float(n or 0))

    def composition(self, model: Any) -> tuple[int, dict[str, Any] | None]:
        team = composition_of(model)
        return team.revision, header_of(team)

    def composed(self, revision: int, composition: Any, d: int) -> State:
        team = restored(composition, revision)
        if team.portfolios and self.half_life is not None:
            raise ValueError("its composition cannot be right: it has one half-life, and several")
        if members.portfolio_bytes(team, d) > LARGEST * self.bytes_needed(d):
            raise ValueError("its composition cannot be right: it is too large")
        return self._new(team, d)

    def name_features(self, model: Any, features: NamedFeatures) -> None:
        # a batch may announce more columns than rows have so far
        widest = int(model.plan[layout.NUMBERS, layout.WHOLE_WIDEST])
        if model.clock[layout.SLOTS] <= widest:
            for slot, name in enumerate(features.in_order()[: widest - 1], start=1):
                model.keys[slot] = name_key(name)
                fourier.name_slot(model, slot, name_key(name))

    def begin_at(self, model: Any, rate: float) -> bool:
        if are_several(model):
            odds = layout.NO_PRIOR if math.isnan(rate) else round(1e9 * math.log(rate / (1.0 - rate)))
            model.plan[layout.NUMBERS, layout.PRIOR_ODDS] = odds
        return are_several(model)

    def rows_until_event(self, model: Any) -> float:
        return turns.rows_until_event(model)

    def progress_due(self, model: Any, which: int = 0) -> float:
        return turns.progress_due(model, which)

    def event(self, model: Any) -> tuple[State, dict[int, State]]:
        return turns.event(model)

    def weights(self, model: Any) -> Floats:
        # those of the best linear member, for its kind of row
        return _of_best(model, [*model.mu.T, *model.standardised_mu, *model.mean])

    def variances(self, model: Any) -> Floats:
        # the diagonal of its Sigma
        full = map(np.diagonal, model.Sigma)
        return _of_best(model, [*model.variance.T, *model.standardised_variance, *full])

    def is_consistent(self, model: Any) -> bool:
        fresh: Any = self._new(composition_of(model), 1)
        return consistency.is_consistent(model, fresh)

    def rows_learnt(self, model: Any) -> int:
        return int(model.clock[layout.ROWS])

    def usual_values(self, model: Any, missing: Sequence[tuple[int, int]] = ()) -> Floats | None:
        return usual.usual_values(model, missing)

    def sample_rows(self, model: Any) -> Floats:
        return usual.sample_rows(model)

    def forecasts(self, model: Any) -> int:
        return len(model.said) if are_several(model) else 0

    def standings(self, model: Any) -> Standings:
        return standings.standings_of(model)


def _of_best(model: Portfolio, found: list[Floats]) -> Floats:
    """What the best linear member has for each slot; 0 beyond the last one that it may have."""
    team = composition_of(model)
    places = [k for k, one in enumerate(team.members) if one.view == "linear"]
    slots = model.clock[layout.SLOTS]
    active = [k for k, place in enumerate(places) if slots <= team.members[place].widest]
    best = found[min(active, key=lambda k: (model.costs[places[k]], k))]
    return np.pad(best, (0, len(model.mu) - len(best)))
