"""What a fitted classifier of scikit-learn has besides predictions: explanations, weights, its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from .._typing import Floats
from ..costs.columns import not_features, split_rows
from ..costs.objective import Objective
from ..costs.rows import NO_COSTS, GivenCosts
from ..errors import CostreamError
from ..evaluation.importances import importances_of
from ..labels.labels import Choice, as_plain
from ..learners import Learner, make_learner
from ..model.classifier import OnlineClassifier, core_of
from ..model.explanations import Explanation
from ..model.saving import SavedModel
from ..model.tables import Taken, take_rows
from ..tables.arrays import Batch, Rows
from ..tables.frames import Table, as_table, records_of
from ..tables.naming import column_of, feature_name
from ..tables.schema import Schema
from .labels import as_array

Order = Callable[[Batch, Floats | None], NDArray[np.intp]]


def _has_probabilities(self: FittedMethods) -> bool:
    return make_learner(self.learner).has_probabilities


class FittedMethods(SavedModel):
    """The methods and properties of a fitted `CostSensitiveClassifier` that do not predict."""

    learner: str | Learner
    positive: Choice | None
    schema: Schema | None
    shuffle: bool
    random_state: Any
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
        """The names of the columns of an array; None where the model knows them by their number."""
        known = hasattr(self, "model_") and core_of(self.model_)
        if known and known.is_positional and known.feature_count:
            return None
        names = getattr(self, "feature_names_in_", None)
        if names is not None or not known or self.model_.schema is None:
            return None if names is None else list(names)
        costs = not_features(self.model_.objective.columns)
        return [one.name for one in self.model_.schema.columns if one.name not in costs]

    def _as_table(self, X: Rows, reset: bool = False) -> Table | None:
        """Rows that the model reads by what their columns hold; None for rows of numbers."""
        table = as_table(X)
        if table is not None and not reset and self._names is None:
            return None  # a model of arrays
        return table

    def _check_columns(self, X: Any, table: Table, objective: Objective, reset: bool) -> None:
        """Let scikit-learn check the shape of a table and the names of its features."""
        costs = not_features(objective.columns)
        keep = [at for at, name in enumerate(table.names) if name not in costs]
        check_array(np.zeros((table.rows, min(len(keep), 1))), estimator=self)
        if not hasattr(X, "shape"):  # dicts: each may have keys of its own
            if reset:
                self.n_features_in_ = len(keep)
                self.feature_names_in_ = np.array([table.names[at] for at in keep], dtype=object)
            return
        if hasattr(X, "iloc"):
            X = X if len(keep) == len(table.names) else X.iloc[:, keep]
        else:  # every release of scikit-learn knows the names of pyarrow, not all know those of polars
            X = X.select([table.names[at] for at in keep])
            X = X.head(0).to_arrow() if hasattr(X, "to_arrow") else X
        validate_data(self, X, skip_check_array=True, reset=reset)

    def _validated(
        self, X: Rows, y: ArrayLike, objective: Objective, given: GivenCosts, reset: bool
    ) -> tuple[Any, NDArray[Any], list[Any] | None, GivenCosts]:
        """Rows, labels, names of columns and costs, once scikit-learn has checked what it can."""
        table = self._as_table(X, reset)
        if table is not None:
            self._check_columns(X, table, objective, reset)
            _, labels = check_X_y(np.zeros((table.rows, 1)), y, estimator=self)
            check_classification_targets(labels)
            return X, labels, None, given
        X, _, costs = split_rows(X, None, given, objective.columns)
        rows, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=reset)
        check_classification_targets(labels)
        own = getattr(self, "feature_names_in_", None) if reset else self._names
        return rows, labels, None if own is None else list(own), costs

    def _checked(
        self, X: Rows, given: GivenCosts = NO_COSTS
    ) -> tuple[Any, list[Any] | None, GivenCosts]:
        """Rows that scikit-learn has checked, the names of their columns, and their costs."""
        check_is_fitted(self, "model_")
        objective = self.model_.objective
        table = self._as_table(X)
        if table is not None:
            self._check_columns(X, table, objective, reset=False)
            return X, None, given
        rows, _, costs = split_rows(X, None, given, objective.columns)
        rows = validate_data(self, rows, accept_sparse="csr", dtype=np.float64, reset=False)
        return rows, self._names, costs

    def _taken(self, X: Rows, given: GivenCosts = NO_COSTS) -> Taken:
        """The features of rows that scikit-learn has checked, their names, and their costs."""
        rows, names, costs = self._checked(X, given)
        core = core_of(self.model_)
        with core.lock:
            return take_rows(core, rows, names, costs)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def explain(self, X: Rows, top: int | None = 5) -> list[list[Explanation]]:
        """Give the reasons for the decision on each row; an effect above 0 is for the positive label.

        Only learners with probabilities of their own (``"auto"``) have this method.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
            The rows.
        top : int, default=5
            How many reasons to return for each row at most; None for what every column does, whichever
            decision it speaks for.

        Returns
        -------
        list of list of Explanation
            For each row the columns that speak for the decision on it, the largest effect first; by
            name where X had names in `fit`. See `OnlineClassifier.explain_one`.
        """
        rows, names, _ = self._checked(X)
        if names is not None:
            each: Any = (dict(zip(names, row, strict=True)) for row in _arrays(rows))
        else:
            table = as_table(rows)
            each = (
                _arrays(rows)
                if table is None
                else records_of(rows, None if isinstance(rows, list | tuple) else table.names)
            )
        found = [self.model_.explain_one(row, top) for row in each]
        called: Any = getattr(self, "feature_names_in_", None)
        if called is None or self._names is not None:
            return found
        return [[replace(one, feature=called[one.feature]) for one in row] for row in found]

    def variance(self, X: Rows) -> Floats:
        """Compute the variance of the score of each row, which falls as the model learns.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
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
        rows, names, _ = self._checked(X)
        return self.model_.variance_many(rows, names=names)

    def predict_proba(self, X: Rows) -> Floats:
        """Predict the probability of each label, calibrated on the stream.

        `predict` gives the label of lower cost, which need not be the more probable one.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The probabilities, in the order of ``classes_``.
        """
        rows, names, _ = self._taken(X)
        proba = core_of(self.model_).probabilities(rows, names)
        both = np.column_stack([1.0 - proba, proba])
        return both if self._sign > 0.0 else both[:, ::-1]

    def predict_log_proba(self, X: Rows) -> Floats:
        """Predict the logarithm of the probability of each label.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of dicts, of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The logarithms, in the order of ``classes_``.
        """
        batch, names, _ = self._taken(X)
        odds = np.empty(batch.rows)
        core_of(self.model_).score_rows(batch, names, log_odds=odds)
        both = np.column_stack([-np.logaddexp(0.0, odds), -np.logaddexp(0.0, -odds)])
        return both if self._sign > 0.0 else both[:, ::-1]

    @property
    def coef_(self) -> Floats:
        """The weight of each feature; only linear learners have them."""
        self._check_has("coef_", linear=True)
        seen = self._sign * self.model_.coef_
        column_of = self._columns_of_features(exact=True)
        if (column_of < 0).any():
            return seen[np.newaxis]
        coef = np.zeros((1, self.n_features_in_))
        coef[0, column_of] = seen
        return coef

    @property
    def intercept_(self) -> Floats:
        """The weight of the intercept; only linear learners have one."""
        self._check_has("intercept_", linear=True)
        return np.array([self._sign * self.model_.intercept_])

    @property
    def feature_importances_(self) -> Floats:
        """What each column is worth; only ``"auto"`` has them."""
        self._check_has("feature_importances_", linear=False)
        return importances_of(self.model_, self._columns_of_features(), self.n_features_in_)

    def _check_has(self, name: str, *, linear: bool) -> None:
        """Raise the error of an attribute that learners of the other kind have."""
        check_is_fitted(self, "model_")
        learner = self.model_.learner
        if learner.has_standings == linear:
            other = "feature_importances_" if linear else "coef_"
            raise AttributeError(f"{learner.name!r} has no {name}; it has {other}", name=name, obj=self)

    def _columns_of_features(self, exact: bool = False) -> NDArray[np.intp]:
        """The place of the column of each feature of the model; -1 for none.

        ``exact`` counts those features alone that are a column as it is.
        """
        names, features = self._names, self.model_.feature_names
        places: dict[Any, int] = {column: column for column in range(self.n_features_in_)}
        if names is not None:
            places = {feature_name(str(name)): at for at, name in enumerate(names)}
            places.update((name, at) for at, name in enumerate(names))
        found = features if exact else [column_of(one, places) for one in features]
        return np.array([places.get(one, -1) for one in found], np.intp)

    def _to_saved(self) -> OnlineClassifier:
        check_is_fitted(self, "model_")
        names = getattr(self, "feature_names_in_", None)
        self.model_.notes = {
            "n_features_in_": self.n_features_in_,
            "feature_names_in_": None if names is None else list(names),
            "classes_": self.classes_.tolist(),
            "dtype": self._dtype.str,
            "positive": _as_json(self.positive),
            "schema": None if self.schema is None else self.schema.header(),
            "shuffle": bool(self.shuffle),
            "random_state": self.random_state if isinstance(self.random_state, int) else None,
        }
        return self.model_

    @classmethod
    def _from_saved(cls, model: OnlineClassifier) -> Self:
        notes = model.notes
        if "n_features_in_" not in notes:
            raise CostreamError(
                "the model was not saved by a CostSensitiveClassifier of scikit-learn",
                "use costream.load",
            )
        self = cls(  # type: ignore[call-arg]
            model.learner,
            model.objective,
            positive=notes["positive"],
            fit_intercept=model.fit_intercept,
            normalize=model.normalize,
            schema=None if notes.get("schema") is None else Schema.restore(notes["schema"]),
            shuffle=notes.get("shuffle", True),
            random_state=notes.get("random_state", 0),
        )
        self.model_ = model
        self.n_features_in_ = notes["n_features_in_"]
        self._dtype = np.dtype(notes["dtype"])
        self.classes_ = as_array(notes["classes_"], self._dtype)
        if notes["feature_names_in_"] is not None:
            self.feature_names_in_ = np.array(notes["feature_names_in_"], dtype=object)
        return self


def shuffled(model: OnlineClassifier, random_state: Any) -> Order:
    """A random order of rows that the model has read; their own, if a column of a table is a time.

    Rows of weight 0 are left out: they leave no trace, not even in the order of the others.
    """

    def order(batch: Batch, weight: Floats | None) -> NDArray[np.intp]:
        rows = np.arange(batch.rows) if weight is None else np.flatnonzero(weight)
        if model.schema is not None and model.schema.named("time"):
            return rows
        return np.asarray(check_random_state(random_state).permutation(rows))

    return order


def _as_json(positive: Any) -> Any:
    """Positive labels as a file holds them."""
    if isinstance(positive, set | frozenset | tuple | np.ndarray):
        return [as_plain(one) for one in positive]
    return as_plain(positive)


def _arrays(rows: Any) -> Iterator[Floats]:
    """Each row of an array or a sparse matrix as an array."""
    for t in range(rows.shape[0]):
        yield rows[t : t + 1].toarray().ravel() if hasattr(rows, "tocsr") else rows[t]
