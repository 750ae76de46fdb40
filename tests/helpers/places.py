"""Where the members of a new portfolio stand, how many of each kind, and how wide rows may be."""

from costream.learners.auto import layout
from costream.learners.auto.members import CURRENT, TEAM

SPARSE, DENSE, SPLINES, LEAVES, FULL, FOURIER = (
    CURRENT.begin(place)
    for place in (
        *(layout.SPARSE, layout.DENSE, layout.SPLINES),
        *(layout.LEAVES, layout.FULL, layout.FOURIER),
    )
)
BOOSTED = LEAVES + 2
MEMBERS = len(TEAM)
SPARSE_LANES, DENSE_LANES, SPLINE_LANES, FULL_MEMBERS = (
    len(CURRENT.of(place)) for place in (layout.SPARSE, layout.DENSE, layout.SPLINES, layout.FULL)
)
DENSE_WIDEST, FULL_WIDEST, NARROWEST = (TEAM[k].widest for k in (DENSE, FULL, FOURIER))
NARROW_FULL = next(k for k, one in enumerate(TEAM) if one.widest == NARROWEST)
UNIT = tuple(CURRENT.units())
UNITS = max(UNIT) + 1
KNOTS, FEATURES = CURRENT.numbers["knots"], CURRENT.numbers["features"]
SCALES = tuple(one.scale for one in CURRENT.of(layout.FOURIER))
BOOSTED_TREES, RANDOM_TREES = CURRENT.numbers["boosted_trees"], CURRENT.numbers["random_trees"]
TREES = BOOSTED_TREES + RANDOM_TREES
FIRST_TREE = (0, BOOSTED_TREES, TREES)
GAMMA = TEAM[LEAVES].gamma  # of leaves
