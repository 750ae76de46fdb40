"""What is found out and said before any work begins: whether it would be spoilt, and at which costs."""

from __future__ import annotations

import os
from pathlib import Path

from ..costs.objective import CostColumn, Objective
from ..costs.objectives import OBJECTIVES
from ..evaluation.deciding import Decider
from ..model.classifier import OnlineClassifier
from . import UsageError, excluded
from .options import ModelOptions
from .row_options import RowOptions
from .terminal import notify


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


HOW_TO_SET = "set them with --fn-cost NUMBER --fp-cost NUMBER, or --fn-cost-column COLUMN"


def rho_of(objective: Objective, positives: float, negatives: float) -> float | str:
    return "of each row" if objective.columns else float(objective.rho(positives, negatives))


def report_objective(objective: Objective, learner: str = "") -> None:
    """Print what is optimised, by whom, and at which costs."""
    what = f"objective: {objective.in_words}"
    notify(f"{learner}, {what}" if learner else what)


def report_default_costs(options: ModelOptions) -> None:
    """Print which costs are assumed where none is given, and how to set them."""
    named = None if options.objective is None else OBJECTIVES[options.objective]
    if options.given_costs or (named is not None and not named.has_costs):
        return
    costs = options.costs
    notify(
        f"no costs are given: a miss counts {costs.fn_cost:g}, a false alarm {costs.fp_cost:g}; "
        f"{HOW_TO_SET}"
    )


def decider_of(model: OnlineClassifier, options: ModelOptions, learn: bool) -> Decider:
    """Decides by a saved model, at its own costs or at those of the command line."""
    given = options.given_costs.items()
    numbers = {name: one for name, one in given if not isinstance(one, CostColumn)}
    return Decider(model, learn, options.costs_over(model.objective), numbers)
