"""The classifier for River; its metrics are in `costream.metrics`."""

from .classifier import CostSensitiveClassifier

__all__ = ["CostSensitiveClassifier"]
