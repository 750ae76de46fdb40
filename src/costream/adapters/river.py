"""The River face."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any

from river import base

from .. import modelfile
from ..classifier import OnlineClassifier
from ..learners import Learner, make_learner
from ..objective import Objective

if TYPE_CHECKING:
    import pandas as pd


class RiverClassifier(base.MiniBatchClassifier):  # type: ignore[misc]
    """A cost-sensitive linear classifier for River.

    ``learn_many`` takes one true step for each row, so it equals ``learn_one`` in a loop. ``score_one``
    gives the score, at or above 0 for the positive label.

    Parameters
    ----------
    learner
        The name of a learner (``costream.LEARNERS``), or a learner with its hyper-parameters.
    objective
        ``"sum"``, ``"cost"``, or a ``costream.Sum`` or ``costream.Cost``.
    positive
        The costly label; without it 1 and True are positive.
    fit_intercept
        Whether every row has one more feature of value 1.
    normalize
        Whether rows are divided by their L2 norm.
    max_features
        How many features the model may have; later ones are left out.
    hash_slots
        Hash every feature into this many columns, and keep no names.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = RiverClassifier("acog-ii-diag", fit_intercept=True)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.BalancedAccuracy())
    BalancedAccuracy: 82.60%
    """

    def __init__(
        self,
        learner: str | Learner = "auto",
        objective: str | Objective = "sum",
        positive: Any = None,
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
        """The classifier inside."""
        return self._model

    def learn_one(self, x: dict[Any, float], y: Any, w: float = 1.0) -> None:
        self._model.learn_one(x, y, w)

    def score_one(self, x: dict[Any, float]) -> float:
        """The score of one row."""
        return self._model.score_one(x)

    def predict_one(self, x: dict[Any, float], **kwargs: Any) -> Any:
        return self._label(self._model.score_one(x))

    def learn_many(self, X: pd.DataFrame, y: pd.Series, w: Any = 1.0) -> None:
        self._model.learn_many(X.to_numpy(float), y.to_numpy(), w, names=X.columns)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        import pandas as pd

        scores = self._model.score_many(X.to_numpy(float), names=X.columns)
        return pd.Series([self._label(score) for score in scores], index=X.index)

    def predict_proba_one(self, x: dict[Any, float], **kwargs: Any) -> dict[Any, float]:
        """How proba each label is; a learner without probabilities raises NotImplementedError."""
        self._check_probabilities()
        proba = self._model.predict_proba_one(x)
        return {self._label(-1.0): 1.0 - proba, self._label(1.0): proba}

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """A column of probabilities for each label."""
        import pandas as pd

        self._check_probabilities()
        proba = self._model.predict_proba_many(X.to_numpy(float), names=X.columns)
        columns = {self._label(-1.0): 1.0 - proba, self._label(1.0): proba}
        return pd.DataFrame(columns, index=X.index)

    def _check_probabilities(self) -> None:
        if not self._model.has_probabilities:
            raise NotImplementedError(f"{self._model.learner.name} has no probabilities; use score_one")

    def _label(self, score: float) -> Any:
        negative, positive = self._model.labels.pair
        if not self._model.labels.codes:  # River's labels are booleans until we see others
            negative, positive = False, True
        return positive if score >= 0.0 else negative

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model into a file without pickle; see `load`."""
        modelfile.save(self._model, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RiverClassifier:
        """A classifier from a file, ready to go on learning."""
        model = modelfile.load(path)
        self = cls(
            model.learner,
            model.objective,
            model.labels.positive if model.labels.named else None,
            model.fit_intercept,
            model.normalize,
            model.max_features,
            model.hash_slots,
        )
        self._model = model
        return self
