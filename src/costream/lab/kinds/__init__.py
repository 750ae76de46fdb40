"""The kinds of experiments, by name: a new one is a file here, and a line below."""

from __future__ import annotations

from .base import Kind
from .calibration import CalibrationKind
from .complexity import ComplexityKind
from .curves import CurvesKind
from .regret import RegretKind
from .sweep import SweepKind
from .table import TableKind

KINDS: dict[str, Kind] = {
    "table": TableKind(),
    "curves": CurvesKind(),
    "sweep": SweepKind(),
    "regret": RegretKind(),
    "complexity": ComplexityKind(),
    "calibration": CalibrationKind(),
}
