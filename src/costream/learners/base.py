"""What all learners share: hyper-parameters, the registering decorator, and the registry.

A learner is a hinge (when a row counts), a step and a geometry. Its file holds its record, its rule and
its documented dataclass; the command line, the adapters, the lab, the tables of the documentation and
the shared tests find it through ``LEARNERS``. Nothing here, or in a learner's file, imports numba.
"""

from __future__ import annotations

import math
import re
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

import numpy as np

from ..errors import CostreamError
from ..kernels.hinge import Hinge
from ..kernels.records import Floats, State
from ..kernels.rules import RULES, Rule

if TYPE_CHECKING:
    from .auto.standings import Standings

PAPER = (
    "Zhao, Zhang, Wu, Hoi, Tan and Huang, "
    '"Adaptive Cost-Sensitive Online Classification", IEEE TKDE, 2019'
)
YEAR = re.compile(r"\b[12]\d{3}\b")
L = TypeVar("L", bound="type[Learner]")
LEARNERS: dict[str, type[Learner]] = {}


# --- hyper-parameters ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class HyperParameter:
    """A hyper-parameter: what it means, which values it takes, and some for tests."""

    kind: type
    help: str
    values: tuple[Any, ...]
    above: float = 0.0  # of numbers
    below: float = math.inf
    optional: bool = False  # whether it may be None

    @property
    def range(self) -> str:
        """The values that it takes, in words."""
        if self.kind is bool:
            return "True or False"
        if self.kind is int:
            most = "" if self.below == math.inf else f" and at most {self.below:,.0f}"
            text = f"a whole number, at least {self.above:.0f}{most}"
        elif self.below == math.inf:
            text = f"a finite number above {self.above:g}"
        else:
            text = f"a number above {self.above:g} and below {self.below:g}"
        return f"None or {text}" if self.optional else text

    def takes(self, value: Any) -> bool:
        """Whether a value is in the range."""
        if value is None:
            return self.optional
        if isinstance(value, bool | np.bool_) or self.kind is bool:
            return isinstance(value, bool | np.bool_) and self.kind is bool
        if self.kind is int:
            return isinstance(value, int | np.integer) and bool(self.above <= value <= self.below)
        if not isinstance(value, int | float | np.number):
            return False
        try:
            return self.above < float(value) < self.below
        except OverflowError:
            return False


def _field(default: Any, known: HyperParameter) -> Any:
    return field(default=default, metadata={"hyper_parameter": known})


def number(
    default: float | None,
    meaning: str,
    values: tuple[float, ...],
    *,
    above: float = 0.0,
    below: float = math.inf,
    optional: bool = False,
) -> Any:
    """A hyper-parameter that is a finite number; ``values`` are for the tests."""
    return _field(default, HyperParameter(float, meaning, values, above, below, optional))


def count(
    default: int | None,
    meaning: str,
    values: tuple[int, ...],
    *,
    at_most: float = math.inf,
    optional: bool = False,
) -> Any:
    """A hyper-parameter that is a whole number from 1 up."""
    return _field(default, HyperParameter(int, meaning, values, 1, at_most, optional))


def flag(default: bool, meaning: str) -> Any:
    """A hyper-parameter that is True or False."""
    return _field(default, HyperParameter(bool, meaning, (not default,)))


# Those that several learners have.


def learning_rate() -> Any:
    return number(1.0, "Learning rate.", (0.3, 20))


def regularisation() -> Any:
    return number(1.0, "Regularisation: the larger, the slower the covariance shrinks.", (0.05, 4))


def aggressiveness() -> Any:
    return number(1.0, "Aggressiveness: the largest step for a row.", (0.1, 3))


# --- learners -----------------------------------------------------------------------------------------


@dataclass
class Learner:
    """An algorithm with its hyper-parameters; ``state(d)`` is its model before it has seen a row.

    Attributes
    ----------
    name : str
        What it is called on the command line, in experiments and in model files.
    reference : str
        Where it comes from: authors, title and year.
    rule : Rule
        Its record, and the functions that score and update it.
    hinge : Hinge
        When a row counts; a learner with a trigger of its own, or with a margin to choose, has none.
    cost_sensitive : bool
        False where the cost of a class is ignored, and a weight scales the step; of an instance.
    has_probabilities : bool
        Whether it calibrates its scores on the stream.
    has_standings : bool
        Whether it is a portfolio, with members that can be ranked.
    prepares_rows : bool
        True where it wants rows as they came, with an intercept.
    scratch : tuple of str
        The arrays of its record that hold nothing from one row to the next.

    Examples
    --------
    >>> from costream import make_learner
    >>> make_learner("carow-diag").set_params(gamma=0.1)
    CAROWDiag(gamma=0.1)
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    rule: ClassVar[Rule]
    hinge: ClassVar[Hinge]
    cost_sensitive: ClassVar[bool] = True
    has_probabilities: ClassVar[bool] = False
    has_standings: ClassVar[bool] = False
    prepares_rows: ClassVar[bool] = False
    scratch: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for key, known in self.hyper_parameters().items():
            value = getattr(self, key)
            if not known.takes(value):
                raise CostreamError(f"{key} of {self.name} must be {known.range}, not {value!r}")

    @classmethod
    def hyper_parameters(cls) -> dict[str, HyperParameter]:
        """What is known of each hyper-parameter.

        Returns
        -------
        dict of str to HyperParameter
            By name, in the order of the constructor.
        """
        return {item.name: item.metadata["hyper_parameter"] for item in fields(cls)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The hyper-parameters, as scikit-learn asks for them.

        Parameters
        ----------
        deep : bool, default=True
            Ignored: a learner holds no other estimators.

        Returns
        -------
        dict of str to object
            The value of each hyper-parameter by name.
        """
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def set_params(self, **params: Any) -> Learner:
        """Change hyper-parameters; an unknown name or a bad value changes nothing.

        Parameters
        ----------
        **params
            New values by name.

        Returns
        -------
        Learner
            The learner itself.

        Raises
        ------
        CostreamError
            For an unknown hyper-parameter, or a value out of its range.
        """
        known = self.get_params()
        for key in params:
            if key not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                raise CostreamError(f"{self.name} has no hyper-parameter {key!r}", has)
        type(self)(**{**known, **params})
        for key, value in params.items():
            setattr(self, key, value)
        return self

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

    def bytes_needed(self, d: int) -> int:
        """The memory of a model.

        Parameters
        ----------
        d : int
            How many slots it has.

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

    def probabilities(self, model: Any, scores: Floats) -> Floats:
        """The probability that rows with these scores are positive.

        Parameters
        ----------
        model : NamedTuple
            A record of the rule.
        scores : ndarray of shape (n,)
            Scores that the model has given.

        Returns
        -------
        ndarray of shape (n,)

        Raises
        ------
        CostreamError
            Where ``has_probabilities`` is False.
        """
        raise CostreamError(f"{self.name} has no probabilities", 'use "auto", or calibrate its scores')

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
    _document(cls)
    return cls


def year_of(learner: type[Learner]) -> int:
    """The last year that a reference names; learners are listed by it."""
    return int(YEAR.findall(learner.reference)[-1])


def _document(cls: type[Learner]) -> None:
    """Write the hyper-parameters and the reference into the docstring, before its examples."""
    text = cleandoc(cls.__dict__["__doc__"] or "")
    head, examples, rest = text.partition("Examples\n--------\n")
    items = {item.name: item for item in fields(cls)}
    parameters = [_documented(items[key], known) for key, known in cls.hyper_parameters().items()]
    sections = [head.rstrip()]
    if parameters:
        sections.append("\n".join(["Parameters", "----------", *parameters]))
    sections += [f"References\n----------\n{cls.reference}.", f"{examples}{rest}"]
    cls.__doc__ = "\n\n".join(sections).rstrip() + "\n"


def _documented(item: Field[Any], known: HyperParameter) -> str:
    kind = f"{known.kind.__name__} or None" if known.optional else known.kind.__name__
    return f"{item.name} : {kind}, default={item.default!r}\n    {known.help} It is {known.range}."


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
