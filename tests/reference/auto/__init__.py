"""The default in dense NumPy: the oracle of `auto`.

One portfolio, or several and their mixture where that is what new models are made of.
"""

from costream.learners.auto import members
from costream.learners.auto.views import VIEWS

from ..base import oracle
from .mixture import Mixture
from .portfolio import Portfolio


@oracle("auto")
def auto(d, half_life=None, views=VIEWS, names=None):
    """The oracle for these settings, and for what new models are made of."""
    if half_life is None and members.CURRENT.portfolios:
        return Mixture(d, views, names)
    return Portfolio(d, half_life, views, names)
