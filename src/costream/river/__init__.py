"""The classifier for River; its metrics are in `costream.metrics`."""

try:
    import river  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'costream.river needs River\nhint: pip install ".[river]" in a checkout of costream',
        name=error.name,
    ) from None

from .classifier import CostSensitiveClassifier

__all__ = ["CostSensitiveClassifier"]
