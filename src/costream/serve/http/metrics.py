"""Figures for Prometheus, one table of them, read when they are asked for.

Their labels never hold data of events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
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
COUNTERS = {  # by what is read: the name and the description
    "state.events": ("events", "Events that were scored."),
    "state.labels": ("labels", "Labels that were recorded, revisions among them."),
    "state.learnt": ("learnt", "Labels that the model has learnt."),
    "state.groups": ("groups", "Groups of requests that were committed together."),
    "state.rejected": ("rejected_labels", "Labels that were recorded, but could not be learnt."),
    "state.names_left_out": (
        "names_left_out",
        "Features that were left out, since there were too many names.",
    ),
    "state.unmatched_expired": (
        "unmatched_expired",
        "Labels that were dropped, since no event came in time.",
    ),
    "total.flags": ("flags", "Events that were flagged."),
}
GAUGES = {
    "state.clock_in_doubt": (
        "clock_in_doubt",
        "1 while nothing expires, since the clock may be wrong.",
    ),
    "state.pending": ("pending", "Events that wait for a label."),
    "state.unmatched": ("unmatched", "Labels that wait for an event."),
    "state.names": ("names", "Names of features that events have brought."),
    "service.queued": ("queue", "Rows that wait to be written."),
    "state.last_group": ("group_rows", "Rows of the latest group."),
    "state.last_commit": ("commit_seconds", "Seconds that the latest commit took."),
    "state.wal_bytes": ("wal_bytes", "Size of the write-ahead log."),
    "state.snapshot_age": ("snapshot_age_seconds", "Seconds since the latest snapshot."),
    "state.snapshot_learnt": ("snapshot_learnt", "Labels learnt by the latest snapshot."),
    "state.started": ("start_time_seconds", "When the service was started."),
    "total.cost": ("cost", "What the decisions on labelled events have cost."),
    "total.flag_nothing": ("flag_nothing", "What they would have cost had nothing been flagged."),
    "total.flag_all": ("flag_all", "What they would have cost had everything been flagged."),
    "total.perfect": ("perfect", "What perfect decisions on labelled events would have cost."),
}
FIGURES = (
    Figure(
        "requests",
        "Requests by route and status.",
        COUNTER,
        attrgetter("requests.counts"),
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
        attrgetter("requests.refused"),
        ("why",),
    ),
    Figure(
        "unfit_events",
        "Events that do not fit what the model has learnt, by what is wrong and by the answer.",
        COUNTER,
        attrgetter("service.engine.unfit.counts"),
        ("kind", "answer"),
    ),
    Figure(
        "connections", "Connections that are open.", GAUGE, lambda now: len(now.requests.connections)
    ),
    Figure("ready", "1 while events are taken.", GAUGE, lambda now: now.service.not_ready is None),
    Figure(
        "disk_full", "1 while nothing can be written.", GAUGE, lambda now: now.service.full is not None
    ),
    *(Figure(*named, COUNTER, attrgetter(place)) for place, named in COUNTERS.items()),
    *(Figure(*named, GAUGE, attrgetter(place)) for place, named in GAUGES.items()),
)


class Figures(Collector):
    """All figures of a service, as they are when Prometheus asks."""

    def __init__(self, service: Service, requests: Requests) -> None:
        self._service, self._requests = service, requests

    def collect(self) -> Iterator[Metric]:
        now = Read.now(self._service, self._requests)
        return (one.read(now) for one in FIGURES)


def page_of(service: Service, requests: Requests) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures(service, requests))
    return generate_latest(registry) + generate_latest(PROCESS)
