"""The points at which a crash must lose nothing; tests make the process die there."""

from __future__ import annotations

from collections.abc import Callable

POINTS = (
    "before commit",
    "after commit",
    "after learn",
    "before answer",
    "before aside",
    "before rename",
    "after rename",
)


def _nothing(_point: str) -> None:
    """What happens at a point, but for tests."""


hook: Callable[[str], None] = _nothing


def reached(point: str) -> None:
    """Say that a point is reached."""
    hook(point)
