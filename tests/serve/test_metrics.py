"""Figures for Prometheus: what they count, and that no label of theirs holds data of events."""

import re
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from costream.serve.http import metrics
from costream.serve.http.metrics import FIGURES, GAUGE, Figure
from costream.serve.http.routing import EndpointRoute, routes
from helpers.asked import asked, label, score
from helpers.commands import compiled_only

pytestmark = compiled_only
SECRET = "s3cret"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with asked(tmp_path_factory.mktemp("metrics") / "fraud") as client:
        for name in (SECRET, "b", "c"):
            score(client, name, features={SECRET: SECRET}, fn_cost=100.0, fp_cost=5.0)
        label(client, SECRET, 1)
        label(client, "b", 0)
        label(client, f"{SECRET} unmatched")
        client.get(f"/v1/events/{SECRET}")
        client.get(f"/{SECRET}")
        client.request(f"X{SECRET}", f"/static/{SECRET}")
        yield client


@pytest.fixture(scope="module")
def samples(client):
    text = client.get("/metrics").text
    found = [one for family in text_string_to_metric_families(text) for one in family.samples]
    return {(one.name, *sorted(one.labels.items())): one.value for one in found}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("events_total", 3),
        ("labels_total", 2),
        ("learnt_total", 2),
        ("pending", 1),
        ("unmatched", 1),
        ("rejected_labels_total", 0),
        ("ready", 1),
        ("flag_nothing", 100),
        ("flag_all", 5),
        ("perfect", 0),
    ],
)
def test_the_service_is_counted(samples, name, value):
    assert samples[(f"costream_{name}",)] == value


def test_requests_are_counted_by_route_method_and_status(samples):
    where = (("method", "POST"), ("route", "/v1/labels"), ("status", "202"))
    assert samples[("costream_requests_total", *where)] == 1


def test_no_label_has_data_of_events(client):
    text = client.get("/metrics").text
    assert SECRET not in text
    found = set(re.findall(r'route="([^"]*)"', text))
    assert found <= {"other", *(one.place.template for one in routes())}


def test_every_route_has_a_scope_and_a_template_without_data():
    assert all(isinstance(one, EndpointRoute) and one.place.needs for one in routes())
    assert {"/v1/events/{id}", "/static/{file}"} <= {one.place.template for one in routes()}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the figures of Linux")
@pytest.mark.parametrize(
    "name", ["process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"]
)
def test_the_process_is_measured(samples, name):
    assert samples[(name,)] > 0


def test_a_new_metric_is_a_row_of_the_table(client, monkeypatch):
    twice = Figure("events_twice", "Twice the events.", GAUGE, lambda now: 2 * now.state.events)
    monkeypatch.setattr(metrics, "FIGURES", (*FIGURES, twice))
    assert "costream_events_twice 6.0" in client.get("/metrics").text
