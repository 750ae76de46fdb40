"""The adapter for River."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from river import base

from .. import modelfile
from ..aliases import Label
from ..classifier import OnlineClassifier, core_of
from ..explain import Explanation
from ..inputs import as_batch
from ..labels import Choice
from ..learners import Learner, make_learner
from ..objective import Objective

if TYPE_CHECKING:
    import pandas as pd


class RiverClassifier(base.MiniBatchClassifier):  # type: ignore[misc]
    """A cost-sensitive linear classifier for River.

    `learn_many` takes one step for each row, so it equals `learn_one` in a loop, bit for bit.

    Parameters
    ----------
    learner : str or Learner, default="auto"
        The name of a learner (``costream.LEARNERS``), or a learner with its hyper-parameters.
    objective : {"sum", "cost"}, Sum or Cost, default="sum"
        What is optimised: the weighted sum of sensitivity and specificity, or the total cost.
    positive : label or set of labels, default=None
        The positive labels, against the rest; without them 1 and True are positive.
    fit_intercept : bool, default=False
        Whether every row gets one more feature of value 1. ``"auto"`` always has an intercept.
    normalize : bool, default=True
        Whether rows are divided by their L2 norm. ``"auto"`` scales features itself.
    max_features : int, default=None
        The largest number of features; later ones are ignored, with one warning.
    hash_slots : int, default=None
        Hash every feature into this many columns, and keep no names.

    See Also
    --------
    OnlineClassifier : The model inside, which also takes arrays and the costs of single rows.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019.

    Examples
    --------
    >>> from costream import RiverClassifier
    >>> from river import datasets, evaluate, metrics
    >>> model = RiverClassifier("acog-ii-diag", fit_intercept=True)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.BalancedAccuracy())
    BalancedAccuracy: 82.60%
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
    ) -> None:
        self.learner = learner
        self.objective = objective
        self.positive = positive
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.max_features = max_features
        self.hash_slots = hash_slots
        self._model = OnlineClassifier(
            copy.copy(make_learner(learner)),
            objective,
            fit_intercept=fit_intercept,
            normalize=normalize,
            positive=positive,
            max_features=max_features,
            hash_slots=hash_slots,
        )

    @property
    def _multiclass(self) -> bool:
        return False

    @property
    def model(self) -> OnlineClassifier:
        """The model inside."""
        return self._model

    def learn_one(
        self,
        x: Mapping[Any, float],
        y: Label,
        w: float = 1.0,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
    ) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : mapping of names to numbers
            The row.
        y : label
            Its label.
        w : float, default=1.0
            How many rows it counts for.
        fn_cost, fp_cost : float, default=None
            What missing or flagging *this* row would cost; None for the costs of the objective.
        """
        self._model.learn_one(x, y, w, fn_cost=fn_cost, fp_cost=fp_cost)

    def score_one(self, x: Mapping[Any, float]) -> float:
        """Score one row.

        Parameters
        ----------
        x : mapping of names to numbers
            The row.

        Returns
        -------
        float
            The score, 0 or more for the positive label.
        """
        return self._model.score_one(x)

    def predict_one(
        self,
        x: Mapping[Any, float],
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        **kwargs: Any,
    ) -> Label | None:
        """Predict the label of one row.

        Parameters
        ----------
        x : mapping of names to numbers
            The row.
        fn_cost, fp_cost : float, default=None
            What missing or flagging *this* row would cost. With either, the label is the one whose
            expected cost is lower by `predict_proba_one`; it takes a learner with probabilities.
        **kwargs : dict
            Ignored; River passes them.

        Returns
        -------
        label
            The label by the sign of the score.
        """
        return self._label(core_of(self._model).decide_row(x, fn_cost, fp_cost))

    def learn_many(
        self,
        X: pd.DataFrame,
        y: pd.Series,
        w: ArrayLike = 1.0,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
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
        fn_cost, fp_cost : float or array-like of shape (n_rows,), default=None
            What missing or flagging each row would cost; None for the costs of the objective.
        """
        rows, labels = X.to_numpy(float), y.to_numpy()
        self._model.learn_many(rows, labels, w, fn_cost=fn_cost, fp_cost=fp_cost, names=X.columns)

    def predict_many(
        self, X: pd.DataFrame, *, fn_cost: ArrayLike | None = None, fp_cost: ArrayLike | None = None
    ) -> pd.Series:
        """Predict the label of each row.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.
        fn_cost, fp_cost : float or array-like of shape (n_rows,), default=None
            What missing or flagging each row would cost, as in `predict_one`.

        Returns
        -------
        pandas.Series
            The labels.
        """
        import pandas as pd

        rows, names = as_batch(X.to_numpy(float)), list(X.columns)
        scores = core_of(self._model).score_rows(rows, names, fn_cost=fn_cost, fp_cost=fp_cost)
        return pd.Series([self._label(score) for score in scores], index=X.index)

    def predict_proba_one(self, x: Mapping[Any, float], **kwargs: Any) -> dict[Label | None, float]:
        """Predict the probability of each label, calibrated on the stream.

        Parameters
        ----------
        x : mapping of names to numbers
            The row.
        **kwargs : dict
            Ignored; River passes them.

        Returns
        -------
        dict of labels to float
            The probabilities.

        Raises
        ------
        NotImplementedError
            If the learner has no probabilities; ``"auto"`` has.
        """
        self._check_probabilities()
        proba = self._model.predict_proba_one(x)
        return {self._label(-1.0): 1.0 - proba, self._label(1.0): proba}

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Predict the probability of each label, calibrated on the stream.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.

        Returns
        -------
        pandas.DataFrame
            A column of probabilities for each label.

        Raises
        ------
        NotImplementedError
            If the learner has no probabilities; ``"auto"`` has.
        """
        import pandas as pd

        self._check_probabilities()
        proba = self._model.predict_proba_many(X.to_numpy(float), names=X.columns)
        columns = {self._label(-1.0): 1.0 - proba, self._label(1.0): proba}
        return pd.DataFrame(columns, index=X.index)

    def explain_one(self, x: Mapping[Any, float], top: int = 5) -> list[Explanation]:
        """Explain the probability of one row by its features.

        Parameters
        ----------
        x : mapping of names to numbers
            The row.
        top : int, default=5
            How many features to return.

        Returns
        -------
        list of Explanation
            The features whose usual values would change the log-odds most, the largest change first.

        Raises
        ------
        NotImplementedError
            If the learner has no probabilities; ``"auto"`` has.
        """
        self._check_probabilities()
        return self._model.explain_one(x, top)

    def _check_probabilities(self) -> None:
        if not self._model.has_probabilities:
            raise NotImplementedError(f"{self._model.learner.name} has no probabilities; use score_one")

    def _label(self, score: float) -> Label | None:
        pair: tuple[Label | None, Label] = self._model.labels.pair
        if not self._model.labels.codes:  # River's labels are booleans until we see others
            pair = False, True
        return pair[1] if score >= 0.0 else pair[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model into a file, without pickle.

        Parameters
        ----------
        path : str or path-like
            Where to write it.
        """
        modelfile.save(self._model, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RiverClassifier:
        """Read a classifier from a file; it goes on learning where it was saved.

        Parameters
        ----------
        path : str or path-like
            A file that `save`, ``costream.save`` or the command line has written.

        Returns
        -------
        RiverClassifier
            The classifier.
        """
        model = modelfile.load(path)
        self = cls(
            model.learner,
            model.objective,
            model.labels.named,
            model.fit_intercept,
            model.normalize,
            model.max_features,
            model.hash_slots,
        )
        self._model = model
        return self
