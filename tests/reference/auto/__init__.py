"""The default in dense NumPy: the oracle of `auto`.

Several portfolios and their mixture, or one portfolio where a half-life was chosen.
"""

from costream.learners.auto.views import VIEWS

from ..base import oracle
from .mixture import Mixture
from .portfolio import Portfolio


@oracle("auto")
def auto(d, half_life=None, views=VIEWS, names=None):
    """The oracle for these settings."""
    if half_life is None:
        return Mixture(d, views, names)
    return Portfolio(d, half_life, views, names)
