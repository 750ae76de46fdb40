"""What a model remembers beside its state: labels, costs, the columns of its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Bools, Names
from ..costs.learning import RowCosts
from ..costs.objective import Objective
from ..errors import CostreamError
from ..kernels.records import State
from ..labels.labels import Labels
from ..learners.base import Learner
from ..tables.arrays import Batch
from ..tables.coverage import Coverage
from ..tables.leakage import Leakage
from ..tables.leakage import message as leakage_message
from ..tables.naming import MISSING_VALUE
from ..tables.schema import Schema
from .encoder import Encoder
from .runtime import Runtime

CACHED_LABELS = 1000
PRIOR = 0.01  # the class rate that is assumed before there are labels


class Knowledge(Runtime):
    """A learner at work that knows its labels, its objective and its columns."""

    def __init__(
        self,
        learner: Learner,
        labels: Labels,
        encoder: Encoder,
        row_costs: RowCosts,
        state: State | None,
        leakage: Leakage | None,
    ) -> None:
        super().__init__(learner, encoder, state)
        self.row_costs = row_costs
        self.fades = row_costs.fades
        self.cost_columns = row_costs.objective.columns
        self.labels, self.codes = labels, dict(labels.codes)
        self.leakage = Leakage() if leakage is None else leakage
        self._set_prior()
        self._cost_ratio: float | None = None  # of rows without costs of their own, until one is learnt

    # --- what is set ----------------------------------------------------------------------------

    def read_by_type(self, by_type: bool = True) -> None:
        """Read tables by the types of their values, as dicts are: groups make no difference then."""
        self.encoder.by_type = by_type

    def log_warnings(self, log: Callable[[str], None]) -> None:
        """Give ``log`` the words of warnings that quote no row, and drop all others."""
        self.encoder.warner.log = log

    def ignore_leakage(self) -> None:
        """Look no more for columns that leak the labels."""
        self.leakage.is_open = False

    def set_labels(self, labels: Labels) -> None:
        """Replace the labels, and empty the table that `learn_one` looks them up in.

        The table also keeps labels as they were written, and labels of the rest, but not for ever.
        """
        if len(self.codes) > CACHED_LABELS or labels is not self.labels:
            self.codes = dict(labels.codes)
        self.labels = labels

    def read_labels(self, y: ArrayLike, rows: int) -> tuple[Labels, Bools]:
        """The labels once a batch has been seen, and which of its rows are positive."""
        try:
            labels = np.asarray(y)
        except ValueError:
            labels = np.empty(0)
        if labels.shape != (rows,):
            raise CostreamError(f"y must have one label for each of {rows} rows")
        return self.labels.seeing_many(labels)

    def set_objective(self, objective: Objective) -> None:
        """Replace the objective, by one whose costs come from elsewhere."""
        self.row_costs.set_objective(objective)
        self.cost_columns = objective.columns
        self._set_prior()
        self._cost_ratio = None

    def _set_prior(self) -> None:
        """Decide the first rows by their costs, where mistakes have any, at the usual class rate."""
        self.prior = PRIOR if self.objective.has_costs else math.nan
        if self.learner.wants_prior and self.learner.begin_at(self.state, self.prior):
            self.row_costs.clip()

    @contextmanager
    def learning_again(self) -> Iterator[None]:
        """Rows that are learnt meanwhile were learnt before: their text is encoded already."""
        target_encoding = self.encoder.target_encoding
        if target_encoding is None:
            yield
            return
        target_encoding.again = True
        try:
            yield
        finally:
            target_encoding.again = False

    def watch(self, found: dict[str, str]) -> None:
        """Warn of columns that leak the labels."""
        for name, how in found.items():
            known = self.schema is not None and name in self.schema.by_name
            self.encoder.warner.warn_once(f"{name} leaks", leakage_message(name, how, known))

    # --- what it knows --------------------------------------------------------------------------

    @property
    def objective(self) -> Objective:
        """What is optimised."""
        return self.row_costs.objective

    @property
    def schema_is_inferred(self) -> bool:
        """Whether the schema says what each column holds, and not only what was given."""
        return self.encoder.is_resolved

    @property
    def feature_names(self) -> list[Hashable]:
        """The name of each feature, in the order of their columns."""
        return self.features.in_order()

    @property
    def schema(self) -> Schema | None:
        """What columns hold."""
        return self.encoder.schema

    @property
    def names(self) -> Mapping[Hashable, int] | None:
        """The columns of features by name; None where these are numbers, or hashed."""
        return self.features.names

    @property
    def feature_count(self) -> int:
        """How many features there are."""
        return self.features.count

    @property
    def is_positional(self) -> bool:
        """Whether column j of an array is column j of the model."""
        return self.features.positional

    @property
    def has_limit(self) -> bool:
        """Whether there is a limit to the number of features, or of hashed columns."""
        return self.features.hash_slots is not None or self.features.max_features is not None

    @property
    def coverage(self) -> Coverage:
        """How much time rows have covered, by column."""
        return self.encoder.coverage

    @property
    def leaks(self) -> dict[str, str]:
        """The columns that were found to leak the labels, and how."""
        return self.leakage.found

    def never_missing(self) -> frozenset[str]:
        """The numbers of the schema that no row has lacked."""
        names, readers = self.features.names, self.encoder.readers
        marked = [one.name for one in (self.schema or Schema()).features if one.missing_indicator]
        return frozenset(
            one for one in marked if names and readers.slots.find(one, MISSING_VALUE) not in names
        )

    def knows(self, rows: Batch, names: Names | None) -> bool:
        """Whether the model has any of the features of some rows."""
        with self.lock:
            return self.encoder.knows(rows, names)
