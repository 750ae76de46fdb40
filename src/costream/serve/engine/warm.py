"""Everything that traffic needs is compiled, or loaded, before the first request comes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...costs.objectives.cost import Cost
from ...costs.rows import FourCosts
from ...errors import CostreamError
from ...model.classifier import OnlineClassifier, core_of
from ...model.file import dumps
from ..messages import Event
from .served_model import SINGLY, ServedModel, TrainingExample

COSTS = FourCosts(20.0, 2.0, 0.0, 0.0)  # of rows, other than those of the objective
ROWS = 320  # by then trees grow, and a column has enough values to get a rate of its own
_WARM: set[tuple[type, type]] = set()
WORDS = ("red", "green", "blue", "old", "new")


def warm_up(model: OnlineClassifier) -> None:
    """Send a small stream through an empty model like this one, so that all of its code is there.

    That is done once in a process for each kind of model. Events have columns of all kinds, with and
    without costs of their own; they are decided, explained, and learnt one by one and in groups, before
    and after columns are inferred.
    """
    kind = (core_of(model).record, type(model.objective))
    if kind in _WARM:
        return
    served = ServedModel(dumps(_empty(model)))
    served.leakage.is_open = False  # nothing of this is to be warned of
    each = [(row, n % 3 == 0) for n, row in enumerate(rows())]
    own = [None, COSTS] if model.objective.has_costs else [None]
    for costs in own:
        _pass(served, [TrainingExample(row, costs, y, y) for row, y in each])
    served.infer()
    for costs in own:
        _pass(served, [TrainingExample(row, costs, y, None) for row, y in each[:40]])
    _WARM.add(kind)


def _pass(served: ServedModel, examples: list[TrainingExample]) -> None:
    for event in map(_event, examples[:2]):
        served.reasons(event, served.decide(event).flag, 1)
    for part in (examples[:2], examples[2 : 2 + SINGLY], examples[2 + SINGLY :]):
        for why in served.learn(part).values():
            raise CostreamError(why)
    served.reasons(_event(examples[2]), True, 1)


def _empty(model: OnlineClassifier) -> OnlineClassifier:
    """A model of the same revision, whose code may not be that of a new one."""
    empty = OnlineClassifier(
        model.learner,
        Cost(10.0, 1.0) if model.objective.has_costs else model.objective,
        normalize=model.normalize,
        fit_intercept=model.fit_intercept,
    )
    core_of(empty).begin_like(core_of(model))
    return empty


def _event(example: TrainingExample) -> Event:
    costs = (
        {} if example.own is None else {"fn_cost": example.own.fn_cost, "fp_cost": example.own.fp_cost}
    )
    return Event("", example.features, **costs)


def rows() -> Iterator[dict[str, object]]:
    """Rows with columns of all kinds: numbers, text, times, truth values, lists; some are missing."""
    rng = np.random.default_rng(0)
    for n, x in enumerate(rng.normal(size=(ROWS, 3)).tolist()):
        yield {
            "number": 100.0 * x[0],
            "small": x[1],
            "missing": None if n % 3 else x[2],
            "word": WORDS[n % 5],
            "many": f"m{n % 160}",
            "yes": n % 2 == 0,
            "time": f"2026-01-{1 + n % 28:02d} {n % 24:02d}:00:00",
            "tags": list(WORDS[: n % 3]),
            "text": f"{WORDS[n % 5]} {WORDS[n // 5 % 5]} {WORDS[n // 25 % 5]} word{n}",
        }
