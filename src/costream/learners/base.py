"""What all learners share: their base class, the registering decorator, and the registry.

A learner is a hinge (when a row counts), a step and a geometry. Its file holds its record, its rule and
its documented dataclass; the command line, the adapters, the lab, the tables of the documentation and
the shared tests find it through ``LEARNERS``. Nothing here, or in a learner's file, imports numba.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, dataclass_transform

import numpy as np

from ..errors import CostreamError
from ..kernels.hinge import Hinge
from ..kernels.records import Floats, State
from ..kernels.rules import RULES, Rule
from .hyper_parameters import HasParams, document

if TYPE_CHECKING:
    from .auto.standings import Standings

PAPER = (
    "Zhao, Zhang, Wu, Hoi, Tan and Huang, "
    '"Adaptive Cost-Sensitive Online Classification", IEEE TKDE, 2019'
)
YEAR = re.compile(r"\b[12]\d{3}\b")
L = TypeVar("L", bound="type[Learner]")
LEARNERS: dict[str, type[Learner]] = {}


class NamedFeatures(Protocol):
    """The names of features, for learners that ask for them."""

    @property
    def count(self) -> int: ...

    def in_order(self) -> list[Hashable]: ...


# --- learners -----------------------------------------------------------------------------------------


@dataclass
class Learner(HasParams):
    """An algorithm with its hyper-parameters; ``state(d)`` is its model before it has seen a row.

    Attributes
    ----------
    name : str
        What it is called on the command line, in experiments and in model files.
    revision : int
        The revision of the algorithm: another one computes other scores from the same rows.
    oldest : int
        The oldest revision whose files it reads: their models score and learn as they did.
    reference : str
        Where it comes from: authors, title and year.
    rule : Rule
        Its record, and the functions that score and update it.
    hinge : Hinge
        When a row counts; a learner with a trigger of its own, or with a margin to choose, has none.
    cost_sensitive : bool
        False where the cost of a class is ignored, and a weight scales the step; of an instance.
    has_probabilities : bool
        Whether it has probabilities of its own, and its score those costs of a row that a decision
        depends on. Scores of other learners are calibrated by their model.
    has_standings : bool
        Whether it is a portfolio, with members that can be ranked.
    wants_names : bool
        Whether it is given the names of its features (`name_features`).
    wants_prior : bool
        Whether it is told how to begin (`begin_at`).
    prepares_rows : bool
        True where it wants rows as they came, with an intercept.
    scratch : tuple of str
        The arrays of its record that hold nothing from one row to the next, or that follow from what
        else is saved.
    elastic : tuple of str
        The arrays whose length does not follow from the number of slots: it changes at events.

    Examples
    --------
    >>> from costream.learners import make_learner
    >>> make_learner("carow-diag").set_params(gamma=0.1)
    CAROWDiag(gamma=0.1)
    """

    name: ClassVar[str]
    revision: ClassVar[int] = 1
    oldest: ClassVar[int] = 1
    reference: ClassVar[str]
    rule: ClassVar[Rule]
    hinge: ClassVar[Hinge]
    cost_sensitive: ClassVar[bool] = True
    has_probabilities: ClassVar[bool] = False
    has_standings: ClassVar[bool] = False
    wants_names: ClassVar[bool] = False
    wants_prior: ClassVar[bool] = False
    prepares_rows: ClassVar[bool] = False
    scratch: ClassVar[tuple[str, ...]] = ()
    elastic: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for key, known in self.hyper_parameters().items():
            value = known.canonical(getattr(self, key))
            setattr(self, key, value)
            if not known.takes(value):
                raise CostreamError(f"{key} of {self.name} must be {known.range}, not {value!r}")

    def state(self, d: int) -> State:
        """The model before it has seen a row.

        Parameters
        ----------
        d : int
            How many slots it has: features, and the intercept.

        Returns
        -------
        NamedTuple
            The record of the rule, its arrays first.
        """
        raise TypeError(f"{type(self).__name__} does not define a state")

    def composition(self, model: Any) -> tuple[int, dict[str, Any] | None]:
        """What a model is made of, where that is data; it keeps it when the code changes.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        int
            The revision with which it began.
        dict or None
            What JSON can hold.
        """
        return self.revision, None

    def composed(self, revision: int, composition: Any, d: int) -> State:
        """The model before it has seen a row, with the composition that a file has.

        Parameters
        ----------
        revision : int
            The revision with which it began, from ``oldest`` to ``revision``.
        composition : dict or None
            What `composition` gave.
        d : int
            How many slots it has.

        Returns
        -------
        NamedTuple
            The record of the rule.

        Raises
        ------
        ValueError
            For a composition that cannot be right.
        """
        if composition is not None:
            raise ValueError("its composition cannot be right")
        return self.state(d)

    def bytes_needed(self, d: int, model: Any = None) -> int:
        """The memory of a model.

        Parameters
        ----------
        d : int
            How many slots it has.
        model : NamedTuple, default=None
            One that is there, maybe of an earlier revision; None for a new one.

        Returns
        -------
        int
            Bytes, scratch aside.
        """
        return 16 * d

    def weights(self, model: Any) -> Floats:
        """The weight of each slot of a model.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        ndarray of shape (d,)
        """
        return np.asarray(model.mu)

    def variances(self, model: Any) -> Floats | None:
        """The variance of each slot, where it is not that of a row with a 1 there alone.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        ndarray of shape (d,) or None
        """
        return None

    def check_probabilities(self) -> None:
        """Raise an error where it has no probabilities of its own, which explanations need.

        Raises
        ------
        CostreamError
            Where ``has_probabilities`` is False.
        """
        if not self.has_probabilities:
            raise CostreamError(f"{self.name} cannot explain a row", 'use "auto"')

    def rows_learnt(self, model: Any) -> int | None:
        """The number of rows learnt; None where the learner does not count them.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        int or None
        """
        return None

    def usual_values(self, model: Any, missing: Sequence[tuple[int, int]] = ()) -> Floats | None:
        """The usual value of each slot, which explanations compare a row with.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.
        missing : sequence of pairs of int
            Slots of numbers and of their missing indicators: rows without a number do not count for it.

        Returns
        -------
        ndarray of shape (d,) or None
            None where it is 0 for all, and a row is explained by what it has alone.

        Raises
        ------
        CostreamError
            Where ``has_probabilities`` is False.
        """
        self.check_probabilities()
        return None

    def sample_rows(self, model: Any) -> Floats:
        """Some of the rows learnt, each with all slots.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        ndarray of shape (n, d)
            No rows where the learner keeps none.

        Raises
        ------
        CostreamError
            Where ``has_probabilities`` is False.
        """
        self.check_probabilities()
        return np.empty((0, len(self.weights(model))))

    def name_features(self, model: Any, features: NamedFeatures) -> None:
        """Tell the model what its features are called; called whenever there are new ones.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.
        features : Features
            The names, ``in_order()`` of their columns, of which there are ``count``.
        """

    def begin_at(self, model: Any, rate: float) -> bool:
        """Tell the model the class rate to assume before there are labels of both classes.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.
        rate : float
            The part of rows that are positive; NaN where mistakes have no costs by which to decide.

        Returns
        -------
        bool
            Whether it goes by that, and learns by costs that are clipped to what is usual.
        """
        return False

    def rows_until_event(self, model: Any) -> float:
        """How many rows there are to learn until `event` must be called.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        float
            Infinity for a learner without events.
        """
        return math.inf

    def progress_due(self, model: Any, which: int = 0) -> float:
        """The part of a job that must be done at an event.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.
        which : int, default=0
            The number of the job, as `event` gave it.

        Returns
        -------
        float
            From 0 to 1.
        """
        return 1.0

    def event(self, model: Any) -> tuple[State, dict[int, State]]:
        """What happens at a row that is fixed in advance, such as a change of the arrays.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        NamedTuple
            The model from now on.
        dict of int to NamedTuple
            Jobs for second threads by number, each with ``progress``: how much is done, of how much.
        """
        raise TypeError(f"{type(self).__name__} has no events")

    def forecasts(self, model: Any) -> int:
        """How many numbers to remember of a row until it is learnt; ``given`` takes them.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        int
        """
        return 0

    def standings(self, model: Any) -> Standings:
        """The members of a portfolio, and what each has cost.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        Standings

        Raises
        ------
        CostreamError
            Where ``has_standings`` is False.
        """
        raise CostreamError(f"{self.name} is not a portfolio", 'use "auto"')

    def is_consistent(self, model: Any) -> bool:
        """Whether the arrays of a model, read from a file, can belong together.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.

        Returns
        -------
        bool
        """
        return True


@dataclass_transform()
def register(cls: L) -> L:
    """Make a learner of a class: a dataclass, found by its name, with its rule and its docstring."""
    dataclass(cls)
    for what, there in (("name", str), ("reference", str), ("rule", Rule)):
        if not isinstance(getattr(cls, what, None), there):
            raise TypeError(f"{cls.__qualname__} has no {what}")
    if not YEAR.search(cls.reference):
        raise TypeError(f"the reference of {cls.__qualname__} names no year: {cls.reference!r}")
    known = LEARNERS.get(cls.name, cls)
    if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise TypeError(f"the name {cls.name!r} of {cls.__qualname__} is taken by {known!r}")
    if RULES.setdefault(cls.rule.record, cls.rule) != cls.rule:
        raise TypeError(f"the record of {cls.__qualname__} has another rule already")
    LEARNERS[cls.name] = cls
    document(cls)
    return cls


def year_of(learner: type[Learner]) -> int:
    """The last year that a reference names; learners are listed by it."""
    return int(YEAR.findall(learner.reference)[-1])
