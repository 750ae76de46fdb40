"""Labels that come late: are they better learnt when they come, or when the window of their event ends?

    python benchmarks/late_labels.py [--rows 40000] [--seeds 8] [--only WINDOW ...]

Payments come over 90 days (`costream.datasets.payment_events`) and are scored by `auto` at once, at
their own costs. What the model knows then depends on when it learns. A payment whose label has not come
when its window ends counts as negative; a chargeback that comes later corrects the total cost and is
not learnt. The total cost is that at the true labels.

chargeback  frauds are known after 9 days at the median and 60 at most; nothing else gets a label.
            at-once learns a fraud when it is known, all else when its window ends; at-window learns
            each payment when its window ends, so in the order of the payments.
review      every payment gets a label, after delays like those of frauds; at-once learns each one when
            its label comes.
immediate   each payment is learnt right after it was scored: what late labels cost is the difference.

From nothing: the service starts without a model. From a model: it starts with one that has learnt the
payments of another seed, 90 days of them, with immediate labels.

Results go to benchmarks/results/late-labels.json, a record for each window.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
import stored

from costream import Cost, OnlineClassifier, dumps, loads
from costream.costs import Costs, Tally
from costream.datasets.payment_events import DAY, PaymentEvent, payment_events
from costream.datasets.payments import DAYS, FALSE_ALARM, TYPICAL_LOSS

ROWS, SEEDS = 40_000, 8
WINDOWS = (7, 14, 30, 60)  # days
STARTS = ("from nothing", "from a model")
SCENARIOS = ("chargeback", "review")
WAYS = ("at-once", "at-window")
IMMEDIATE = "immediate"
OTHER = 1000  # added to a seed for the payments that a model has learnt before


def new_model() -> OnlineClassifier:
    return OnlineClassifier("auto", Cost(fn_cost=TYPICAL_LOSS, fp_cost=FALSE_ALARM), classes=(0, 1))


def learn(model: OnlineClassifier, event: PaymentEvent, positive: bool) -> None:
    model.learn_one(event.features, int(positive), fn_cost=event.fn_cost, fp_cost=event.fp_cost)


class Example(NamedTuple):
    """When an event is learnt, its number and as what."""

    time: float
    event: int
    positive: bool


def examples(events: Sequence[PaymentEvent], window: float, way: str) -> list[Example]:
    """When each event is learnt and as what, in order of time."""
    if way == IMMEDIATE:
        return [Example(event.time, at, event.positive) for at, event in enumerate(events)]
    found = []
    for at, event in enumerate(events):
        known = event.delay <= window
        wait = event.delay if known and way == "at-once" else window
        found.append(Example(event.time + wait, at, event.positive and known))
    return sorted(found)


def decisions(
    events: Sequence[PaymentEvent], plan: Sequence[Example], model: OnlineClassifier
) -> np.ndarray:
    """Which events are flagged when each is scored by what is learnt until then."""
    flags, done = np.zeros(len(events), np.bool_), 0
    for at, event in enumerate(events):
        while done < len(plan) and plan[done][:2] < (event.time, at):
            learn(model, events[plan[done].event], plan[done].positive)
            done += 1
        flags[at] = model.predict_one(event.features, fn_cost=event.fn_cost, fp_cost=event.fp_cost)
    return flags


def savings(events: Sequence[PaymentEvent], flags: np.ndarray, days: Sequence[float]) -> list[float]:
    """The savings in percent of the events between one day and the next."""
    time, positive, fn_cost, fp_cost = (
        np.array([getattr(event, key) for event in events])
        for key in ("time", "positive", "fn_cost", "fp_cost")
    )
    found = []
    for begin, end in pairwise(days):
        part = (time >= begin * DAY) & (time < end * DAY)
        tally = Tally.of(
            np.where(flags[part], 1.0, -1.0),
            positive[part],
            Costs(),
            fn_cost=fn_cost[part],
            fp_cost=fp_cost[part],
        )
        found.append(100.0 * tally.savings())
    return found


def measured(
    seed: int, rows: int, windows: Sequence[int]
) -> dict[tuple[int, str, str, str], list[float]]:
    """The savings of all days, of the first window and of the days after it, for each way to learn."""
    found = {}
    before = new_model()
    for event in payment_events(rows, OTHER + seed):
        learn(before, event, event.positive)
    for start, base_model in zip(STARTS, (dumps(new_model()), dumps(before)), strict=True):

        def run(scenario: str, window: int, way: str, base_model: bytes = base_model) -> list[float]:
            events = list(payment_events(rows, seed, scenario))
            flags = decisions(events, examples(events, window * DAY, way), loads(base_model))
            return [parts(events, flags, one) for one in ([window] if window else windows)]

        for window, values in zip(windows, run("review", 0, IMMEDIATE), strict=True):
            (late,) = run("review", window, "at-window")  # the same examples with chargebacks
            for scenario in SCENARIOS:
                (once,) = run(scenario, window, "at-once")
                ways = zip((IMMEDIATE, *WAYS), (values, once, late), strict=True)
                found |= {(window, start, scenario, way): one for way, one in ways}
    return found


def parts(events: Sequence[PaymentEvent], flags: np.ndarray, window: int) -> list[float]:
    """The savings of all days, of the first window and of the days after it."""
    whole = savings(events, flags, (0, DAYS))
    return whole + savings(events, flags, (0, window, DAYS))


def shown(values: Sequence[float]) -> str:
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{fmean(values):6.1f} ± {error:4.1f}"


def table(window: int, found: dict[str, dict[str, dict[str, list[list[float]]]]]) -> None:
    print(f"\nwindow of {window} days: savings in %, all days | the first window | after it")
    for start, scenarios in found.items():
        for scenario, ways in scenarios.items():
            for way, values in ways.items():
                cells = " | ".join(shown([one[part] for one in values]) for part in range(3))
                print(f"{start:13} {scenario:10} {way:10} {cells}")
            once, late = (ways[way] for way in WAYS)
            more = [
                shown([a[part] - b[part] for a, b in zip(once, late, strict=True)]) for part in range(3)
            ]
            print(f"{start:13} {scenario:10} {'difference':10} {' | '.join(more)}", flush=True)


def main(rows: int, seeds: int, windows: Sequence[int]) -> None:
    runs = []
    for seed in range(seeds):
        runs.append(measured(seed, rows, windows))
        print(f"seed {seed} of {seeds}", flush=True)
    header = stored.about([])
    for window in windows:
        found = {
            start: {
                scenario: {
                    way: [run[window, start, scenario, way] for run in runs]
                    for way in (IMMEDIATE, *WAYS)
                }
                for scenario in SCENARIOS
            }
            for start in STARTS
        }
        table(window, found)
        record = {"rows": rows, "seeds": seeds, "savings": found}
        stored.replace("late-labels", header, {str(window): record})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument(
        "--only", type=int, nargs="+", choices=WINDOWS, default=WINDOWS, metavar="WINDOW"
    )
    given = parser.parse_args()
    main(given.rows, given.seeds, given.only)
