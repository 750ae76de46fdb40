"""What is logged of errors: their kind and their place, since their messages may quote an event."""

from __future__ import annotations

import traceback
from typing import Any

FRAMES = 6


def place_of(error: BaseException) -> str:
    """The kind of an error and where it was raised, without its message."""
    frames: list[Any] = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    where = " <- ".join(f"{one.name} ({one.filename}:{one.lineno})" for one in reversed(frames))
    return f"{type(error).__name__} in {where}"
