"""The classifier for River; its metrics are in `costream.metrics`."""

from ..errors import extra

with extra("river", "costream.river needs River", "river"):
    from .classifier import CostSensitiveClassifier

__all__ = ["CostSensitiveClassifier"]
