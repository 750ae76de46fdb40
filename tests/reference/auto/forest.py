"""The sample, the trees that grow on it, and CAROW over their leaves."""

import numpy as np

from costream.learners.auto import layout
from costream.learners.auto.composition import plan_of
from costream.learners.auto.members import CURRENT
from costream.learners.auto.trees import Rules
from costream.learners.auto.views import leaves
from helpers import places

from .trees import Tree
from .views import hashed

NUMBERS = plan_of(CURRENT)[layout.NUMBERS]


class Sample:
    """A reservoir of rows; with a half-life, one that favours recent rows."""

    def __init__(self, size, half_life=None):
        self.size, self.life = size, (half_life or 0) * leaves.LIFETIME
        self.rows, self.labels, self.seen = [], [], 0

    def add(self, x, positive):
        self.seen += 1
        one = np.append(0.0, np.clip(x, -leaves.LARGEST_SINGLE, leaves.LARGEST_SINGLE))
        place = self.place()
        if place == len(self.rows):
            self.rows.append(None)
            self.labels.append(None)
        if place is not None:
            self.rows[place], self.labels[place] = one.astype(np.float32), int(positive)

    def place(self):
        if self.seen <= self.size:
            return self.seen - 1
        chance = hashed(leaves.SEED, self.seen, 1)
        if 0 < self.life <= self.seen:  # stays for ``life`` rows on average
            taken = chance < self.size / self.life
            return int(hashed(leaves.SEED, self.seen, 2) * self.size) if taken else None
        place = int(chance * self.seen)
        return place if place < self.size else None


class Leaves:
    """CAROW with a diagonal covariance; a row is the leaf of each tree, 1/sqrt(trees) each."""

    def __init__(self, trees):
        self.trees = trees
        self.mu = [np.zeros(len(tree.nodes)) for tree in trees]
        self.forget()

    def forget(self):
        self.variance = [np.ones(len(tree.nodes)) for tree in self.trees]

    def places(self, x):
        return [(t, tree.leaf(x)) for t, tree in enumerate(self.trees)]

    def score(self, x):
        return sum(self.mu[t][leaf] for t, leaf in self.places(x)) / np.sqrt(len(self.trees))

    def update(self, x, y, r, score):
        loss, value = 1 - y * score, 1 / np.sqrt(len(self.trees))
        if loss > 0:
            found = self.places(x)
            v = sum(self.variance[t][leaf] for t, leaf in found) * value**2
            beta = 1 / (v + places.GAMMA / r)
            for t, leaf in found:
                self.mu[t][leaf] += loss * beta * y * value * self.variance[t][leaf]
                self.variance[t][leaf] = 1 / (1 / self.variance[t][leaf] + r * value**2 / places.GAMMA)


class Forest:
    """Boosted and random trees of a sample, and what their leaves have learnt of it.

    ``weights`` is what a row of each class counts.
    """

    def __init__(self, X, labels, positive_cost, seed, keys, weights=(1.0, 1.0)):
        self.keys, self.weight = keys, np.array(weights)[np.array(labels)]
        self.X, self.labels, self.seed = np.asarray(X, np.float32), np.array(labels), seed
        self.values = []
        self.kinds = [Leaves(self.boosted()), Leaves(self.random())]
        for x, label, weight in zip(self.X, self.labels, self.weight, strict=True):
            y, r = (1.0, positive_cost) if label else (-1.0, 1.0)
            for kind in self.kinds:
                kind.update(x, y, r * weight, kind.score(x))

    def boosted(self):
        """Newton steps of the log loss, from the log-odds of the sample on."""
        n = len(self.X)
        rate, odds, trees = (self.labels * self.weight).mean(), np.zeros(n), []
        penalty = leaves.PENALTY + leaves.SAMPLE_PENALTY / n
        for k in range(places.BOOSTED_TREES):
            e = np.exp(np.clip(odds, -leaves.LARGEST_ODDS, leaves.LARGEST_ODDS))
            q = rate * e / (1 - rate + rate * e)
            rules = Rules(penalty, 1.0, self.seed + k)
            tree = self.tree((self.labels - q) * self.weight, q * (1 - q) * self.weight, rules, 0)
            steps = {leaf.number: leaves.RATE * leaf.G / (leaf.H + penalty) for leaf in tree.leaves}
            for leaf in tree.leaves:
                odds[leaf.rows] += steps[leaf.number]
            self.values.append(steps)
            trees.append(tree)
        return trees

    def random(self):
        """Labels as gradients, each class as heavy as the other."""
        weight = (len(self.X) - self.labels.sum()) / self.labels.sum()
        h = np.where(self.labels == 1, weight, 1.0)
        g = np.where(self.labels == 1, weight, -1.0)
        return [
            self.tree(g, h, Rules(0.0, 0.0, self.seed + k), 1)
            for k in range(places.BOOSTED_TREES, places.TREES)
        ]

    def tree(self, g, h, rules, kind):
        return Tree(self.X, g, h, rules, leaves.nodes_of(NUMBERS, kind, len(self.X)), self.keys)

    def scores(self, x):
        """Of the leaves of boosted trees, of those of random ones, and half the boosted log-odds."""
        x = np.append(0.0, np.clip(x, -leaves.LARGEST_SINGLE, leaves.LARGEST_SINGLE))
        steps = zip(self.values, self.kinds[0].places(x), strict=True)
        boosted = sum(values[leaf] for values, (_, leaf) in steps) / 2
        return [*(kind.score(x) for kind in self.kinds), boosted]

    def update(self, x, y, r, scores):
        x = np.append(0.0, np.clip(x, -leaves.LARGEST_SINGLE, leaves.LARGEST_SINGLE))
        for kind, score in zip(self.kinds, scores, strict=False):
            kind.update(x, y, r, score)
