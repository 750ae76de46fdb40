"""The views of a row in dense NumPy, and the hash that random numbers come from."""

from binascii import crc32

import numpy as np

from costream.learners.auto import rows as row_rules
from costream.learners.auto import trees
from costream.learners.auto.views import fourier as fourier_view
from costream.learners.auto.views import splines as splines_view
from helpers import places

from ..base import normalise


def hashed(seed, a, b):
    """A number in [0, 1) out of three whole numbers: a multiply-xorshift hash of 31 bits."""
    bits = trees.MASK + 1
    x = (seed * 0x9E3779B1 + a * 0x85EBCA6B + b * 0x4265E2D3 + 0x27D4EB2F) % bits
    for _ in range(trees.ROUNDS):
        x = x ^ (x // 2**15)
        x = x * trees.MIX % bits
        x = x ^ (x // 2**13)
    return x / bits


class Past:
    """All rows that were learnt, what each still counts, and what they tell about features."""

    def __init__(self, d):
        self.rows, self.counts = np.zeros((0, d)), np.zeros(0)

    def add(self, x):
        self.rows, self.counts = np.vstack([self.rows, x]), np.append(self.counts, 1.0)

    def halve(self):
        self.counts = self.counts / 2

    @property
    def seen(self):
        """Which features were in a row."""
        return self.rows.any(axis=0)

    def size(self, x, learning):
        """The root of the mean square of each feature of x; 0 for one that is to be left out."""
        had = self.counts @ (self.rows != 0)
        known = np.sqrt(self.counts @ self.rows**2 / np.where(had > 0, had, 1.0))
        fits = (known > row_rules.SMALLEST) & (known < row_rules.LARGEST)
        fits &= np.abs(x) / np.where(fits, known, 1.0) < row_rules.LARGEST
        own = np.where(learning | (had > 0), np.abs(x), 0.0)
        return np.where(fits, known, own)

    def raw(self, x, learning=False):
        return normalise(np.where(self.size(x, learning) > 0, x, 0.0)[None])[0]

    def scaled(self, x, learning=False):
        size = self.size(x, learning)
        return normalise(np.where(size > 0, x / np.where(size > 0, size, 1.0), 0.0)[None])[0]

    def deviations(self, x):
        """How many deviations each feature is from its mean; 0 where it has not varied."""
        if len(self.rows) == 0:
            return np.zeros(len(x))
        whole = max(self.counts.sum(), 1.0)
        mean = np.average(self.rows, axis=0, weights=self.counts)
        deviation = np.sqrt(self.counts @ (self.rows - mean) ** 2 / whole)
        varied = self.rows.min(axis=0) < self.rows.max(axis=0)
        away = (x - mean) / np.where(varied, deviation, 1.0)
        return np.where(varied, np.clip(away, -row_rules.FARTHEST, row_rules.FARTHEST), 0.0)

    def standardised(self, x, learning=False):
        """The same over the root of the number of features; new ones are 0, learnt or not."""
        return self.deviations(x) / np.sqrt(max(self.seen.sum(), 1))

    def splines(self, x, learning=False):
        """The weights of all knots of each feature that was seen, over the root of their number."""
        knots = np.linspace(-splines_view.FARTHEST, splines_view.FARTHEST, places.KNOTS)
        away = np.clip(self.deviations(x), knots[0], knots[-1])
        apart = np.abs(away[:, None] - knots) / (knots[1] - knots[0])
        weights = np.maximum(1 - apart, 0.0) * self.seen[:, None]
        return weights.ravel() / np.sqrt(max(self.seen.sum(), 1))


def key_of(name):
    """A number of 31 bits that stands for the name of a feature."""
    return crc32(str(name).encode(errors="replace")) % 2**31


def normal_numbers(name):
    """A normal number for each Fourier feature, by Box and Muller, out of the name of a feature."""
    key, found = key_of(name), []
    for k in range(len(places.SCALES) * places.FEATURES):
        radius, angle = (hashed(key, fourier_view.SEED, 2 * k + part) for part in range(2))
        found.append(np.sqrt(-2 * np.log(1 - radius)) * np.cos(2 * np.pi * angle))
    return np.array(found)


class Fourier:
    """cos(W z + b) of standardised rows, for features of these names."""

    def __init__(self, names):
        scales = np.repeat(places.SCALES, places.FEATURES)
        self.W = np.array([normal_numbers(name) * scales for name in names]).T
        self.b = [2 * np.pi * hashed(fourier_view.SEED, k, 0) for k in range(len(scales))]

    def of(self, z):
        """The features of each scale."""
        found = np.cos(self.W @ z + self.b) * np.sqrt(2 / places.FEATURES)
        return found.reshape(len(places.SCALES), -1)
