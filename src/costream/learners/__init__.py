"""One algorithm, one file: its record, its rule in the symbols of its paper, its documented dataclass.

Every module of this package is imported, so a learner that is put here is found by its name; `base` has
the registering decorator. Learners are listed in the order of their years.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from .base import LEARNERS, Learner, year_of
from .hyper_parameters import HyperParameter
from .making import make_learner

__all__ = ["LEARNERS", "HyperParameter", "Learner", "make_learner"]

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

_listed = sorted(LEARNERS.items(), key=lambda item: year_of(item[1]))
LEARNERS.clear()
LEARNERS.update(_listed)
for _learner in LEARNERS.values():
    globals()[_learner.__name__] = _learner
    __all__.append(_learner.__name__)
