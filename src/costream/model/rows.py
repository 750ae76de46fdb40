"""The methods of the classifier for one row, bit-identical with those for batches."""

from __future__ import annotations

from collections.abc import Sequence

from .._typing import Label, Row
from ..costs.rows import NO_COSTS, GivenCosts
from ..kernels.elementary import probability
from ..labels.labels import as_plain
from ..tables.arrays import as_row
from .core import Core
from .explanations import Explanation, explain_row


class RowMethods:
    """What a classifier does with one row."""

    _core: Core

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
        forecast: Sequence[float | None] = (),
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
        forecast : sequence of float or None, default=()
            What `forecast_one` gave when the row was scored, if its label has come later.

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
            given = NO_COSTS
            if not fn_cost is fp_cost is tp_cost is tn_cost is None:
                given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
            try:
                label = core.codes[y]
            except (KeyError, TypeError):
                return self._learn_new_label(x, y, weight, given, forecast)
            return core.learn_row(x, label, weight, given, forecast)

    def _learn_new_label(
        self, x: Row, y: Label, weight: float, given: GivenCosts, forecast: Sequence[float | None]
    ) -> float:
        """Admit a label, and take it back if the row turns out bad, or has no weight."""
        core, label = self._core, as_plain(y)
        before = core.labels
        labels, code = before.seeing(label)
        core.set_labels(labels)
        core.codes[label] = code
        learnt = False
        try:
            score = core.learn_row(x, code, weight, given, forecast)
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
                x, given = core.split_costs(x, NO_COSTS)
                own = core.known_costs(given)
            return core.price_row(x, own)

    def forecast_one(self, x: Row) -> tuple[float | None, ...]:
        """What the model says of a row now, at each of its half-lives, for when its label comes.

        `"auto"` learns at several half-lives, and judges each by what it said. Where a label comes
        later than the score, that is not what it says once it has learnt from the rows in between:
        keep these numbers with the row, and give them to `learn_one`.

        Parameters
        ----------
        x : mapping of names to numbers, array-like or sparse matrix of one row
            The row.

        Returns
        -------
        tuple of float or None
            Log-odds; JSON can hold them. Empty for a model that does not ask for them.

        Examples
        --------
        >>> from costream import OnlineClassifier
        >>> model = OnlineClassifier()
        >>> score, forecast = model.score_one({"amount": 9.0}), model.forecast_one({"amount": 9.0})
        >>> score = model.learn_one({"amount": 9.0}, 1, forecast=forecast)
        """
        core = self._core
        with core.lock:
            core.price_row(self._features(x), None)
            said = core.last_forecast().tolist()
            return tuple(None if one != one else one for one in said)

    def _features(self, x: Row) -> Row:
        return self._core.split_costs(x, NO_COSTS)[0]

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

        To a model that has learnt nothing, every row is positive with probability 0.5. So ``"auto"``
        flags a row where a miss costs at least as much as a false alarm. The score of other learners
        is then 0, at all costs of the objective, and sign(0) is +1 as in the paper: they flag every row
        until they have learnt, and later each row of which they know no feature. A row whose own costs
        are not those of the objective is decided by the probability here, too.

        Parameters
        ----------
        x, fn_cost, fp_cost, tp_cost, tn_cost
            As in `learn_one`.

        Returns
        -------
        label
            The label, or ``"positive"`` or ``"rest"`` for a side of several labels; None for a negative
            label that was neither given nor seen.

        Examples
        --------
        New models, of which the first goes by the costs and the second by the sign of 0:

        >>> from costream import Cost, OnlineClassifier
        >>> dear_miss, dear_alarm = Cost(fn_cost=50, fp_cost=1), Cost(fn_cost=1, fp_cost=50)
        >>> x = {"amount": 9.0}
        >>> [OnlineClassifier("auto", one).predict_one(x) for one in (dear_miss, dear_alarm)]
        [1, 0]
        >>> linear = OnlineClassifier("carow-diag", dear_alarm)
        >>> linear.predict_one(x), linear.score_one(x)
        (1, 0.0)
        >>> linear.predict_one(x, fn_cost=1, fp_cost=60)
        0
        """
        core = self._core
        pair = core.labels.pair
        with core.lock:
            x, given = core.split_costs(x, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost))
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
            rows, names = core.row.as_batch(as_row(self._features(x)))
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
                x, given = core.split_costs(x, given)
                return explain_row(core, x, core.decide_row(x, given) >= 0.0, top)
            return explain_row(core, self._features(x), self.score_one(x) >= 0.0, top)
