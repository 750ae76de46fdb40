"""The made-up card payments: the same for a seed and on every platform, and worth learning."""

import zlib

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import Cost, OnlineClassifier
from costream.costs.tally import Costs, Tally
from costream.datasets.payments import card_payments
from helpers.streams import JIT_OFF

PAYMENTS = card_payments()
CHECKSUMS = [2800815161, 3599954686, 3662048110]  # indices, values and amounts of 2,000 rows


def matrix(payments):
    rows = payments.rows
    parts = (rows.value, rows.index.astype(np.int32), rows.start.astype(np.int64))
    return csr_array(parts, shape=(rows.rows, rows.width))


def bits(payments):
    rows = payments.rows
    costs = (payments.costs.fn_cost, payments.costs.fp_cost)
    arrays = (rows.start, rows.index, rows.value, payments.positive, *costs)
    return [array.tobytes() for array in arrays]


def savings(learner, payments=PAYMENTS):
    costs = {"fn_cost": payments.costs.fn_cost, "fp_cost": payments.costs.fp_cost}
    model = OnlineClassifier(learner, Cost(100, 5), fit_intercept=True)
    scores = model.prequential(matrix(payments), payments.positive, **costs)
    return Tally.of(scores, payments.positive, Costs(), **costs).savings()


def test_a_seed_gives_the_same_payments():
    assert bits(card_payments(500, seed=3)) == bits(card_payments(500, seed=3))


def test_the_numbers_are_those_of_every_platform():
    payments = card_payments(2000, seed=7)
    cents = np.rint(100 * payments.costs.fn_cost).astype("<i4")
    thousandths = np.rint(1000 * payments.rows.value).astype("<i4")
    numbers = [payments.rows.index.astype("<u4"), thousandths, cents]
    assert [zlib.crc32(array.tobytes()) for array in numbers] == CHECKSUMS


@pytest.mark.skipif(JIT_OFF, reason="20,000 rows are many for interpreted kernels")
def test_costs_pay_but_nobody_is_perfect():
    assert 0.5 < savings("perceptron") < savings("carow-diag") < 0.9
