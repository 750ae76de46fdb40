"""The demo: card payments of 90 days in about three minutes, with labels that come days later.

The payments of `costream.datasets.payment_events` come through the client, so a service meets them as
it would meet others. The last of their days is today. When they end, those of the next seed follow, on
the same days; labels that are still to come then come all the same.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from ..datasets.payment_events import DAY, payment_events
from ..datasets.payments import DAYS
from ..errors import CostreamError
from .client import Client
from .connection import AGAIN, ServiceError
from .messages import Problem

ROWS = 20_000  # payments in 90 days
SECONDS_A_DAY = 2.0
TICK = 0.1  # seconds between two batches
PATIENCE = 1.0  # seconds before a service is asked again that did not answer

logger = logging.getLogger("costream.serve")


class Payment(NamedTuple):
    """An event to be sent, and its label; times are seconds since the demo began, in its own time."""

    due: float
    event: dict[str, Any]
    label_due: float
    positive: bool


def start_demo(
    url: str, stopping: threading.Event, token: str | None = None, *, day: float = SECONDS_A_DAY
) -> threading.Thread:
    """Play payments into a service, in a thread that ends soon after ``stopping`` is set.

    ``day`` is how many seconds a day takes.
    """
    client = Client(url, token, retries=0)
    thread = threading.Thread(
        target=_play_and_warn, args=(client, stopping, day), name="costream demo", daemon=True
    )
    thread.start()
    return thread


def _play_and_warn(client: Client, stopping: threading.Event, day: float) -> None:
    with client:
        try:
            play(client, stopping, day)
        except CostreamError as error:
            if not stopping.is_set():
                logger.warning("the demo ends: %s", error)


def play(client: Client, stopping: threading.Event, day: float = SECONDS_A_DAY) -> None:
    """Send payments when they are due, and labels when they are, until ``stopping`` is set."""
    while not client.is_ready():
        if stopping.wait(TICK):
            return
    played = -(-client.summary().total.events // ROWS)  # seeds of an earlier demo in the directory
    payments = demo_payments(played, time.time())
    coming, labels = next(payments), list[tuple[float, str, bool]]()
    began = time.monotonic()
    while not stopping.wait(TICK):
        now = (time.monotonic() - began) / day * DAY
        events: list[dict[str, Any]] = []
        while coming.due <= now and len(events) < ROWS:
            events.append(coming.event)
            heappush(labels, (coming.label_due, coming.event["id"], coming.positive))
            coming = next(payments)
        known: list[dict[str, Any]] = []
        while labels and labels[0][0] <= now:
            _, name, positive = heappop(labels)
            known.append({"id": name, "label": positive})
        _send(client.score_many, events, stopping)
        _send(client.label_many, known, stopping)


def demo_payments(seed: int, now: float) -> Iterator[Payment]:
    """The payments of one seed after the other; ``now`` ends the 90 days, as seconds since 1970."""
    midnight = now // DAY * DAY
    start, run = midnight - (DAYS - 1) * DAY, f"{int(now * 1000):x}"
    for turn in count():
        begin = turn * DAYS * DAY
        for at, payment in enumerate(payment_events(ROWS, seed + turn, "review")):
            if start + payment.time > now:  # later today
                break
            due = begin + payment.time
            event = {
                "id": f"demo-{run}-{turn}-{at:05}",
                "time": round(start + payment.time, 3),
                "features": payment.features,
                "fn_cost": payment.fn_cost,
                "fp_cost": payment.fp_cost,
            }
            yield Payment(due, event, due + payment.delay, payment.positive)


def _send(
    send: Callable[[list[dict[str, Any]]], Sequence[object]],
    rows: list[dict[str, Any]],
    stopping: threading.Event,
) -> None:
    """Send rows, again and again while the service cannot take them."""
    while rows and not stopping.is_set():
        try:
            results = send(rows)
        except ServiceError as error:
            if error.status is not None and error.status not in AGAIN:
                raise
        else:
            refused = [
                (row, result)
                for row, result in zip(rows, results, strict=True)
                if isinstance(result, Problem)
            ]
            for _, problem in refused:
                if problem.status not in AGAIN:
                    raise CostreamError(problem.error, problem.hint)
            rows = [row for row, _ in refused]
        if rows:
            stopping.wait(PATIENCE)
