"""Learners by their names."""

from __future__ import annotations

import copy
from difflib import get_close_matches
from typing import Any

from ..errors import CostreamError
from .base import LEARNERS, Learner


def make_learner(learner: str | Learner | type[Learner], **params: Any) -> Learner:
    """A learner by name, with hyper-parameters.

    Parameters
    ----------
    learner : str or Learner
        A name from ``LEARNERS``; a learner is given back, with its hyper-parameters changed.
    **params
        Hyper-parameters that differ from their defaults.

    Returns
    -------
    Learner

    Raises
    ------
    CostreamError
        For an unknown name, an unknown hyper-parameter or a value out of its range.

    Examples
    --------
    >>> make_learner("acog-ii", eta=100)
    ACOGII(eta=100, gamma=1.0, new_sigma=True)
    """
    if isinstance(learner, Learner):
        return learner.set_params(**params)
    if isinstance(learner, type):
        name = learner.__name__
        raise CostreamError(f"{name} is a class", f"make a learner: {name}()")
    if not isinstance(learner, str) or learner not in LEARNERS:
        close = get_close_matches(str(learner).lower(), LEARNERS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(LEARNERS)}"
        raise CostreamError(f"unknown learner {learner!r}", hint)
    return LEARNERS[learner]().set_params(**params)


def of_revision(learner: Learner, revision: int | None = None) -> Learner:
    """A copy of a learner: for a model that began with a revision, or for a new one.

    >>> from costream.learners import make_learner
    >>> of_revision(of_revision(make_learner("carow"), 7)).revision == make_learner("carow").revision
    True
    """
    copied = copy.copy(learner)
    vars(copied).pop("revision", None)
    if revision is not None:
        vars(copied)["revision"] = revision
    return copied
