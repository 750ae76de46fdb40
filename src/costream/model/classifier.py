"""The online classifier: dict rows, array rows, arrays and sparse matrices over one learner.

Row by row and in batches are bit-identical. One thread at a time works on a model: a call that finds
another thread at work waits for it, so scoring while another thread learns is safe.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np

from .._html import notebook_table
from .._typing import Floats
from ..costs.learning import RowCosts
from ..costs.objective import Objective
from ..costs.objectives import as_objective
from ..errors import CostreamError
from ..labels.labels import Choice, Labels
from ..learners import Learner, make_learner
from ..learners.auto.standings import Standings
from ..learners.making import of_revision
from ..tables.schema import Schema
from .batches import BatchMethods
from .core import Core
from .encoder import Encoder
from .features import Features
from .rows import RowMethods
from .saving import SavedModel


class OnlineClassifier(RowMethods, BatchMethods, SavedModel):
    """A cost-sensitive classifier that learns from a stream, one row at a time.

    A row is a dict of names and numbers, or an array. The model grows as it meets new features. Rows
    one by one and batches of rows (``*_many``, `prequential`) give the same model, bit for bit.

    Parameters
    ----------
    learner : str or Learner, default="auto"
        The name of a learner (``costream.learners.LEARNERS``), or a learner with its hyper-parameters.
    objective : {"sum", "cost"}, WeightedAccuracy or Cost, default="sum"
        What is optimised: the weighted sum of sensitivity and specificity, or the total cost.
    fit_intercept : bool, default=False
        Whether to add a feature with value 1 to every row. ``"auto"`` always has an intercept.
    normalize : bool, default=True
        Whether rows are divided by their L2 norm. ``"auto"`` scales features itself.
    positive : label or set of labels, default=None
        The positive labels, the rare and costly ones, against the rest.
    classes : sequence of two labels or sets of labels, default=None
        Both sides, the negative one first; any other label is an error. Without ``positive`` and
        ``classes``, 1 and True are positive, 0, -1 and False negative, and any other label is an error.
    max_features : int, default=None
        Maximum number of features; later ones are ignored, with one warning.
    hash_slots : int, default=None
        Hash every feature into this many columns, and keep no names.
    schema : Schema, default=None
        What columns of tables hold: data frames, lists of dicts and files. Whatever it leaves open is
        inferred from the first 2,000 rows of the first table.

    Attributes
    ----------
    notes : dict
        Whatever should be saved with the model; it must fit into JSON.

    See Also
    --------
    costream.sklearn.CostSensitiveClassifier : The same model as a scikit-learn estimator.
    costream.river.CostSensitiveClassifier : The same model as a River classifier.

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
        learner = of_revision(make_learner(learner))
        raw = learner.prepares_rows
        self._core = Core(
            learner,
            Labels.of(positive, classes),
            Encoder(
                Features(max_features, hash_slots),
                normalize=bool(normalize) and not raw,
                fit_intercept=bool(fit_intercept) or raw,
                schema=_checked_schema(schema),
                resolved=False,
            ),
            RowCosts(
                as_objective(objective),
                learner.cost_sensitive,
                learner_half_life=getattr(learner, "half_life", None),
            ),
        )

    def __repr__(self) -> str:
        return f"OnlineClassifier({self.learner!r}, {self.objective!r}, rows={self.rows})"

    def _repr_html_(self) -> str:
        """The model as notebooks show it."""
        positives, negatives = self.counts
        rows = [
            ("objective", self.objective.in_words),
            ("rows learnt", f"{positives + negatives:,.15g}, {positives:,.15g} of them positive"),
            ("positive label", self.labels.pair[1]),
            ("features", f"{len(self.feature_names):,}"),
        ]
        if self.learner.has_standings:
            leader = self.standings().leader
            rows.append(("leader", f"{leader.name}, with a share of {leader.share:.0%}"))
        return notebook_table(f"OnlineClassifier, {self.learner!r}", rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"notes": self.notes, **self._core.parts()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = dict(state)
        self.notes = parts.pop("notes")
        self._core = Core(**parts)

    def _to_saved(self) -> OnlineClassifier:
        return self

    @classmethod
    def _from_saved(cls, model: OnlineClassifier) -> Self:
        return model  # type: ignore[return-value]  # there are no subclasses

    # --- what the model is ----------------------------------------------------------------------

    @property
    def learner(self) -> Learner:
        """A copy of the learner, with its hyper-parameters."""
        return copy.copy(self._core.learner)

    @property
    def objective(self) -> Objective:
        """What is optimised."""
        return self._core.objective

    @property
    def labels(self) -> Labels:
        """The negative and the positive labels, as far as they are known."""
        return self._core.labels

    @property
    def fit_intercept(self) -> bool:
        """Whether a feature with value 1 is added to every row."""
        return self._core.encoder.fit_intercept

    @property
    def normalize(self) -> bool:
        """Whether rows are divided by their L2 norm."""
        return self._core.encoder.normalize

    @property
    def max_features(self) -> int | None:
        """Maximum number of features, or None for no limit."""
        return self._core.features.max_features

    @property
    def hash_slots(self) -> int | None:
        """The number of columns that features are hashed into, or None for no hashing."""
        return self._core.features.hash_slots

    @property
    def schema(self) -> Schema | None:
        """What the columns of tables hold; None before the first table."""
        return self._core.encoder.schema

    @property
    def schema_is_inferred(self) -> bool:
        """Whether the rest of the schema was inferred, so that it covers every column."""
        return self._core.schema_is_inferred

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
        """The current cost ratio of positive to negative rows; NaN if rows have their own costs."""
        return float(self.objective.rho(*self._core.row_costs.recent))

    @property
    def feature_names(self) -> list[Hashable]:
        """The name of each feature, in the order of `coef_`."""
        return self._core.feature_names

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
