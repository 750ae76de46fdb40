"""The online classifier: dict rows, array rows, arrays and sparse matrices over one learner.

Row by row and in batches give the same bits. One thread at a time works on a model: a call that finds
another thread at work waits for it, so scoring while another thread learns is safe.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from .._typing import Floats, Label, Row
from ..costs.columns import split_row
from ..costs.learning import RowCosts, bounded
from ..costs.objective import Objective
from ..costs.objectives import as_objective
from ..costs.rows import NO_COSTS, GivenCosts, known_costs_of_one
from ..errors import CostreamError
from ..kernels.elementary import probability
from ..labels.labels import Choice, Labels, as_plain
from ..learners import Learner, make_learner
from ..learners.auto.standings import Standings
from ..tables.arrays import as_row
from ..tables.schema import Schema
from .batches import BatchMethods
from .core import Core
from .encoder import Encoder
from .explanations import Explanation, explain_row
from .features import Features


class OnlineClassifier(BatchMethods):
    """A cost-sensitive classifier that learns from a stream, one row after the other.

    A row is a dict of names and numbers, or an array. The model grows as it meets new features. Rows
    one by one and batches of rows (``*_many``, `prequential`) give the same model, bit for bit.

    Parameters
    ----------
    learner : str or Learner, default="auto"
        The name of a learner (``costream.LEARNERS``), or a learner with its hyper-parameters.
    objective : {"sum", "cost"}, Sum or Cost, default="sum"
        What is optimised: the weighted sum of sensitivity and specificity, or the total cost.
    fit_intercept : bool, default=False
        Whether every row gets one more feature of value 1. ``"auto"`` always has an intercept.
    normalize : bool, default=True
        Whether rows are divided by their L2 norm. ``"auto"`` scales features itself.
    positive : label or set of labels, default=None
        The positive labels, the rare and costly ones, against the rest.
    classes : sequence of two labels or sets of labels, default=None
        Both sides, the negative one first; any other label is an error. Without ``positive`` and
        ``classes`` 1 and True are positive, 0, -1 and False negative, and any other label is an error.
    max_features : int, default=None
        The largest number of features; later ones are ignored, with one warning.
    hash_slots : int, default=None
        Hash every feature into this many columns, and keep no names.
    schema : Schema, default=None
        What columns of tables hold: data frames, lists of dicts and files. All that it does not say is
        inferred from the first 2,000 rows of the first table.

    Attributes
    ----------
    notes : dict
        Anything that should be saved with the model, as far as JSON can hold it.

    See Also
    --------
    CostSensitiveClassifier : The same model as an estimator of scikit-learn.
    RiverClassifier : The same model as a classifier of River.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> model = OnlineClassifier("acog-ii-diag", objective=Cost(fn_cost=100, fp_cost=1))
    >>> for amount, label in [(900.0, 1), (20.0, 0), (700.0, 1), (35.0, 0)]:
    ...     score = model.learn_one({"large": amount > 100, "amount": amount / 1000}, label)
    >>> model.predict_one({"large": True, "amount": 0.8})
    1
    """

    def __init__(
        self,
        learner: str | Learner = "auto",
        objective: str | Objective = "sum",
        *,
        fit_intercept: bool = False,
        normalize: bool = True,
        positive: Choice | None = None,
        classes: Sequence[Choice] | None = None,
        max_features: int | None = None,
        hash_slots: int | None = None,
        schema: Schema | None = None,
    ) -> None:
        self.notes: dict[str, Any] = {}
        learner = copy.copy(make_learner(learner))
        raw = learner.prepares_rows
        self._core = Core(
            learner,
            Labels.of(positive, classes),
            Encoder(
                Features(max_features, hash_slots),
                normalize=bool(normalize) and not raw,
                fit_intercept=bool(fit_intercept) or raw,
                schema=_checked_schema(schema),
                settled=False,
            ),
            RowCosts(
                as_objective(objective),
                learner.cost_sensitive,
                learner_half_life=getattr(learner, "half_life", None),
            ),
        )

    def __repr__(self) -> str:
        return f"OnlineClassifier({self.learner!r}, {self.objective!r}, rows={self.rows})"

    def __getstate__(self) -> dict[str, Any]:
        return {"notes": self.notes, **self._core.parts()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = dict(state)
        self.notes = parts.pop("notes")
        self._core = Core(**parts)

    # --- what the model is ----------------------------------------------------------------------

    @property
    def learner(self) -> Learner:
        """A copy of the learner, with its hyper-parameters."""
        return copy.copy(self._core.learner)

    @property
    def objective(self) -> Objective:
        """What is optimised."""
        return self._core.row_costs.objective

    @property
    def labels(self) -> Labels:
        """The negative and the positive labels, as far as they are known."""
        return self._core.labels

    @property
    def fit_intercept(self) -> bool:
        """Whether every row gets one more feature of value 1."""
        return self._core.encoder.fit_intercept

    @property
    def normalize(self) -> bool:
        """Whether rows are divided by their L2 norm."""
        return self._core.encoder.normalize

    @property
    def max_features(self) -> int | None:
        """The largest number of features, None without a limit."""
        return self._core.features.max_features

    @property
    def hash_slots(self) -> int | None:
        """The number of columns that features are hashed into, None where they are not."""
        return self._core.features.hash_slots

    @property
    def schema(self) -> Schema | None:
        """What the columns of tables hold; None before the first table."""
        return self._core.encoder.schema

    @property
    def schema_is_inferred(self) -> bool:
        """Whether the schema says what each column holds, and not only what was given."""
        return self._core.encoder.is_settled

    @property
    def rows(self) -> int:
        """The number of rows learnt, each counted by its weight."""
        return int(self._core.row_costs.positives + self._core.row_costs.negatives)

    @property
    def counts(self) -> tuple[float, float]:
        """The numbers of positive and of negative rows learnt, each row counted by its weight."""
        return self._core.row_costs.positives, self._core.row_costs.negatives

    @property
    def rho(self) -> float:
        """The cost of a positive row now over that of a negative one; NaN where rows have their own."""
        return float(self.objective.rho(*self._core.row_costs.recent))

    @property
    def feature_names(self) -> list[Hashable]:
        """The name of each feature, in the order of `coef_`."""
        return self._core.features.in_order()

    @property
    def coef_(self) -> Floats:
        """The weight of each feature."""
        core = self._core
        with core.lock:
            return np.array(core.weights()[core.encoder.fit_intercept : core.encoder.size])

    @property
    def intercept_(self) -> float:
        """The weight of the intercept, 0 without one."""
        with self._core.lock:
            return float(self._core.weights()[0]) if self.fit_intercept else 0.0

    # --- one row --------------------------------------------------------------------------------

    def learn_one(
        self,
        x: Row,
        y: Label,
        weight: float = 1.0,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
    ) -> float:
        """Score one row, then learn from it.

        Parameters
        ----------
        x : mapping of names to numbers, array-like or sparse matrix of one row
            The row. A feature that is not there is 0.
        y : label
            Its label.
        weight : float, default=1.0
            How many rows it counts for. A row of weight 0 is scored and leaves no trace.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            What missing, wrongly flagging, rightly flagging or passing *this* row costs. None: the
            column that the objective names, where the row has it, or the number of the objective.

        Returns
        -------
        float
            The score, made before learning; 0 or more where the row would be flagged.

        Raises
        ------
        CostreamError
            If a value is not a finite number, the label is unknown, or a cost is missing. Nothing is
            learnt then.
        """
        core = self._core
        with core.lock:
            row_costs, own = core.row_costs, None
            try:
                label = core.codes[y]
            except (KeyError, TypeError):
                given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
                return self._learn_new_label(x, y, weight, given)
            if core.cost_columns or not fn_cost is fp_cost is tp_cost is tn_cost is None:
                given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
                x, given = split_row(x, given, core.cost_columns) if core.cost_columns else (x, given)
                own = core.own_costs(given, learning=True)
            plain = own is None and not core.fades
            if plain and weight.__class__ is float and weight == 1.0:
                cost = flat = stake = 1.0
                costly = label > 0.0 and row_costs.cost_sensitive
                if costly or core.learner.has_probabilities:
                    rho = row_costs.objective.rho(row_costs.positives, row_costs.negatives)
                    cost = flat = rho if costly else 1.0
                    stake = bounded(rho)
            else:
                cost, flat, stake = core.row_terms(label > 0.0, weight, own)
                if weight == 0.0:  # no row at all
                    return core.priced(core.score_row(x, stake), own)
            encoder = core.encoder
            if encoder.fill(x, label, cost, flat, stake):
                core.grow()
            score = core.pass_row()
            if score != score:
                score = core.pass_again(x, label, cost, flat, stake)
            if flat > 0.0 and score == score:
                core.until_event -= 1.0
                if core.until_event == 0.0:
                    core.count_down(0)
            if core.fades:
                row_costs.count(label > 0.0, weight)
            elif label > 0.0:
                row_costs.positives += weight
            else:
                row_costs.negatives += weight
            if encoder.was_read:
                encoder.count_row(label > 0.0, weight)
            if core.leakage.is_open and (type(x) is dict or isinstance(x, Mapping)):
                core.watch(core.leakage.add_one(x, label > 0.0, encoder.schema))
            if core.calibration is not None:
                priced = score if own is None else core.priced(score, own)
                core.calibration.add(score, label, weight)
                return priced
            return score

    def _learn_new_label(self, x: Row, y: Label, weight: float, given: GivenCosts) -> float:
        """Admit a label, and take it back if the row turns out bad, or has no weight."""
        core, label = self._core, as_plain(y)
        before = core.labels
        labels, code = before.seeing(label)
        core.set_labels(labels)
        core.codes[label] = code
        learnt = False
        try:
            score = self.learn_one(x, label, weight, **given._asdict())
            learnt = weight > 0.0
            return score
        finally:
            if not learnt:
                core.set_labels(before)

    def score_one(self, x: Row) -> float:
        """Score one row, whatever it costs.

        Parameters
        ----------
        x : mapping of names to numbers, array-like or sparse matrix of one row
            The row.

        Returns
        -------
        float
            The score: 0 or more for the positive label, at the costs of the objective. Where these
            come from columns, at the costs of the row or, if it has none, at the mean costs so far.
        """
        core, own = self._core, None
        with core.lock:
            if core.cost_columns:
                x, given = split_row(x, NO_COSTS, core.cost_columns)
                own = known_costs_of_one(given, core.row_costs.objective)
            stake = core.row_costs.stake(own) if core.calibration is None else 1.0
            return core.priced(core.score_row(x, stake), own)

    def _features(self, x: Row) -> Row:
        """A row without its costs."""
        columns = self._core.cost_columns
        return split_row(x, NO_COSTS, columns)[0] if columns else x

    def predict_one(
        self,
        x: Row,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
    ) -> Label | None:
        """Predict the label of one row: the decision that costs less.

        At the costs of the objective the label follows `score_one`. A row with costs of its own is
        flagged where ``q * (fn_cost - tp_cost) >= (1 - q) * (fp_cost - tn_cost)``, where q is the
        probability of `predict_proba_one`.

        Parameters
        ----------
        x : mapping of names to numbers, array-like or sparse matrix of one row
            The row.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            What missing, wrongly flagging, rightly flagging or passing *this* row costs. None: the
            column that the objective names, where the row has it, or the number of the objective.

        Returns
        -------
        label
            The label, or ``"positive"`` or ``"rest"`` for a side of several labels; None for a negative
            label that was neither given nor seen.
        """
        core, pair = self._core, self.labels.pair
        with core.lock:
            given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
            if core.cost_columns:
                x, given = split_row(x, given, core.cost_columns)
            return pair[1] if core.decide_row(x, given) >= 0.0 else pair[0]

    def predict_proba_one(self, x: Row) -> float:
        """Predict the probability that one row is positive, calibrated on the stream.

        ``"auto"`` has probabilities of its own; those of other learners are their scores, calibrated as
        they learn (Platt scaling).

        Parameters
        ----------
        x : mapping of names to numbers, array-like or sparse matrix of one row
            The row.

        Returns
        -------
        float
            The probability of the positive label.
        """
        core = self._core
        with core.lock:
            return probability(core.log_odds_row(self._features(x)))

    def variance_one(self, x: Row) -> float:
        """Compute the variance of the score of one row, which falls as the model learns.

        Parameters
        ----------
        x : mapping of names to numbers, array-like or sparse matrix of one row
            The row.

        Returns
        -------
        float
            x' Sigma x. A feature that the model has not seen counts with its initial variance, 1.

        Raises
        ------
        CostreamError
            If the learner is of first order and has no covariance.
        """
        core = self._core
        with core.lock:
            rows, names = core.encoder.row_batch(as_row(self._features(x)))
            return float(core.variance_rows(rows, names)[0])

    def explain_one(
        self,
        x: Row,
        top: int | None = 5,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
    ) -> list[Explanation]:
        """Give the reasons for the decision on one row.

        Parameters
        ----------
        x : mapping of names to numbers, array-like or sparse matrix of one row
            The row.
        top : int, default=5
            How many reasons to return at most; None for what every column does, whichever decision it
            speaks for.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            The costs of the decision, as in `predict_one`; without any, the decision of `score_one`.

        Returns
        -------
        list of Explanation
            What raises the risk of a row that is flagged, what lowers that of another, the largest
            effect first, as in the example of `Explanation`; where nothing speaks for the decision,
            what speaks against it. Columns whose effect rounds to 0.00 are left out. Features that are
            not in the row count as 0; in a model of more than 511 features, the columns of the row
            alone are explained, by what it would be without them.

        Raises
        ------
        CostreamError
            If the learner has no probabilities of its own, as ``"auto"`` has.
        """
        core = self._core
        with core.lock:
            core.learner.check_probabilities()
            given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
            if given.any:
                if core.cost_columns:
                    x, given = split_row(x, given, core.cost_columns)
                return explain_row(core, x, core.decide_row(x, given) >= 0.0, top)
            return explain_row(core, self._features(x), self.score_one(x) >= 0.0, top)

    def standings(self) -> Standings:
        """Rank the members of a portfolio (``"auto"``) by what their mistakes have cost.

        Returns
        -------
        Standings
            Who leads, since when, and how far behind the others are.

        Raises
        ------
        CostreamError
            If the learner is not a portfolio.
        """
        return self._core.standings()


def _checked_schema(schema: Schema | None) -> Schema | None:
    if schema is not None and not isinstance(schema, Schema):
        raise CostreamError(
            f"schema must be a Schema, not {schema!r:.40}", 'write Schema({"amount": "number"})'
        )
    return schema


def core_of(model: OnlineClassifier) -> Core:
    """The inside of a classifier, for our own modules."""
    return model._core


def classifier_of(core: Core, notes: dict[str, Any]) -> OnlineClassifier:
    """A classifier around an inside that was read from a file."""
    model = OnlineClassifier.__new__(OnlineClassifier)
    model.notes = notes
    model._core = core
    return model
