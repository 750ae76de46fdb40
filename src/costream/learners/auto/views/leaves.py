"""Leaves: the leaf that a row falls into, of each of many trees that were grown on earlier rows.

A sample of the rows so far is kept. At row `FIRST`, and whenever there are `TIMES` as many rows, trees
are grown on it until it is full: boosted ones and random ones. The
weights of the leaves learn the sample once, then go on online. The boosted trees have a member of their
own: the sum of what they say, as it was when they grew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....kernels.elementary import exponential
from ....kernels.records import Floats, Integers
from ..layout import BOOSTED, DENSE_WIDEST, LEAVES, ROWS, SCORES, WHOLE
from ..record import Portfolio
from ..trees import Rules, Seedbed, Short, Singles, grow_tree, hashed, leaf_of

KINDS = 2
BOOSTED_TREES, RANDOM_TREES = 64, 24
TREES = BOOSTED_TREES + RANDOM_TREES
BOOSTED_LEAVES, RANDOM_LEAVES = 256, 2048  # of a tree, at most
FEWEST_LEAVES, ROWS_OF_LEAF = 16, 80  # boosted trees of a small sample have fewer
RATE = 0.15  # of boosting
PENALTY, SAMPLE_PENALTY = 1.0, 2000.0  # lambda, and what is added to it, over the rows of the sample
LARGEST_ODDS = 15.0
SAMPLE, ENTRIES = 40_000, 2_500_000  # rows of the sample, and values in it
FIRST, TIMES = 100, 2.0
LARGEST_SINGLE = 3e38
SEED = 11
REPLAYS = 16  # parts of the replay that count as much as a tree
GAMMA = 1.0
LIFETIME = 1.4427  # half-lives that a row stays in the sample on average


def first_tree(kind: int) -> int:
    """Where the trees of a kind begin: boosted ones, random ones, and the end."""
    return 0 if kind == 0 else BOOSTED_TREES if kind == 1 else TREES


def find_leaves(model: Portfolio, row: Singles, first: int, last: int) -> None:
    """Find the leaf of a row in each of some trees."""
    for k in range(first, last):
        model.leaf[k] = leaf_of(model.feature, model.threshold, model.child, model.root[k], row)


def sum_leaves(weights: Floats, leaf: Short, kind: int, scale: float) -> float:
    """The sum of the weights of the leaves of one kind of trees, each times ``scale``."""
    total = 0.0
    for k in range(first_tree(kind), first_tree(kind + 1)):
        total += weights[leaf[k]] * scale
    return total


def leaf_scale(kind: int) -> float:
    """What a leaf counts in a row, so that the row has length 1."""
    return 1.0 / np.sqrt(float(first_tree(kind + 1) - first_tree(kind)))  # type: ignore[no-any-return]


def learn_leaves(
    mu: Floats, variance: Floats, leaf: Short, kind: int, score: float, y: float, ratio: float
) -> None:
    """CAROW with a diagonal covariance; ``ratio`` is gamma over the cost of the row."""
    loss = 1.0 - y * score
    if loss > 0.0:
        scale = leaf_scale(kind)
        square = scale * scale
        v = sum_leaves(variance, leaf, kind, square)
        step = loss / (v + ratio) * y * scale
        for k in range(first_tree(kind), first_tree(kind + 1)):
            old = variance[leaf[k]]
            mu[leaf[k]] += step * old
            variance[leaf[k]] = old / (1.0 + old * square / ratio)


def score_leaves(model: Portfolio, d: int, first: int, last: int) -> None:
    """Find the leaves of the row at hand, and score them; the kinds of trees from first to last."""
    for j in range(d):
        model.single[j] = min(max(model.rows[WHOLE, j], -LARGEST_SINGLE), LARGEST_SINGLE)
    scores, leaf = model.work[SCORES], model.leaf
    find_leaves(model, model.single, first_tree(first), first_tree(last))
    for kind in range(first, last):
        scores[LEAVES + kind] = sum_leaves(model.leaves_mu, leaf, kind, leaf_scale(kind))
        if kind == 0:
            scores[BOOSTED] = sum_leaves(model.leaves_value, leaf, kind, 0.5)


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
    if d <= DENSE_WIDEST and size > 0:
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

    ``costs`` are those of a negative and of a positive row, ``progress`` is how much is done, of how
    much.
    """

    sample: Singles
    label: Short
    costs: Floats
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
    seed: int


def nodes_of(kind: int, rows: int) -> int:
    """How many nodes a tree may have that grows on so many rows."""
    if kind == 0:
        return 2 * min(max(rows // ROWS_OF_LEAF, FEWEST_LEAVES), BOOSTED_LEAVES) - 1
    return 2 * min(rows, RANDOM_LEAVES) - 1


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
        y, ratio = 1.0 if positive == 1 else -1.0, GAMMA / job.costs[positive]
        for kind in range(KINDS):
            score = sum_leaves(job.mu, leaf, kind, leaf_scale(kind))
            learn_leaves(job.mu, job.variance, leaf, kind, score, y, ratio)


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
    for k in range(BOOSTED_TREES, TREES):
        grow_at(job, k, Rules(0.0, 0.0, job.seed + k))


def grow_boosted(job: Growth) -> None:
    """Boosted trees: each takes a Newton step of the log loss from where those before it ended.

    What is noted of a leaf is its step, without the log-odds of the whole sample.
    """
    rows = job.sample.shape[0]
    bed, penalty = job.bed, PENALTY + SAMPLE_PENALTY / rows
    base = 0.0
    for k in range(rows):
        base += job.label[k]
    base = base / rows
    for k in range(rows):
        job.odds[k] = 0.0
    for k in range(BOOSTED_TREES):
        for i in range(rows):
            # odds are relative to those of the whole sample
            e = exponential(min(max(job.odds[i], -LARGEST_ODDS), LARGEST_ODDS))
            q = base * e / (1.0 - base + base * e)
            bed.gradient[i] = job.label[i] - q
            bed.curvature[i] = q * (1.0 - q)
        nodes = grow_at(job, k, Rules(penalty, 1.0, job.seed + k))
        for node in range(nodes):
            if job.child[job.root[k] + node] == 0:
                value = RATE * bed.G[node] / (bed.H[node] + penalty)
                job.value[job.root[k] + node] = value
                for i in range(bed.begin[node], bed.end[node]):
                    job.odds[bed.order[i]] += value
