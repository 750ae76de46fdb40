"""Leaves: the leaf that a row falls into, of each of many trees that were grown on earlier rows.

A sample of the rows so far is kept. At row `FIRST`, and whenever there are `TIMES` as many rows, trees
are grown on it until it is full: boosted ones and random ones. The weights of the leaves learn the
sample once, then go on online. The boosted trees have a member of their own: the sum of their values,
as it was when they grew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....kernels.elementary import exponential
from ....kernels.records import Floats, Integers
from ..layout import (
    BOOSTED_LEAVES,
    BOOSTED_TREES,
    GAMMA,
    LEAVES,
    NO_ROW,
    NUMBERS,
    RANDOM_LEAVES,
    RANDOM_TREES,
    ROWS,
    SCORES,
    UNIT,
    UNTIL,
    WHOLE,
    Portfolio,
)
from ..member import Member
from ..pausing import is_paused
from ..trees import Rules, Seedbed, Short, Singles, grow_tree, hashed, leaf_of
from .family import Family

if TYPE_CHECKING:
    from ..composition import Composition

KINDS, MEMBERS = 2, 3  # of trees, and those who ask them
FEWEST_LEAVES, ROWS_OF_LEAF = 16, 80  # boosted trees of a small sample have fewer
RATE = 0.15  # of boosting
PENALTY, SAMPLE_PENALTY = 1.0, 2000.0  # lambda, and what is added to it, over the rows of the sample
LARGEST_ODDS = 15.0
SAMPLE, ENTRIES = 40_000, 2_500_000  # rows of the sample, and values in it
FIRST, TIMES = 100, 2.0
LARGEST_SINGLE = 3e38
SEED = 11
REPLAYS = 16  # parts of the replay that count as much as a tree
LIFETIME = 1.4427  # half-lives that a row stays in the sample on average


def first_tree(numbers: Integers, kind: int) -> int:
    """Where the trees of a kind begin: boosted ones, random ones, and the end."""
    first = 0
    for k in range(kind):
        first += numbers[BOOSTED_TREES + k]
    return first


def find_leaves(model: Portfolio, row: Singles, first: int, last: int) -> None:
    """Find the leaf of a row in each of some trees."""
    for k in range(first, last):
        model.leaf[k] = leaf_of(model.feature, model.threshold, model.child, model.root[k], row)


def sum_leaves(weights: Floats, leaf: Short, first: int, last: int, scale: float) -> float:
    """The sum of the weights of the leaves of some trees, each times ``scale``."""
    total = 0.0
    for k in range(first, last):
        total += weights[leaf[k]] * scale
    return total


def leaf_scale(trees: int) -> float:
    """What a leaf counts in a row of so many, so that the row has length 1."""
    return 1.0 / np.sqrt(float(trees))  # type: ignore[no-any-return]


def learn_leaves(
    mu: Floats,
    variance: Floats,
    leaf: Short,
    first: int,
    last: int,
    score: float,
    y: float,
    ratio: float,
) -> None:
    """CAROW with a diagonal covariance; ``ratio`` is gamma over the cost of the row."""
    loss = 1.0 - y * score
    if loss > 0.0:
        scale = leaf_scale(last - first)
        square = scale * scale
        v = sum_leaves(variance, leaf, first, last, square)
        step = loss / (v + ratio) * y * scale
        for k in range(first, last):
            old = variance[leaf[k]]
            mu[leaf[k]] += step * old
            variance[leaf[k]] = old / (1.0 + old * square / ratio)


def write(model: Portfolio, d: int, first: int, last: int) -> None:
    """Find the leaves of the row at hand in some trees."""
    for j in range(d):
        model.single[j] = min(max(model.rows[WHOLE, j], -LARGEST_SINGLE), LARGEST_SINGLE)
    find_leaves(model, model.single, first, last)


def score(model: Portfolio, d: int, last: int) -> None:
    """Find the leaves of the row at hand, and score them; the sum of the boosted trees scores, too."""
    begin, numbers = model.plan[NUMBERS, LEAVES], model.plan[NUMBERS]
    if begin >= last or model.feature.shape[0] == 0:
        return
    middle, end = first_tree(numbers, 1), first_tree(numbers, KINDS)
    boosted, random = not is_paused(model, begin), not is_paused(model, begin + 1)
    scores, leaf = model.work[SCORES, begin:], model.leaf
    if boosted or random:
        write(model, d, 0 if boosted else middle, end if random else middle)
    if boosted:
        scores[0] = sum_leaves(model.leaves_mu, leaf, 0, middle, leaf_scale(middle))
        scores[2] = sum_leaves(model.leaves_value, leaf, 0, middle, 0.5)
    if random:
        scores[1] = sum_leaves(model.leaves_mu, leaf, middle, end, leaf_scale(end - middle))


def learn(model: Portfolio, d: int, last: int, y: float, r: float) -> None:
    """Let the leaves that were found learn the row."""
    begin, numbers = model.plan[NUMBERS, LEAVES], model.plan[NUMBERS]
    if begin >= last or model.feature.shape[0] == 0:
        return
    mu, variance, scores = model.leaves_mu, model.leaves_variance, model.work[SCORES, begin:]
    for kind in range(KINDS):
        if not is_paused(model, begin + kind):
            first, end = first_tree(numbers, kind), first_tree(numbers, kind + 1)
            ratio = model.settings[GAMMA, begin + kind] / r
            learn_leaves(mu, variance, model.leaf, first, end, scores[kind], y, ratio)


def forget(model: Portfolio, d: int) -> None:
    """Be as unsure as at first; trees that are there for another portfolio alone stay as they are."""
    size = model.leaves_variance.shape[0]
    if size > 0 and model.pauses[UNTIL, model.plan[UNIT, model.plan[NUMBERS, LEAVES]]] < NO_ROW:
        for j in range(size):
            model.leaves_variance[j] = 1.0


def sample_place(rows: int, size: int, period: float) -> int:
    """Where a row goes in the sample, which has space for ``size``; -1 for nowhere.

    ``rows`` counts it. Every row is as likely to be there; with a half-life, an older one is less so.
    """
    if rows <= size:
        return rows - 1
    if period > 0.0 and period * LIFETIME <= rows:
        stays = hashed(SEED, rows, 1) * period * LIFETIME < size
        return int(hashed(SEED, rows, 2) * size) if stays else -1
    place = int(hashed(SEED, rows, 1) * rows)
    return place if place < size else -1


def take_sample(model: Portfolio, d: int, y: float) -> None:
    """Let the row at hand, which is written whole, take its place in the sample, if it has one."""
    size = model.sample.shape[0]
    if size > 0:
        place = sample_place(model.clock[ROWS], size, model.period)
        if place >= 0:
            for j in range(d):
                bounded = min(max(model.rows[WHOLE, j], -LARGEST_SINGLE), LARGEST_SINGLE)
                model.sample[place, j] = bounded
            for j in range(d, model.sample.shape[1]):
                model.sample[place, j] = 0.0
            model.sample_label[place] = 1 if y > 0.0 else 0


# --- growing ----------------------------------------------------------------------------------------


class Growth(NamedTuple):
    """The job of growing trees on a sample: what it reads, what it writes, and scratch.

    ``costs`` are those of a negative and of a positive row, ``weights`` is what each counts in the
    sample, 1 on average; ``progress`` is how much is done, of how
    much, ``numbers`` are those of the portfolio, and ``gamma`` is that of the leaves of each kind.
    """

    sample: Singles
    label: Short
    costs: Floats
    weights: Floats
    bed: Seedbed
    feature: Short
    threshold: Singles
    child: Short
    root: Integers
    mu: Floats
    variance: Floats
    value: Floats
    odds: Floats
    leaves: Short
    progress: Integers
    numbers: Integers
    gamma: Floats
    seed: int


def nodes_of(numbers: Integers, kind: int, rows: int) -> int:
    """How many nodes a tree may have that grows on so many rows."""
    if kind == 0:
        return 2 * min(max(rows // ROWS_OF_LEAF, FEWEST_LEAVES), int(numbers[BOOSTED_LEAVES])) - 1
    return 2 * min(rows, int(numbers[RANDOM_LEAVES])) - 1


def grow(job: Growth) -> None:
    """Grow all trees, then let the weights of their leaves learn the sample."""
    rows, d = job.sample.shape
    for k in range(rows):
        for j in range(d):
            job.bed.columns[j, k] = job.sample[k, j]
    grow_boosted(job)
    grow_random(job)
    for k in range(rows):
        if k % (rows // REPLAYS + 1) == 0:
            job.progress[0] += 1
        leaf, positive = job.leaves[k], job.label[k]
        y = 1.0 if positive == 1 else -1.0
        for kind in range(KINDS):
            first, end = first_tree(job.numbers, kind), first_tree(job.numbers, kind + 1)
            total = sum_leaves(job.mu, leaf, first, end, leaf_scale(end - first))
            ratio = job.gamma[kind] / (job.costs[positive] * job.weights[positive])
            learn_leaves(job.mu, job.variance, leaf, first, end, total, y, ratio)


def grow_at(job: Growth, k: int, rules: Rules) -> int:
    """Grow the k-th tree, and note the leaves of all rows; returns how many nodes it has."""
    first, last = job.root[k], job.root[k + 1]
    feature, threshold, child = job.feature, job.threshold, job.child
    bed = job.bed
    nodes = grow_tree(bed, feature[first:last], threshold[first:last], child[first:last], rules)
    for node in range(nodes):
        if child[first + node] == 0:
            for i in range(bed.begin[node], bed.end[node]):
                job.leaves[bed.order[i], k] = first + node
    job.progress[0] += 1
    return nodes


def grow_random(job: Growth) -> None:
    """Random trees: gradients are the labels, times what makes both classes weigh the same."""
    rows = job.sample.shape[0]
    positives = 0
    for k in range(rows):
        positives += job.label[k]
    weight = (rows - positives) / positives
    for k in range(rows):
        job.bed.curvature[k] = weight if job.label[k] == 1 else 1.0
        job.bed.gradient[k] = weight if job.label[k] == 1 else -1.0
    for k in range(first_tree(job.numbers, 1), first_tree(job.numbers, KINDS)):
        grow_at(job, k, Rules(0.0, 0.0, job.seed + k))


def grow_boosted(job: Growth) -> None:
    """Boosted trees: each takes a Newton step of the log loss from where those before it ended.

    What is noted of a leaf is its step, without the log-odds of the whole sample.
    """
    rows = job.sample.shape[0]
    bed, penalty = job.bed, PENALTY + SAMPLE_PENALTY / rows
    base = 0.0
    for k in range(rows):
        base += job.label[k] * job.weights[1]
    base = base / rows
    for k in range(rows):
        job.odds[k] = 0.0
    for k in range(first_tree(job.numbers, 1)):
        for i in range(rows):
            # odds are relative to those of the whole sample
            e = exponential(min(max(job.odds[i], -LARGEST_ODDS), LARGEST_ODDS))
            q = base * e / (1.0 - base + base * e)
            weight = job.weights[job.label[i]]
            bed.gradient[i] = (job.label[i] - q) * weight
            bed.curvature[i] = q * (1.0 - q) * weight
        nodes = grow_at(job, k, Rules(penalty, 1.0, job.seed + k))
        for node in range(nodes):
            if job.child[job.root[k] + node] == 0:
                value = RATE * bed.G[node] / (bed.H[node] + penalty)
                job.value[job.root[k] + node] = value
                for i in range(bed.begin[node], bed.end[node]):
                    job.odds[bed.order[i]] += value


# --- what it is made of -------------------------------------------------------------------------------


def fits(place: int, members: Sequence[Member], units: Sequence[int]) -> bool:
    """All three or none: boosted trees are found once for their leaves and for their own sum."""
    if not members:
        return True
    settings = [(one.kind, one.gamma > 0.0, one.eta) for one in members]
    known = [(one.kind, one.gamma > 0.0, one.eta) for one in FAMILY.members]
    return settings == known and units[0] == units[2] != units[1]


def arrays(team: Composition, d: int) -> dict[str, Any]:
    numbers, dense = team.numbers, min(d, team.numbers["whole"])
    trees = numbers["boosted_trees"] + numbers["random_trees"]
    return {
        **_no_trees("leaves_", "", trees),
        **_no_trees("next_", "next_", trees),
        "sample": np.zeros((FIRST, dense), np.float32),
        "sample_label": np.zeros(FIRST, np.int32),
        "keys": np.zeros(dense, np.int64),
        "single": np.zeros(dense, np.float32),
        "leaf": np.zeros(trees, np.int32),
    }


def _no_trees(weights: str, nodes: str, trees: int) -> dict[str, Any]:
    """The arrays of trees before any has grown; their names begin like that."""
    return {
        **{f"{weights}{name}": np.zeros(0) for name in ("mu", "variance", "value")},
        **{f"{nodes}{name}": np.zeros(0, np.int32) for name in ("feature", "child")},
        f"{nodes}threshold": np.zeros(0, np.float32),
        f"{nodes}root": np.zeros(trees + 1, np.int64),
    }


def size(team: Composition, d: int) -> int:
    """The sample and the trees at their largest."""
    numbers, dense = team.numbers, min(d, team.numbers["whole"])
    leaves = (
        numbers["boosted_trees"] * numbers["boosted_leaves"]
        + numbers["random_trees"] * numbers["random_leaves"]
    )
    grown = 2 * 36 * 2 * leaves + 4 * ENTRIES if d <= numbers["whole"] else 0
    return 4 * dense * FIRST + grown if team.of(LEAVES) else 0


FAMILY = Family(
    name="leaves",
    members=[
        Member("leaves of boosted trees", 1.0, widest=512, view="leaves", unit="boosted trees"),
        Member("leaves of random trees", 1.0, widest=512, view="leaves", unit="random trees"),
        Member("boosted trees", 0.0, widest=512, view="leaves", unit="boosted trees"),
    ],
    kinds=dict.fromkeys(("leaves of boosted trees", "leaves of random trees", "boosted trees"), LEAVES),
    numbers={
        "boosted_trees": (BOOSTED_TREES, 64, 1024),
        "random_trees": (RANDOM_TREES, 24, 1024),
        "boosted_leaves": (BOOSTED_LEAVES, 256, 2**14),
        "random_leaves": (RANDOM_LEAVES, 2048, 2**14),
    },
    fits=fits,
    arrays=arrays,
    size=size,
)
