"""How many modules of ours a row passes through: ``python tools/walks.py [--modules]``.

Walks: the bytes of a CSV to a model, a dict row to its score, a request to its record. Counted
are the modules whose functions run, seen by ``sys.setprofile`` in all threads, once everything is
imported and compiled. CONTRIBUTING.md has the numbers, and `tests/test_walks.py` holds them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import costream
from costream import Cost, OnlineClassifier, Stream

PACKAGE = Path(costream.__file__).parent
ROWS = 60


@contextmanager
def walked(found: set[str]) -> Iterator[None]:
    """Add the modules whose functions are called meanwhile, importing left out."""

    def see(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>":
            file = Path(code.co_filename)
            if file.is_relative_to(PACKAGE):
                found.add(file.relative_to(PACKAGE).with_suffix("").as_posix())

    threading.setprofile(see)
    sys.setprofile(see)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def modules_of(walk: Callable[[], Any]) -> list[str]:
    """The modules of a walk; the first time is for imports and compilation."""
    walk()
    found: set[str] = set()
    with walked(found):
        walk()
    return sorted(found)


def file_to_model(folder: Path) -> list[str]:
    """Learn from a CSV with numbers and text, with a model that is there."""
    path = folder / "rows.csv"
    lines = [f"{n % 7}.5,{'ABC'[n % 3]},{int(n % 5 == 0)}" for n in range(ROWS)]
    path.write_text("\n".join(["amount,country,label", *lines, ""]))

    models = iter([OnlineClassifier("carow-diag", Cost(20, 1)) for _ in range(2)])

    def walk() -> None:
        with Stream(path) as stream:
            next(models).learn_stream(stream)

    return modules_of(walk)


def dict_to_score(_folder: Path) -> list[str]:
    """Score one dict, which has text besides numbers."""
    model = OnlineClassifier("auto", Cost(20, 1))
    for n in range(ROWS):
        model.learn_one({"amount": n % 7 + 0.5, "country": "ABC"[n % 3]}, int(n % 5 == 0))
    return modules_of(lambda: model.score_one({"amount": 3.5, "country": "B"}))


def dict_of_table_to_score(_folder: Path) -> list[str]:
    """Score one dict with a model that knows from a table which columns are numbers, text and times."""
    rows = [
        {
            "amount": n % 7 + 0.5,
            "age": n % 50,
            "country": "ABC"[n % 3],
            "when": f"2026-01-{1 + n % 28:02d} {n % 24:02d}:00:00",
        }
        for n in range(400)
    ]
    model = OnlineClassifier("auto", Cost(20, 1))
    model.learn_many(rows, [int(n % 5 == 0) for n in range(400)])
    return modules_of(lambda: model.score_one(rows[3]))


def request_to_record(folder: Path) -> list[str]:
    """Send one event to the service, and wait for its answer."""
    from costream.serve import app

    application = app(folder / "served", learner="carow-diag", objective=Cost(20, 1))
    numbers = iter(range(100))

    async def ask(runs: int, found: set[str]) -> None:
        await application.start()
        for at in range(runs):
            if at < runs - 1:
                await post(application, next(numbers))
            else:
                with walked(found):
                    await post(application, next(numbers))
        await application.stop()

    found: set[str] = set()
    asyncio.run(ask(3, found))
    return sorted(found)


async def post(application: Any, number: int) -> None:
    """One event, as a server hands it to the application."""
    features = {"amount": 3.5, "country": "B"}
    body = json.dumps({"id": f"e{number}", "features": features}).encode()
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/score",
        "query_string": b"",
        "headers": [
            (b"host", b"localhost"),
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
        ],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: dict[str, Any]) -> None:
        assert message.get("status", 200) == 200

    await application(scope, receive, send)


WALKS = {
    "from a CSV to a model": (file_to_model, 30),
    "from a dict to a score": (dict_to_score, 8),
    "from a dict to a score, by the schema of a table": (dict_of_table_to_score, 8),
    "from a request to its record": (request_to_record, 20),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--modules", action="store_true", help="name them")
    parser.add_argument("--json", action="store_true", help="for programs")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    walks: dict[str, dict[str, Any]] = {}
    for name, (walk, most) in WALKS.items():
        with tempfile.TemporaryDirectory() as folder:
            walks[name] = {"modules": walk(Path(folder)), "most": most}
    if options.json:
        print(json.dumps(walks))
        return
    for name, found in walks.items():
        print(f"{name}: {len(found['modules'])} modules (at most {found['most']})")
        for one in found["modules"] if options.modules else ():
            print(f"    {one}")


if __name__ == "__main__":
    main()
