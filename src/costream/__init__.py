"""Learning from streams when mistakes have different costs.

The learners are in `costream.learners`, metrics in `costream.metrics`, and the adapters are named by
their hosts: `costream.sklearn.CostSensitiveClassifier` and `costream.river.CostSensitiveClassifier`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import costs as costs
    from . import learners as learners
    from . import metrics as metrics
    from . import model as model
    from .costs.objective import CostColumn as CostColumn
    from .costs.objectives.cost import Cost as Cost
    from .costs.objectives.weighted_accuracy import WeightedAccuracy as WeightedAccuracy
    from .errors import CostreamError as CostreamError
    from .evaluation.comparing import compare as compare
    from .evaluation.evaluating import evaluate as evaluate
    from .files.reader import Stream as Stream
    from .model.classifier import OnlineClassifier as OnlineClassifier
    from .model.file import dumps as dumps
    from .model.file import load as load
    from .model.file import loads as loads
    from .model.file import save as save
    from .tables.schema import Column as Column
    from .tables.schema import Schema as Schema

    __version__: str

__all__ = [
    "Column",
    "Cost",
    "CostColumn",
    "CostreamError",
    "OnlineClassifier",
    "Schema",
    "Stream",
    "WeightedAccuracy",
    "compare",
    "dumps",
    "evaluate",
    "load",
    "loads",
    "metrics",
    "save",
]
_HOMES = {
    "OnlineClassifier": "model.classifier",
    "Cost": "costs.objectives.cost",
    "CostColumn": "costs.objective",
    "WeightedAccuracy": "costs.objectives.weighted_accuracy",
    "Column": "tables.schema",
    "Schema": "tables.schema",
    "Stream": "files.reader",
    "evaluate": "evaluation.evaluating",
    "compare": "evaluation.comparing",
    "dumps": "model.file",
    "load": "model.file",
    "loads": "model.file",
    "save": "model.file",
    "CostreamError": "errors",
}
# Public packages, which are loaded when they are asked for.
_MODULES = ("costs", "learners", "metrics", "model", "river", "sklearn")


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing costream stays cheap."""
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES, "__version__"})
