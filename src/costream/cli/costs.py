"""Costs on the command line: where they come from, and what rows are decided and billed at."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._typing import Bools, Floats
from ..costs.learning import stakes_of
from ..costs.objective import FN_COST, FP_COST, CostColumn, Objective
from ..costs.objectives import OBJECTIVES
from ..costs.rows import FourCosts, GivenCosts, costs_for_all
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
        return None if self.costs is None else self.costs.expected(self.probabilities)


class Decider:
    """Decides rows by a saved model, at its own costs or at those of the command line, and may learn.

    The model keeps its objective: costs of the command line are those of the rows at hand.
    """

    def __init__(self, model: OnlineClassifier, options: ModelOptions, learn: bool) -> None:
        self.model, self._learn = model, learn
        self.objective = options.costs_over(model.objective)
        self.costs = replace(self.objective.costs, alpha_p=model.objective.costs.alpha_p)
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
            if own is not None and not self.model.objective.has_costs:  # which learns without them
                decide(log_odds, stakes_of(own.a, own.b), scores)
        else:
            scores = core.score_rows(block.rows, block.names, own=own, log_odds=log_odds)
            if read_labels and not nothing:
                positive = self._positive(stream, block)
        return Decided(scores, log_odds, own or self._costs_for_all(rows), positive)

    def _costs_for_all(self, rows: int) -> FourCosts | None:
        """The costs of rows that have none of their own; None where there are no costs."""
        costs = costs_for_all(self.objective)
        return None if costs is None else FourCosts(*(np.full(rows, one) for one in costs))

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
