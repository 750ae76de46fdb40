"""Whose decisions the metrics for River count: those of a model, or their own by its probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from river import base

from .._typing import Label, Row
from ..costs.rows import GivenCosts
from ..errors import CostreamError
from ..kernels.elementary import probability
from ..model.core import Core


class Decided(dict[Any, float]):
    """The probability of each label, and the decision that the model itself has taken.

    ``by_score`` is whether the model decides by the sign of its score, not by these probabilities.
    """

    decision: Label | None = None
    by_score: bool = False


def decided(core: Core, x: Row, given: GivenCosts) -> tuple[float, bool | None]:
    """The probability that a row is positive, and whether it is flagged, None if a cost is missing."""
    x, given = core.split_costs(x, given)
    with core.lock:
        try:
            own = core.own_costs(given)
        except CostreamError:
            return probability(core.log_odds_row(x)), None
        scored = core.score_with_odds(x, own)
        return probability(scored.log_odds), scored.score >= 0.0


def innermost(model: Any) -> Any:
    """The last step of a pipeline, or the model in a wrapper; an ensemble is one model."""
    while True:
        if hasattr(model, "_last_step"):
            model = model._last_step
        elif isinstance(model, base.Wrapper) and not isinstance(model, base.Ensemble):
            model = model._wrapped_model
        else:
            return model


def has_probabilities(model: Any) -> bool:
    """Whether a model of River has probabilities; some classifiers and ensembles give labels alone."""
    if hasattr(model, "_last_step"):
        return has_probabilities(model._last_step)
    own = getattr(type(model), "predict_proba_one", None)
    if own is None or own is base.Classifier.predict_proba_one:
        return False
    if isinstance(model, base.Ensemble):
        return all(map(has_probabilities, model.models))
    return not isinstance(model, base.Wrapper) or has_probabilities(model._wrapped_model)


def is_flagged(y_pred: Any, pos_val: Label, a: float, b: float) -> bool:
    """Whether a row is flagged, by a label or by the probabilities of all labels.

    By probabilities it is the decision that costs less: missing a positive costs a more than flagging
    it, and flagging a negative b more than passing it. A model that decides by its score has decided.
    """
    if not isinstance(y_pred, Mapping):
        return bool(y_pred == pos_val)
    if isinstance(y_pred, Decided) and y_pred.by_score:
        return bool(y_pred.decision == pos_val)
    q = y_pred.get(pos_val, 0.0)
    return bool(q * a >= (1.0 - q) * b)


def own_decision(y_pred: Any) -> Any:
    """The label that a model has decided for; the more probable one, where it does not decide."""
    if not isinstance(y_pred, Mapping):
        return y_pred
    if isinstance(y_pred, Decided) and y_pred.decision is not None:
        return y_pred.decision
    return max(y_pred, key=y_pred.__getitem__) if y_pred else None
