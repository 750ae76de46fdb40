"""What stands where in the arrays of a portfolio.

Members stand in the order of the width up to which they take part: sparse lanes for any width; dense
lanes, hats and leaves; full members; narrow full members and waves.
"""

from __future__ import annotations

# Where the members of each kind begin, and how many there are.
SPARSE, DENSE, HATS, LEAVES, BOOSTED, FULL, NARROW_FULL, WAVES = 0, 8, 14, 16, 18, 19, 22, 24
MEMBERS = 27
SPARSE_LANES, DENSE_LANES, HAT_LANES, FULL_MEMBERS = 8, 6, 2, 5
# Slots up to which members take part: dense lanes, hats and leaves; full members; all of them.
DENSE_WIDEST, FULL_WIDEST, NARROWEST = 512, 320, 64

# Members of one unit rest together: the unit of each.
UNIT = (*(0,) * SPARSE_LANES, *(1,) * DENSE_LANES, 2, 2, 3, 4, 3, 5, 6, 7, 8, 9, 10, 11, 12)
UNITS = 13

# After the costs of the members stand those of the constant policies, how many rows were positive and
# negative, what they would have cost at flat costs, and how many rows count in means and deviations.
ALWAYS, NEVER, POSITIVES, NEGATIVES, POSITIVE_FLAT, NEGATIVE_FLAT, COUNT = (
    MEMBERS + k for k in range(7)
)
COSTS = MEMBERS + 7

# The rows of ``settings``, ``stats``, ``rows``, ``slots``, ``work`` and ``rests``.
GAMMA, ETA, WANTS_SCALED = 0, 1, 2
SQUARE, SEEN, MEAN, SQUARED_DEVIATIONS = 0, 1, 2, 3
SCALED, RAW, WHOLE, STANDARDISED, SX = 0, 1, 2, 3, 4
ENTRIES, ALL = 0, 1
SCORES, STEP, WEIGHT, SEATS, PRODUCTS = 0, 1, 2, 3, 4  # PRODUCTS has two rows
UNTIL, LENGTH = 0, 1

# What the clock tells: rows learnt, the leader and since when, slots in use, the best member, the rows
# at which trees begin to grow and are taken over, at which those that are growing began, and how often
# they have grown.
ROWS, LEADER, SINCE, SLOTS, BEST, GROW_AT, TAKE_AT, BEGAN, GROWN = range(9)
TIMES = 9
NO_ROW = 2**62

# What is known of the row at hand.
LOG_ODDS, MARGIN, HAT_ENTRIES = 0, 1, 2
FACTS = 3
