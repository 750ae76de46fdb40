"""Costs on the command line: where they come from, and what rows are decided and billed at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._typing import Bools, Floats
from ..costs.objective import COSTS, FN_COST, FP_COST, CostColumn, Objective, Sum
from ..costs.rows import FourCosts, GivenCosts, stakes_of
from ..costs.tally import Costs
from ..files.blocks import Block
from ..files.reader import Stream
from ..kernels.platt import decide
from ..labels.parsing import missing
from ..model.batches import learn_block
from ..model.classifier import OnlineClassifier, core_of
from .options import ModelOptions
from .terminal import say

HOW_TO_GIVE = (
    "give costs with --fn-cost NUMBER --fp-cost NUMBER, or as columns with --fn-cost-column COLUMN"
)


def sources(objective: Objective) -> dict[str, Any]:
    """Where each cost of an objective comes from: a number, or a column in words."""
    if isinstance(objective, Sum):
        known = {key: value for key, value in vars(objective).items() if value is not None}
        return known if objective.ratio else {**known, "ratio": "estimated from the rows so far"}
    given = {name: getattr(objective, name) for name in COSTS}
    return {
        name: _in_words(one) if isinstance(one, CostColumn) else one
        for name, one in given.items()
        if name in ("fn_cost", "fp_cost") or one != 0.0
    }


def _in_words(column: CostColumn) -> str:
    notes = [] if column.default is None else [f"{column.default:g} where empty"]
    notes += [] if column.feature else ["not used as a feature"]
    return f"column {column.name} ({', '.join(notes)})" if notes else f"column {column.name}"


def costs_of(objective: Objective) -> Costs:
    """What decisions are billed at under an objective, where rows have no costs of their own."""
    if isinstance(objective, Sum):
        return Costs(alpha_p=objective.alpha_p)
    numbers = {name: getattr(objective, name) for name in COSTS}
    for name, one in numbers.items():
        if isinstance(one, CostColumn):
            numbers[name] = one.default or 0.0
    return Costs(**numbers)


def rho_of(objective: Objective, positives: float, negatives: float) -> float | str:
    """The cost of a positive row, relative to a negative one."""
    return "of each row" if objective.columns else float(objective.rho(positives, negatives))


def say_objective(objective: Objective, learner: str = "") -> None:
    """Tell what is optimised, by whom, and at which costs."""
    what = "the sum of sensitivity and specificity"
    if not isinstance(objective, Sum):
        each = (
            f"{name}={one if isinstance(one, str) else format(one, 'g')}"
            for name, one in sources(objective).items()
        )
        what = f"the cost ({', '.join(each)})"
    say(f"{learner}, objective: {what}" if learner else f"objective: {what}")


def say_no_costs(options: ModelOptions) -> None:
    """Tell what happens where no cost is given, and how to give costs."""
    if options.given_costs or options.objective == "sum":
        return
    if options.objective == "cost":
        costs = options.costs
        say(
            f"no costs are given, so a miss costs {costs.fn_cost:g} and a false alarm "
            f"{costs.fp_cost:g}; {HOW_TO_GIVE}"
        )
    else:
        say(
            "no costs are given, so the objective is the sum of sensitivity and specificity, and cost "
            f"and savings are at {FN_COST:g} for a miss and {FP_COST:g} for a false alarm; "
            f"{HOW_TO_GIVE}"
        )


@dataclass(frozen=True)
class Decided:
    """Rows as a model has decided them: a row is flagged where its score is 0 or more."""

    scores: Floats
    log_odds: Floats
    costs: FourCosts | None  # that they were decided at; None under the sum
    positive: Bools | None = None  # by their labels, where these were read

    @property
    def probabilities(self) -> Floats:
        """The probability that each row is positive."""
        from ..kernels.elementary import sigmoid

        return sigmoid(self.log_odds)

    def expected_costs(self) -> tuple[Floats, Floats] | None:
        """What flagging and what passing each row is expected to cost; None under the sum."""
        if self.costs is None:
            return None
        q, costs = self.probabilities, self.costs
        flag = q * costs.tp_cost + (1.0 - q) * costs.fp_cost
        return flag, q * costs.fn_cost + (1.0 - q) * costs.tn_cost


class Decider:
    """Decides rows by a saved model, at its own costs or at those of the command line, and may learn.

    The model keeps its objective: costs of the command line are those of the rows at hand.
    """

    def __init__(self, model: OnlineClassifier, options: ModelOptions, learn: bool) -> None:
        self.model, self._learn = model, learn
        self.objective = options.costs_over(model.objective)
        own = model.objective
        alpha_p = own.alpha_p if isinstance(own, Sum) else Costs.alpha_p
        self.costs = replace(costs_of(self.objective), alpha_p=alpha_p)
        given = options.given_costs.items()
        self._numbers = {name: one for name, one in given if not isinstance(one, CostColumn)}

    def decide(self, stream: Stream, block: Block, read_labels: bool = False) -> Decided:
        """Score the rows of a block, before they are learnt if they are."""
        core, rows = core_of(self.model), block.rows.rows
        given = self._given(block)
        own = core.costs_of_rows(given, rows, block.where)
        log_odds = np.empty(rows)
        positive = None
        nothing = not self.model.labels.codes and missing(block.label).all()
        if self._learn and not nothing:
            labels = stream.choose_labels(block, self.model.labels)
            priced = replace(block, costs=given)
            scores, positive = learn_block(core, priced, labels, log_odds=log_odds)
            if own is not None and isinstance(self.model.objective, Sum):  # which learns without them
                decide(log_odds, stakes_of(own.a, own.b), scores)
        else:
            scores = core.score_rows(block.rows, block.names, own=own, log_odds=log_odds)
            if read_labels and not nothing:
                positive = self._positive(stream, block)
        if own is None and not isinstance(self.objective, Sum):
            own = FourCosts(*(np.full(rows, getattr(self.objective, name)) for name in COSTS))
        return Decided(scores, log_odds, own, positive)

    def _given(self, block: Block) -> GivenCosts:
        """The costs of rows, from columns and from the command line."""
        rows = block.rows.rows
        return block.costs._replace(
            **{name: np.full(rows, float(number)) for name, number in self._numbers.items()}
        )

    def _positive(self, stream: Stream, block: Block) -> Bools:
        """Which rows are positive, by their labels."""
        labels, known = stream.choose_labels(block, self.model.labels), ~missing(block.label)
        rows = np.flatnonzero(known)
        positive = np.zeros(len(known), np.bool_)
        _, positive[known] = labels.seeing_block(
            block.label[known], lambda t: block.where(int(rows[t]))
        )
        return positive
