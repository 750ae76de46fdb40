"""Card payments as a service meets them: one after the other, and their labels days later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from ..errors import CostreamError
from . import payments
from .payments import Drawn, Floats

DAY = 86400.0
MEDIAN, SPREAD = 9.0, 0.45  # of delays, in days: one in sixteen is longer than a month
SHORTEST, LONGEST = 0.25, 60.0

Scenario = Literal["chargeback", "review"]


class PaymentEvent(NamedTuple):
    """A payment as it comes: raw features, its costs, and what nobody knows yet."""

    time: float  # seconds since the first day began
    features: dict[str, str | float | bool]
    fn_cost: float
    fp_cost: float
    positive: bool
    delay: float  # seconds until its label comes; infinite for one that never comes


def payment_events(
    rows: int = 20_000, seed: int = 0, scenario: Scenario = "chargeback"
) -> Iterator[PaymentEvent]:
    """The payments of `card_payments` in order of time, with the delays of `label_delays`.

    >>> first = next(payment_events(rows=1000, seed=1))
    >>> first.features["merchant"], first.features["amount"] == first.fn_cost, first.fp_cost
    ('fuel', True, 5.0)
    """
    drawn = payments.draw(rows, seed)
    delays = label_delays(drawn.positive, seed, scenario) * DAY
    times = np.round((drawn.day * 24.0 + drawn.hour) * 3600.0, 3)
    columns = {name: column.tolist() for name, column in _columns(drawn).items()}
    known = zip(
        times.tolist(), drawn.amount.tolist(), drawn.positive.tolist(), delays.tolist(), strict=True
    )
    for at, (time, amount, positive, delay) in enumerate(known):
        features = {name: column[at] for name, column in columns.items()}
        yield PaymentEvent(time, features, amount, payments.FALSE_ALARM, positive, delay)


def label_delays(positive: payments.Bools, seed: int = 0, scenario: Scenario = "chargeback") -> Floats:
    """How many days after each payment its label comes; infinite where none does.

    Frauds are known by a chargeback, after 9 days at the median and 60 at most. Other payments never
    get a label ("chargeback"), or somebody looks at all payments, whose delays are then of one kind
    ("review").

    >>> label_delays(np.array([True, False]), seed=3).tolist()
    [5.5324, inf]
    >>> label_delays(np.array([True, False]), seed=3, scenario="review").tolist()
    [5.5324, 7.6006]
    """
    if scenario not in ("chargeback", "review"):
        raise CostreamError(f"unknown scenario {scenario!r}", "use chargeback or review")
    rng = np.random.default_rng([seed, 1])  # the payments have a generator of their own
    u = 1e-6 + (1 - 2e-6) * rng.random(len(positive))
    drawn: Floats = MEDIAN * (u / (1 - u)) ** SPREAD
    delay = np.round(drawn.clip(SHORTEST, LONGEST), 4)
    if scenario == "chargeback":
        delay[~positive] = np.inf
    return delay


def _columns(drawn: Drawn) -> dict[str, np.ndarray]:
    """The features of payments as numbers and text, before anything is scaled or cut into bands."""

    def text(options: tuple[str, ...] | payments.Table, which: payments.Ints) -> np.ndarray:
        return np.array(list(options))[which]

    return {
        "amount": drawn.amount,
        "usual amount": np.round(drawn.usual, 2),
        "merchant": text(payments.TABLES["merchants"], drawn.merchant),
        "country": text(payments.TABLES["countries"], drawn.country),
        "channel": text(payments.TABLES["channels"], drawn.channel),
        "card": text(payments.TABLES["cards"], drawn.card),
        "holder": text(payments.TABLES["holders"], drawn.holder),
        "part of day": text(payments.TABLES["hours"], payments.part_of_day(drawn.hour)),
        "weekend": drawn.day % 7 >= 5,
        "km from home": np.round(drawn.km, 1),
        "new merchant": drawn.new_merchant,
        "new device": drawn.new_device,
        "other address": drawn.other_address,
        "seconds since last": np.round(drawn.gap),
        "payments in last hour": drawn.recent,
        "declined before": drawn.declined,
        "card age": np.round(drawn.age, 2),
    }
