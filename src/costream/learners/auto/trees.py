"""Trees with random thresholds, grown on a sample of rows, best split first.

In each node one random threshold is tried for each feature, and the split with the largest
gain counts: how much a sum of G^2/(H + lambda) over nodes rises, where each row brings a gradient to G
and a curvature to H. Of all nodes that can be split the one with the largest gain is split next, until
there are enough leaves. Random numbers come from a hash of the seed, the node and the name of the
feature, so that a tree depends on its sample alone, and not on the order of features. Two kinds of
trees grow like that:

* *random* ones (extremely randomised trees): gradients are the labels, weighted so that both classes
  weigh the same; the gain is then that of the Gini impurity;
* *boosted* ones: gradients are those of the log loss of all trees before, whose sum is the log-odds.

A node is a feature that it asks, a threshold (a row goes left where its value is at most that), and the
first of its two children, 0 for a leaf. Node 0 is the root.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ...kernels.records import Floats, Integers

Singles = NDArray[np.float32]
Short = NDArray[np.int32]

MIX, ROUNDS = 0x2545F491, 3  # of the hash; products of 31 bits fit into 63
MASK = 2**31 - 1
NOTHING = 1e-6  # a gain, or what a node has of the other class, over H, that is rounding
DRAWS = 6  # rows that are looked at for thresholds


class Seedbed(NamedTuple):
    """What trees grow from, and scratch for one tree.

    ``keys`` stand for the names of features; ``rows`` is the sample, ``columns`` the same by features;
    ``gradient`` and ``curvature`` are those of each row. ``order`` lists rows, those of a node next to
    each other; ``begin`` and ``end`` are where the rows of a node stand, ``G`` and ``H`` are its sums,
    ``gain`` is what its best split gains, and ``heap`` lists nodes, that with the largest gain first.
    ``drawn`` are rows of a node, between which features are cut; ``cuts``, ``tried_gradient`` and
    ``tried_curvature`` are what is tried of each feature.
    """

    keys: Integers
    rows: Singles
    columns: Singles
    gradient: Singles
    curvature: Singles
    order: Short
    aside: Short
    drawn: Short
    cuts: Singles
    tried_gradient: Singles
    tried_curvature: Singles
    begin: Short
    end: Short
    G: Floats
    H: Floats
    gain: Floats
    heap: Short


def new_seedbed(sample: Singles, keys: Integers, nodes: int) -> Seedbed:
    """A seedbed for a sample, and for trees of so many nodes."""
    rows, d = sample.shape
    return Seedbed(
        keys=keys,
        rows=sample,
        columns=np.zeros((d, rows), np.float32),
        gradient=np.zeros(rows, np.float32),
        curvature=np.zeros(rows, np.float32),
        order=np.zeros(rows, np.int32),
        aside=np.zeros(rows, np.int32),
        drawn=np.zeros(DRAWS, np.int32),
        cuts=np.zeros(d, np.float32),
        tried_gradient=np.zeros(d, np.float32),
        tried_curvature=np.zeros(d, np.float32),
        begin=np.zeros(nodes, np.int32),
        end=np.zeros(nodes, np.int32),
        G=np.zeros(nodes),
        H=np.zeros(nodes),
        gain=np.zeros(nodes),
        heap=np.zeros(nodes + 1, np.int32),
    )


class Rules(NamedTuple):
    """How a tree grows: lambda, the least H of a leaf, and the seed."""

    penalty: float
    least: float
    seed: int


def name_key(name: object) -> int:
    """What stands for the name of a feature, so that its place among others does not matter."""
    return crc32(str(name).encode(errors="replace")) & MASK


def hashed(seed: int, a: int, b: int) -> float:
    """A number from 0 up to 1, other for other arguments."""
    x = (seed * 0x9E3779B1 + a * 0x85EBCA6B + b * 0x4265E2D3 + 0x27D4EB2F) & MASK
    for _ in range(ROUNDS):
        x ^= x >> 15
        x = (x * MIX) & MASK
        x ^= x >> 13
    return x / (MASK + 1.0)


def draw_cuts(bed: Seedbed, node: int, seed: int) -> None:
    """A threshold for each feature, between two values that it has in a node.

    They are those of rows drawn at random: a threshold between the extremes would follow outliers, and
    take a look at every row. A feature that is the same in all rows drawn is not cut.
    """
    begin, size, rows = bed.begin[node], bed.end[node] - bed.begin[node], bed.rows
    for k in range(DRAWS):
        bed.drawn[k] = bed.order[begin + int(hashed(seed, node, k) * size)]
    for j in range(bed.cuts.shape[0]):
        one = np.float64(rows[bed.drawn[0], j])
        other, k = one, 1
        while other == one and k < DRAWS:
            other = np.float64(rows[bed.drawn[k], j])
            k += 1
        bed.cuts[j] = -np.inf
        if other != one:
            low, high = min(one, other), max(one, other)
            cut = np.float32(low + hashed(seed + int(bed.keys[j]), node, DRAWS) * (high - low))
            bed.cuts[j] = cut if cut < high else low


def try_splits(bed: Seedbed, begin: int, end: int) -> None:
    """G and H of the rows of a node that each feature would send left at its cut."""
    rows, cuts = bed.rows, bed.cuts
    tried_gradient, tried_curvature = bed.tried_gradient, bed.tried_curvature
    nothing = np.float32(0.0)
    d = cuts.shape[0]
    for j in range(d):
        tried_gradient[j] = nothing
        tried_curvature[j] = nothing
    for k in range(begin, end):
        row = bed.order[k]
        gradient, curvature = bed.gradient[row], bed.curvature[row]
        for j in range(d):
            below = rows[row, j] <= cuts[j]
            tried_gradient[j] += gradient if below else nothing
            tried_curvature[j] += curvature if below else nothing


def gain_of(bed: Seedbed, node: int, left_G: float, left_H: float, rules: Rules) -> float:
    """What a split of a node gains; 0 where a side would be too light."""
    G, H = bed.G[node], bed.H[node]
    right_G, right_H = G - left_G, H - left_H
    least = max(rules.least, NOTHING * H)
    if left_H < least or right_H < least:
        return 0.0
    left = left_G * left_G / (left_H + rules.penalty)
    right = right_G * right_G / (right_H + rules.penalty)
    return left + right - G * G / (H + rules.penalty)  # type: ignore[no-any-return]


def consider(bed: Seedbed, feature: Short, threshold: Singles, node: int, rules: Rules) -> None:
    """Find the best split of a new node, one for each feature, if any gains; of equals, by the name."""
    G, H, best = bed.G[node], bed.H[node], 0.0
    bed.gain[node] = 0.0
    if bed.end[node] - bed.begin[node] < 2 or 2.0 * rules.least > H or H - abs(G) < NOTHING * H:
        return
    draw_cuts(bed, node, rules.seed)
    try_splits(bed, bed.begin[node], bed.end[node])
    for j in range(bed.cuts.shape[0]):
        tried_G, tried_H = np.float64(bed.tried_gradient[j]), np.float64(bed.tried_curvature[j])
        gain = gain_of(bed, node, tried_G, tried_H, rules)
        if gain > best or (0.0 < gain == best and bed.keys[j] < bed.keys[feature[node]]):
            best = gain
            feature[node] = j
            threshold[node] = bed.cuts[j]
    bed.gain[node] = best if best > NOTHING * H else 0.0


def part(bed: Seedbed, j: int, node: int, cut: float, left: int, right: int) -> None:
    """Make two new nodes of the rows of a node: those that go left, and those that go right."""
    column, order, aside = bed.columns[j], bed.order, bed.aside
    begin, end, middle, others, G, H = bed.begin[node], bed.end[node], bed.begin[node], 0, 0.0, 0.0
    for k in range(begin, end):
        row = order[k]
        goes_left = 1 if column[row] <= cut else 0
        aside[others] = row
        order[middle] = row
        G += goes_left * np.float64(bed.gradient[row])
        H += goes_left * np.float64(bed.curvature[row])
        middle += goes_left
        others += 1 - goes_left
    for k in range(others):
        order[middle + k] = aside[k]
    place_node(bed, left, begin, middle, G, H)
    place_node(bed, right, middle, end, bed.G[node] - G, bed.H[node] - H)


def push(heap: Short, gain: Floats, size: int, node: int) -> None:
    """Put a node into the heap, which had ``size``."""
    at = size
    while at > 0 and gain[heap[(at - 1) // 2]] < gain[node]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = node


def pop(heap: Short, gain: Floats, size: int) -> int:
    """Take the node with the largest gain out of the heap, which had ``size``."""
    first = heap[0]
    last = heap[size - 1]
    at, below = 0, 1
    while below < size - 1:
        if below + 1 < size - 1 and gain[heap[below + 1]] > gain[heap[below]]:
            below += 1
        if gain[heap[below]] <= gain[last]:
            break
        heap[at] = heap[below]
        at, below = below, 2 * below + 1
    heap[at] = last
    return int(first)


def place_node(bed: Seedbed, node: int, begin: int, end: int, G: float, H: float) -> None:
    """Note the rows of a new node, and their sums."""
    bed.begin[node], bed.end[node], bed.G[node], bed.H[node] = begin, end, G, H


def plant(bed: Seedbed) -> None:
    """Make a root of all rows."""
    rows = bed.order.shape[0]
    G = H = 0.0
    for k in range(rows):
        bed.order[k] = k
        G += np.float64(bed.gradient[k])
        H += np.float64(bed.curvature[k])
    place_node(bed, 0, 0, rows, G, H)


def grow_tree(bed: Seedbed, feature: Short, threshold: Singles, child: Short, rules: Rules) -> int:
    """Grow one tree of up to as many nodes as its arrays hold; returns how many it has."""
    plant(bed)
    nodes, waiting, new = 1, 0, 0
    while True:
        for node in range(new, nodes):
            child[node] = 0
            consider(bed, feature, threshold, node, rules)
            if bed.gain[node] > 0.0:
                push(bed.heap, bed.gain, waiting, node)
                waiting += 1
        if waiting == 0 or nodes + 2 > feature.shape[0]:
            return nodes
        node = pop(bed.heap, bed.gain, waiting)
        waiting -= 1
        child[node] = nodes
        part(bed, feature[node], node, threshold[node], nodes, nodes + 1)
        new, nodes = nodes, nodes + 2


def leaf_of(feature: Short, threshold: Singles, child: Short, root: int, row: Singles) -> int:
    """The leaf that a row falls into, in the tree that begins at ``root``."""
    node = root
    while child[node] > 0:
        below = 0 if row[feature[node]] <= threshold[node] else 1
        node = root + child[node] + below
    return node
