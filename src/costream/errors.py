"""Errors that say what is wrong in one sentence, and what to do about it."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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


def no_file(path: str | os.PathLike[str]) -> CostreamError:
    """The error for a file that is not there, with the name that may be meant."""
    from difflib import get_close_matches

    folder, name = os.path.split(path)
    if not os.path.isdir(folder or "."):
        return CostreamError(f"there is no file {path}", f"there is no folder {folder}")
    try:
        close = get_close_matches(name, os.listdir(folder or "."), 1, 0.85)
    except OSError:  # a folder that may not be listed
        close = []
    hint = f"did you mean {os.path.join(folder, close[0])}?" if close else "check the path of the file"
    return CostreamError(f"there is no file {path}", hint)


@contextmanager
def extra(name: str, what: str, *packages: str) -> Iterator[None]:
    """Where one of the packages is missing within, report ``what`` and how the extra is installed."""
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


def place_of(error: BaseException) -> str:
    """The kind of an error and where it was raised, without its message, which may quote an event."""
    frames: list[Any] = traceback.extract_tb(error.__traceback__)[-6:]
    where = " <- ".join(f"{one.name} ({one.filename}:{one.lineno})" for one in reversed(frames))
    return f"{type(error).__name__} in {where}"
