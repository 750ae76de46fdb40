"""The adapter for River."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike
from river import base

from .._typing import Label
from ..costs.objective import Objective
from ..costs.rows import GivenCosts
from ..labels.labels import Choice
from ..learners import Learner, make_learner
from ..model.classifier import OnlineClassifier, core_of
from ..model.explanations import Explanation
from ..model.saving import SavedModel
from ..tables.schema import Schema
from .costs import plain_label
from .decisions import Decided, decided

if TYPE_CHECKING:
    import pandas as pd


class CostSensitiveClassifier(SavedModel, base.MiniBatchClassifier):  # type: ignore[misc]
    """A cost-sensitive linear classifier for River.

    A row is a dict. Its values go by their types: numbers, booleans, text (the feature ``city=Ulm``),
    times, lists of tags; None and NaN have no entry. `learn_many` takes one step for each row, so it
    equals `learn_one` in a loop, bit for bit.

    Costs of single rows are keywords: ``learn_one(x, y, fn_cost=90)``, ``predict_one(x, fn_cost=90)``.
    River passes them from a stream of ``(x, y, {"fn_cost": 90})``, also through pipelines and most
    ensembles; ``costream.metrics.with_costs`` makes such a stream. Or the objective names a key of x,
    as in ``Cost(fn_cost="amount", fp_cost=5)``: then each row has its cost in x, which is
    not used as a feature.

    Parameters
    ----------
    learner : str or Learner, default="auto"
        The name of a learner (``costream.learners.LEARNERS``), or a learner with its hyper-parameters.
    objective : {"sum", "cost"}, WeightedAccuracy or Cost, default="sum"
        What is optimised: the weighted sum of sensitivity and specificity, or the total cost.
    positive : label or set of labels, default=None
        The positive labels, against the rest; without them 1 and True are positive, 0, -1 and False
        negative, and any other label is an error.
    fit_intercept : bool, default=False
        Whether to add a feature with value 1 to every row. ``"auto"`` always has an intercept.
    normalize : bool, default=True
        Whether rows are divided by their L2 norm. ``"auto"`` scales features itself.
    max_features : int, default=None
        Maximum number of features; later ones are ignored, with one warning.
    hash_slots : int, default=None
        Hash every feature into this many columns, and keep no names.
    schema : Schema, default=None
        What some keys hold, such as ``Schema({"zip": "text"})``; the others go by the types of values.

    See Also
    --------
    OnlineClassifier : The model inside, which also takes arrays.

    Notes
    -----
    In a pipeline, a scaler before the model would scale the costs in x, too. Give the costs as keywords
    of the row, or lead them past the scaler, with ``compose.Select`` and ``compose.Discard`` of River:
    ``Select("amount") + (Discard("amount") | StandardScaler()) | CostSensitiveClassifier(...)``.
    River's pipelines take no keywords with batches, so these need the second way (and, as `Discard`
    takes no batches, a second `Select` of all other columns). Ensembles that pass no keywords on, such
    as ``VotingClassifier``, need costs in x as well.

    An ensemble that adds up the probabilities of its models, such as ``BaggingClassifier``, predicts
    the more probable label, whatever the costs are. Decide by its probability q then, as the metrics
    `Cost` and `Savings` of ``costream.metrics`` do: flag where ``q * (fn_cost - tp_cost) >= (1 - q) *
    (fp_cost - tn_cost)``.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019.

    Examples
    --------
    >>> from costream.river import CostSensitiveClassifier
    >>> from river import datasets, evaluate, metrics
    >>> model = CostSensitiveClassifier("acog-ii-diag", fit_intercept=True)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.BalancedAccuracy())
    BalancedAccuracy: 82.60%

    Costs of rows, as keywords or in x:

    >>> from costream import Cost
    >>> model = CostSensitiveClassifier(objective=Cost(fn_cost="amount", fp_cost=5))
    >>> for t in range(1, 100):
    ...     model.learn_one({"amount": 10.0 * t, "night": t % 3 == 0}, t % 6 == 0)
    >>> model.predict_one({"amount": 900.0, "night": True})
    True
    >>> model.predict_one({"night": True}, fn_cost=0.5)
    False

    Text and missing values:

    >>> model = CostSensitiveClassifier("carow-diag")
    >>> model.learn_one({"city": "Ulm", "amount": 9.0}, True)
    >>> model.learn_one({"city": "Bern", "amount": None}, False)
    >>> model.model.feature_names
    ['city=Ulm', 'amount', 'city=Bern']
    """

    def __init__(
        self,
        learner: str | Learner = "auto",
        objective: str | Objective = "sum",
        positive: Choice | None = None,
        fit_intercept: bool = False,
        normalize: bool = True,
        max_features: int | None = None,
        hash_slots: int | None = None,
        schema: Schema | None = None,
    ) -> None:
        self.learner = learner
        self.objective = objective
        self.positive = positive
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.max_features = max_features
        self.hash_slots = hash_slots
        self.schema = schema
        self._model = OnlineClassifier(
            copy.copy(make_learner(learner)),
            objective,
            fit_intercept=fit_intercept,
            normalize=normalize,
            positive=positive,
            max_features=max_features,
            hash_slots=hash_slots,
            schema=schema,
        )
        core_of(self._model).read_by_type()

    @property
    def _multiclass(self) -> bool:
        return False

    @property
    def model(self) -> OnlineClassifier:
        """The model inside."""
        return self._model

    def learn_one(
        self,
        x: Mapping[Any, Any],
        y: Label,
        w: float = 1.0,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
    ) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : mapping of names to values
            The row.
        y : label
            Its label.
        w : float, default=1.0
            How many rows it counts for.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            What missing, wrongly flagging, rightly flagging or passing *this* row costs. None: the key
            of x that the objective names, or the number of the objective.

        Raises
        ------
        CostreamError
            If a number is not finite, the label is unknown, or a cost is missing. Nothing is
            learnt then.
        """
        self._model.learn_one(
            x, plain_label(y), w, fn_cost=fn_cost, fp_cost=fp_cost, tp_cost=tp_cost, tn_cost=tn_cost
        )

    def score_one(self, x: Mapping[Any, Any]) -> float:
        """Score one row, whatever it costs.

        Parameters
        ----------
        x : mapping of names to values
            The row.

        Returns
        -------
        float
            The score: 0 or more for the positive label, at the costs of the objective or, where these
            come from columns, at the mean costs of the rows so far.
        """
        return self._model.score_one(x)

    def predict_one(
        self,
        x: Mapping[Any, Any],
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
        x, fn_cost, fp_cost, tp_cost, tn_cost
            As in `learn_one`.

        Returns
        -------
        label
            The label; None for a negative label that was neither given nor seen.

        Raises
        ------
        CostreamError
            If a number is not finite, or a cost is missing.
        """
        label = self._model.predict_one(
            x, fn_cost=fn_cost, fp_cost=fp_cost, tp_cost=tp_cost, tn_cost=tn_cost
        )
        return label if self._model.labels.codes else bool(label)

    def learn_many(
        self,
        X: pd.DataFrame,
        y: pd.Series,
        w: ArrayLike = 1.0,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
    ) -> None:
        """Learn from each row in turn.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.
        y : pandas.Series
            Their labels.
        w : float or array-like of shape (n_rows,), default=1.0
            How many rows each one counts for.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array-like of shape (n_rows,), default=None
            What missing, wrongly flagging, rightly flagging or passing each row costs. None: the column
            of X that the objective names, or the number of the objective.
        """
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        self._model.learn_many(X, y.to_numpy(), w, **given._asdict())

    def predict_many(
        self,
        X: pd.DataFrame,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
    ) -> pd.Series:
        """Predict the label of each row: the decision that costs less, as in `predict_one`.

        Parameters
        ----------
        X, fn_cost, fp_cost, tp_cost, tn_cost
            As in `learn_many`.

        Returns
        -------
        pandas.Series
            The labels.
        """
        import pandas as pd

        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        labels = self._model.predict_many(X, **given._asdict())
        if not self._model.labels.codes:
            labels = labels.astype(bool)
        return pd.Series(labels.tolist(), index=X.index)

    def predict_proba_one(
        self,
        x: Mapping[Any, Any],
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
    ) -> dict[Label | None, float]:
        """Predict the probability of each label, calibrated on the stream.

        ``"auto"`` has probabilities of its own; those of other learners are their scores, calibrated as
        they learn (Platt scaling).

        Parameters
        ----------
        x : mapping of names to values
            The row.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            What the row costs. Probabilities do not depend on it, but the decision does, which
            ``costream.metrics`` find with them.

        Returns
        -------
        dict of labels to float
            The probabilities.
        """
        negative, positive = self._pair
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        core = core_of(self._model)
        proba, flagged = decided(core, x, given)
        found = Decided({negative: 1.0 - proba, positive: proba})
        found.by_score = not core.learner.has_probabilities
        if flagged is not None:
            found.decision = positive if flagged else negative
        return found

    def predict_proba_many(
        self,
        X: pd.DataFrame,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
    ) -> pd.DataFrame:
        """Predict the probability of each label, calibrated on the stream.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array-like of shape (n_rows,), default=None
            Not used, as in `predict_proba_one`.

        Returns
        -------
        pandas.DataFrame
            A column of probabilities for each label.
        """
        import pandas as pd

        negative, positive = self._pair
        proba = self._model.predict_proba_many(X)
        return pd.DataFrame({negative: 1.0 - proba, positive: proba}, index=X.index)

    def explain_one(self, x: Mapping[Any, Any], top: int | None = 5) -> list[Explanation]:
        """Give the reasons for the decision on one row.

        Parameters
        ----------
        x : mapping of names to values
            The row.
        top : int, default=5
            How many reasons to return at most; None for what every key does, whichever decision it
            speaks for.

        Returns
        -------
        list of Explanation
            What raises the risk of a row that is flagged, what lowers that of another, the largest
            effect first; where nothing speaks for the decision, what speaks against it.

        Raises
        ------
        CostreamError
            If the learner has no probabilities of its own, as ``"auto"`` has.
        """
        return self._model.explain_one(x, top)

    @property
    def _pair(self) -> tuple[Label | None, Label]:
        return self._model.labels.pair if self._model.labels.codes else (False, True)

    def _to_saved(self) -> OnlineClassifier:
        return self._model

    @classmethod
    def _from_saved(cls, model: OnlineClassifier) -> Self:
        self = cls(
            model.learner,
            model.objective,
            model.labels.named,
            model.fit_intercept,
            model.normalize,
            model.max_features,
            model.hash_slots,
            model.schema,
        )
        self._model = model
        core_of(model).read_by_type(not model.schema_is_inferred)
        return self
