"""The estimator for scikit-learn."""

from .classifier import CostSensitiveClassifier

__all__ = ["CostSensitiveClassifier"]
