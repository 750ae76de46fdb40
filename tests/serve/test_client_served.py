"""The client and the demo with a real service."""

import threading
import time
from urllib.parse import urlsplit

import pytest

from costream import CostreamError
from costream.serve import Answer, Client, Problem
from costream.serve.demo import start_demo
from costream.serve.http.tokens import Tokens
from helpers.commands import compiled_only
from helpers.served import served

pytestmark = [compiled_only, pytest.mark.slow]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served") / "fraud") as url, Client(url) as client:
        yield client


def test_an_event_is_decided_and_its_label_learnt(client):
    answer = client.score("first", {"amount": 20.0, "country": "FR"}, fn_cost=20.0)
    assert isinstance(answer, Answer)
    known = client.label("first", True)
    assert (known.status, known.learnt) == ("learnt", answer.learnt + 1)


def test_many_events_and_labels(client):
    events = [{"id": f"many-{at}", "features": {"amount": 1.0 * at}} for at in range(1500)]
    events[7]["id"] = "long" * 51
    events[1200]["fn_cost"] = float("nan")
    found = client.score_many(events)
    assert [at for at, one in enumerate(found) if isinstance(one, Problem)] == [7, 1200]
    assert [one.id for one in found] == [one["id"] for one in events]
    labels = client.label_many({"id": one["id"], "label": False} for one in events)
    assert [at for at, one in enumerate(labels) if one.status != "learnt"] == [7, 1200]


@pytest.mark.parametrize("name", ["a/b", "a b?c#d", "é%20", "..", "<script>"])
def test_an_event_is_found_by_an_odd_id(client, name):
    client.score(name, {"amount": 5.0})
    assert client.event(name)["id"] == name


def test_where_there_is_a_token_it_is_needed(tmp_path):
    token = Tokens.of(tmp_path / "fraud").add("shop", ["score"])
    with served(tmp_path / "fraud") as url:
        with Client(url) as client, pytest.raises(CostreamError) as caught:
            client.score("a", {"amount": 1.0})
        assert caught.value.status == 401
        with Client(url, token=token) as client:
            assert client.score("a", {"amount": 1.0}).id == "a"
            with pytest.raises(CostreamError) as caught:
                client.label("a", True)
            assert caught.value.status == 403


def test_a_service_that_starts_again_is_waited_for(tmp_path):
    with served(tmp_path / "fraud") as url:
        client = Client(url)
        first = client.score("a", {"amount": 1.0})
    found = []
    thread = threading.Thread(target=lambda: found.append(client.score("a", {"amount": 1.0})))
    thread.start()
    with served(tmp_path / "fraud", urlsplit(url).port):
        thread.join(30.0)
    client.close()
    assert found == [first]


def played(url, wanted):
    """Play the demo until the service has as many labels; returns the summary."""
    stopping = threading.Event()
    thread = start_demo(url, stopping, day=0.02)
    with Client(url) as client:
        end = time.monotonic() + 60.0
        while client.summary().total.labelled < wanted and time.monotonic() < end:
            time.sleep(0.05)
        stopping.set()
        thread.join(30.0)
        assert not thread.is_alive()
        return client.summary()


def test_the_demo_has_costs_and_goes_on_with_new_events(tmp_path):
    with served(tmp_path / "demo") as url:
        first = played(url, 300).total
        assert first.labelled >= 300
        assert first.positives > 0
        second = played(url, first.labelled + 300).total
        assert second.events > first.events
