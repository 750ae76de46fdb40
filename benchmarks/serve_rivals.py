"""The servers of `serve.py`, each in a process of its own: the service, and those it is compared with.

    python benchmarks/serve_rivals.py WAY DIRECTORY PORT JSON

service           what `costream serve` runs.
no log            the same with a log that writes nothing and knows nothing. Left out: looking ids up,
                  inserting records, and the commit. What makes records stays, and so do the queue, the
                  groups and the thread of the commit. An id that comes again is not noticed.
no log, no queue  the same application and model, but each request is decided and answered by itself:
                  the making of records, the queue, the groups and the thread are left out, too.
commit a request  the service with groups of one request: each has a commit of its own.
chantilly         FastAPI and the same model, as Chantilly does it: at every event and every label the
                  whole model is written to a shelf, and so is the event, to be joined with its label by
                  its id. In its favour, the model is not read from there each time, nothing is forced
                  to disk (no fsync), and flags come without reasons.
fastapi           FastAPI and the same model alone: nothing is kept, and there are no reasons.

All are run by uvicorn with httptools and uvloop, with the same settings. JSON has settings of the
service, and `pause`, the seconds that each commit takes longer: a slower disk.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from costream import Cost, OnlineClassifier, load

COSTS = Cost(fn_cost=50.0, fp_cost=5.0)
TRAINED_ON = 20_000
MODEL = "model.costream"
START_SECONDS = 120.0


def new_model() -> OnlineClassifier:
    """The default, which has learnt nothing."""
    return OnlineClassifier("auto", COSTS, classes=(0, 1))


# --- from outside ---------------------------------------------------------------------------------


class Server:
    """A server in a process of its own."""

    def __init__(self, way: str, folder: Path, **settings: Any) -> None:
        self.port = free_port()
        command = [sys.executable, str(Path(__file__).resolve()), way, str(folder), str(self.port)]
        errors = folder.with_name(f"{folder.name}.log")
        with open(errors, "wb") as file:
            self.process = subprocess.Popen([*command, json.dumps(settings)], stderr=file)
        if not wait_for(self.port, self.process):
            self.process.kill()
            raise RuntimeError(f"{way} did not start:\n{errors.read_text(errors='replace')}")

    @property
    def memory(self) -> float:
        """The resident memory of the process, in MB."""
        return resident(self.process.pid)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


@contextmanager
def served(folder: Path, **ways: dict[str, Any]) -> Iterator[dict[str, Server]]:
    """Servers by name, each in a folder of its own below one; their settings have their ``way``."""
    found: dict[str, Server] = {}
    try:
        for name, settings in ways.items():
            found[name] = Server(folder=folder / f"{name}-{time.monotonic_ns()}", **settings)
        yield found
    finally:
        for server in found.values():
            server.stop()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until a server listens; returns whether it does."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            return True
        except OSError:
            time.sleep(0.01)
    return False


def resident(pid: int) -> float:
    """The resident memory of a process, in MB."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


# --- within -----------------------------------------------------------------------------------------


def opened(folder: Path, settings: dict[str, Any], model: Path) -> Any:
    """The service of a folder, which begins with a model or, where its file is not there, with none."""
    from costream.serve.engine.service import Service
    from costream.serve.settings import Settings

    pause = settings.pop("pause", 0.0)
    make = (lambda: load(model)) if settings.pop("trained", True) else new_model
    service = Service.open(folder, make, Settings(**settings))
    if pause:
        slow_down(service, pause)
    return service


def slow_down(service: Any, pause: float) -> None:
    """Let each commit take longer, as on a slower disk."""
    commit = service.engine.commit

    def slower() -> None:
        commit()
        time.sleep(pause)

    service.engine.commit = slower


def without_log(service: Any) -> Any:
    """The same service with a log that writes nothing and knows nothing."""
    from costream.serve.storage.log import Log

    class NoLog(Log):
        def begin(self) -> None: ...
        def commit(self) -> None: ...
        def rollback(self) -> None: ...
        def add_events(self, events: Any) -> None: ...
        def add_hourly_costs(self, hours: Any) -> None: ...
        def events_of(self, ids: Any) -> dict[str, Any]:
            return {}

    service.engine.log.__class__ = NoLog
    return service


def at_once(service: Any) -> Any:
    """The same service, which decides within the request and keeps nothing."""
    from costream.serve.engine.jobs import Scored, check_id
    from costream.serve.messages import Answer

    engine = service.engine

    async def score(events: list[Any], reasons: int | None = None) -> list[Any]:
        found = []
        for event in events:
            check_id(event.id)
            decision = engine.served.decide(event)
            count = reasons if reasons is not None else engine.settings.reasons * decision.flag
            why = engine.served.reasons(event, decision.flag, count) if count else None
            numbers = decision.flag, decision.score, decision.probability
            answer = Answer(event.id, *numbers, engine.served.learnt, engine.base_model.name, why)
            found.append(Scored(answer, False))
        return found

    service.score = score
    return service


def run(way: str, folder: Path, port: int, settings: dict[str, Any]) -> int:
    """Serve until a signal comes."""
    from costream.serve import server
    from costream.serve.engine import service

    bound = server.listen("127.0.0.1", port)
    model = folder.parent / MODEL
    if way in ("chantilly", "fastapi"):
        from serve_fastapi import application

        return run_plainly(application(folder, load(model), way == "chantilly"), bound)
    if way == "commit a request":
        service.ROWS_A_GROUP = 1
    made = opened(folder, settings, model)
    changed = {"no log": without_log, "no log, no queue": at_once}.get(way, lambda same: same)
    return server.run(changed(made), bound)


def run_plainly(app: Any, bound: socket.socket) -> int:
    """An application under uvicorn as `costream serve` sets it."""
    import uvicorn

    config = uvicorn.Config(
        app,
        http="httptools",
        loop="uvloop",
        ws="none",
        lifespan="on",
        backlog=2048,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )
    gc.collect()
    gc.freeze()
    uvicorn.Server(config).run([bound])
    return 0


if __name__ == "__main__":
    _, chosen, where, at, options = sys.argv
    sys.exit(run(chosen, Path(where), int(at), json.loads(options)))
