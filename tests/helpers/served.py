"""A real service for tests of clients: a port of its own, a thread of its own, an orderly end."""

import contextlib
import threading
import time

import uvicorn

from costream import Cost
from costream.serve import Client, app
from costream.serve.server import listen
from costream.serve.storage.directory import LOG
from costream.serve.storage.reader import LogReader


def has_begun(directory):
    """Whether a directory has a model; one may hold tokens alone."""
    if not (directory / LOG).exists():
        return False
    with contextlib.closing(LogReader(directory / LOG)) as log:
        return bool(log.base_models())


@contextlib.contextmanager
def served(directory, port=0, **options):
    """Serve a directory; gives the address. A new directory begins with a small learner."""
    if not has_begun(directory):
        options = {"learner": "carow-diag", "objective": Cost(200, 5), **options}
    bound = listen("127.0.0.1", port)
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    config = uvicorn.Config(app(directory, **options), log_config=None, lifespan="on", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        with Client(url) as client:
            while not client.is_ready() and thread.is_alive():
                time.sleep(0.01)
        yield url
    finally:
        server.should_exit = True
        thread.join(30.0)
        bound.close()
