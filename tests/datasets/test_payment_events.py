"""Payments as events: the same payments, with raw features, times and late labels."""

import numpy as np
import pytest

from costream.datasets.payment_events import DAY, payment_events
from costream.datasets.payments import card_payments

EVENTS = list(payment_events(2000, seed=7))
PAYMENTS = card_payments(2000, seed=7)


def test_events_are_the_payments_of_the_seed():
    assert [one.positive for one in EVENTS] == PAYMENTS.positive.tolist()
    assert [one.fn_cost for one in EVENTS] == PAYMENTS.costs.fn_cost.tolist()


@pytest.mark.parametrize("name", ["merchant", "country", "channel", "card", "holder"])
def test_text_is_that_of_the_columns(name):
    at = {name: at for at, name in enumerate(PAYMENTS.names)}
    used = PAYMENTS.rows.part(5, 6).index.tolist()
    assert at[f"{name}={EVENTS[5].features[name]}"] in used


def test_events_are_in_order_of_time_over_90_days():
    times = np.array([one.time for one in EVENTS])
    assert (np.diff(times) >= 0).all()
    assert 0 <= times[0] < DAY
    assert 89 * DAY <= times[-1] < 90 * DAY
