"""Views: how a row is written for the members that learn it.

Each file is one view, with the same functions: ``write`` a row, ``score`` it, ``learn`` it, ``forget``
what was sure, and in Python the ``arrays`` of a new portfolio and their ``size``. Its `Family` says
which members learn it. They are put together here: ``last`` is the number of members that take part at
the width of the row. A feature that is absent is 0 in all of them.
"""

from __future__ import annotations

from ..layout import Portfolio
from . import fourier, leaves, linear, splines
from .fourier import forget as forget_fourier
from .fourier import learn as learn_fourier
from .fourier import score as score_fourier
from .leaves import forget as forget_leaves
from .leaves import learn as learn_leaves
from .leaves import score as score_leaves
from .splines import forget as forget_splines
from .splines import learn as learn_splines
from .splines import score as score_splines

FAMILIES = (linear.FAMILY, splines.FAMILY, fourier.FAMILY, leaves.FAMILY)
VIEWS = tuple(family.name for family in FAMILIES)
KINDS = {kind: place for family in FAMILIES for kind, place in family.kinds.items()}


def score_views(model: Portfolio, d: int, last: int) -> None:
    """The scores of the members of all views but the linear one."""
    score_splines(model, d, last)
    score_leaves(model, d, last)
    score_fourier(model, d, last)


def learn_views(model: Portfolio, d: int, last: int, y: float, r: float) -> None:
    """Let them learn the row, as it was scored: without new features."""
    learn_splines(model, d, last, y, r)
    learn_leaves(model, d, last, y, r)
    learn_fourier(model, d, last, y, r)


def forget_views(model: Portfolio, d: int) -> None:
    """Let them be as unsure as at first, so that they can learn what has changed."""
    forget_splines(model, d)
    forget_leaves(model, d)
    forget_fourier(model, d)
