"""The state of a learner at work: its capacity, the compiled calls bound to it, its events."""

from __future__ import annotations

import contextlib
import copy
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats
from ..errors import CostreamError
from ..kernels.loop import prequential
from ..kernels.records import Chunk, State, with_fields
from ..kernels.row_kernels import bind_row_kernel, is_compiled, write_settings
from ..kernels.rules import forecast as forecast_of
from ..learners.auto.standings import Standings
from ..learners.auto.typical import typical_entries
from ..learners.base import Learner
from ..learners.states import check_memory, resized
from ..tables.arrays import as_floats
from .background import Job
from .encoder import Encoder

SMALLEST_CAPACITY = 16


class Runtime:
    """A learner and its state, which grows with the features of the encoder.

    ``pass_row`` scores the row in the row buffer and, where that has a label, learns it.
    """

    pass_row: Callable[[], float]

    def __init__(self, learner: Learner, encoder: Encoder, state: State | None) -> None:
        self.learner, self.encoder = learner, encoder
        self.features = encoder.features
        self.lock = threading.RLock()
        self.prior = math.nan
        if state is None:
            check_memory(learner, SMALLEST_CAPACITY)
            self.capacity = SMALLEST_CAPACITY
            self.state = learner.state(SMALLEST_CAPACITY)
        else:  # a copy of the arrays: those given may be read-only
            self.capacity = encoder.size
            self.state = resized(learner, state, encoder.size, encoder.size)
        self.jobs: dict[int, Job] = {}
        self.until_event = learner.rows_until_event(self.state)
        self._kept = self.features.kept()
        self.grow()

    def begin_like(self, other: Runtime) -> None:
        """Begin with the revision and the composition of another model, before any row."""
        self.learner = copy.copy(other.learner)
        made_of = other.learner.composition(other.state)
        self.state = self.learner.composed(*made_of, self.capacity)
        self.until_event = self.learner.rows_until_event(self.state)
        self.grow()

    # --- capacity -------------------------------------------------------------------------------

    def grow(self) -> None:
        """Make the capacity hold all features, half as many again if memory allows; or forget them."""
        size = self.encoder.size
        if size > self.capacity:
            try:
                capacity = self._affordable(size)
                self.state = resized(self.learner, self.state, capacity, size, shared=True)
            except (CostreamError, MemoryError):
                self.features.forget(self._kept)
                self._bind_row_kernel()
                raise
            self.capacity = capacity
        if hasattr(self.state, "size"):
            self.state.size[0] = size
        if self.learner.wants_names:
            self.learner.name_features(self.state, self.features)
        if self.learner.wants_prior:
            self.learner.begin_at(self.state, self.prior)
        self._kept = self.features.kept()
        self._bind_row_kernel()
        self.features.warn_once()

    def forget_unlearnt(self) -> None:
        """Take back the features that came since the capacity last grew."""
        self.features.forget(self._kept)

    def _affordable(self, size: int) -> int:
        """A capacity of at least ``size``."""
        larger = max(size, self.capacity * 3 // 2 + 8)
        with contextlib.suppress(CostreamError):
            check_memory(self.learner, larger, self.state)
            return larger
        check_memory(self.learner, size, self.state)
        return size

    # --- compiled calls -------------------------------------------------------------------------

    def _bind_row_kernel(self) -> None:
        """Have the next row give its kernel the arrays of the state and the row buffer anew."""
        self.pass_row = self._first_row

    def _first_row(self) -> float:
        """Bind the row kernel, which may have to be compiled, and pass the first row to it."""
        buffer = self.encoder.row.array
        write_settings(buffer, self.encoder.rules, self.state)
        was_compiled = is_compiled(self.state)
        self.pass_row = bind_row_kernel(self.state, buffer)
        score = self.pass_row()
        if not was_compiled:
            self.pass_row = bind_row_kernel(self.state, buffer)
        return score

    def pass_rows(
        self, x: Chunk, scores: Floats, odds: Floats, forecasts: Floats | None = None
    ) -> None:
        """Score and learn prepared rows, stopping at each event of the learner."""
        rows = len(scores)
        if self.until_event > rows:
            prequential(self._given(forecasts), x, scores, odds)
            self.until_event -= int(np.count_nonzero(x.class_cost > 0.0))
            return
        learnt = np.concatenate(([0], np.cumsum(x.class_cost > 0.0)))
        begin = 0
        while begin < rows:
            event = np.searchsorted(learnt, learnt[begin] + self.until_event)
            end = min(int(event), rows)
            part = slice(begin, end)
            one = Chunk(x.start[begin : end + 1], x.index, x.value, *(one[part] for one in x[3:]))
            given = self._given(None if forecasts is None else forecasts[part])
            prequential(given, one, scores[part], odds[part])
            self.count_down(int(learnt[end] - learnt[begin]))
            begin = end

    # --- forecasts ------------------------------------------------------------------------------

    def _given(self, forecasts: Floats | None) -> State:
        """The state, with what was said of the rows to be learnt when they were scored."""
        return self.state if forecasts is None else with_fields(self.state, given=forecasts)

    def check_forecasts(self, forecasts: ArrayLike, rows: int) -> Floats | None:
        """Forecasts of so many rows as an array; None for a learner that asks for none."""
        count = self.forecast_numbers
        given = as_floats("forecast", forecasts)
        if given.shape != (rows, count):
            raise CostreamError(
                f"forecasts of {rows} rows with {count} numbers each were expected, not {given.shape}",
                "give what forecast_one or forecast_many of this model returned",
            )
        return given if count else None

    @property
    def forecast_numbers(self) -> int:
        """How many numbers are to be remembered of a row that is scored."""
        return self.learner.forecasts(self.state)

    def last_forecast(self) -> Floats:
        """What is to be remembered of the row that was scored last, NaN where nothing was said."""
        found = np.empty(self.forecast_numbers)
        if len(found):
            forecast_of(self.state, found)
        return found

    # --- events ---------------------------------------------------------------------------------

    def count_down(self, rows: int) -> None:
        """Count rows learnt; where an event of the learner is due, let it happen."""
        self.until_event -= rows
        if self.until_event <= 0:
            for which, job in [*self.jobs.items()]:
                due = self.learner.progress_due(self.state, which)
                job.wait(due)
                if due >= 1.0:
                    del self.jobs[which]  # its arrays may be large
            before = self.state
            self.state, begun = self.learner.event(self.state)
            self.jobs.update({which: Job(job) for which, job in begun.items()})
            self.until_event = self.learner.rows_until_event(self.state)
            if self.state is not before:
                self._bind_row_kernel()

    def finish_jobs(self) -> None:
        """Wait for what runs in second threads."""
        for job in self.jobs.values():
            job.finish()
        self.jobs.clear()

    # --- what is learnt -------------------------------------------------------------------------

    @property
    def record(self) -> type[State]:
        """The type of its state, for which rules are compiled."""
        return type(self.state)

    def weights(self) -> Floats:
        """The weight of each slot: the intercept, if there is one, then the features."""
        return self.learner.weights(self.state)

    def standings(self) -> Standings:
        """The members of a portfolio."""
        with self.lock:
            return self.learner.standings(self.state)

    def sample_rows(self) -> Floats:
        """Some of the rows learnt, each with all features."""
        with self.lock:
            sample = self.learner.sample_rows(self.state)
            return sample[:, self.encoder.fit_intercept : self.encoder.size]

    def typical_entries(self) -> tuple[Floats, Floats]:
        """In how many rows each feature was not 0, and its root mean square in these."""
        state: Any = self.state
        own = slice(int(self.encoder.fit_intercept), self.encoder.size)
        seen, value = typical_entries(state)
        return seen[own], value[own]
