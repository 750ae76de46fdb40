"""How far probabilities are from what happens.

Rows are put into bins by their probability: 15 of equal width, as is the custom (Guo et al. 2017), each
with its upper end. The expected calibration error is the difference between the mean probability and
the part of positives in a bin, averaged over all rows. It never sees what happens within a bin, it is
above 0 by chance even where every probability is true, and it is 0 for a forecast that always gives the
base rate. So beside it stand what chance alone makes of it, and the Brier score, the mean squared error
of the probabilities, which is lowest for the true probabilities and falls as the model separates
the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Bools, Floats
from ..datasets.dataset import Dataset
from ..errors import CostreamError
from ..kernels.elementary import sigmoid
from ..model.classifier import OnlineClassifier
from ..tables.arrays import as_numbers
from .runs import learn_dataset

BINS = 15


@dataclass(frozen=True)
class Reliability:
    """What was forecast and what happened in each bin, and the squared errors of all rows."""

    rows: list[int]
    positives: list[int]
    expected: list[float]  # positives: the sum of the probabilities
    variance: list[float]  # of the positives, were all probabilities true
    squares: float

    @classmethod
    def of(cls, probabilities: ArrayLike, positive: ArrayLike, bins: int = BINS) -> Reliability:
        """Compare the probability that each row is positive with which rows are."""
        proba, truth = _checked(probabilities, positive, bins)
        place = np.searchsorted(np.linspace(0.0, 1.0, bins + 1)[1:-1], proba)

        def summed(values: Floats) -> list[float]:
            return [float(one) for one in np.bincount(place, values, minlength=bins)]

        return cls(
            np.bincount(place, minlength=bins).tolist(),
            np.bincount(place[truth], minlength=bins).tolist(),
            summed(proba),
            summed(proba * (1.0 - proba)),
            float(np.square(proba - truth).sum()),
        )

    @property
    def error(self) -> float:
        pairs = zip(self.expected, self.positives, strict=True)
        return math.fsum(abs(expected - seen) for expected, seen in pairs) / sum(self.rows)

    @property
    def chance(self) -> float:
        """About the error that is to be expected of these probabilities where they are all true.

        In a bin of many rows the positives are then normal, and sqrt(2/pi) deviations off on average.
        """
        spread = math.fsum(map(math.sqrt, self.variance))
        return math.sqrt(2.0 / math.pi) * spread / sum(self.rows)

    @property
    def brier(self) -> float:
        return self.squares / sum(self.rows)

    @property
    def base_brier(self) -> float:
        """The Brier score of a forecast that knows the part of positives, and nothing else."""
        rate = sum(self.positives) / sum(self.rows)
        return rate * (1.0 - rate)


def expected_calibration_error(y_true: ArrayLike, proba: ArrayLike, n_bins: int = BINS) -> float:
    """Compute how far probabilities are from the fraction of positives, on average.

    Rows are put into bins of equal width by their probability; a bin includes its upper end. The error
    is the difference between the mean probability and the fraction of positives in a bin, averaged
    over all rows.

    Parameters
    ----------
    y_true : array-like of bool or of 0 and 1, of shape (n_rows,)
        Which rows are positive.
    proba : float or array-like of shape (n_rows,)
        The probability that each row is positive.
    n_bins : int, default=15
        The number of bins.

    Returns
    -------
    float
        The error, between 0 and 1.

    Raises
    ------
    CostreamError
        If there are no rows, or a probability is not between 0 and 1.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", ICML, 2017.

    Examples
    --------
    >>> from costream.metrics import expected_calibration_error
    >>> y_true = [1, 0, 0, 0]
    >>> expected_calibration_error(y_true, [0.75, 0.875, 0.125, 0.25], n_bins=2)
    0.25
    """
    truth = np.asarray(y_true)
    if truth.dtype.kind in "iuf" and np.isin(truth, (0, 1)).all():
        truth = truth == 1
    return Reliability.of(proba, truth, n_bins).error


def _checked(probabilities: ArrayLike, positive: ArrayLike, bins: int) -> tuple[Floats, Bools]:
    truth = np.asarray(positive)
    if truth.ndim != 1 or truth.dtype != np.bool_ or not len(truth):
        raise CostreamError("positive must be True or False for each row, with at least one row")
    proba = as_numbers("probabilities", probabilities, len(truth))
    if proba is None or proba.max() > 1.0:
        raise CostreamError("probabilities must be between 0 and 1")
    if not isinstance(bins, int | np.integer) or isinstance(bins, bool) or bins < 1:
        raise CostreamError(f"n_bins must be a whole number, at least 1, not {bins!r}")
    return proba, truth


# --- the probabilities of a pass --------------------------------------------------------------------


def prequential_proba(model: OnlineClassifier, data: Dataset) -> tuple[Floats, Floats]:
    """Let ``"auto"`` learn a data set; the score and the probability of each row before that."""
    log_odds = np.empty(len(data))
    scores = learn_dataset(model, data, log_odds)
    return scores, sigmoid(log_odds)
