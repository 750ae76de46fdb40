"""Figures for Prometheus, one table of them, read when they are asked for.

Their labels never hold data of events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from ..messages import Period, State
from .guard import BUCKETS, Requests

if TYPE_CHECKING:
    from ..engine.service import Service

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PROCESS = CollectorRegistry()  # memory, files and CPU of the process, where the system reports them
ProcessCollector(registry=PROCESS)
PlatformCollector(registry=PROCESS)
GCCollector(registry=PROCESS)


class Read(NamedTuple):
    """What the figures are read from, at one moment."""

    service: Service
    requests: Requests
    state: State
    total: Period

    @classmethod
    def now(cls, service: Service, requests: Requests) -> Read:
        engine = service.engine
        return cls(service, requests, engine.status(), engine.summary("day").total)


class Figure(NamedTuple):
    """A metric: its name, its description, and its value, or its values by labels."""

    name: str
    about: str
    kind: Callable[..., Any]  # a family of prometheus_client
    value: Callable[[Read], Any]
    labels: tuple[str, ...] = ()

    def read(self, now: Read) -> Any:
        """The family of the metric, as it is now."""
        value = self.value(now)
        name = f"costream_{self.name}"
        if not self.labels:
            return self.kind(name, self.about, value=float(value))
        found = self.kind(name, self.about, labels=self.labels)
        for key, one in sorted(value.items()):
            labels = [*map(str, key)] if isinstance(key, tuple) else [key]
            found.add_metric(labels, *(one if isinstance(one, tuple) else (one,)))
        return found


def seconds_of_requests(now: Read) -> dict[str, tuple[list[tuple[str, float]], float]]:
    """By route: how many requests took at most so long, and the sum of their seconds."""
    names, seconds = [*map(str, BUCKETS), "+Inf"], now.requests.seconds
    return {
        route: (list(zip(names, map(float, accumulate(counts)), strict=True)), seconds[route])
        for route, counts in now.requests.buckets.items()
    }


COUNTER, GAUGE = CounterMetricFamily, GaugeMetricFamily
FIGURES = (
    Figure(
        "requests",
        "Requests by route and status.",
        COUNTER,
        lambda now: now.requests.counts,
        ("route", "method", "status"),
    ),
    Figure(
        "request_seconds",
        "Seconds from a request to the end of its answer.",
        HistogramMetricFamily,
        seconds_of_requests,
        ("route",),
    ),
    Figure(
        "refused_connections",
        "Connections that were closed, by the reason.",
        COUNTER,
        lambda now: now.requests.refused,
        ("why",),
    ),
    Figure(
        "connections", "Connections that are open.", GAUGE, lambda now: len(now.requests.connections)
    ),
    Figure("events", "Events that were scored.", COUNTER, lambda now: now.state.events),
    Figure(
        "labels",
        "Labels that were recorded, revisions among them.",
        COUNTER,
        lambda now: now.state.labels,
    ),
    Figure("learnt", "Labels that the model has learnt.", COUNTER, lambda now: now.state.learnt),
    Figure(
        "groups",
        "Groups of requests that were committed together.",
        COUNTER,
        lambda now: now.state.groups,
    ),
    Figure(
        "rejected_labels",
        "Labels that were recorded, but could not be learnt.",
        COUNTER,
        lambda now: now.state.rejected,
    ),
    Figure(
        "names_left_out",
        "Features that were left out, since there were too many names.",
        COUNTER,
        lambda now: now.state.names_left_out,
    ),
    Figure(
        "unmatched_expired",
        "Labels that were dropped, since no event came in time.",
        COUNTER,
        lambda now: now.state.unmatched_expired,
    ),
    Figure(
        "unfit_events",
        "Events that do not fit what the model has learnt, by what is wrong and by the answer.",
        COUNTER,
        lambda now: now.service.engine.unfit.counts,
        ("kind", "answer"),
    ),
    Figure("ready", "1 while events are taken.", GAUGE, lambda now: now.service.not_ready is None),
    Figure(
        "disk_full", "1 while nothing can be written.", GAUGE, lambda now: now.service.full is not None
    ),
    Figure(
        "clock_in_doubt",
        "1 while nothing expires, since the clock may be wrong.",
        GAUGE,
        lambda now: now.state.clock_in_doubt,
    ),
    Figure("pending", "Events that wait for a label.", GAUGE, lambda now: now.state.pending),
    Figure("unmatched", "Labels that wait for an event.", GAUGE, lambda now: now.state.unmatched),
    Figure("names", "Names of features that events have brought.", GAUGE, lambda now: now.state.names),
    Figure("queue", "Rows that wait to be written.", GAUGE, lambda now: now.service.queued),
    Figure("group_rows", "Rows of the latest group.", GAUGE, lambda now: now.state.last_group),
    Figure(
        "commit_seconds",
        "Seconds that the latest commit took.",
        GAUGE,
        lambda now: now.state.last_commit,
    ),
    Figure("wal_bytes", "Size of the write-ahead log.", GAUGE, lambda now: now.state.wal_bytes),
    Figure(
        "snapshot_age_seconds",
        "Seconds since the latest snapshot.",
        GAUGE,
        lambda now: now.state.snapshot_age,
    ),
    Figure(
        "snapshot_learnt",
        "Labels learnt by the latest snapshot.",
        GAUGE,
        lambda now: now.state.snapshot_learnt,
    ),
    Figure("start_time_seconds", "When the service was started.", GAUGE, lambda now: now.state.started),
    Figure("flags", "Events that were flagged.", COUNTER, lambda now: now.total.flags),
    Figure(
        "cost", "What the decisions on labelled events have cost.", GAUGE, lambda now: now.total.cost
    ),
    Figure(
        "flag_nothing",
        "What they would have cost had nothing been flagged.",
        GAUGE,
        lambda now: now.total.flag_nothing,
    ),
    Figure(
        "flag_all",
        "What they would have cost had everything been flagged.",
        GAUGE,
        lambda now: now.total.flag_all,
    ),
    Figure(
        "perfect",
        "What perfect decisions on labelled events would have cost.",
        GAUGE,
        lambda now: now.total.perfect,
    ),
)


class Figures(Collector):
    """All figures of a service, as they are when Prometheus asks."""

    def __init__(self, service: Service, requests: Requests) -> None:
        self._service, self._requests = service, requests

    def collect(self) -> Iterator[Metric]:
        now = Read.now(self._service, self._requests)
        return (one.read(now) for one in FIGURES)


def page_of(service: Service, requests: Requests) -> bytes:
    """All figures as text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures(service, requests))
    return generate_latest(registry) + generate_latest(PROCESS)
