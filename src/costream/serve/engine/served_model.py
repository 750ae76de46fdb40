"""The model of a service: it scores events and learns labels, in the order of the log.

Its state is a function of its origin and of the lessons since, however they come grouped.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ..._typing import Label
from ...costs.objective import FN_COST, FP_COST
from ...costs.rows import NO_COSTS, FourCosts, GivenCosts, costs_for_all
from ...errors import CostreamError, NotEnoughMemoryError
from ...kernels.elementary import probability
from ...labels.labels import Labels
from ...model.batches import learn_records
from ...model.classifier import OnlineClassifier, core_of
from ...model.explanations import effects_of
from ...model.file import dumps, loads
from ...model.tables import infer_schema
from ...tables.leakage import Leakage
from ..messages import Event, Reason
from .fit import FITS, Fit, Unfit

logger = logging.getLogger("costream.serve")
INFER_AFTER = 2000  # labels whose events say what the columns hold
SINGLY = 12  # fewer lessons than this are learnt one by one, which is faster then
NONE_SENT = (None, None, None, None)
BAD_ROW = (CostreamError, OverflowError, ValueError, TypeError, RecursionError)
BY_THE_SUM = FourCosts(FN_COST, FP_COST, 0.0, 0.0)  # what mistakes cost where the model has no costs


class Decision(NamedTuple):
    """What the model says of an event, and what is at stake."""

    flag: bool
    score: float
    probability: float
    costs: FourCosts
    own: bool  # whether the costs are its own, not those of the objective
    unfit: tuple[Unfit, ...] = FITS  # how the event differs from what the model has learnt


class Lesson(NamedTuple):
    """An event whose label is to be learnt."""

    features: dict[str, Any]
    own: FourCosts | None  # its costs, where they are its own
    positive: bool
    label: Label | None  # as it was given; None for an expiry


def log_words(words: str) -> None:
    """Log a warning about a column, in words without a value."""
    logger.warning("%s", words)


class Owner:
    """The model, the bytes that it began with, and how much it has learnt since.

    A model that begins with nothing goes by the types of values at first. After 2,000 labels their
    events say what each column holds, as they do in a file, and the model learns them again so.
    """

    def __init__(self, origin: bytes, learnt: int = 0) -> None:
        self.origin = origin
        self.model = loads(origin)
        self.learnt = learnt
        fresh = self.model.rows == 0 and learnt == 0 and self.model.hash_slots is None
        self.infers = fresh and not self.model.schema_is_inferred
        self.resumed = learnt  # labels that it began with
        self.refused: dict[int, str] = {}  # labels that could not be learnt when it was opened
        self.learns_again = False  # whether labels were learnt before, so that a lack of memory is new
        self.leakage = Leakage()
        self.sample: list[Lesson] = []  # the first lessons, until they say what the columns hold
        self._take(self.model)

    def _take(self, model: OnlineClassifier) -> None:
        self.model, self.core = model, core_of(model)
        self.core.read_by_type()  # as single rows are read, so that groups make no difference
        self.core.log_warnings(log_words)  # others may hold data of events
        self.core.ignore_leakage()  # it would depend on where the service was started again
        self._fit: Fit | None = None
        self._fit_ends = 0  # labels after which to look again at what the model knows
        self._costs = costs_for_all(model.objective) or BY_THE_SUM

    @property
    def leader(self) -> str | None:
        """Who leads in a portfolio."""
        try:
            return self.core.standings().leader.name
        except CostreamError:
            return None

    # --- scoring --------------------------------------------------------------------------------

    def decide(self, event: Event) -> Decision:
        """The decision on an event as the model is now; an error if it could not be learnt."""
        core, own = self.core, None
        features: Any = event.features
        sent = event.fn_cost, event.fp_cost, event.tp_cost, event.tn_cost
        if core.cost_columns or sent != NONE_SENT:
            features, given = core.split_costs(features, GivenCosts(*sent))
            own = core.own_costs(given, learning=True)
        scored = core.score_with_odds(features, own)
        score, odds = scored.score, scored.log_odds
        if not (math.isfinite(score) and math.isfinite(odds)):
            raise CostreamError("the score of the event is not finite", "its values are too large")
        costs = own or self._costs
        self.look_again()
        unfit = FITS if self._fit is None else self._fit.look_at(features, scored)
        return Decision._make(
            (score >= 0.0, float(score), probability(odds), costs, own is not None, unfit)
        )

    def is_about_to_look_again(self, lessons: int) -> bool:
        """Whether so many more lessons make it look at all that the model knows."""
        return not self.infers and self.learnt + lessons >= self._fit_ends

    def look_again(self) -> None:
        """Look at what the model knows by now, where enough was learnt since the last time."""
        if self.learnt >= self._fit_ends:
            self.renew_fit()

    def renew_fit(self) -> None:
        """Look at what the model knows by now, unless it is too young to say."""
        if self.infers or not self.model.rows:
            self._fit_ends = self.learnt + 1
            return
        self._fit_ends = self.learnt + INFER_AFTER
        if self._fit is None:
            self._fit = Fit(self.core)
        else:
            self._fit.renew()

    def reasons(self, event: Event, flag: bool, top: int) -> list[Reason] | None:
        """Why an event is flagged, or is not; None for a learner that cannot say."""
        if not self.core.learner.has_probabilities:
            return None
        found = effects_of(self.core, self._features(event.features))
        return [
            Reason(str(one.feature), one.value, one.usual, one.effect)
            for one in found.reasons(flag, top)
            if not isinstance(one.usual, float) or math.isfinite(one.usual)  # JSON has no others
        ]

    def _features(self, features: dict[str, Any]) -> Any:
        """The features of an event without its costs."""
        return self.core.split_costs(features, NO_COSTS)[0]

    @property
    def labels(self) -> Labels:
        """The labels that the model has met."""
        return self.core.labels

    # --- learning -------------------------------------------------------------------------------

    def is_about_to_infer(self, lessons: int) -> bool:
        """Whether so many more lessons say what the columns hold: all are learnt again then."""
        return self.infers and self.learnt + lessons >= INFER_AFTER

    def learn(self, lessons: Sequence[Lesson], refuse: Callable[[int, str], None]) -> None:
        """Learn lessons in their order; ``refuse(t, why)`` is called for one that cannot be learnt."""
        self._watch(lessons)
        at = 0
        while at < len(lessons):
            if self.infers:
                at += self._learn_of_sample(lessons, at, refuse)
            else:
                self._learn(lessons[at:], partial(_shifted, refuse, at))
                at = len(lessons)

    def _watch(self, lessons: Sequence[Lesson]) -> None:
        """Log the names of features that alone tell the labels."""
        for one in lessons if self.leakage.is_open else ():
            for name in self.leakage.add_one(one.features, one.positive, self.core.schema):
                logger.warning("%s tells the label: is it known when an event is decided?", name)
            if not self.leakage.is_open:
                return

    def _learn_of_sample(
        self, lessons: Sequence[Lesson], at: int, refuse: Callable[[int, str], None]
    ) -> int:
        """Learn what may still come before the columns are inferred; returns how many lessons."""
        part = list(lessons[at : at + INFER_AFTER - self.learnt])
        refused: set[int] = set()

        def put_aside(t: int, why: str) -> None:
            refused.add(t)
            refuse(at + t, why)

        self._learn(part, put_aside)
        self.sample += [one for t, one in enumerate(part) if t not in refused]
        if self.learnt >= INFER_AFTER:
            self.infer()
        return len(part)

    def infer(self) -> None:
        """Infer what the columns hold from the lessons so far, and learn these again."""
        model, learnt = loads(self.origin), self.learnt
        sample, self.sample, self.infers = self.sample, [], False
        try:
            rows = [self._features(one.features) for one in sample]
            labels = [one.positive for one in sample]
            schema = infer_schema(core_of(model), rows, NO_COSTS, labels)
        except BAD_ROW:  # they stay as they are: read by the types of values
            return
        keys = [one.name for one in schema.columns if one.key]
        if keys:
            logger.warning("named like keys, and read as text from now on: %s", ", ".join(keys))
        before, learnt_before = self.model, self.learns_again
        self._take(model)
        self.learns_again = True
        try:
            self._learn(sample, _raise)
        except NotEnoughMemoryError:
            raise
        except BAD_ROW:
            self._take(before)
        finally:
            self.learns_again = learnt_before
        self.learnt = learnt

    def _learn(self, lessons: Sequence[Lesson], refuse: Callable[[int, str], None]) -> None:
        """Learn lessons as runs of those with costs of their own, and those without."""
        for own, run in _runs(lessons):
            part = list(lessons[run.start : run.stop])
            self._learn_run(part, own, partial(_shifted, refuse, run.start))

    def _learn_run(self, lessons: list[Lesson], own: bool, refuse: Callable[[int, str], None]) -> None:
        if len(lessons) >= SINGLY:
            try:
                self._learn_batch(lessons, own)
                return
            except BAD_ROW:  # nothing was learnt: find out which
                pass
        for t, lesson in enumerate(lessons):
            try:
                self._learn_one(lesson)
            except BAD_ROW as error:
                if self.learns_again and isinstance(error, NotEnoughMemoryError):
                    raise
                refuse(t, str(error))

    def _learn_one(self, lesson: Lesson) -> None:
        core, label = self.core, 1.0 if lesson.positive else -1.0
        with core.lock:
            labels = _seeing(core.labels, lesson)
            given = NO_COSTS if lesson.own is None else GivenCosts(*lesson.own)
            core.learn_row(self._features(lesson.features), label, 1.0, given)
            core.set_labels(labels)
        self.learnt += 1

    def _learn_batch(self, lessons: list[Lesson], own: bool) -> None:
        rows = [self._features(one.features) for one in lessons]
        positive = np.array([one.positive for one in lessons])
        labels = reduce(_seeing, lessons, self.core.labels)
        learn_records(self.core, rows, positive, self._given(lessons if own else []), labels)
        self.learnt += len(lessons)

    @staticmethod
    def _given(lessons: list[Lesson]) -> GivenCosts:
        """The costs of lessons that have their own."""
        if not lessons:
            return NO_COSTS
        return GivenCosts(*(np.array(one) for one in zip(*(one.own for one in lessons), strict=True)))

    # --- the model as bytes ---------------------------------------------------------------------

    def dump(self, notes: dict[str, Any]) -> bytes:
        """The model as a file, with notes on where it stands in the log."""
        self.model.notes["serve"] = notes
        return dumps(self.model)

    def may_resume(self, learnt: int) -> bool:
        """Whether a snapshot after so many labels will do: it has no sample of the first ones."""
        return not self.infers or learnt >= INFER_AFTER

    def resume(self, model: OnlineClassifier, learnt: int) -> None:
        """Go on from a snapshot."""
        self.infers, self.sample, self.learnt, self.resumed = False, [], learnt, learnt
        self._take(model)


def _seeing(labels: Labels, lesson: Lesson) -> Labels:
    """The labels once that of a lesson is seen; one of another convention is learnt by its side."""
    if lesson.label is None:
        return labels
    try:
        seen, code = labels.seeing(lesson.label)
    except CostreamError:
        return labels
    return seen if (code > 0.0) == lesson.positive else labels


def name_of(origin: bytes) -> str:
    """The name of the model that an origin begins: its learner and a hash."""
    return f"{loads(origin).learner.name}-{hashlib.sha256(origin).hexdigest()[:8]}"


def _shifted(refuse: Callable[[int, str], None], by: int, t: int, why: str) -> None:
    refuse(by + t, why)


def _raise(_t: int, why: str) -> None:
    raise CostreamError(why)


def _runs(lessons: Sequence[Lesson]) -> Iterator[tuple[bool, range]]:
    """Consecutive lessons that all have costs of their own, or all have none."""
    begin = 0
    for own, run in groupby(lessons, key=lambda one: one.own is not None):
        end = begin + len(list(run))
        yield own, range(begin, end)
        begin = end
