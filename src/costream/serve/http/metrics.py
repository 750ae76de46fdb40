"""Figures for Prometheus, read when they are asked for; their labels never hold data of events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

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

from .guard import BUCKETS, Requests

if TYPE_CHECKING:
    from ..engine.service import Service

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PROCESS = CollectorRegistry()  # memory, files and CPU of the process, where the system tells
ProcessCollector(registry=PROCESS)
PlatformCollector(registry=PROCESS)
GCCollector(registry=PROCESS)


class Figures(Collector):
    """All figures of a service, as they are when Prometheus asks."""

    def __init__(self, service: Service, requests: Requests) -> None:
        self._service, self._requests = service, requests

    def collect(self) -> Iterator[Metric]:
        yield from self._of_requests()
        yield from self._of_service()
        yield from self._of_bill()

    def _of_requests(self) -> Iterator[Metric]:
        counts = CounterMetricFamily(
            "costream_requests", "Requests by route and status.", labels=["route", "method", "status"]
        )
        for (route, method, status), count in sorted(self._requests.counts.items()):
            counts.add_metric([route, method, str(status)], count)
        yield counts
        times = HistogramMetricFamily(
            "costream_request_seconds",
            "Seconds from a request to the end of its answer.",
            labels=["route"],
        )
        names = [*map(str, BUCKETS), "+Inf"]
        for route, buckets in sorted(self._requests.buckets.items()):
            cumulative = [(name, float(n)) for name, n in zip(names, accumulate(buckets), strict=True)]
            times.add_metric([route], cumulative, self._requests.seconds[route])
        yield times
        refused = CounterMetricFamily(
            "costream_refused_connections", "Connections that were closed, by why.", labels=["why"]
        )
        for why, count in sorted(self._requests.refused.items()):
            refused.add_metric([why], count)
        yield refused
        connections = float(len(self._requests.connections))
        yield GaugeMetricFamily("costream_connections", "Connections that are open.", value=connections)

    def _of_service(self) -> Iterator[Metric]:
        state, ready = self._service.engine.status(), self._service.not_ready is None
        for name, about, value in (
            ("events", "Events that were scored.", state.events),
            ("labels", "Labels that were recorded, revisions among them.", state.labels),
            ("learnt", "Labels that the model has learnt.", state.learnt),
            ("groups", "Groups of requests that were committed together.", state.groups),
            ("aside", "Records that could not be learnt and were put aside.", state.aside),
            ("names_left_out", "Features left out, whose names were too many.", state.names_left_out),
            ("parked_given_up", "Labels that were given up without an event.", state.given_up),
        ):
            yield CounterMetricFamily(f"costream_{name}", about, value=value)
        unfit = CounterMetricFamily(
            "costream_unfit_events",
            "Events that do not fit what the model has learnt, by what is wrong and by the answer.",
            labels=["kind", "answer"],
        )
        for (kind, answer), count in sorted(self._service.engine.unfit.counts.items()):
            unfit.add_metric([kind, answer], count)
        yield unfit
        for name, about, number in (
            ("ready", "1 while events are taken.", float(ready)),
            ("disk_full", "1 while nothing can be written.", float(self._service.full is not None)),
            ("clock_held", "1 while nothing expires, since the clock may be wrong.", state.clock_held),
            ("pending", "Events that wait for a label.", state.pending),
            ("parked", "Labels that wait for an event.", state.parked),
            ("names", "Names of features that events have brought.", state.names),
            ("queue", "Rows that wait to be written.", self._service.queued),
            ("group_rows", "Rows of the latest group.", state.last_group),
            ("commit_seconds", "Seconds that the latest commit took.", state.last_commit),
            ("wal_bytes", "Size of the write-ahead log.", state.wal_bytes),
            ("snapshot_age_seconds", "Seconds since the latest snapshot.", state.snapshot_age),
            ("snapshot_learnt", "Labels learnt by the latest snapshot.", state.snapshot_learnt),
            ("start_time_seconds", "When the service was started.", state.started),
        ):
            yield GaugeMetricFamily(f"costream_{name}", about, value=number)

    def _of_bill(self) -> Iterator[Metric]:
        total = self._service.engine.summary("day").total
        yield CounterMetricFamily("costream_flags", "Events that were flagged.", value=total.flags)
        for name, about, value in (
            ("cost", "What the decisions on labelled events have cost.", total.cost),
            ("flag_nothing", "What they would have cost had nothing been flagged.", total.flag_nothing),
            ("flag_all", "What they would have cost had everything been flagged.", total.flag_all),
            ("perfect", "What perfect decisions on labelled events would have cost.", total.perfect),
        ):
            yield GaugeMetricFamily(f"costream_{name}", about, value=value)


def page_of(service: Service, requests: Requests) -> bytes:
    """All figures as text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures(service, requests))
    return generate_latest(registry) + generate_latest(PROCESS)
