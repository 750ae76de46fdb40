"""Hyper-parameters of learners: what each means, which values it takes, and some for tests."""

from __future__ import annotations

import math
from dataclasses import Field, dataclass, field, fields
from inspect import cleandoc
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import CostreamError


@dataclass(frozen=True)
class HyperParameter:
    """A hyper-parameter: what it means, which values it takes, and some for tests."""

    kind: type
    help: str
    values: tuple[Any, ...]
    above: float = 0.0  # of numbers
    below: float = math.inf
    optional: bool = False  # whether it may be None
    names: tuple[str, ...] = ()  # to choose from

    @property
    def range(self) -> str:
        """The values that it takes, in words."""
        if self.kind is bool:
            return "True or False"
        if self.kind is tuple:
            return f"one or more of {', '.join(self.names)}"
        if self.kind is int:
            most = "" if self.below == math.inf else f" and at most {self.below:,.0f}"
            text = f"a whole number, at least {self.above:.0f}{most}"
        elif self.below == math.inf:
            text = f"a finite number above {self.above:g}"
        else:
            text = f"a number above {self.above:g} and below {self.below:g}"
        return f"None or {text}" if self.optional else text

    def canonical(self, value: Any) -> Any:
        """A value as it is kept: names, which may come as a list, as a tuple in their own order."""
        if self.kind is tuple and isinstance(value, list | tuple) and set(value) <= set(self.names):
            return tuple(name for name in self.names if name in value)
        return value

    def takes(self, value: Any) -> bool:
        """Whether a value is in the range."""
        if value is None:
            return self.optional
        if self.kind is tuple:
            return isinstance(value, tuple) and bool(value) and set(value) <= set(self.names)
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


def choice(names: tuple[str, ...], meaning: str, values: tuple[tuple[str, ...], ...]) -> Any:
    """A hyper-parameter that is some of these names; all of them by default."""
    return _field(names, HyperParameter(tuple, meaning, values, names=names))


# Those that several learners have.


def learning_rate() -> Any:
    return number(1.0, "Learning rate.", (0.3, 20))


def regularisation() -> Any:
    return number(1.0, "Regularisation: the larger, the slower the covariance shrinks.", (0.05, 4))


def aggressiveness() -> Any:
    return number(1.0, "Aggressiveness: the largest step for a row.", (0.1, 3))


# --- in docstrings ------------------------------------------------------------------------------------


def document(cls: Any) -> None:
    """Write hyper-parameters and reference into the docstring of a learner, before its examples."""
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


@dataclass
class HasParams:
    """A dataclass whose fields are hyper-parameters, as scikit-learn asks for them."""

    name: ClassVar[str]

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

    def set_params(self, **params: Any) -> Self:
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
        checked = type(self)(**{**known, **params})
        for key in params:
            setattr(self, key, getattr(checked, key))
        return self
