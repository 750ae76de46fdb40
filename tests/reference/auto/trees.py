"""Trees in plain Python: a slow grower from the docstrings of `costream.learners.auto.trees`.

Sums run over the rows of a node in their order, those that are tried in single precision, as they do
there: nodes of equal gain are common, and rounding decides which of them is split first.
"""

from dataclasses import dataclass

import numpy as np

from costream.learners.auto import trees

from .views import hashed


@dataclass
class Node:
    """Some rows in order, the sums of their gradients and curvatures, and the best split."""

    number: int
    rows: list
    G: float
    H: float
    gain: float = 0.0
    feature: int = 0
    cut: float = 0.0
    children: tuple = ()


class Heap:
    """Nodes, the largest gain first: parents are never smaller than their children."""

    def __init__(self):
        self.nodes = []

    def push(self, node):
        self.nodes.append(node)
        at = len(self.nodes) - 1
        while at and self.nodes[(at - 1) // 2].gain < self.nodes[at].gain:
            self.swap(at, (at - 1) // 2)
            at = (at - 1) // 2

    def pop(self):
        self.swap(0, -1)
        first, at = self.nodes.pop(), 0
        while children := self.nodes[2 * at + 1 : 2 * at + 3]:
            larger = max(children, key=lambda node: node.gain)  # the left one of equals
            if larger.gain <= self.nodes[at].gain:
                break
            below = 2 * at + 1 + (larger is not children[0])
            self.swap(at, below)
            at = below
        return first

    def swap(self, a, b):
        self.nodes[a], self.nodes[b] = self.nodes[b], self.nodes[a]


class Tree:
    """One tree on float32 rows; gradients and curvatures as given, up to so many nodes.

    ``keys`` stand for the names of the features.
    """

    def __init__(self, X, gradient, curvature, rules, most, keys):
        self.X, self.rules, self.keys = X, rules, [int(key) for key in keys]
        self.g, self.h = np.asarray(gradient, np.float32), np.asarray(curvature, np.float32)
        rows = list(range(len(X)))
        self.nodes, heap = [], Heap()
        self.place(heap, rows, *self.sums(rows))
        while heap.nodes and len(self.nodes) + 2 <= most:
            node = heap.pop()
            goes_left = X[node.rows, node.feature] <= np.float32(node.cut)
            below = [row for row, left in zip(node.rows, goes_left, strict=True) if left]
            above = [row for row, left in zip(node.rows, goes_left, strict=True) if not left]
            node.children = (len(self.nodes), len(self.nodes) + 1)
            G, H = self.sums(below)
            self.place(heap, below, G, H)
            self.place(heap, above, node.G - G, node.H - H)

    def sums(self, rows):
        G = H = 0.0
        for row in rows:
            G, H = G + float(self.g[row]), H + float(self.h[row])
        return G, H

    def place(self, heap, rows, G, H):
        node = Node(len(self.nodes), rows, G, H)
        self.nodes.append(node)
        mixed = H - abs(G) >= trees.NOTHING * H
        if len(rows) >= 2 and 2 * self.rules.least <= H and mixed:
            self.split(node)
        if node.gain > 0:
            heap.push(node)

    def split(self, node):
        """The best of one split for each feature, if it gains at all; of equals the smallest key."""
        found = []
        drawn = [hashed(self.rules.seed, node.number, k) for k in range(trees.DRAWS)]
        drawn = [node.rows[int(u * len(node.rows))] for u in drawn]
        for feature in range(self.X.shape[1]):
            cut = self.cut(node, feature, [float(self.X[row, feature]) for row in drawn])
            if cut is not None:
                gain = self.gain(node, *self.tried(node, feature, cut))
                found.append((gain, -self.keys[feature], feature, cut))
        if found:
            gain, _, feature, cut = max(found)
            if gain > trees.NOTHING * node.H:
                node.gain, node.feature, node.cut = gain, feature, cut

    def tried(self, node, feature, cut):
        """Sums over the rows that would go left, in single precision."""
        rows = [row for row in node.rows if self.X[row, feature] <= np.float32(cut)]
        return [
            float(np.add.accumulate(np.append(np.float32(0), one[rows]))[-1])
            for one in (self.g, self.h)
        ]

    def gain(self, node, G, H):
        """The rise of the sum of G^2/(H + lambda) over nodes."""
        least, penalty = max(self.rules.least, trees.NOTHING * node.H), self.rules.penalty
        if least > H or least > node.H - H:
            return 0.0
        left, right = G * G / (H + penalty), (node.G - G) * (node.G - G) / (node.H - H + penalty)
        return left + right - node.G * node.G / (node.H + penalty)

    def cut(self, node, j, values):
        """Between the first of some values and the first that differs; None where none does."""
        other = next((value for value in values if value != values[0]), None)
        if other is None:
            return None
        low, high = sorted((values[0], other))
        u = hashed(self.rules.seed + self.keys[j], node.number, trees.DRAWS)
        cut = float(np.float32(low + u * (high - low)))
        return cut if cut < high else low

    @property
    def leaves(self):
        return [node for node in self.nodes if not node.children]

    def leaf(self, x):
        """The number of the leaf that a row falls into."""
        node = self.nodes[0]
        while node.children:
            below = np.float32(x[node.feature]) <= np.float32(node.cut)
            node = self.nodes[node.children[0 if below else 1]]
        return node.number
