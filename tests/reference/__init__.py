"""The paper in dense NumPy, line by line: the oracle of the test suite.

Every learner of "Adaptive Cost-Sensitive Online Classification" (Zhao et al., TKDE
2019), its rivals, and CAROW and its portfolio (docs/default.md), written to be read beside
the paper: slow, obvious, and independent of the compiled code that is tested against it.
"Alg. 2, line 5" below means that line of the paper.

Symbols: x is a row (dense, already normalised), y its label in {-1.0, +1.0}, p = mu.x
its score, v = x' Sigma x its variance, r > 0 its cost. Where a learner knows rho, r is
the class's rho times the weight of the row. Where it does not (`knows_rho` is False),
r is only the weight and scales the step of mu. sign(0) = +1; a loss is suffered where
it is > 0.

A file here is the oracle of the file of that name in ``costream.learners``; all are imported.
"""

from importlib import import_module
from pkgutil import iter_modules

from .base import LEARNERS, known, laplace, loss_i, loss_ii, make, normalise, run, sign

__all__ = [
    "LEARNERS",
    "known",
    "laplace",
    "loss_i",
    "loss_ii",
    "make",
    "normalise",
    "run",
    "sign",
]

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)
