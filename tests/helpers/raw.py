"""Connections as a bad or slow client has them, byte by byte, to a service with its limits."""

import contextlib
import socket
import threading
import time

import uvicorn

from costream import Cost
from costream.serve import Client, app
from costream.serve.server import configured, listen

PATIENCE = 20.0


@contextlib.contextmanager
def limited(directory, **limits):
    """Serve a new directory with limits of its own; gives its port and the application."""
    application = app(directory, learner="carow-diag", objective=Cost(200, 5))
    bound = listen("127.0.0.1", 0)
    port = bound.getsockname()[1]
    server = uvicorn.Server(configured(application, **limits))
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        with Client(f"http://127.0.0.1:{port}") as client:
            while not client.is_ready() and thread.is_alive():
                time.sleep(0.01)
        yield port, application
    finally:
        server.should_exit = True
        thread.join(30.0)
        bound.close()


def connected(port):
    one = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    one.settimeout(PATIENCE)
    return one


def rest_of(one):
    """All that comes until the other side closes."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := one.recv(65536):
            parts.append(part)
    return b"".join(parts)


def eventually(check):
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.02)
