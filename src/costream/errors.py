"""Errors that say what is wrong in one sentence, and what to do about it."""

from __future__ import annotations


class CostreamError(ValueError):
    """Bad input or a bad setting. Nothing has been changed when it is raised."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(f"{message}\nhint: {hint}" if hint else message)
