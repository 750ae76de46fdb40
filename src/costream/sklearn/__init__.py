"""The estimator for scikit-learn."""

from ..errors import extra

with extra("sklearn", "costream.sklearn needs scikit-learn", "sklearn"):
    from .classifier import CostSensitiveClassifier

__all__ = ["CostSensitiveClassifier"]
