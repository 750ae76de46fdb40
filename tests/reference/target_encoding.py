"""The target encoding of each value, by the formula, in dicts."""

from collections import defaultdict
from math import log


class TargetEncodingOracle:
    """A value's share of positives has ``doubt`` rows at the share of all rows in it."""

    def __init__(self, doubt=20.0):
        self.doubt = doubt
        self.rows, self.positive = 0.0, 0.0
        self.seen, self.hits = defaultdict(float), defaultdict(float)

    def value(self, slot):
        if slot < 0 or slot not in self.seen:
            return 0.0
        p = (self.positive + 0.5) / (self.rows + 1.0)
        r = (self.hits[slot] + self.doubt * p) / (self.seen[slot] + self.doubt)
        return log(r / (1.0 - r)) - log(p / (1.0 - p))

    def learn(self, slots, positive, weight):
        if weight == 0:
            return
        self.rows += weight
        self.positive += weight * positive
        for slot in slots:
            if slot >= 0:
                self.seen[slot] += weight
                self.hits[slot] += weight * positive
