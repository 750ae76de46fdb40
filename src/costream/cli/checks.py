"""What is found out before any work begins, so that no work is spoilt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from . import UsageError, excluded

if TYPE_CHECKING:
    from ..model.classifier import OnlineClassifier
    from .row_options import RowOptions


def check_orders(order: str | None, runs: int | None) -> None:
    if order is not None and runs is not None:
        raise excluded("--order", "--runs")


def check_labels(model: OnlineClassifier, rows: RowOptions) -> None:
    """Raise an error if positive labels are named for a model that has labels."""
    if model.labels.codes and rows.positive is not None:
        raise UsageError("the model already has labels\nhint: leave out --positive")


def check_writable(path: Path, begins: bytes) -> None:
    """Raise an error if a file could not be written, or is there and something else than ours.

    Better now than after hours of work. ``begins`` is how a file of ours begins.
    """
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}\nhint: create it first")
    if path.is_dir():
        raise UsageError(f"{path} is a folder\nhint: name a file in it")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written\nhint: choose another folder")
    if path.is_file():
        with open(path, "rb") as old:
            if old.read(len(begins)) != begins:
                raise UsageError(
                    f"{path} exists and is a different kind of file\nhint: choose another name"
                )
