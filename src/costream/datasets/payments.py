"""Made-up card payments with rare fraud, whose rate and tactics change.

A payment follows one of six profiles, and the tables below are how each pays. Customers pay for
their everyday life, travel, or shop online. Fraudsters use skimmed cards (large payments abroad), test
stolen numbers (small ones online, in quick succession) or take over an account (large ones online, from
a new device). They turn from the first to the second about half-way, with a burst. Nothing marks a
profile for sure, and some frauds look like payments of customers, so that no classifier is perfect.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..costs.rows import GivenCosts
from ..errors import CostreamError
from ..tables.arrays import Batch
from .dataset import Dataset

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Table = dict[str, tuple[float, ...]]

DAYS = 90
FALSE_ALARM = 5.0  # its cost: somebody calls the customer
TYPICAL_LOSS = 100.0  # of a missed fraud, which costs its amount
LIMIT = 5000.0  # no payment is larger
HIDDEN = 0.08  # the part of frauds that look like payments of a customer
CUSTOMERS = 3  # profiles from this one on are fraud

# What changes: the values at some parts of the time, with straight lines between them.
RATE = ([0.0, 0.2, 0.35, 0.55, 0.6, 0.68, 0.75, 1.0], [6, 12, 4, 6, 30, 30, 8, 14])  # frauds in 1000
CUSTOMER = ([0.0, 0.3, 0.4, 0.6, 0.7, 1.0], [[72] * 6, [6, 6, 18, 18, 6, 6], [22] * 6])
FRAUDSTER = ([0.0, 0.45, 0.58, 1.0], [[85, 80, 12, 8], [3, 5, 60, 65], [12, 15, 28, 27]])

# How each profile pays: everyday, traveller, shopper; skimmed, tested, taken over.
AMOUNT: Table = {"median": (22, 60, 50, 260, 20, 210), "spread": (0.5, 0.5, 0.5, 0.42, 0.55, 0.42)}
USUAL: Table = {"median": (30, 30, 30, 30, 30, 30), "spread": (0.25, 0.25, 0.25, 0.25, 0.25, 0.25)}
DISTANCE: Table = {"median": (4, 80, 9, 60, 20, 20), "spread": (0.7, 0.8, 0.7, 0.9, 0.9, 0.9)}
GAP: Table = {"median": (5e4, 1e4, 9e3, 6e3, 300, 2e3), "spread": (0.8, 0.8, 1.0, 0.9, 0.9, 1.0)}
AGAIN = (0.3, 0.35, 0.5, 0.45, 0.7, 0.5)  # one more in the last hour, if there was one
NEW_MERCHANT = (0.2, 0.85, 0.5, 0.85, 0.85, 0.7)
NEW_DEVICE = (0.04, 0.12, 0.1, 0.2, 0.5, 0.6)
OTHER_ADDRESS = (0.05, 0.15, 0.12, 0.35, 0.25, 0.45)
DECLINED = (0.02, 0.05, 0.04, 0.15, 0.22, 0.12)
STRIPE = (0.03, 0.12, 0.03, 0.4, 0.1, 0.1)
ROUND = (0.12, 0.15, 0.15, 0.2, 0.3, 0.35)  # no cents
CARDS: Table = {
    "debit": (70, 45, 45, 45, 45, 50),
    "credit": (27, 52, 48, 50, 40, 45),
    "prepaid": (3, 3, 7, 5, 15, 5),
}
HOLDERS: Table = {
    "under 25": (12, 15, 22, 12, 16, 10),
    "25 to 40": (28, 35, 38, 26, 30, 22),
    "40 to 60": (36, 32, 28, 34, 32, 30),
    "over 60": (24, 18, 12, 28, 22, 38),
}
HOUR_EDGES = (6, 11, 14, 18)
HOURS: Table = {
    "night": (3, 8, 6, 12, 20, 14),
    "morning": (24, 16, 14, 14, 16, 16),
    "midday": (22, 20, 16, 20, 14, 16),
    "afternoon": (28, 24, 24, 24, 18, 22),
    "evening": (23, 32, 40, 20, 22, 24),
}
MERCHANTS: Table = {
    "groceries": (34, 8, 4, 5, 1, 1),
    "fuel": (11, 8, 0, 9, 0, 0),
    "restaurant": (16, 24, 4, 6, 3, 2),
    "pharmacy": (6, 4, 3, 3, 2, 2),
    "transport": (9, 10, 4, 2, 8, 3),
    "fashion": (7, 8, 24, 10, 8, 12),
    "furniture": (3, 1, 7, 3, 1, 4),
    "electronics": (3, 2, 14, 22, 8, 22),
    "travel": (2, 13, 5, 6, 5, 11),
    "hotel": (1, 16, 2, 6, 1, 4),
    "jewellery": (1, 2, 2, 10, 1, 6),
    "games": (3, 1, 16, 0, 27, 7),
    "gift-cards": (1, 1, 6, 4, 17, 17),
    "charity": (3, 2, 9, 0, 18, 2),
}
# The part of a merchant's payments that is made online, raised to a power: above 1 for those who like
# to show their card, below 1 for those who do not. Fuel is never bought online, games always.
ONLINE = (0.05, 0, 0.15, 0.1, 0.4, 0.45, 0.3, 0.55, 0.8, 0.5, 0.1, 1, 0.7, 0.9)
SHOWS_CARD = (2.0, 2.0, 0.3, 4.0, 0.1, 0.2)
COUNTRIES: Table = {
    "DE": (930, 40, 680, 250, 480, 600),
    "AT": (14, 150, 40, 40, 30, 30),
    "FR": (10, 170, 30, 80, 50, 40),
    "NL": (10, 90, 80, 50, 70, 60),
    "IT": (6, 170, 20, 90, 40, 30),
    "ES": (5, 160, 20, 90, 40, 30),
    "GB": (4, 80, 60, 110, 120, 80),
    "US": (4, 70, 40, 170, 170, 110),
    "TH": (1, 40, 5, 100, 30, 30),
    "BR": (1, 30, 5, 100, 50, 30),
}
ABROAD = (0, 500, 700, 400, 900, 1700, 900, 7500, 8900, 9500)  # km
CHANNELS = ("chip", "contactless", "stripe", "online")
BAND_EDGES = (10, 50, 200, 1000)
BANDS = ("under 10", "10 to 50", "50 to 200", "200 to 1000", "over 1000")


class Drawn(NamedTuple):
    """What was drawn for each payment, in euros, kilometres, seconds and years; options by number."""

    day: Ints
    positive: Bools
    hour: Floats
    amount: Floats
    usual: Floats
    merchant: Ints
    country: Ints
    channel: Ints
    km: Floats
    new_merchant: Bools
    new_device: Bools
    other_address: Bools
    gap: Floats
    recent: Floats
    declined: Bools
    card: Ints
    holder: Ints
    age: Floats


def card_payments(rows: int = 20_000, seed: int = 0) -> Dataset:
    """Card payments of 90 days, about one in a hundred of them a fraud.

    A missed fraud costs its amount, a false alarm the cost of a phone call. The numbers come from
    uniform draws of PCG64 alone and are rounded, so a seed gives the same stream on every platform.

    >>> payments = card_payments(rows=5000, seed=1)
    >>> payments.rows.rows, payments.rows.width == len(payments.names)
    (5000, True)
    >>> payments.names[0], "country=FR" in payments.names
    ('amount', True)
    >>> bool(0.005 < payments.positive.mean() < 0.02)
    True
    """
    drawn = draw(rows, seed)
    columns = {
        **_amount_columns(drawn),
        **_time_columns(drawn),
        **_shop_columns(drawn),
        **_card_columns(drawn),
    }
    costs = GivenCosts(fn_cost=drawn.amount, fp_cost=np.full(rows, FALSE_ALARM))
    return Dataset(_batch(columns), list(columns), drawn.positive, costs)


def draw(rows: int, seed: int) -> Drawn:
    """All that is random about payments, in an order that must stay: a seed gives the same ones."""
    if rows < 1:
        raise CostreamError(f"a stream of payments needs at least one row, not {rows}")
    rng = np.random.default_rng(seed)
    day, positive, profile, hour = _calendar(rng, rows)
    amount = _money(rng, profile)
    usual = _sizes(rng, USUAL, profile)
    shop = _shops(rng, profile, amount)
    return Drawn(day, positive, hour, amount, usual, *shop, *_cards(rng, profile))


def _calendar(rng: np.random.Generator, rows: int) -> tuple[Ints, Bools, Ints, Floats]:
    """The day, whether it is fraud, the profile and the hour of each payment, in order of time."""
    place = np.arange(rows) / rows
    day = (place * DAYS).astype(np.intp)
    positive = rng.random(rows) < np.interp(place, *RATE) / 1000
    customer, fraudster = (
        _choose(rng, [np.interp(place, times, shares) for shares in table])
        for times, table in (CUSTOMER, FRAUDSTER)
    )
    hidden = rng.random(rows) < HIDDEN
    profile = np.where(positive & ~hidden, CUSTOMERS + fraudster, customer)
    starts = np.array([0.0, *HOUR_EDGES, 24.0])
    part = _draw(rng, HOURS, profile)
    hour = starts[part] + np.diff(starts)[part] * rng.random(rows)
    order = np.lexsort((hour, day))
    return day[order], positive[order], profile[order], hour[order]


def _choose(rng: np.random.Generator, shares: list[Floats]) -> Ints:
    """The number of one of the options for each row, by shares that differ from row to row."""
    edges = np.cumsum(shares, axis=0)
    beyond: Bools = rng.random(edges.shape[1]) * edges[-1] >= edges[:-1]
    chosen: Ints = np.count_nonzero(beyond, axis=0)
    return chosen


def _draw(rng: np.random.Generator, table: Table, profile: Ints) -> Ints:
    """The number of an entry of the table for each row, by the shares of its profile."""
    return _choose(rng, [np.array(shares, np.float64)[profile] for shares in table.values()])


def _happens(rng: np.random.Generator, chances: tuple[float, ...], profile: Ints) -> Bools:
    return rng.random(len(profile)) < np.array(chances)[profile]


def _sizes(rng: np.random.Generator, table: Table, profile: Ints) -> Floats:
    """Log-logistic numbers: around their median, with a heavy tail on both sides."""
    u = 1e-6 + (1 - 2e-6) * rng.random(len(profile))
    median, spread = (np.array(table[key], np.float64)[profile] for key in ("median", "spread"))
    sizes: Floats = median * (u / (1 - u)) ** spread
    return sizes


def _money(rng: np.random.Generator, profile: Ints) -> Floats:
    """Amounts with cents, some without."""
    amount = _sizes(rng, AMOUNT, profile)
    even = _happens(rng, ROUND, profile)
    return np.clip(np.where(even, np.round(amount), np.round(amount, 2)), 1.0, LIMIT)


def _one_hot(prefix: str, options: tuple[str, ...] | Table, which: Ints) -> dict[str, Bools]:
    return {f"{prefix}={option}": which == i for i, option in enumerate(options)}


def _shops(
    rng: np.random.Generator, profile: Ints, amount: Floats
) -> tuple[Ints, Ints, Ints, Floats, Bools, Bools, Bools]:
    """Where cards are used, and how: from the merchant to the other address of `Drawn`."""
    merchant = _draw(rng, MERCHANTS, profile)
    country = _draw(rng, COUNTRIES, profile)
    chance = np.array(ONLINE)[merchant] ** np.array(SHOWS_CARD)[profile]
    online = rng.random(len(profile)) < chance
    stripe = _happens(rng, STRIPE, profile)
    contactless = (amount <= 50) & (rng.random(len(profile)) < 0.7)
    channel = np.where(online, 3, np.where(stripe, 2, np.where(contactless, 1, 0)))
    km = np.array(ABROAD)[country] + _sizes(rng, DISTANCE, profile)
    new_merchant = _happens(rng, NEW_MERCHANT, profile)
    new_device = online & _happens(rng, NEW_DEVICE, profile)
    other_address = online & _happens(rng, OTHER_ADDRESS, profile)
    return (
        merchant,
        country,
        channel,
        np.where(online, 0.0, km),
        new_merchant,
        new_device,
        other_address,
    )


def _cards(rng: np.random.Generator, profile: Ints) -> tuple[Floats, Floats, Bools, Ints, Ints, Floats]:
    """What cards did before, and whose they are: from the gap to the age of `Drawn`."""
    rows = len(profile)
    gap = np.clip(_sizes(rng, GAP, profile), 1, 1e7)
    more = np.log(1 - rng.random(rows)) / np.log(np.array(AGAIN)[profile])  # geometric, once floored
    recent = np.where(gap < 3600, np.minimum(1 + np.floor(more), 8), 0.0)
    age = 5 * rng.random(rows) ** 0.8
    declined = _happens(rng, DECLINED, profile)
    return gap, recent, declined, _draw(rng, CARDS, profile), _draw(rng, HOLDERS, profile), age


def _amount_columns(drawn: Drawn) -> dict[str, Floats | Bools]:
    amount = drawn.amount
    return {
        "amount": np.log10(1 + amount) / 4,
        "amount over usual": np.clip(np.log10(amount / drawn.usual) / 2, 0, 1),
        "whole amount": amount == np.floor(amount),
        **_one_hot("amount", BANDS, np.searchsorted(BAND_EDGES, amount, side="right")),
    }


def _time_columns(drawn: Drawn) -> dict[str, Floats | Bools]:
    return {**_one_hot("hour", HOURS, part_of_day(drawn.hour)), "weekend": drawn.day % 7 >= 5}


def part_of_day(hour: Floats) -> Ints:
    """The number of the part of the day of each hour."""
    return np.searchsorted(HOUR_EDGES, hour, side="right")


def _shop_columns(drawn: Drawn) -> dict[str, Floats | Bools]:
    """Where the card was used, and how."""
    return {
        **_one_hot("channel", CHANNELS, drawn.channel),
        **_one_hot("merchant", MERCHANTS, drawn.merchant),
        **_one_hot("country", COUNTRIES, drawn.country),
        "foreign": drawn.country > 0,
        "distance from home": np.minimum(np.log10(1 + drawn.km) / 4, 1),
        "new merchant": drawn.new_merchant,
        "new device": drawn.new_device,
        "other address": drawn.other_address,
    }


def _card_columns(drawn: Drawn) -> dict[str, Floats | Bools]:
    """What the card did before."""
    return {
        "time since last": np.log10(drawn.gap) / 7,
        "payments in last hour": drawn.recent / 8,
        "declined before": drawn.declined,
        **_one_hot("card", CARDS, drawn.card),
        **_one_hot("holder", HOLDERS, drawn.holder),
        "card age": drawn.age / 5,
        "new card": drawn.age < 0.25,
    }


def _batch(columns: dict[str, Floats | Bools]) -> Batch:
    """The columns as sparse rows, to three decimals."""
    dense: Floats = np.column_stack(list(columns.values())).astype(np.float64)
    dense = np.round(dense, 3)
    row, index = np.nonzero(dense)
    start = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(dense)))))
    return Batch(start.astype(np.uint64), index.astype(np.uint32), dense[row, index], len(columns))
