"""Learning from streams when mistakes have different costs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import metrics as metrics
    from .costs.metrics import METRICS as METRICS
    from .costs.objective import CostColumn as CostColumn
    from .costs.objectives.cost import Cost as Cost
    from .costs.objectives.weighted_sum import Sum as Sum
    from .costs.tally import Costs as Costs
    from .costs.tally import Tally as Tally
    from .errors import CostreamError as CostreamError
    from .evaluation.calibration import expected_calibration_error as expected_calibration_error
    from .files.reader import Stream as Stream
    from .learners import LEARNERS as LEARNERS
    from .learners import Learner as Learner
    from .learners import make_learner as make_learner
    from .learners.auto.standings import Standing as Standing
    from .learners.auto.standings import Standings as Standings
    from .model.classifier import OnlineClassifier as OnlineClassifier
    from .model.explanations import Explanation as Explanation
    from .model.file import dumps as dumps
    from .model.file import load as load
    from .model.file import save as save
    from .river.classifier import RiverClassifier as RiverClassifier
    from .sklearn.classifier import CostSensitiveClassifier as CostSensitiveClassifier
    from .tables.schema import Column as Column
    from .tables.schema import Schema as Schema

    __all__: list[str]
    __version__: str

_HOMES = {
    "CostSensitiveClassifier": "sklearn.classifier",
    "RiverClassifier": "river.classifier",
    "OnlineClassifier": "model.classifier",
    "CostreamError": "errors",
    "Explanation": "model.explanations",
    "expected_calibration_error": "evaluation.calibration",
    "METRICS": "costs.metrics",
    "Costs": "costs.tally",
    "Tally": "costs.tally",
    "LEARNERS": "learners",
    "Learner": "learners",
    "make_learner": "learners",
    "dumps": "model.file",
    "load": "model.file",
    "save": "model.file",
    "Cost": "costs.objectives.cost",
    "CostColumn": "costs.objective",
    "Sum": "costs.objectives.weighted_sum",
    "Standing": "learners.auto.standings",
    "Standings": "learners.auto.standings",
    "Stream": "files.reader",
    "Column": "tables.schema",
    "Schema": "tables.schema",
}
# Adapters, which `from costream import *` leaves out without their libraries: the module that is needed
# (and the extra that brings it), and its name.
_HOSTS = {
    "CostSensitiveClassifier": ("sklearn", "scikit-learn"),
    "RiverClassifier": ("river", "River"),
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing costream stays cheap.

    The classes of the learners are public by being registered, and so is what ``__all__`` holds.
    """
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name == "metrics":
        return import_module(".metrics", __name__)
    if name in _HOSTS:
        from .errors import extra

        library, title = _HOSTS[name]
        with extra(library, f"{name} needs {title}", library):
            return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name == "__all__":
        there = (one for one in _HOMES if one not in _HOSTS or _is_installed(_HOSTS[one][0]))
        return ["__version__", "metrics", *there, *_learner_classes()]
    if name[0].isupper() and name in _learner_classes():  # others may be modules of ours
        return _learner_classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__getattr__("__all__")]


def _is_installed(library: str) -> bool:
    try:
        return import_module("importlib.util").find_spec(library) is not None
    except (ImportError, ValueError):
        return False


def _learner_classes() -> dict[str, type[Learner]]:
    """Every registered learner by the name of its class."""
    from .learners import LEARNERS

    return {cls.__name__: cls for cls in LEARNERS.values()}
