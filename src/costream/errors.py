"""Errors that say what is wrong in one sentence, and what to do about it."""

from __future__ import annotations


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


class PlainWarning(UserWarning):
    """A warning that knows words without any value of a row, for logs that must not hold one."""

    def __init__(self, message: str, words: str | None = None) -> None:
        super().__init__(message)
        self.words = message if words is None else words
