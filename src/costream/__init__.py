"""Learning from streams when mistakes have different prices."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adapters.river import RiverClassifier as RiverClassifier
    from .adapters.sklearn import CostSensitiveClassifier as CostSensitiveClassifier
    from .classifier import OnlineClassifier as OnlineClassifier
    from .errors import CostreamError as CostreamError
    from .learners import LEARNERS as LEARNERS
    from .learners import make_learner as make_learner
    from .modelfile import load as load
    from .modelfile import save as save
    from .objective import Cost as Cost
    from .objective import Sum as Sum

    __version__: str

_HOMES = {
    "CostSensitiveClassifier": "adapters.sklearn",
    "RiverClassifier": "adapters.river",
    "OnlineClassifier": "classifier",
    "CostreamError": "errors",
    "LEARNERS": "learners",
    "make_learner": "learners",
    "load": "modelfile",
    "save": "modelfile",
    "Cost": "objective",
    "Sum": "objective",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing costream stays cheap."""
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
