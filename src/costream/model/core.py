"""The inside of a classifier: the inner interface of the package.

Internal. The public methods are those of `OnlineClassifier`; our other packages reach what they need
beyond them through `classifier.core_of`, by these verbs alone (a test holds them to it):

=========== =========================================================================================
learn       `Core.learn_row`, `Core.learn_rows`, `Core.learning_again`, `Core.warm_up`
score       `Core.score_rows`, `Core.score_known`, `Core.score_with_odds`
decide      `Core.decide_row`, `Core.decide_rows`; the costs of rows: `Core.split_costs`,
            `Core.own_costs`, `Core.costs_of_rows`, `Core.cost_columns`
probability `Core.log_odds_row`, `Core.probabilities`, `Core.last_forecast`, `Core.forecast_rows`,
            `Core.forecast_numbers`
remember    `Core.labels`, `Core.read_labels`, `Core.set_labels`, `Core.set_objective`
look up     `Core.learner`, `Core.record`, `Core.schema`, `Core.names`, `Core.feature_count`,
            `Core.has_limit`, `Core.is_positional`, `Core.knows`, `Core.never_missing`, `Core.coverage`,
            `Core.leaks`
set up once `Core.read_by_type`, `Core.log_warnings`, `Core.ignore_leakage`, `Core.begin_like`
explain     `Core.sample_rows`, `Core.typical_entries`, `Core.standings`
=========== =========================================================================================

Rows of users become rows of the model by the functions of `tables` and `batches`; those of
`explanations` say why. A caller of a method of one row, or of several that belong together, holds
`Core.lock`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Bools, Floats, Names, Row
from ..costs.columns import split_row
from ..costs.learning import UNKNOWN_RATIO, RowCosts, bounded
from ..costs.rows import (
    NO_COSTS,
    FourCosts,
    GivenCosts,
    four_costs,
    four_costs_of_one,
    known_costs,
    known_costs_of_one,
    row_name,
)
from ..errors import CostreamError, PlainWarning
from ..kernels.elementary import sigmoid
from ..kernels.loop import forecast_rows, score_rows, variance_rows
from ..kernels.records import State
from ..kernels.rules import RULES
from ..labels.labels import Labels
from ..learners.base import Learner
from ..learners.states import resized
from ..tables.arrays import Batch, as_numbers
from ..tables.leakage import Leakage
from .calibration import Calibration, margins_of
from .encoder import Encoder
from .knowledge import Knowledge

EXPERIENCED = 100  # rows after which a model should know some feature of a row
NO_ODDS: Floats = np.empty(0)
UNKNOWN = "the model knows none of the features of these rows: are they named as they were learnt?"


class Scored(NamedTuple):
    """One row as the model sees it: the score is at its own costs, if it has any."""

    score: float
    log_odds: float
    gone: Collection[str] = ()  # numbers of the schema that are missing or invalid
    invalid: Collection[str] = ()  # columns with a value that they cannot hold


class Core(Knowledge):
    """A model: what it has learnt, and how rows reach it.

    One thread at a time works on it: every method that touches the state holds ``lock``, but for those
    of one row (``*_row``, `score_with_odds`), whose caller does.
    """

    def __init__(
        self,
        learner: Learner,
        labels: Labels,
        encoder: Encoder,
        row_costs: RowCosts,
        state: State | None = None,
        calibration: Calibration | None = None,
        leakage: Leakage | None = None,
    ) -> None:
        super().__init__(learner, labels, encoder, row_costs, state, leakage)
        self.row = encoder.row
        self.calibration: Calibration | None = None  # of a learner without probabilities of its own
        if not learner.has_probabilities:
            self.calibration = calibration or Calibration()
        self.usual: tuple[Any, Floats | None] | None = None  # values of features, as of some row

    def parts(self) -> dict[str, Any]:
        """The arguments that make a copy of this model, without spare capacity."""
        with self.lock:
            self.finish_jobs()
            size = self.encoder.size
            return {
                "learner": copy.copy(self.learner),
                "labels": self.labels,
                "encoder": Encoder(**self.encoder.__getstate__()),
                "row_costs": copy.copy(self.row_costs),
                "state": resized(self.learner, self.state, size, size),
                "calibration": copy.deepcopy(self.calibration),
                "leakage": Leakage(**self.leakage.header()),
            }

    # --- costs of rows --------------------------------------------------------------------------

    def split_costs(self, x: Row, given: GivenCosts) -> tuple[Row, GivenCosts]:
        """A row without its costs, and these; those given count first."""
        return split_row(x, given, self.cost_columns) if self.cost_columns else (x, given)

    def own_costs(self, given: GivenCosts, learning: bool = False) -> FourCosts | None:
        """The costs of one row, if they are its own."""
        objective = self.row_costs.objective
        if not given.any and not self.cost_columns:
            return None
        if learning:
            self.row_costs.check_by_cost()
        return four_costs_of_one(given, objective)

    def known_costs(self, given: GivenCosts) -> FourCosts | None:
        """The costs of one row in columns, as far as they are known; None where there are none."""
        return known_costs_of_one(given, self.row_costs.objective)

    def costs_of_rows(
        self, given: GivenCosts, rows: int, where: Callable[[int], str] = row_name
    ) -> FourCosts | None:
        """The costs of rows, if they have their own."""
        return four_costs(given, self.row_costs.objective, rows, where)

    def cost_ratio(self, own: FourCosts | None) -> float:
        """The cost ratio of one row, for a learner that asks for it."""
        if self.calibration is not None:
            return 1.0
        if own is not None:
            return self.row_costs.cost_ratio(own)
        usual = self._cost_ratio
        if usual is None:
            usual = self._cost_ratio = self.row_costs.cost_ratio(None)
        return usual

    def _row_terms(
        self, positive: bool, weight: float, own: FourCosts | None
    ) -> tuple[float, float, float]:
        """The cost, class cost and cost ratio of one row with a weight or costs of its own."""
        if weight.__class__ is not float or not 0.0 <= weight < math.inf:
            given: list[Any] = [weight]
            as_numbers("weight", given, 1)
        row_costs = self.row_costs
        cost = row_costs.cost(positive, weight, own)
        if not math.isfinite(cost) or row_costs.positives + row_costs.negatives + weight == math.inf:
            raise CostreamError(f"the sums overflow with weight {weight!r}")
        class_cost = row_costs.cost(positive, weight, None) if self.calibration is None else cost
        return cost, class_cost, row_costs.cost_ratio(own)

    # --- learning -------------------------------------------------------------------------------

    def learn_row(
        self,
        x: Row,
        label: float,
        weight: float = 1.0,
        given: GivenCosts = NO_COSTS,
        forecast: Sequence[float | None] | Floats = (),
    ) -> float:
        """Score one row, then learn from it; ``label`` is 1 or -1. Nothing is learnt of a bad row."""
        said = self.check_forecasts(np.array([forecast], np.float64), 1) if len(forecast) else None
        row_costs, own = self.row_costs, None
        if self.cost_columns or given is not NO_COSTS:
            x, given = self.split_costs(x, given)
            own = self.own_costs(given, learning=True)
        plain = own is None and not self.fades
        if plain and weight.__class__ is float and weight == 1.0:
            cost = class_cost = cost_ratio = 1.0
            costly = label > 0.0 and row_costs.cost_sensitive
            if costly or self.learner.has_probabilities:
                rho = row_costs.objective.rho(row_costs.positives, row_costs.negatives)
                cost = class_cost = rho if costly else 1.0
                cost_ratio = bounded(rho)
        else:
            cost, class_cost, cost_ratio = self._row_terms(label > 0.0, weight, own)
            if weight == 0.0:  # no row at all
                return self._decision_score(self.score_row(x, cost_ratio), own)
        row = self.row
        try:
            if row.fill(x, label, cost, class_cost, cost_ratio):
                self.grow()
            if said is not None:
                self.state.given[:] = said  # type: ignore[attr-defined]
            score = self.pass_row()
            if score != score:
                score = self._pass_again(x, label, cost, class_cost, cost_ratio)
        except Exception:
            self._forget_row()
            raise
        finally:
            if said is not None:
                self.state.given[:] = math.nan  # type: ignore[attr-defined]
        if class_cost > 0.0 and score == score:
            self.until_event -= 1.0
            if self.until_event == 0.0:
                self.count_down(0)
        if own is not None:
            row_costs.count_costs(label > 0.0, weight, own)
        if self.fades:
            row_costs.count(label > 0.0, weight)
        elif label > 0.0:
            row_costs.positives += weight
        else:
            row_costs.negatives += weight
        if row.was_read:
            row.count(label > 0.0, weight)
        if self.leakage.is_open and (type(x) is dict or isinstance(x, Mapping)):
            self.watch(self.leakage.add_one(x, label > 0.0, self.encoder.readers.schema))
        if self.calibration is not None:
            at_own_costs = self._decision_score(score, own)  # before the calibration sees the row
            self.calibration.add(score, label, weight)
            return at_own_costs
        self._cost_ratio = None
        return score

    def _forget_row(self) -> None:
        """Forget what was read of a bad row."""
        self.row.was_read = False
        self.encoder.readers.forget_slots()

    def learn_rows(
        self,
        rows: Batch,
        positive: Bools,
        weight: ArrayLike | None = None,
        *,
        costs: GivenCosts = NO_COSTS,
        names: Names | None = None,
        log_odds: Floats | None = None,
        forecasts: ArrayLike | None = None,
        where: Callable[[int], str] = row_name,
    ) -> Floats:
        """Score each row, then learn from it; returns the scores. Nothing is learnt if one is bad.

        A row with costs of its own is scored at them: it is flagged where its score is 0 or more.
        ``positive`` says which rows are positive. ``log_odds``, if given, receives the log-odds that
        each row had before it was learnt. ``forecasts`` are what `forecast_rows` gave when the rows
        were scored. ``where`` names a row in errors.
        """
        with self.lock:
            weights = as_numbers("weight", weight, rows.rows)
            self.row_costs.check_sum(weights)
            own: FourCosts | None = None
            if costs is not NO_COSTS or self.cost_columns:
                if costs.any:
                    self.row_costs.check_by_cost()
                own = self.costs_of_rows(costs, rows.rows, where)
            rows.check()
            said = None if forecasts is None else self.check_forecasts(forecasts, rows.rows)
            cost = self.row_costs.cost_many(positive, weights, own)
            if not math.isfinite(cost.max(initial=0.0)):
                row = int(np.argmin(np.isfinite(cost)))
                raise CostreamError(f"{where(row)}: the sums overflow with its cost")
            class_cost = cost_ratio = cost
            if self.learner.has_probabilities:
                class_cost = self.row_costs.cost_many(positive, weights, None)
                cost_ratio = self.row_costs.cost_ratio_many(positive, weights, own, rows.rows)
            counted = rows if weights is None or weights.all() else rows.rows_where(weights > 0)
            try:
                self.encoder.admit(counted, names)
            except CostreamError:
                self.forget_unlearnt()
                raise
            self.grow()
            if rows.times:
                rows = self.coverage.learn(rows, weights)
            if rows.to_encode:
                rows = self.encoder.readers.require_target_encoding().learn(rows, positive, weights)
            x = self.encoder.chunk(rows, names)
            scores = np.empty(rows.rows)
            label = np.where(positive, 1.0, -1.0)
            x = x._replace(label=label, cost=cost, class_cost=class_cost, cost_ratio=cost_ratio)
            self.pass_rows(x, scores, self._own_odds(log_odds), said)
            self.row_costs.count_many(positive, weights)
            self.row_costs.count_costs(positive, weights, own)
            self._cost_ratio = None
            if self.calibration is None:
                return scores
            odds = self.calibration.add_many(scores, label, weights)
            return self._calibrated(scores, odds, own, log_odds)

    def warm_up(self) -> None:
        """Compile what learning needs, or load it, so that the first rows need not wait for that."""
        nothing = Batch(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), 0)
        costs = GivenCosts(**dict.fromkeys(self.cost_columns, np.empty(0)))
        self.learn_rows(nothing, np.empty(0, np.bool_), costs=costs)

    # --- scores ---------------------------------------------------------------------------------

    def score_row(self, x: Row, cost_ratio: float) -> float:
        """The score of one row."""
        row = self.row
        if row.fill(x, 0.0, 0.0, 0.0, cost_ratio):
            self.grow()
        if row.is_unknown:
            self.warn_of_unknown()
        score = self.pass_row()
        return score if score == score else self._pass_again(x, 0.0, 0.0, 0.0, cost_ratio)

    def _pass_again(
        self, x: Row, label: float, cost: float, class_cost: float, cost_ratio: float
    ) -> float:
        """Pass a row whose score is NaN once more, now that its values are looked at.

        In a dict a value that is NaN has no entry; any other that is not finite is an error.
        """
        if self.row.read(x, label, cost, class_cost, cost_ratio, check=True):
            self.grow()
        return self.pass_row()

    def score_with_odds(self, x: Row, own: FourCosts | None) -> Scored:
        """One row at its own costs, if it has any, and what its columns lack."""
        row = self.row
        row.misread = None
        score = self.score_row(x, self.cost_ratio(own))
        misread: Any = row.misread
        gone, invalid = ((), ()) if misread is None else (misread.gone, misread.invalid)
        return Scored(self._decision_score(score, own), self._log_odds(score), gone, invalid)

    def decide_row(self, x: Row, given: GivenCosts) -> float:
        """The score of one row at its own costs, or at those of the objective: flagged from 0 up."""
        return self.price_row(x, self.own_costs(given))

    def price_row(self, x: Row, own: FourCosts | None) -> float:
        """The score of one row at its own costs, as far as they are known."""
        if own is None:
            return self.score_row(x, 1.0 if self.calibration is not None else self.cost_ratio(None))
        return self._decision_score(self.score_row(x, self.cost_ratio(own)), own)

    def _decision_score(self, score: float, own: FourCosts | None) -> float:
        """The score at the costs of the row, if it has any; that of `auto` is so already."""
        if own is None or self.calibration is None or self.row_costs.is_of_objective(own):
            return score
        cost_ratio = self.row_costs.cost_ratio(own)
        return score if cost_ratio == UNKNOWN_RATIO else self.calibration.margin(score, cost_ratio)

    def log_odds_row(self, x: Row) -> float:
        """The log-odds that one row is positive."""
        return self._log_odds(self.score_row(x, self.cost_ratio(None)))

    def _log_odds(self, score: float) -> float:
        """The log-odds of the row that was scored last."""
        if self.calibration is not None:
            return float(self.calibration.log_odds(np.array([score]))[0])
        return float(RULES[self.record].log_odds(self.state))

    def score_rows(
        self,
        rows: Batch,
        names: Names | None,
        *,
        own: FourCosts | None = None,
        log_odds: Floats | None = None,
    ) -> Floats:
        """The score of each row, at its own costs if it has any; flagged from 0 up.

        ``log_odds``, if given, receives the log-odds that each row is positive.
        """
        with self.lock:
            x = self.encoder.chunk(self.with_encodings(rows), names)
            if self.learner.has_probabilities:
                x = x._replace(cost_ratio=self.row_costs.cost_ratio_many(None, None, own, rows.rows))
            scores = np.empty(rows.rows)
            score_rows(self.state, x, scores, self._own_odds(log_odds))
            if self.calibration is None or (own is None and log_odds is None):
                return scores
            return self._calibrated(scores, self.calibration.log_odds(scores), own, log_odds)

    def forecast_rows(self, rows: Batch, names: Names | None) -> Floats:
        """What is to be remembered of rows until they are learnt; NaN where there is no number."""
        with self.lock:
            found = np.empty((rows.rows, self.forecast_numbers))
            if found.size:
                x = self.encoder.chunk(self.with_encodings(rows), names)
                x = x._replace(cost_ratio=np.ones(rows.rows))
                forecast_rows(self.state, x, np.empty(rows.rows), found)
            return found

    def with_encodings(self, rows: Batch) -> Batch:
        """Rows with target encodings and the parts of times that are features, as of now."""
        rows = self.coverage.write(rows) if rows.times else rows
        return self.encoder.readers.require_target_encoding().write(rows) if rows.to_encode else rows

    def _own_odds(self, log_odds: Floats | None) -> Floats:
        """Where a learner is to write its log-odds, if they are wanted and it has its own."""
        return NO_ODDS if log_odds is None or self.calibration is not None else log_odds

    def _calibrated(
        self, scores: Floats, odds: Floats, own: FourCosts | None, log_odds: Floats | None
    ) -> Floats:
        """The scores of a learner without probabilities, at the costs of rows where these have any."""
        if log_odds is not None:
            log_odds[:] = odds
        return scores if own is None else margins_of(scores, odds, self.row_costs.own_cost_ratios(own))

    def score_known(self, rows: Batch, names: Names | None, given: GivenCosts) -> Floats:
        """The score of each row, at its own costs as far as they are known."""
        own = known_costs(given, self.row_costs.objective, rows.rows)
        return self.score_rows(rows, names, own=own)

    def decide_rows(self, rows: Batch, names: Names | None, given: GivenCosts) -> Floats:
        """The score of each row at its own costs, or at those of the objective: flagged from 0 up."""
        with self.lock:
            return self.score_rows(rows, names, own=self.costs_of_rows(given, rows.rows))

    def probabilities(self, rows: Batch, names: Names | None) -> Floats:
        """The probability that each row is positive."""
        odds = np.empty(rows.rows)
        self.score_rows(rows, names, log_odds=odds)
        return sigmoid(odds)

    def warn_of_unknown(self) -> None:
        """Warn, once, that the model knows none of the features of rows to be scored.

        A model that has learnt little yet may well meet such rows.
        """
        self.row.is_unknown = False
        if self.row_costs.positives + self.row_costs.negatives >= EXPERIENCED:
            self.encoder.warner.warn_once(UNKNOWN, PlainWarning(UNKNOWN))

    def variance_rows(self, rows: Batch, names: Names | None) -> Floats:
        """x' Sigma x of each row."""
        with self.lock:
            if RULES[self.record].variance is None:
                raise CostreamError(
                    f"{self.learner.name} keeps no covariance, so it has no variance",
                    "use a second-order learner, such as carow-diag or acog-ii",
                )
            rows = self.with_encodings(rows)
            variances = np.empty(rows.rows)
            variance_rows(self.state, self.encoder.chunk(rows, names), variances)
            if self.learner.prepares_rows:
                return variances
            return variances + self.encoder.unseen_squares(rows, names)
