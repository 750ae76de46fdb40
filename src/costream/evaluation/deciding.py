"""How a model that is there decides the rows of a stream, at its own costs or at others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .._typing import Bools, Floats
from ..costs.learning import cost_ratios_of
from ..costs.objective import Objective
from ..costs.rows import FourCosts, GivenCosts, costs_for_all
from ..files.blocks import Block
from ..files.reader import Stream, choose_labels
from ..kernels.elementary import sigmoid
from ..kernels.platt import decide
from ..labels.parsing import missing
from ..model.batches import learn_block
from ..model.classifier import OnlineClassifier, core_of


@dataclass(frozen=True)
class Decided:
    """Rows as a model has decided them: a row is flagged where its score is 0 or more."""

    scores: Floats
    log_odds: Floats
    costs: FourCosts | None  # that they were decided at; None under the sum
    positive: Bools | None = None  # by their labels, where these were read

    @property
    def probabilities(self) -> Floats:
        return sigmoid(self.log_odds)

    def expected_costs(self) -> tuple[Floats, Floats] | None:
        """What flagging and what passing each row is expected to cost; None under the sum."""
        return None if self.costs is None else self.costs.expected(self.probabilities)


class Decider:
    """Decides rows by a model, at its own costs or at others, and may learn.

    The model keeps its objective: other costs are those of the rows at hand. ``numbers`` are such costs
    as are the same for all rows.
    """

    def __init__(
        self,
        model: OnlineClassifier,
        learn: bool,
        objective: Objective | None = None,
        numbers: Mapping[str, float] | None = None,
    ) -> None:
        self.model, self._learn = model, learn
        self.objective = model.objective if objective is None else objective
        self.costs = replace(self.objective.costs, alpha_p=model.objective.costs.alpha_p)
        self._numbers = {} if numbers is None else numbers

    def decide(self, stream: Stream, block: Block, read_labels: bool = False) -> Decided:
        """Score the rows of a block, before they are learnt if they are."""
        core, rows = core_of(self.model), block.rows.rows
        given = self._given(block)
        own = core.costs_of_rows(given, rows, block.where)
        log_odds = np.empty(rows)
        positive = None
        nothing = not self.model.labels.codes and missing(block.label).all()
        if self._learn and not nothing:
            labels = choose_labels(stream, block, self.model.labels)
            block = replace(block, costs=given)
            scores, positive = learn_block(core, block, labels, log_odds=log_odds)
            if own is not None and not self.model.objective.has_costs:  # which learns without them
                decide(log_odds, cost_ratios_of(own.a, own.b), scores)
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
        labels, known = choose_labels(stream, block, self.model.labels), ~missing(block.label)
        rows = np.flatnonzero(known)
        positive = np.zeros(len(known), np.bool_)
        _, positive[known] = labels.seeing_block(
            block.label[known], lambda t: block.where(int(rows[t]))
        )
        return positive
