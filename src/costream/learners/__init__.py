"""One algorithm, one file: its record, its rule in the symbols of its paper, its documented dataclass.

A learner is registered where its file is imported: by a line here. `base` has the registering
decorator. Learners are listed in the order of their years.
"""

from __future__ import annotations

from .acog import ACOGI, ACOGII, ACOGIDiag, ACOGIIDiag
from .arow import AROW
from .auto import Auto
from .auto.standings import Standing, Standings
from .base import LEARNERS, Learner, year_of
from .carow import CAROW, CAROWDiag, CAROWSketch
from .cog import COGI, COGII
from .making import make_learner
from .passive_aggressive import CPAPB, PAI
from .paum import PAUM
from .perceptron import Perceptron
from .romma import ROMMA
from .scw import SCWI, SCWII, SCWIDiag, SCWIIDiag
from .sketch import SACOGI, SACOGII
from .sparse_sketch import SSACOGI, SSACOGII

_listed = sorted(LEARNERS.items(), key=lambda item: year_of(item[1]))
LEARNERS.clear()
LEARNERS.update(_listed)

__all__ = [
    "ACOGI",
    "ACOGII",
    "AROW",
    "CAROW",
    "COGI",
    "COGII",
    "CPAPB",
    "LEARNERS",
    "PAI",
    "PAUM",
    "ROMMA",
    "SACOGI",
    "SACOGII",
    "SCWI",
    "SCWII",
    "SSACOGI",
    "SSACOGII",
    "ACOGIDiag",
    "ACOGIIDiag",
    "Auto",
    "CAROWDiag",
    "CAROWSketch",
    "Learner",
    "Perceptron",
    "SCWIDiag",
    "SCWIIDiag",
    "Standing",
    "Standings",
    "make_learner",
]
