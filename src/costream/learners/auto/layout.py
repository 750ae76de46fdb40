"""The record of a portfolio, and what stands where in its arrays.

Members stand in the order of the width up to which they take part, the widest first. Which members
there are, and the numbers that views need, is data: `composition` makes ``plan`` and ``settings`` of
it, and compiled code reads them there.
"""

from __future__ import annotations

from typing import NamedTuple

from ...kernels.hinge import Hinge
from ...kernels.records import Floats, Integers, Slots
from .trees import Short, Singles

# The rows of ``plan``: of each member the unit that it is paused with, the slots up to which it takes
# part, its kind, and its scale as the bits of a float; then the numbers of the portfolio.
UNIT, WIDEST, KIND, SCALE, NUMBERS = range(5)

# The numbers: the revision, the slots up to which rows are written whole, where the members of each
# kind begin (after all of them where there are none), the numbers of views, and the log-odds before
# there are labels of both classes, in billionths.
REVISION, WHOLE_WIDEST = 0, 1
SPARSE, DENSE, FULL, SPLINES, LEAVES, FOURIER = range(2, 8)
KNOTS, FEATURES, BOOSTED_TREES, RANDOM_TREES, BOOSTED_LEAVES, RANDOM_LEAVES = range(8, 14)
PRIOR_ODDS = 14
PLACES = 15
NO_PRIOR = 2**62

# After the costs of the members, counted from the end: those of the constant policies, how many rows
# were positive and negative, what their class costs add up to, and how many rows count in means.
ALWAYS, NEVER, POSITIVES, NEGATIVES, POSITIVE_CLASS_COST, NEGATIVE_CLASS_COST, COUNT = range(-7, 0)
AFTER_MEMBERS = 7

# The rows of ``settings``, ``stats``, ``rows``, ``slots``, ``work`` and ``pauses``.
GAMMA, ETA, WANTS_SCALED = 0, 1, 2
SQUARE, SEEN, MEAN, SQUARED_DEVIATIONS = 0, 1, 2, 3
SCALED, RAW, WHOLE, STANDARDISED, SX = 0, 1, 2, 3, 4
ENTRIES, ALL = 0, 1
SCORES, STEP, WEIGHT, INPUTS, PRODUCTS, NOW, PAUSED = 0, 1, 2, 3, 4, 6, 7  # PRODUCTS has two rows
UNTIL, LENGTH = 0, 1

# What the clock has: rows learnt, the leader and since when, slots in use, the best member, the rows
# at which trees begin to grow and are taken over, at which those that are growing began, and how often
# they have grown.
ROWS, LEADER, SINCE, SLOTS, BEST, GROW_AT, TAKE_AT, BEGAN, GROWN = range(9)
TIMES = 9
NO_ROW = 2**62

# What is known of the row at hand: the places in the row ``NOW`` of ``work``. ``PAUSED``, who is
# paused, stays as it is until row ``UNCHANGED_UNTIL``.
LOG_ODDS, MARGIN, ACTIVE, UNCHANGED_UNTIL = range(4)
FACTS = 4

# How far the row at hand is written for views that several portfolios share: the number of its spline
# entries, 0 before, and whether there are its Fourier features.
SPLINE_ENTRIES, FOURIER_WRITTEN = range(2)
NOTES = 2


# Of the arrays of trees and of their sample, those whose length is that of the composition.
FIXED_OF_TREES = ("root", "next_root", "leaf")


class Portfolio(NamedTuple):
    """Views, the members that learn them, and the stacker; this module defines what stands where.

    ``mean`` and ``Sigma`` are those of the full members, ``mu`` and ``variance`` of the lanes of scaled
    and raw rows; the views that follow have theirs under their own names. The trees of the leaves are
    ``feature``, ``threshold`` and ``child`` of each node, those that are growing ``next_...``;
    ``sample`` are the rows that they grow on. ``stats`` is what is known of each feature, ``settings``
    and ``plan`` of each member; ``costs`` are those of their mistakes. ``stacker`` are the weights of
    the members, ``stacker_root`` is the root of their covariance, ``spread`` the mean size of their
    scores, ``pauses`` who is paused until when. All else is scratch for one row, ``directions`` and
    ``keys`` aside, which follow from the names of the features.
    """

    mean: Floats
    Sigma: Floats
    mu: Floats
    variance: Floats
    standardised_mu: Floats
    standardised_variance: Floats
    splines_mu: Floats
    splines_variance: Floats
    fourier_mean: Floats
    fourier_covariance: Floats
    leaves_mu: Floats
    leaves_variance: Floats
    leaves_value: Floats
    feature: Short
    threshold: Singles
    child: Short
    root: Integers
    next_mu: Floats
    next_variance: Floats
    next_value: Floats
    next_feature: Short
    next_threshold: Singles
    next_child: Short
    next_root: Integers
    sample: Singles
    sample_label: Short
    stats: Floats
    settings: Floats
    plan: Integers
    costs: Floats
    stacker: Floats
    stacker_root: Floats
    spread: Floats
    pauses: Integers
    clock: Integers
    directions: Floats
    keys: Integers
    rows: Floats
    slots: Slots
    spline_slots: Slots
    spline_values: Floats
    fourier: Floats
    single: Singles
    leaf: Short
    work: Floats
    notes: Integers
    hinge: Hinge
    keep: float
    period: float
