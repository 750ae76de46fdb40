"""The adapter for scikit-learn."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from .._typing import Floats
from ..costs.objective import Objective
from ..costs.objectives import as_objective
from ..costs.rows import NOTHING, GivenCosts, costs_for_all
from ..errors import CostreamError
from ..evaluation.array_metrics import tally_of, value_of
from ..labels.labels import Choice
from ..learners import Learner, make_learner
from ..model.classifier import OnlineClassifier, core_of
from ..tables.arrays import Rows, as_numbers
from ..tables.schema import Schema
from .base import FittedMethods, shuffled
from .labels import as_array, check_sides, classes_of, sides

OWN_MEASURE = (
    "score goes by the objective of the estimator, {!r}; a search over objectives compares each by its "
    "own measure, so give it one for all: scoring=costream.metrics.savings_scorer(fn_cost=..., "
    "fp_cost=...)"
)


class CostSensitiveClassifier(FittedMethods, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A cost-sensitive linear classifier for scikit-learn, fitted in one pass over the rows.

    Tables go in as they are, without a `ColumnTransformer`: data frames of pandas and polars, tables of
    pyarrow and lists of dicts, with text, categories, booleans, times and missing values.

    Parameters
    ----------
    learner : str or Learner, default="auto"
        The name of a learner (``costream.learners.LEARNERS``), or a learner with its hyper-parameters.
        Its hyper-parameters are ``learner__eta`` and so on.
    objective : {"sum", "cost"}, WeightedAccuracy or Cost, default="sum"
        What is optimised: the weighted sum of sensitivity and specificity, or the total cost. Its costs
        may be columns of a data frame, which are then not used as features.
    positive : label or set of labels, default=None
        The rare and costly label, or several, against the rest. None takes 1 of 0/1 and -1/1, True,
        2 of 1/2, yes, y or t. Of two other labels it takes the one that is rarer in the first rows,
        or the one that sorts last if they are equally frequent, and warns.
    fit_intercept : bool, default=False
        Whether to add a feature with value 1 to every row. ``"auto"`` always has an intercept.
    normalize : bool, default=True
        Whether rows are divided by their L2 norm. ``"auto"`` scales features itself.
    schema : Schema, default=None
        What the columns of tables hold; whatever it leaves open is inferred from the first 2,000 rows.
    shuffle : bool, default=True
        Whether `fit` learns the rows in a random order, since a learner that sees each row once goes
        wrong on rows sorted by their label. Rows of a table with a time keep their order, and
        `partial_fit` always keeps it.
    random_state : int, RandomState instance or None, default=0
        Draws the random order of rows; an int gives the same order in each `fit`.

    Attributes
    ----------
    model_ : OnlineClassifier
        The model.
    classes_ : ndarray of shape (2,)
        The labels of predictions, sorted. Where a side has several labels, ``"positive"`` or ``"rest"``
        stands for them: with ``positive="fraud"`` and two more labels they are "fraud" and "rest".
    feature_importances_ : ndarray of shape (n_features_in_,)
        What each column is worth to ``"auto"``, over all of its views: in a sample of the rows learnt
        one column is given the values of other rows, and the absolute changes of the log-odds are
        averaged; the shares add up to 1.
    coef_ : ndarray of shape (1, n_features_in_) or (1, n_features)
        The weight of each feature, for linear learners only. Where columns of text or times became
        several features, there is a weight for each, and ``model_.feature_names`` names them in this
        order. Weights are those of rows divided by their norm, unless ``normalize=False``.
    intercept_ : ndarray of shape (1,)
        The weight of the intercept, 0 without one; for linear learners only.
    n_features_in_ : int
        The number of columns, without those of costs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names.

    See Also
    --------
    OnlineClassifier : The model inside, which also takes dict rows and grows with new features.
    costream.metrics.savings_scorer : A scorer for any classifier.

    Notes
    -----
    Costs per row come from a column that the objective names, if X is a data frame, or are given as
    ``fn_cost``, ``fp_cost``, ``tp_cost`` and ``tn_cost``. Pipelines, `cross_val_score` and
    `GridSearchCV` pass them on as metadata: ``set_fit_request``, ``set_predict_request`` and
    ``set_score_request`` say which. In a pipeline use metadata, because a step before the
    classifier, such as a scaler, would change a column of costs.

    Tables may have missing values, and ``model_.schema`` says what each column was taken for.
    In an array or a sparse matrix NaN is an error. A classifier of a table takes arrays, too: their
    columns are those of the table, in order.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019.

    Examples
    --------
    >>> from costream.sklearn import CostSensitiveClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> CostSensitiveClassifier("acog-ii", positive=0).fit(scale(X), y).score(scale(X), y) > 0.9
    True

    A missed tumour costs its area, a false alarm 100; the score is the savings at these costs:

    >>> import sklearn
    >>> from costream import Cost
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     classifier = CostSensitiveClassifier(objective=Cost("area", 100), positive=0)
    ...     classifier = classifier.set_fit_request(fn_cost=True).set_score_request(fn_cost=True)
    ...     pipeline = make_pipeline(StandardScaler(), classifier)
    ...     scores = cross_val_score(pipeline, X, y, params={"fn_cost": X[:, 3]})
    >>> bool(scores.mean() > 0.8)
    True

    A data frame with text and missing values:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"city": ["Ulm", "Bern", None, "Ulm"], "amount": [9.0, None, 2.0, 7.5]})
    >>> classifier = CostSensitiveClassifier("carow-diag").fit(frame, [1, 0, 0, 1])
    >>> classifier.model_.feature_names
    ['amount', 'city=Ulm', 'city=Bern', 'amount=missing']
    >>> classifier.predict(frame[:2])
    array([1, 0])
    """

    _is_candidate = False  # whether `set_params` has changed the objective, as searches do

    def __init__(
        self,
        learner: str | Learner = "auto",
        objective: str | Objective = "sum",
        *,
        positive: Choice | None = None,
        fit_intercept: bool = False,
        normalize: bool = True,
        schema: Schema | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.learner = learner
        self.objective = objective
        self.positive = positive
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.schema = schema
        self.shuffle = shuffle
        self.random_state = random_state

    def set_params(self, **params: Any) -> CostSensitiveClassifier:
        """Set parameters, those of the learner as ``learner__eta`` and so on.

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        CostSensitiveClassifier
            This estimator.
        """
        if isinstance(params.get("learner", self.learner), str) and any(
            key.startswith("learner__") for key in params
        ):
            params["learner"] = make_learner(params.get("learner", self.learner))
        before = self.objective
        super().set_params(**params)
        if self.objective is not before and self.objective != before:
            self._is_candidate = True
        return self

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
    ) -> CostSensitiveClassifier:
        """Learn from scratch, in one pass over the shuffled rows.

        Rows with a time, and all rows with ``shuffle=False``, are learnt in their own order.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : float or array-like of shape (n_rows,), default=None
            How many rows each one counts for; None for 1.
        fn_cost, fp_cost, tp_cost, tn_cost : float or array-like of shape (n_rows,), default=None
            What missing, wrongly flagging, rightly flagging or passing each row costs. None: the column
            that the objective names, where X has it, or the number of the objective.

        Returns
        -------
        CostSensitiveClassifier
            This estimator.
        """
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        rows, labels, names, costs = self._validated(
            X, y, as_objective(self.objective), given, reset=True
        )
        weight = as_numbers("sample_weight", sample_weight, len(labels))
        counted = labels if weight is None else labels[weight > 0]
        if not len(counted):
            raise ValueError("every sample_weight is zero, so there is nothing to learn from")
        if len(np.unique(counted)) < 2:
            raise ValueError(
                "fit needs rows of two classes, but only one class has a weight above 0; "
                "partial_fit may start with one class"
            )
        model = self._new_model(np.unique(labels), counted)
        check_sides(model.labels, counted)
        order = shuffled(model, self.random_state) if self.shuffle else None
        model._learn(rows, labels, weight, costs, names, order)
        return self._keep(model, labels.dtype)

    def partial_fit(
        self,
        X: Rows,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
    ) -> CostSensitiveClassifier:
        """Continue learning, in the order of the rows.

        Rows should be new to the model: ``"auto"`` weights its members by how well they predict each
        row before they learn it, and gets worse on rows that they know already.

        Parameters
        ----------
        X, y
            The rows in the order of the stream, and their labels, as in `fit`.
        classes : array-like of shape (n_classes,), default=None
            All labels. Optional: the first batch may hold rows of one class.
        sample_weight, fn_cost, fp_cost, tp_cost, tn_cost
            As in `fit`.

        Returns
        -------
        CostSensitiveClassifier
            This estimator.
        """
        first = not hasattr(self, "model_")
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        objective = as_objective(self.objective) if first else self.model_.objective
        rows, labels, names, costs = self._validated(X, y, objective, given, reset=first)
        weight = as_numbers("sample_weight", sample_weight, len(labels))
        if first:
            known = np.unique(labels) if classes is None else np.unique(classes)
            counted = labels if weight is None else labels[weight > 0]
            model = self._new_model(known, counted, named=classes is not None)
            dtype = known.dtype
        else:
            rest = self.model_.labels.others == "negative"
            if classes is not None and not (rest or np.array_equal(np.unique(classes), self.classes_)):
                raise ValueError(f"classes={classes!r} differs from the first call")
            model, dtype = self.model_, self._dtype
        model.learn_many(rows, labels, weight, names=names, **costs._asdict())
        return self._keep(model, dtype)

    def _new_model(
        self, classes: NDArray[Any], labels: NDArray[Any], *, named: bool = False
    ) -> OnlineClassifier:
        """A model that has seen nothing, for these classes, of which the first rows have labels."""
        positive, both = sides(classes, labels, self.positive, named=named)
        return OnlineClassifier(
            copy.copy(make_learner(self.learner)),
            self.objective,
            fit_intercept=self.fit_intercept,
            normalize=self.normalize,
            positive=positive,
            classes=both,
            schema=self.schema,
        )

    def _keep(self, model: OnlineClassifier, dtype: np.dtype[Any]) -> CostSensitiveClassifier:
        """The model, and the labels named or seen so far, in order."""
        self.model_ = model
        self._dtype = dtype
        self.classes_ = as_array(classes_of(model.labels), dtype)
        return self

    def decision_function(self, X: Rows) -> Floats:
        """Score each row; a score needs no cost.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores, above 0 for ``classes_[1]``, at the costs of the objective. Where these come
            from columns, at the costs of the row or, if it has none, at the mean costs so far.
        """
        taken = self._taken(X)
        return self._sign * core_of(self.model_).score_known(*taken)

    def predict(
        self,
        X: Rows,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Predict the label of each row: the decision that costs less.

        Parameters
        ----------
        X, fn_cost, fp_cost, tp_cost, tn_cost
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The labels. A row with costs of its own has the label whose expected cost is lower by
            `predict_proba`; otherwise the label follows `decision_function`.
        """
        taken = self._taken(X, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost))
        negative, positive = self.model_.labels.pair
        pair = as_array([positive if negative is None else negative, positive], self._dtype)
        scores = core_of(self.model_).decide_rows(*taken)
        return np.asarray(pair[(scores >= 0.0).astype(np.intp)])

    def score(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
    ) -> float:
        """Compute the savings of the decisions on some rows, or their weighted sum.

        Where the objective is a `Cost`, these are the savings (`costream.metrics.savings`) at the costs
        that the decisions go by. Where it is a `WeightedAccuracy`, it is ``alpha_p * sensitivity +
        (1 - alpha_p) * specificity`` (`costream.metrics.weighted_sum`).

        So a search over objectives compares candidates by different measures, which a warning says
        where `set_params` has given the objective. Give such a search one measure for all, as in
        ``GridSearchCV(..., scoring=savings_scorer(fn_cost=9, fp_cost=1))``.

        Parameters
        ----------
        X, y, sample_weight, fn_cost, fp_cost, tp_cost, tn_cost
            As in `fit`.

        Returns
        -------
        float
            The score, 1 for perfect decisions. NaN, with an ``UndefinedMetricWarning``, where it is
            undefined.
        """
        batch, names, costs = self._taken(X, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost))
        core, objective = core_of(self.model_), self.model_.objective
        if self._is_candidate:
            warnings.warn(OWN_MEASURE.format(objective), UserWarning, stacklevel=2)
        if costs.any and not objective.has_costs:
            raise CostreamError(
                f"the objective of the model is the {objective.name}, whose score has no costs",
                "make the model with objective=Cost(...), or call costream.metrics.savings with y and "
                "what predict gave",
            )
        _, positive = core.read_labels(y, batch.rows)
        weight = as_numbers("sample_weight", sample_weight, batch.rows)
        own = core.costs_of_rows(costs, batch.rows)
        flagged = core.score_rows(batch, names, own=own) >= 0.0
        paid = GivenCosts(*(own or costs_for_all(objective) or NOTHING))
        tally = tally_of(flagged, positive, paid, weight)
        return value_of(objective.score, tally, objective.costs.alpha_p)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
