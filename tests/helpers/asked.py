"""The application within the process of the test, and short ways to ask it."""

import asyncio
import contextlib

import httpx

from costream import Cost
from costream.serve import app
from costream.serve.settings import Settings


class Asked:
    """A client that waits for each answer, on an event loop of its own."""

    def __init__(self, app, address="http://localhost"):
        self.app, self._runner = app, asyncio.Runner()
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=address)

    def run(self, work):
        return self._runner.run(work)

    def request(self, method, path, **options):
        return self.run(self._client.request(method, path, **options))

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, **options):
        return self.request("POST", path, **options)

    def close(self):
        self.run(self._client.aclose())
        self._runner.close()


@contextlib.contextmanager
def asked(directory, learner="carow-diag", settings=None, **options):
    """A client of the application of a new directory, which begins with a small learner."""
    made = app(
        directory,
        learner=learner,
        objective=Cost(200, 5),
        settings=Settings(**(settings or {})),
        **options,
    )
    client = Asked(made)
    client.run(made.start())
    try:
        yield client
    finally:
        client.run(made.stop())
        client.close()


def event(name, **more):
    """An event as it is sent."""
    return {"id": name, "features": {"amount": 20.0, "country": "FR"}, **more}


def score(client, name, **more):
    """The answer to an event."""
    answer = client.post("/v1/score", json=event(name, **more))
    assert answer.status_code == 200, answer.text
    return answer.json()


def label(client, name, value=1, **more):
    """What became of a label."""
    answer = client.post("/v1/labels", json={"id": name, "label": value, **more})
    assert answer.status_code in (200, 202), answer.text
    return answer.json()
