"""Errors that say what is wrong in one sentence, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class CostreamError(ValueError):
    """Bad input or a bad setting; the model is as it was before the call.

    Parameters
    ----------
    message : str
        What is wrong, in one sentence.
    hint : str, default=None
        What to do about it, in a line of its own.

    Examples
    --------
    >>> from costream import CostreamError, OnlineClassifier
    >>> try:
    ...     OnlineClassifier("carrow")
    ... except CostreamError as error:
    ...     print(error)
    unknown learner 'carrow'
    hint: did you mean 'carow'?
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(f"{message}\nhint: {hint}" if hint else message)


class NotEnoughMemoryError(CostreamError):
    """A model would take more memory than this machine should give it."""


class MissingPackageError(CostreamError, ImportError):
    """A package that costream only needs for a part of it is not installed."""


@contextmanager
def extra(name: str, what: str, *packages: str) -> Iterator[None]:
    """Where one of the packages is missing within, say ``what`` and how the extra is installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in packages:
            raise
        hint = f'pip install ".[{name}]" in a checkout of costream'
        raise MissingPackageError(what, hint) from None


class PlainWarning(UserWarning):
    """A warning that knows words without any value of a row, for logs that must not hold one."""

    def __init__(self, message: str, words: str | None = None) -> None:
        super().__init__(message)
        self.words = message if words is None else words
