"""Costs on the command line: where they come from, and how they are shown."""

from __future__ import annotations

from ..costs.objective import CostColumn, Objective
from ..costs.objectives import OBJECTIVES
from ..evaluation.deciding import Decider
from ..model.classifier import OnlineClassifier
from .options import ModelOptions
from .terminal import notify

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
