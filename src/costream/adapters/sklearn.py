"""The scikit-learn face."""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import modelfile
from ..classifier import OnlineClassifier, core_of
from ..errors import CostreamError
from ..inputs import as_numbers
from ..learners import Learner, make_learner
from ..objective import Objective


def _has_probabilities(self: CostSensitiveClassifier) -> bool:
    return make_learner(self.learner).has_probabilities


class CostSensitiveClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A cost-sensitive linear classifier for scikit-learn, in one pass over the rows in their order.

    Parameters
    ----------
    learner
        The name of a learner (``costream.LEARNERS``), or a learner; its hyper-parameters are
        ``learner__eta`` and so on.
    objective
        ``"sum"``, ``"cost"``, or a ``costream.Sum`` or ``costream.Cost``.
    positive
        The costly label; ``classes_[1]`` if None.
    fit_intercept
        Whether every row has one more feature of value 1.
    normalize
        Whether rows are divided by their L2 norm.

    Examples
    --------
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
        positive: Any = None,
        fit_intercept: bool = True,
        normalize: bool = True,
    ) -> None:
        self.learner = learner
        self.objective = objective
        self.positive = positive
        self.fit_intercept = fit_intercept
        self.normalize = normalize

    def set_params(self, **params: Any) -> CostSensitiveClassifier:
        """Set parameters; ``learner__eta`` also where the learner is given by its name."""
        if isinstance(params.get("learner", self.learner), str) and any(
            key.startswith("learner__") for key in params
        ):
            params["learner"] = make_learner(params.get("learner", self.learner))
        super().set_params(**params)
        return self

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, fn_cost: Any = None, fp_cost: Any = None
    ) -> CostSensitiveClassifier:
        """Learn from scratch, one pass in the order of the rows.

        ``fn_cost`` and ``fp_cost`` are what missing or flagging each row would cost.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=True)
        check_classification_targets(y)
        weight = as_numbers("sample_weight", sample_weight, len(y))
        counted = y if weight is None else y[weight > 0]
        if not len(counted):
            raise ValueError("every sample_weight is zero, so there is nothing to learn from")
        if len(np.unique(counted)) < 2:
            raise ValueError(
                "fit needs rows of two classes, and there is only one class with a weight above 0; "
                "partial_fit may start with one"
            )
        model = self._new_model(np.unique(y))
        model.learn_many(X, y, weight, fn_cost=fn_cost, fp_cost=fp_cost)
        return self._keep(model, y.dtype)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        fn_cost: Any = None,
        fp_cost: Any = None,
    ) -> CostSensitiveClassifier:
        """Go on learning. The first batch may hold one class, and needs no ``classes``."""
        first = not hasattr(self, "model_")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=first)
        check_classification_targets(y)
        weight = as_numbers("sample_weight", sample_weight, len(y))
        if first:
            known = np.unique(y) if classes is None else np.unique(classes)
            model, dtype = self._new_model(known), known.dtype
        else:
            if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise ValueError(f"classes={classes!r} is not what the first call had")
            model, dtype = self.model_, self._dtype
        model.learn_many(X, y, weight, fn_cost=fn_cost, fp_cost=fp_cost)
        return self._keep(model, dtype)

    def _new_model(self, classes: NDArray[Any]) -> OnlineClassifier:
        """A model that has seen nothing, for these labels."""
        kind = type_of_target(classes, input_name="y")
        if len(classes) > 2 or kind not in ("binary", "multiclass"):
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}; "
                "for more classes use sklearn.multiclass.OneVsRestClassifier"
            )
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
        positive = self.model_.labels.positive
        return -1.0 if len(self.classes_) == 2 and positive == self.classes_[0] else 1.0

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of each row, above 0 for ``classes_[1]``."""
        scores = self._scores(X)
        return self._sign * scores

    def predict(self, X: Any, *, fn_cost: Any = None, fp_cost: Any = None) -> NDArray[Any]:
        """The label of each row; with costs of the rows the one whose expected cost is lower."""
        X = self._checked(X)
        negative, positive = self.model_.labels.pair
        pair = self._as_labels([positive if negative is None else negative, positive])
        if fn_cost is None and fp_cost is None:
            flagged = self.model_.score_many(X) >= 0.0
        else:
            proba = self.model_.predict_proba_many(X)
            flagged = core_of(self.model_).worth_flagging(proba, fn_cost, fp_cost)
        return np.asarray(pair[flagged.astype(np.intp)])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """How proba each label of ``classes_`` is, calibrated on the stream.

        `predict` is not the likelier label but the cheaper one.
        """
        X = self._checked(X)
        proba = self.model_.predict_proba_many(X)
        both = np.column_stack([1.0 - proba, proba])
        return both if self._sign > 0.0 else both[:, ::-1]

    def confidence(self, X: Any) -> NDArray[np.float64]:
        """x' Sigma x of each row: how unsure the model is of its score."""
        X = self._checked(X)
        return self.model_.variance_many(X)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        X = self._checked(X)
        return self.model_.score_many(X)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights, of shape (1, n_features_in_)."""
        check_is_fitted(self, "model_")
        coef = np.zeros((1, self.n_features_in_))
        seen = self.model_.coef_
        coef[0, : len(seen)] = self._sign * seen
        return coef

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The weight of the intercept, of shape (1,)."""
        check_is_fitted(self, "model_")
        return np.array([self._sign * self.model_.intercept_])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model into a file without pickle; see `load`."""
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
        """A fitted classifier from a file that `save` has written, ready to go on learning."""
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
