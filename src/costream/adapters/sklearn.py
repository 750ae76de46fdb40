"""The adapter for scikit-learn."""

from __future__ import annotations

import copy
import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import modelfile
from ..aliases import Floats, Label
from ..classifier import OnlineClassifier, core_of
from ..errors import CostreamError
from ..explain import Explanation
from ..inputs import Rows, as_batch, as_numbers
from ..learners import Learner, make_learner
from ..objective import Objective


def _has_probabilities(self: CostSensitiveClassifier) -> bool:
    return make_learner(self.learner).has_probabilities


class CostSensitiveClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A cost-sensitive linear classifier for scikit-learn, fitted in one pass over the rows.

    Parameters
    ----------
    learner : str or Learner, default="auto"
        The name of a learner (``costream.LEARNERS``), or a learner with its hyper-parameters.
        Its hyper-parameters are ``learner__eta`` and so on.
    objective : {"sum", "cost"}, Sum or Cost, default="sum"
        What is optimised: the weighted sum of sensitivity and specificity, or the total cost.
    positive : label, default=None
        The rare and costly label; None for ``classes_[1]``.
    fit_intercept : bool, default=True
        Whether every row gets one more feature of value 1.
    normalize : bool, default=True
        Whether rows are divided by their L2 norm. ``"auto"`` scales features itself.

    Attributes
    ----------
    model_ : OnlineClassifier
        The model.
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features_in_)
        The weight of each feature.
    intercept_ : ndarray of shape (1,)
        The weight of the intercept, 0 without one.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names.

    See Also
    --------
    OnlineClassifier : The model inside, which also takes dict rows and grows with new features.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019.

    Examples
    --------
    >>> from costream import CostSensitiveClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> CostSensitiveClassifier("acog-ii", positive=0).fit(scale(X), y).score(scale(X), y) > 0.9
    True
    """

    def __init__(
        self,
        learner: str | Learner = "auto",
        objective: str | Objective = "sum",
        *,
        positive: Label | None = None,
        fit_intercept: bool = True,
        normalize: bool = True,
    ) -> None:
        self.learner = learner
        self.objective = objective
        self.positive = positive
        self.fit_intercept = fit_intercept
        self.normalize = normalize

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
        super().set_params(**params)
        return self

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
    ) -> CostSensitiveClassifier:
        """Learn from scratch, in one pass in the order of the rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows, in the order of the stream.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : float or array-like of shape (n_rows,), default=None
            How many rows each one counts for; None for 1.
        fn_cost, fp_cost : float or array-like of shape (n_rows,), default=None
            What missing or flagging each row would cost; None for the costs of the objective.

        Returns
        -------
        CostSensitiveClassifier
            This estimator.
        """
        rows, labels = self._validated(X, y, reset=True)
        weight = as_numbers("sample_weight", sample_weight, len(labels))
        counted = labels if weight is None else labels[weight > 0]
        if not len(counted):
            raise ValueError("every sample_weight is zero, so there is nothing to learn from")
        if len(np.unique(counted)) < 2:
            raise ValueError(
                "fit needs rows of two classes, but only one class has a weight above 0; "
                "partial_fit may start with one class"
            )
        model = self._new_model(np.unique(labels))
        model.learn_many(rows, labels, weight, fn_cost=fn_cost, fp_cost=fp_cost)
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
    ) -> CostSensitiveClassifier:
        """Go on learning.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows, in the order of the stream.
        y : array-like of shape (n_rows,)
            Their labels.
        classes : array-like of shape (2,), default=None
            Both labels. Optional: the first batch may hold rows of one class.
        sample_weight : float or array-like of shape (n_rows,), default=None
            How many rows each one counts for; None for 1.
        fn_cost, fp_cost : float or array-like of shape (n_rows,), default=None
            What missing or flagging each row would cost; None for the costs of the objective.

        Returns
        -------
        CostSensitiveClassifier
            This estimator.
        """
        first = not hasattr(self, "model_")
        rows, labels = self._validated(X, y, reset=first)
        weight = as_numbers("sample_weight", sample_weight, len(labels))
        if first:
            known = np.unique(labels) if classes is None else np.unique(classes)
            model, dtype = self._new_model(known), known.dtype
        else:
            if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise ValueError(f"classes={classes!r} differs from the first call")
            model, dtype = self.model_, self._dtype
            if model.labels.others == "negative":  # it would take a third label for the rest
                _check_binary(np.union1d(self.classes_, labels))
        model.learn_many(rows, labels, weight, fn_cost=fn_cost, fp_cost=fp_cost)
        return self._keep(model, dtype)

    def _validated(self, X: Rows, y: ArrayLike, reset: bool) -> tuple[Any, NDArray[Any]]:
        """The rows and their labels, once scikit-learn has checked them."""
        rows, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=reset)
        check_classification_targets(labels)
        return rows, labels

    def _new_model(self, classes: NDArray[Any]) -> OnlineClassifier:
        """A model that has seen nothing, for these labels."""
        _check_binary(classes)
        return OnlineClassifier(
            copy.copy(make_learner(self.learner)),
            self.objective,
            fit_intercept=self.fit_intercept,
            normalize=self.normalize,
            positive=self.positive,
            classes=classes.tolist() if len(classes) == 2 else None,
        )

    def _keep(self, model: OnlineClassifier, dtype: np.dtype[Any]) -> CostSensitiveClassifier:
        """The model, and the labels named or seen so far, in order."""
        self.model_ = model
        self._dtype = dtype
        self.classes_ = np.unique(self._as_labels([*model.labels.codes]))
        return self

    def _as_labels(self, labels: Any) -> NDArray[Any]:
        """An array of the type of the first y, where that can hold the labels."""
        array = np.array(labels)
        typed = array.astype(self._dtype, casting="unsafe")
        return typed if typed.tolist() == array.tolist() else array

    @property
    def _sign(self) -> float:
        """-1 where the positive label is the first class: a decision above 0 means the second."""
        positive = self.model_.labels.pair[1]
        return -1.0 if len(self.classes_) == 2 and positive == self.classes_[0] else 1.0

    def decision_function(self, X: Rows) -> Floats:
        """Score each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores, above 0 for ``classes_[1]``.
        """
        scores = self._scores(X)
        return self._sign * scores

    def predict(
        self, X: Rows, *, fn_cost: ArrayLike | None = None, fp_cost: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Predict the label of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.
        fn_cost, fp_cost : float or array-like of shape (n_rows,), default=None
            What missing or flagging each row would cost. With either, the label is the one whose
            expected cost is lower by `predict_proba`; it takes a learner with probabilities.

        Returns
        -------
        ndarray of shape (n_rows,)
            The labels.
        """
        X = self._checked(X)
        negative, positive = self.model_.labels.pair
        pair = self._as_labels([positive if negative is None else negative, positive])
        scores = core_of(self.model_).score_rows(as_batch(X), None, fn_cost=fn_cost, fp_cost=fp_cost)
        return np.asarray(pair[(scores >= 0.0).astype(np.intp)])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Rows) -> Floats:
        """Predict the probability of each label, calibrated on the stream.

        Only learners with probabilities (``"auto"``) have this method. `predict` gives the label of
        lower cost, which need not be the more probable one.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The probabilities, in the order of ``classes_``.
        """
        X = self._checked(X)
        proba = self.model_.predict_proba_many(X)
        both = np.column_stack([1.0 - proba, proba])
        return both if self._sign > 0.0 else both[:, ::-1]

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def explain(self, X: Rows, top: int = 5) -> list[list[Explanation]]:
        """Explain the probability of the positive label of each row by its features.

        Only learners with probabilities (``"auto"``) have this method.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.
        top : int, default=5
            How many features to return for each row.

        Returns
        -------
        list of list of Explanation
            For each row the features whose usual values would change the log-odds most, the largest
            change first; by name where X had names in `fit`.
        """
        rows = self._checked(X)
        names: Any = getattr(self, "feature_names_in_", range(self.n_features_in_))
        sparse = hasattr(rows, "tocsr")
        each = (rows[t : t + 1] if sparse else rows[t] for t in range(rows.shape[0]))
        found = [self.model_.explain_one(row, top) for row in each]
        return [[replace(one, feature=names[one.feature]) for one in row] for row in found]

    def variance(self, X: Rows) -> Floats:
        """Compute the variance of the score of each row, which falls as the model learns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            x' Sigma x of each row.

        Raises
        ------
        CostreamError
            If the learner is of first order and has no covariance.
        """
        X = self._checked(X)
        return self.model_.variance_many(X)

    def _checked(self, X: Rows) -> Any:
        check_is_fitted(self, "model_")
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _scores(self, X: Rows) -> Floats:
        X = self._checked(X)
        return self.model_.score_many(X)

    @property
    def coef_(self) -> Floats:
        """The weight of each feature, of shape (1, n_features_in_)."""
        check_is_fitted(self, "model_")
        coef = np.zeros((1, self.n_features_in_))
        seen = self.model_.coef_
        coef[0, : len(seen)] = self._sign * seen
        return coef

    @property
    def intercept_(self) -> Floats:
        """The weight of the intercept, of shape (1,)."""
        check_is_fitted(self, "model_")
        return np.array([self._sign * self.model_.intercept_])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier into a file, without pickle.

        Parameters
        ----------
        path : str or path-like
            Where to write it.
        """
        check_is_fitted(self, "model_")
        names = getattr(self, "feature_names_in_", None)
        self.model_.notes = {
            "n_features_in_": self.n_features_in_,
            "feature_names_in_": None if names is None else list(names),
            "classes_": self.classes_.tolist(),
            "dtype": self._dtype.str,
            "positive": self.positive,
        }
        modelfile.save(self.model_, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CostSensitiveClassifier:
        """Read a fitted classifier from a file; it goes on learning where it was saved.

        Parameters
        ----------
        path : str or path-like
            A file that `save` has written.

        Returns
        -------
        CostSensitiveClassifier
            The classifier.
        """
        model = modelfile.load(path)
        notes = model.notes
        if "n_features_in_" not in notes:
            raise CostreamError(
                f"{path} was not saved by a CostSensitiveClassifier", "use costream.load"
            )
        self = cls(
            model.learner,
            model.objective,
            positive=notes["positive"],
            fit_intercept=model.fit_intercept,
            normalize=model.normalize,
        )
        self.model_ = model
        self.n_features_in_ = notes["n_features_in_"]
        self._dtype = np.dtype(notes["dtype"])
        self.classes_ = np.array(notes["classes_"], dtype=self._dtype)
        if notes["feature_names_in_"] is not None:
            self.feature_names_in_ = np.array(notes["feature_names_in_"], dtype=object)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


def _check_binary(classes: NDArray[Any]) -> None:
    """Raise an error if there are more than two labels, or numbers that are none."""
    kind = type_of_target(classes, input_name="y")
    if len(classes) > 2 or kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}; "
            "for more classes use sklearn.multiclass.OneVsRestClassifier"
        )
