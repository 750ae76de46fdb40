"""What a fitted classifier of scikit-learn has besides predictions: explanations, weights, its file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import modelfile
from ..aliases import Floats, Label
from ..classifier import OnlineClassifier, core_of
from ..cost_columns import split_rows
from ..errors import CostreamError
from ..explain import Explanation
from ..inputs import Rows
from ..learners import Learner, make_learner
from ..row_costs import NO_COSTS, GivenCosts


def _has_probabilities(self: FittedMethods) -> bool:
    return make_learner(self.learner).has_probabilities


class FittedMethods:
    """The methods and properties of a fitted `CostSensitiveClassifier` that do not predict."""

    learner: str | Learner
    positive: Label | None
    model_: OnlineClassifier
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _dtype: np.dtype[Any]

    @property
    def _sign(self) -> float:
        """-1 where the positive label is the first class: a decision above 0 means the second."""
        positive = self.model_.labels.pair[1]
        return -1.0 if len(self.classes_) == 2 and positive == self.classes_[0] else 1.0

    @property
    def _names(self) -> list[Any] | None:
        """The names of the features in the model; None where it knows them by their column."""
        names = getattr(self, "feature_names_in_", None)
        known = hasattr(self, "model_") and core_of(self.model_).features
        if names is None or (known and known.positional and known.count):
            return None
        return list(names)

    def _checked(self, X: Rows, given: GivenCosts = NO_COSTS) -> tuple[Any, GivenCosts]:
        """The features of rows, once scikit-learn has checked them, and their costs."""
        check_is_fitted(self, "model_")
        rows, _, costs = split_rows(X, None, given, self.model_.objective.columns)
        rows = validate_data(self, rows, accept_sparse="csr", dtype=np.float64, reset=False)
        return rows, costs

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def explain(self, X: Rows, top: int = 5) -> list[list[Explanation]]:
        """Explain the probability of the positive label of each row by its features.

        Only learners with probabilities of their own (``"auto"``) have this method.

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
        rows, _ = self._checked(X)
        sparse, own = hasattr(rows, "tocsr"), self._names
        each: Any = (rows[t : t + 1] if sparse else rows[t] for t in range(rows.shape[0]))
        if own is not None:
            each = ({own[at]: row[at] for at in np.flatnonzero(row)} for row in _dense(each, sparse))
        found = [self.model_.explain_one(row, top) for row in each]
        if own is not None:
            return found
        names: Any = getattr(self, "feature_names_in_", range(self.n_features_in_))
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
        rows, _ = self._checked(X)
        return self.model_.variance_many(rows, names=self._names)

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

    def save(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the fitted classifier into a file, without pickle.

        Parameters
        ----------
        path : str, path-like or binary file object
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
    def load(cls, path: str | os.PathLike[str] | IO[bytes] | bytes) -> Self:
        """Read a fitted classifier; it goes on learning where it was saved.

        Parameters
        ----------
        path : str, path-like, binary file object or bytes
            A file that `save` has written, or its bytes.

        Returns
        -------
        CostSensitiveClassifier
            The classifier.
        """
        model = modelfile.load(path)
        notes = model.notes
        if "n_features_in_" not in notes:
            name = path if isinstance(path, str | os.PathLike) else "the model"
            raise CostreamError(
                f"{name} was not saved by a CostSensitiveClassifier", "use costream.load"
            )
        self = cls(  # type: ignore[call-arg]
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


def _dense(rows: Iterable[Any], sparse: bool) -> Iterator[Floats]:
    """Each row as an array."""
    return (row.toarray().ravel() if sparse else row for row in rows)
