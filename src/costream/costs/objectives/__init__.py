"""One objective, one file: what a row costs under it, and how it is named and shown.

Every module of this package is imported, so an objective that is put here is found by its name.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ...errors import CostreamError
from ..objective import OBJECTIVES, Objective

__all__ = ["AT_COSTS", "DEFAULT", "OBJECTIVES", "as_objective"]
DEFAULT, AT_COSTS = "sum", "cost"  # without an option, and where costs are given

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

for _name in sorted(OBJECTIVES, key=lambda name: name != DEFAULT):  # the default is listed first
    OBJECTIVES[_name] = OBJECTIVES.pop(_name)


def as_objective(objective: str | Objective) -> Objective:
    """An objective, or the default one of that name."""
    if isinstance(objective, Objective):
        return objective
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        names = ", ".join(map(repr, OBJECTIVES))
        raise CostreamError(
            f"unknown objective {objective!r}", f"use {names}, or a WeightedAccuracy or Cost object"
        )
    return OBJECTIVES[objective]()
