"""Server-sent events: what a client is sent first, what it is sent later, and when a stream ends."""

import contextlib
import json
import time

import httpx
import pytest

from costream.serve import Client
from costream.serve.http import live
from helpers.commands import compiled_only
from helpers.served import served

pytestmark = [compiled_only, pytest.mark.slow]
TICK = 0.02  # seconds for which a moment is taken for the present one


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "TICK", TICK)
        with served(tmp_path_factory.mktemp("stream") / "fraud") as url:
            yield url


@pytest.fixture(scope="module")
def client(url):
    with Client(url) as client:
        yield client


class Stream:
    """The events of a stream, one after the other."""

    def __init__(self, answer):
        self.lines, self.last = answer.iter_lines(), ""

    def next(self):
        """The kind and the data of the next event."""
        fields = {}
        for line in self.lines:
            if line:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
            elif "event" in fields:
                self.last = fields["id"]
                return fields["event"], json.loads(fields["data"])
            elif fields:
                return fields, None
        return None


@contextlib.contextmanager
def streaming(url, path="/v1/stream", **headers):
    """Open a stream, which begins with what has happened up to now."""
    time.sleep(2 * TICK)
    with httpx.stream("GET", url + path, headers=headers, timeout=20.0) as answer:
        assert answer.status_code == 200, answer.read()
        stream = Stream(answer)
        assert stream.next()[0].keys() == {"retry"}
        yield stream


def flagged(client, name):
    """An event that is dear to miss, so that it is flagged."""
    assert client.score(name, {"amount": 3.0}, time=1_800_000_000, fn_cost=1e6, fp_cost=1e-3).flag


def test_a_stream_begins_with_the_whole_summary(url, client):
    flagged(client, "begin")
    with streaming(url) as stream:
        kind, summary = stream.next()
    assert kind == "summary"
    assert summary == httpx.get(f"{url}/v1/summary").json()


def test_what_changes_is_sent_with_the_new_flags(url, client):
    flagged(client, "before")
    with streaming(url) as stream:
        total = stream.next()[1]["total"]["events"]
        flagged(client, "new")
        kind, summary = stream.next()
        assert (kind, summary["total"]["events"]) == ("summary", total + 1)
        kind, flags = stream.next()
        assert (kind, [one["id"] for one in flags]) == ("flags", ["new"])


def test_only_the_periods_that_have_changed_are_sent_again(url, client):
    client.score("old", {"amount": 1.0}, time=1_700_000_000)
    with streaming(url) as stream:
        assert len(stream.next()[1]["rows"]) > 1
        client.label("old", False)
        [row] = stream.next()[1]["rows"]
    assert (row["start"], row["labelled"]) == ("2023-11-14T00:00:00Z", 1)


def test_a_client_that_comes_back_is_sent_what_it_has_missed(url, client):
    with streaming(url) as stream:
        stream.next()
    flagged(client, "missed")
    with streaming(url, **{"Last-Event-ID": stream.last}) as again:
        kind, summary = again.next()
        assert (kind, len(summary["rows"])) == ("summary", 1)
        assert [one["id"] for one in again.next()[1]] == ["missed"]


def test_a_stream_ends_after_its_time(url, monkeypatch):
    monkeypatch.setattr(live, "LIFE", 0.2)
    with streaming(url) as stream:
        assert stream.next()[0] == "summary"
        assert stream.next() is None


def test_too_many_streams_are_refused(url, monkeypatch):
    monkeypatch.setattr(live, "STREAMS", 0)
    answer = httpx.get(f"{url}/v1/stream")
    assert (answer.status_code, answer.json().keys()) == (503, {"error", "hint"})
    assert int(answer.headers["Retry-After"]) > 0
