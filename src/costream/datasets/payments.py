"""Made-up card payments with rare fraud, whose rate and tactics change.

A payment follows one of six profiles, and the tables of ``payments.toml`` are how each pays. Customers
pay for their everyday life, travel, or shop online. Fraudsters use skimmed cards (large payments
abroad), test stolen numbers (small ones online, in quick succession) or take over an account (large
ones online, from a new device). They turn from the first to the second about half-way, with a burst.
Nothing marks a profile for sure, and some frauds look like payments of customers, so that no classifier
is perfect.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any, NamedTuple

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

TABLES: dict[str, Any] = tomllib.loads(
    (files(__package__) / "payments.toml").read_text(encoding="utf-8")
)


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
    usual = _sizes(rng, TABLES["usual"], profile)
    shop = _shops(rng, profile, amount)
    return Drawn(day, positive, hour, amount, usual, *shop, *_cards(rng, profile))


def _calendar(rng: np.random.Generator, rows: int) -> tuple[Ints, Bools, Ints, Floats]:
    """The day, whether it is fraud, the profile and the hour of each payment, in order of time."""
    place = np.arange(rows) / rows
    day = (place * DAYS).astype(np.intp)
    positive = rng.random(rows) < np.interp(place, *TABLES["rate"]) / 1000
    customer, fraudster = (
        _choose(rng, [np.interp(place, times, shares) for shares in table])
        for times, table in (TABLES["customer"], TABLES["fraudster"])
    )
    hidden = rng.random(rows) < HIDDEN
    profile = np.where(positive & ~hidden, CUSTOMERS + fraudster, customer)
    starts = np.array([0.0, *TABLES["hour_edges"], 24.0])
    part = _draw(rng, TABLES["hours"], profile)
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
    amount = _sizes(rng, TABLES["amount"], profile)
    even = _happens(rng, TABLES["round"], profile)
    return np.clip(np.where(even, np.round(amount), np.round(amount, 2)), 1.0, LIMIT)


def _one_hot(prefix: str, options: tuple[str, ...] | Table, which: Ints) -> dict[str, Bools]:
    return {f"{prefix}={option}": which == i for i, option in enumerate(options)}


def _shops(
    rng: np.random.Generator, profile: Ints, amount: Floats
) -> tuple[Ints, Ints, Ints, Floats, Bools, Bools, Bools]:
    """Where cards are used, and how: from the merchant to the other address of `Drawn`."""
    merchant = _draw(rng, TABLES["merchants"], profile)
    country = _draw(rng, TABLES["countries"], profile)
    chance = np.array(TABLES["online"])[merchant] ** np.array(TABLES["shows_card"])[profile]
    online = rng.random(len(profile)) < chance
    stripe = _happens(rng, TABLES["stripe"], profile)
    contactless = (amount <= 50) & (rng.random(len(profile)) < 0.7)
    channel = np.where(online, 3, np.where(stripe, 2, np.where(contactless, 1, 0)))
    km = np.array(TABLES["abroad"])[country] + _sizes(rng, TABLES["distance"], profile)
    new_merchant = _happens(rng, TABLES["new_merchant"], profile)
    new_device = online & _happens(rng, TABLES["new_device"], profile)
    other_address = online & _happens(rng, TABLES["other_address"], profile)
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
    gap = np.clip(_sizes(rng, TABLES["gap"], profile), 1, 1e7)
    more = np.log(1 - rng.random(rows)) / np.log(
        np.array(TABLES["again"])[profile]
    )  # geometric, once floored
    recent = np.where(gap < 3600, np.minimum(1 + np.floor(more), 8), 0.0)
    age = 5 * rng.random(rows) ** 0.8
    declined = _happens(rng, TABLES["declined"], profile)
    return (
        gap,
        recent,
        declined,
        _draw(rng, TABLES["cards"], profile),
        _draw(rng, TABLES["holders"], profile),
        age,
    )


def _amount_columns(drawn: Drawn) -> dict[str, Floats | Bools]:
    amount = drawn.amount
    return {
        "amount": np.log10(1 + amount) / 4,
        "amount over usual": np.clip(np.log10(amount / drawn.usual) / 2, 0, 1),
        "whole amount": amount == np.floor(amount),
        **_one_hot(
            "amount", TABLES["bands"], np.searchsorted(TABLES["band_edges"], amount, side="right")
        ),
    }


def _time_columns(drawn: Drawn) -> dict[str, Floats | Bools]:
    return {**_one_hot("hour", TABLES["hours"], part_of_day(drawn.hour)), "weekend": drawn.day % 7 >= 5}


def part_of_day(hour: Floats) -> Ints:
    """The number of the part of the day of each hour."""
    return np.searchsorted(TABLES["hour_edges"], hour, side="right")


def _shop_columns(drawn: Drawn) -> dict[str, Floats | Bools]:
    """Where the card was used, and how."""
    return {
        **_one_hot("channel", TABLES["channels"], drawn.channel),
        **_one_hot("merchant", TABLES["merchants"], drawn.merchant),
        **_one_hot("country", TABLES["countries"], drawn.country),
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
        **_one_hot("card", TABLES["cards"], drawn.card),
        **_one_hot("holder", TABLES["holders"], drawn.holder),
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
