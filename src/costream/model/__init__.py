"""The model: the online classifier, its inner interface, and its file."""

from .classifier import OnlineClassifier
from .explanations import Explanation

__all__ = ["Explanation", "OnlineClassifier"]
