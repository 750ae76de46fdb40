"""The made-up card payments: the same for a seed, sparse, rare, drifting, and worth learning."""

import zlib

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import Cost, CostreamError, OnlineClassifier
from costream.costs.tally import Costs, Tally
from costream.datasets.payments import card_payments
from helpers.streams import JIT_OFF

PAYMENTS = card_payments()
ROWS = PAYMENTS.rows
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


def test_another_seed_gives_other_payments():
    assert bits(card_payments(500, seed=3)) != bits(card_payments(500, seed=4))


def test_the_numbers_are_those_of_every_platform():
    payments = card_payments(2000, seed=7)
    cents = np.rint(100 * payments.costs.fn_cost).astype("<i4")
    thousandths = np.rint(1000 * payments.rows.value).astype("<i4")
    numbers = [payments.rows.index.astype("<u4"), thousandths, cents]
    assert [zlib.crc32(array.tobytes()) for array in numbers] == CHECKSUMS


def test_every_array_has_one_entry_a_row():
    arrays = (PAYMENTS.positive, PAYMENTS.costs.fn_cost, PAYMENTS.costs.fp_cost)
    lengths = {ROWS.rows, *map(len, arrays)}
    assert lengths == {20_000}


def test_rows_have_the_types_of_a_batch():
    assert [ROWS.start.dtype, ROWS.index.dtype, ROWS.value.dtype] == [np.uint64, np.uint32, np.float64]


def test_every_column_has_a_name_of_its_own():
    assert len(set(PAYMENTS.names)) == len(PAYMENTS.names) == ROWS.width


def test_every_column_is_used():
    assert set(ROWS.index) == set(range(ROWS.width))


def test_indices_of_a_row_are_sorted_and_unique():
    row = np.repeat(np.arange(ROWS.rows), np.diff(ROWS.start).astype(int))
    assert (np.diff(row * ROWS.width + ROWS.index.astype(int)) > 0).all()


def test_values_are_of_comparable_size_and_not_zero():
    assert (ROWS.value > 0).all()
    assert (ROWS.value <= 1).all()


def test_rows_are_sparse():
    assert 11 < len(ROWS.value) / ROWS.rows < 15


def test_costs_are_finite_and_above_zero():
    costs = np.concatenate([PAYMENTS.costs.fn_cost, PAYMENTS.costs.fp_cost])
    assert np.isfinite(costs).all()
    assert (costs > 0).all()


def test_amounts_have_a_heavy_tail():
    assert PAYMENTS.costs.fn_cost.max() > 100 * np.median(PAYMENTS.costs.fn_cost)


@pytest.mark.parametrize("seed", range(3))
def test_fraud_is_rare_and_its_rate_drifts(seed):
    positive = card_payments(seed=seed).positive
    rates = [part.mean() for part in np.array_split(positive, 10)]
    assert 0.008 < positive.mean() < 0.015
    assert min(rates) < 0.006
    assert max(rates) > 0.02


def test_fraudsters_turn_from_large_payments_to_small_ones():
    amounts = np.array_split(np.where(PAYMENTS.positive, PAYMENTS.costs.fn_cost, np.nan), 2)
    early, late = (np.nanmedian(part) for part in amounts)
    assert early > 3 * late


def test_fraudsters_turn_to_online_payments():
    online = matrix(PAYMENTS).toarray()[:, PAYMENTS.names.index("channel=online")]
    early, late = (part.mean() for part in np.array_split(online[PAYMENTS.positive], 2))
    assert late > early + 0.2


def test_neither_constant_policy_is_absurd():
    tally = Tally.of(np.zeros(ROWS.rows), PAYMENTS.positive, Costs(), **PAYMENTS.costs._asdict())
    assert 0.2 < tally.miss_all / tally.flag_all < 5


@pytest.mark.skipif(JIT_OFF, reason="20,000 rows are many for interpreted kernels")
def test_costs_pay_but_nobody_is_perfect():
    assert 0.5 < savings("perceptron") < savings("carow-diag") < 0.9


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_a_stream_may_be_short(rows):
    assert card_payments(rows).rows.rows == rows


def test_a_stream_without_rows_is_an_error():
    with pytest.raises(CostreamError, match="at least one row, not 0"):
        card_payments(0)
