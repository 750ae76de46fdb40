"""When trees grow, and when they are taken over: at rows that are fixed in advance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...kernels.records import Floats
from .decision import CHEAPEST, DEAREST, mean_cost
from .layout import (
    ALWAYS,
    BEGAN,
    GAMMA,
    GROW_AT,
    GROWN,
    LEAVES,
    NEGATIVES,
    NEVER,
    NO_ROW,
    NUMBERS,
    POSITIVES,
    ROWS,
    SLOTS,
    TAKE_AT,
    WHOLE_WIDEST,
    Portfolio,
)
from .trees import Singles, new_seedbed
from .views.leaves import (
    ENTRIES,
    FIRST,
    KINDS,
    LIFETIME,
    MEMBERS,
    REPLAYS,
    SAMPLE,
    SEED,
    TIMES,
    Growth,
    first_tree,
    nodes_of,
)

NUMERIC = 1 / 16  # the part of features with more than two values below which rows have hardly a number
WIDE = 64  # slots above which rows are wide
TRIAL, LEAST_SHARE = 800, 0.2  # rows after which trees of such rows must have a share, if they are wide
DELAY = 0.1  # of the rows at which trees begin to grow: so many later they are taken over
STOPS, LEAST_STOP = 64, 16  # places where a part of their growth is waited for, and rows between these


def rows_until_event(model: Portfolio) -> float:
    """How many rows there are until trees begin to grow, or are taken over."""
    clock = model.clock
    rows, at = clock[ROWS], min(clock[GROW_AT], clock[TAKE_AT])
    if at >= NO_ROW:
        return math.inf
    if clock[TAKE_AT] < NO_ROW:
        at = min(at, rows + max((clock[TAKE_AT] - clock[BEGAN]) // STOPS, LEAST_STOP))
    return float(at - rows)


def progress_due(model: Portfolio) -> float:
    """The part of the job that must be done by now: none is waited for all at once."""
    began, take = model.clock[BEGAN], model.clock[TAKE_AT]
    return min(float(model.clock[ROWS] - began) / float(take - began), 1.0)


class Sampled(NamedTuple):
    """How many rows a sample has, what a row of each class counts, and whether it wants more."""

    rows: int
    weights: Floats
    wants_more: bool


def event(
    model: Portfolio, look: Callable[[], Sampled] | None = None
) -> tuple[Portfolio, Growth | None]:
    """Take over trees that have grown, or begin to grow new ones; returns the model, and the job.

    ``look`` is for a sample that is not kept by `leaves.sample_place`.
    """
    clock = model.clock
    if clock[SLOTS] > model.plan[NUMBERS, WHOLE_WIDEST]:  # too wide for leaves from now on
        clock[GROW_AT] = clock[TAKE_AT] = NO_ROW
        return _without_trees(model), None
    if clock[ROWS] >= clock[TAKE_AT]:
        clock[TAKE_AT] = NO_ROW
        return _with_next_trees(model), None
    if clock[ROWS] < clock[GROW_AT]:
        return model, None
    return _grow(model, None if look is None else look())


def _grow(model: Portfolio, sampled: Sampled | None) -> tuple[Portfolio, Growth | None]:
    clock, rows = model.clock, int(model.clock[ROWS])
    used = min(rows, len(model.sample)) if sampled is None else sampled.rows
    weights = np.ones(2) if sampled is None else sampled.weights
    d = int(clock[SLOTS])
    step = rows if model.period == 0.0 else min(rows, int(max(model.period, FIRST)))
    clock[GROW_AT] = rows + int((TIMES - 1.0) * step)
    most = sample_size(d, model.period)
    full = rows >= most and not (sampled is not None and sampled.wants_more)
    if model.period == 0.0 and full:  # leaves go on learning; new ones would begin anew
        clock[GROW_AT] = NO_ROW
    space = min(int(clock[GROW_AT]), most)
    sample, label = model.sample[:used, :d].copy(), model.sample_label[:used].copy()
    if sampled is None and space > len(model.sample):
        model = model._replace(
            sample=_longer(model.sample, space), sample_label=_longer(model.sample_label, space)
        )
    if not _pays(model, sample):
        clock[GROW_AT] = clock[TAKE_AT] = NO_ROW
        return _without_trees(model), None
    if not 0 < label.sum() < used:
        return model, None
    clock[BEGAN], clock[TAKE_AT] = rows, rows + int(DELAY * step)
    clock[GROWN] += 1
    numbers, begin = model.plan[NUMBERS], model.plan[NUMBERS, LEAVES]
    trees = [first_tree(numbers, kind + 1) - first_tree(numbers, kind) for kind in range(KINDS)]
    kinds = np.repeat(range(KINDS), trees)
    root = np.cumsum([0, *(nodes_of(numbers, kind, used) for kind in kinds)])
    size, nodes = int(root[-1]), int(np.diff(root).max())
    model = model._replace(
        next_mu=np.zeros(size),
        next_variance=np.ones(size),
        next_value=np.zeros(size),
        next_root=root,
        next_feature=np.zeros(size, np.int32),
        next_threshold=np.zeros(size, np.float32),
        next_child=np.zeros(size, np.int32),
    )
    job = Growth(
        sample,
        label,
        _costs(model.costs),
        weights,
        new_seedbed(sample, model.keys[:d].copy(), nodes),
        model.next_feature,
        model.next_threshold,
        model.next_child,
        model.next_root,
        model.next_mu,
        model.next_variance,
        model.next_value,
        np.zeros(used),
        np.zeros((used, sum(trees)), np.int32),
        np.array([0, sum(trees) + REPLAYS]),
        numbers.copy(),
        model.settings[GAMMA, begin : begin + KINDS].copy(),
        seed=SEED + 1000 * int(clock[GROWN]),
    )
    return model, job


def sample_size(d: int, period: float) -> int:
    """How many rows the sample has at most, where they have ``d`` slots."""
    most = min(SAMPLE, ENTRIES // d)
    return most if period == 0.0 else max(FIRST, min(most, int(LIFETIME * period)))


def _pays(model: Portfolio, sample: Singles) -> bool:
    """Whether trees are worth their time.

    Where rows are wide and have hardly a number, trees take long, and often add nothing to the others:
    they must have a share of the stacker's log-odds by then.
    """
    rows, d = model.clock[ROWS], sample.shape[1]
    if d <= WIDE or rows < TRIAL:
        return True
    some = sample[:1000]
    numbers = ((some != some.min(axis=0)) & (some != some.max(axis=0))).any(axis=0)
    if np.count_nonzero(numbers) >= NUMERIC * d:
        return True
    influence, begin = np.abs(model.stacker[1:]) * model.spread, model.plan[NUMBERS, LEAVES]
    return bool(influence[begin : begin + MEMBERS].sum() >= LEAST_SHARE * influence.sum())


def _costs(costs: Floats) -> Floats:
    """What a negative and a positive row of the sample cost: on average, over a negative one."""
    positive = mean_cost(costs[NEVER], costs[POSITIVES])
    negative = mean_cost(costs[ALWAYS], costs[NEGATIVES])
    with np.errstate(over="ignore"):
        return np.array([1.0, min(max(positive / negative, CHEAPEST), DEAREST)])


def _with_next_trees(model: Portfolio) -> Portfolio:
    trees = {name: getattr(model, f"next_{name}") for name in ("feature", "threshold", "child", "root")}
    return _without_next(model)._replace(
        **trees,
        leaves_mu=model.next_mu,
        leaves_variance=model.next_variance,
        leaves_value=model.next_value,
    )


def _without_next(model: Portfolio) -> Portfolio:
    names = (
        *("next_mu", "next_variance", "next_value"),
        *("next_feature", "next_threshold", "next_child"),
    )
    return model._replace(**{name: getattr(model, name)[:0].copy() for name in names})


def _without_trees(model: Portfolio) -> Portfolio:
    names = (
        *("leaves_mu", "leaves_variance", "leaves_value"),
        *("feature", "threshold", "child", "sample", "sample_label"),
    )
    gone = {name: getattr(model, name)[:0].copy() for name in names}
    return _without_next(model)._replace(**gone)


def _longer(array: np.ndarray, rows: int) -> np.ndarray:
    longer = np.zeros((rows, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
