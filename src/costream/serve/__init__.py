"""The live service: score now, learn when the label comes, lose nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .application import app as app
    from .client import Client as Client
    from .connection import ServiceError as ServiceError
    from .engine.service import Service as Service
    from .messages import Answer as Answer
    from .messages import Event as Event
    from .messages import Label as Label
    from .messages import LabelAnswer as LabelAnswer
    from .messages import Problem as Problem
    from .settings import Settings as Settings

_HOMES = {
    "Client": "client",
    "ServiceError": "connection",
    "Answer": "messages",
    "Event": "messages",
    "Label": "messages",
    "LabelAnswer": "messages",
    "Problem": "messages",
    "Service": "engine.service",
    "Settings": "settings",
    "app": "application",
}
_EXTRA = {"starlette", "uvicorn", "prometheus_client"}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for; only `app` needs the extra ``serve``."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    except ModuleNotFoundError as error:
        raise without_extra(error) from None


def without_extra(error: ModuleNotFoundError) -> Exception:
    """The error where a package is missing: one of the extra, or another one."""
    from ..errors import CostreamError

    if (error.name or "").split(".")[0] not in _EXTRA:
        return error
    hint = 'pip install ".[serve]" in a checkout of costream'
    return CostreamError("the live service needs a few more packages", hint)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
