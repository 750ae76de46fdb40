"""Costs on the command line: where they come from, and how they are told."""

from __future__ import annotations

from ..costs.objective import FN_COST, FP_COST, CostColumn, Objective
from ..costs.objectives import OBJECTIVES
from ..evaluation.deciding import Decider
from ..model.classifier import OnlineClassifier
from .options import ModelOptions
from .terminal import say

HOW_TO_GIVE = (
    "give costs with --fn-cost NUMBER --fp-cost NUMBER, or as columns with --fn-cost-column COLUMN"
)


def rho_of(objective: Objective, positives: float, negatives: float) -> float | str:
    """The cost of a positive row, relative to a negative one."""
    return "of each row" if objective.columns else float(objective.rho(positives, negatives))


def say_objective(objective: Objective, learner: str = "") -> None:
    """Tell what is optimised, by whom, and at which costs."""
    what = f"objective: {objective.in_words}"
    say(f"{learner}, {what}" if learner else what)


def say_no_costs(options: ModelOptions) -> None:
    """Tell what happens where no cost is given, and how to give costs."""
    named = None if options.objective is None else OBJECTIVES[options.objective]
    if options.given_costs or (named is not None and not named.has_costs):
        return
    if named is not None:
        costs = options.costs
        say(
            f"no costs are given, so a miss costs {costs.fn_cost:g} and a false alarm "
            f"{costs.fp_cost:g}; {HOW_TO_GIVE}"
        )
    else:
        say(
            f"no costs are given, so the objective is {options.kind.goal}, and cost and savings are "
            f"at {FN_COST:g} for a miss and {FP_COST:g} for a false alarm; {HOW_TO_GIVE}"
        )


def decider_of(model: OnlineClassifier, options: ModelOptions, learn: bool) -> Decider:
    """Decides by a saved model, at its own costs or at those of the command line."""
    given = options.given_costs.items()
    numbers = {name: one for name, one in given if not isinstance(one, CostColumn)}
    return Decider(model, learn, options.costs_over(model.objective), numbers)
