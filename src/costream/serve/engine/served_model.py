"""The model of a service: it scores events and learns labels, in the order of the log.

Its state is a function of its base model and of the examples since, however they come grouped.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import math
from collections.abc import Sequence
from functools import reduce
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ..._typing import Floats, Label
from ...costs.objective import FN_COST, FP_COST
from ...costs.rows import NO_COSTS, FourCosts, GivenCosts, costs_for_all
from ...errors import CostreamError, NotEnoughMemoryError
from ...kernels.elementary import probability, sigmoid
from ...labels.labels import Labels
from ...model.batches import learn_records
from ...model.classifier import OnlineClassifier, core_of
from ...model.core import Scored
from ...model.explanations import effects_of
from ...model.file import dumps, loads
from ...model.tables import infer_schema, plain_rows
from ...tables.leakage import Leakage
from ..messages import Event, Reason
from .fit import FITS, Fit, Unfit

logger = logging.getLogger("costream.serve")
INFER_AFTER = 2000  # labels whose events say what the columns hold
SINGLY = 12  # fewer examples than this are learnt one by one, which is faster then
PLAIN = Scored(0.0, 0.0)  # of a row that lacks nothing
NONE_SENT = (None, None, None, None)
BAD_ROW = (CostreamError, OverflowError, ValueError, TypeError, RecursionError)
BY_THE_SUM = FourCosts(FN_COST, FP_COST, 0.0, 0.0)  # what mistakes cost where the model has no costs


class Decision(NamedTuple):
    """The decision on an event, with the costs that it was made for."""

    flag: bool
    score: float
    probability: float
    costs: FourCosts
    own: bool  # whether the costs are its own, not those of the objective
    unfit: tuple[Unfit, ...] = FITS  # how the event differs from what the model has learnt
    forecast: bytes | None = None  # what the model wants to be told of when the label comes


class TrainingExample(NamedTuple):
    """An event whose label is to be learnt."""

    features: dict[str, Any]
    own: FourCosts | None  # its costs, where they are its own
    positive: bool
    label: Label | None  # as it was given; None for an expiry
    forecast: bytes | None = None  # what was said of it when it was scored


def log_words(words: str) -> None:
    """Log a warning about a column, in words without a value."""
    logger.warning("%s", words)


class ServedModel:
    """The model, the bytes that it began with, and how much it has learnt since.

    A model that begins with nothing goes by the types of values at first. After 2,000 labels their
    events say what each column holds, as they do in a file, and the model learns them again with that
    schema.
    """

    def __init__(self, base_model: bytes, learnt: int = 0) -> None:
        self.base_model = base_model
        self.model = loads(base_model)
        self.learnt = learnt
        fresh = self.model.rows == 0 and learnt == 0 and self.model.hash_slots is None
        self.infers = fresh and not self.model.schema_is_inferred
        self.resumed = learnt  # labels that it began with
        self.refused: dict[int, str] = {}  # labels that could not be learnt when it was opened
        self.learns_again = False  # whether labels were learnt before, so that a lack of memory is new
        self.leakage = Leakage()
        self.sample: list[TrainingExample] = []  # the first ones, which say what the columns hold
        self._take(self.model)

    def _take(self, model: OnlineClassifier) -> None:
        self.model, self.core = model, core_of(model)
        self.core.read_by_type()  # as single rows are read, so that groups make no difference
        self.core.log_warnings(log_words)  # others may hold data of events
        self.core.ignore_leakage()  # it would depend on where the service was started again
        self._fit: Fit | None = None
        self._fit_ends = 0  # labels after which to look again at what the model knows
        self._costs = costs_for_all(model.objective) or BY_THE_SUM
        self._forecast_numbers = self.core.forecast_numbers

    @property
    def leader(self) -> str | None:
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
        forecast = core.last_forecast().astype("<f8").tobytes() if self._forecast_numbers else None
        if self.learnt >= self._fit_ends:
            self.renew_fit()
        unfit = FITS if self._fit is None else self._fit.look_at(features, scored)
        return Decision._make(
            (score >= 0.0, float(score), probability(odds), costs, own is not None, unfit, forecast)
        )

    def decide_together(self, events: Sequence[Event]) -> list[Decision] | None:
        """What `decide` would say of events, faster; None unless all are plain rows of numbers."""
        core = self.core
        if not core.learner.has_probabilities or core.cost_columns or self._forecast_numbers:
            return None
        rows = plain_rows(core, [event.features for event in events], set())
        if rows is None:
            return None
        sent = [(event.fn_cost, event.fp_cost, event.tp_cost, event.tn_cost) for event in events]
        owns = [None if one == NONE_SENT else core.own_costs(GivenCosts(*one), True) for one in sent]
        if owns.count(None) not in (0, len(owns)):
            return None
        own = None if owns[0] is None else FourCosts(*np.array(owns).T)
        odds = np.empty(len(events))
        scores = core.score_rows(*rows, own=own, log_odds=odds)
        if not (np.isfinite(scores).all() and np.isfinite(odds).all()):
            return None
        self.look_again()
        fit, chances = self._fit, sigmoid(odds).tolist()
        return [
            Decision._make(
                (
                    score >= 0.0,
                    score,
                    chance,
                    one or self._costs,
                    one is not None,
                    FITS if fit is None else fit.look_at(event.features, PLAIN),
                    None,
                )
            )
            for event, one, score, chance in zip(events, owns, scores.tolist(), chances, strict=True)
        ]

    def look_again(self) -> None:
        """Look at what the model knows by now, where enough was learnt since the last time."""
        if self.learnt >= self._fit_ends:
            self.renew_fit()

    def renew_fit(self) -> None:
        """Look at what the model knows by now, unless it has learnt too little."""
        if self.infers or not self.model.rows:
            self._fit_ends = self.learnt + 1
            return
        self._fit_ends = self.learnt + INFER_AFTER
        if self._fit is None:
            self._fit = Fit(self.core)
        else:
            self._fit.renew()

    def reasons(self, event: Event, flag: bool, top: int) -> list[Reason] | None:
        """Why an event is flagged, or is not; None for a learner without probabilities."""
        if not self.core.learner.has_probabilities:
            return None
        found = effects_of(self.core, self._features(event.features))
        return [
            Reason(str(one.feature), one.value, one.usual, one.effect)
            for one in found.reasons(flag, top)
            if not isinstance(one.usual, float) or math.isfinite(one.usual)  # JSON has no others
        ]

    def _features(self, features: dict[str, Any]) -> Any:
        return self.core.split_costs(features, NO_COSTS)[0]

    @property
    def labels(self) -> Labels:
        return self.core.labels

    # --- learning -------------------------------------------------------------------------------

    def is_about_to_look_back(self, examples: int) -> bool:
        """Whether so many more examples make it learn all of them again, or look at all it knows."""
        return self.learnt + examples >= (INFER_AFTER if self.infers else self._fit_ends)

    def learn(self, examples: Sequence[TrainingExample]) -> dict[int, str]:
        """Learn examples in their order; returns the places of those that cannot be learnt, and why."""
        self._watch(examples)
        refused: dict[int, str] = {}
        at = 0
        while at < len(examples):
            part = examples[at : at + INFER_AFTER - self.learnt] if self.infers else examples[at:]
            found = self._learn(part)
            refused |= {at + t: why for t, why in found.items()}
            if self.infers:
                self.sample += [one for t, one in enumerate(part) if t not in found]
                if self.learnt >= INFER_AFTER:
                    self.infer()
            at += len(part)
        return refused

    def _watch(self, examples: Sequence[TrainingExample]) -> None:
        """Log the names of features that leak the labels."""
        for one in examples if self.leakage.is_open else ():
            for name in self.leakage.add_one(one.features, one.positive, self.core.schema):
                logger.warning("%s leaks the label: is it known when an event is decided?", name)
            if not self.leakage.is_open:
                return

    def infer(self) -> None:
        """Infer what the columns hold from the examples so far, and learn these again."""
        model, learnt = loads(self.base_model), self.learnt
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
            if self._learn(sample):
                self._take(before)
        finally:
            self.learns_again = learnt_before
        self.learnt = learnt

    def _learn(self, examples: Sequence[TrainingExample]) -> dict[int, str]:
        """Learn examples as runs of those with costs of their own, and those without."""
        refused: dict[int, str] = {}
        begin = 0
        for own, run in groupby(examples, key=lambda one: one.own is not None):
            part = list(run)
            found = self._learn_run(part, own)
            refused |= {begin + t: why for t, why in found.items()}
            begin += len(part)
        return refused

    def _learn_run(self, examples: list[TrainingExample], own: bool) -> dict[int, str]:
        if len(examples) >= SINGLY:
            with contextlib.suppress(*BAD_ROW):  # nothing was learnt: find out which
                self._learn_batch(examples, own)
                return {}
        refused = {}
        for t, example in enumerate(examples):
            try:
                self._learn_one(example)
            except BAD_ROW as error:
                if self.learns_again and isinstance(error, NotEnoughMemoryError):
                    raise
                refused[t] = str(error)
        return refused

    def _learn_one(self, example: TrainingExample) -> None:
        core, label = self.core, 1.0 if example.positive else -1.0
        with core.lock:
            labels = _seeing(core.labels, example)
            given = NO_COSTS if example.own is None else GivenCosts(*example.own)
            said = self._said(example) if self._forecast_numbers else ()
            core.learn_row(self._features(example.features), label, 1.0, given, said)
            core.set_labels(labels)
        self.learnt += 1

    def _learn_batch(self, examples: list[TrainingExample], own: bool) -> None:
        rows = [self._features(one.features) for one in examples]
        positive = np.array([one.positive for one in examples])
        labels = reduce(_seeing, examples, self.core.labels)
        said = np.array([self._said(one) for one in examples]) if self._forecast_numbers else None
        given = self._given(examples if own else [])
        learn_records(self.core, rows, positive, given, labels, said)
        self.learnt += len(examples)

    def _said(self, example: TrainingExample) -> Floats:
        """What was said of an event when it was scored; NaN where another kind of model was asked."""
        count, said = self._forecast_numbers, example.forecast
        if said is None or len(said) != 8 * count:
            return np.full(count, np.nan)
        return np.frombuffer(said, "<f8")

    @staticmethod
    def _given(examples: list[TrainingExample]) -> GivenCosts:
        if not examples:
            return NO_COSTS
        return GivenCosts(*(np.array(one) for one in zip(*(one.own for one in examples), strict=True)))

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


def _seeing(labels: Labels, example: TrainingExample) -> Labels:
    """The labels once that of an example is seen; one of another convention is learnt by its side."""
    if example.label is None:
        return labels
    try:
        seen, code = labels.seeing(example.label)
    except CostreamError:
        return labels
    return seen if (code > 0.0) == example.positive else labels


def name_of(base_model: bytes) -> str:
    return f"{loads(base_model).learner.name}-{hashlib.sha256(base_model).hexdigest()[:8]}"
