"""How fast the live service is, each figure beside its rival in the same run.

    python benchmarks/serve.py [--repeat 5] [--seconds 2] [--only PART ...] [--where FOLDER]

One server process with `auto`, which has learnt 20,000 rows of 14 numbers; a process of its own sends
requests over 32 connections that are kept alive (`serve_load.py`), each the next one when it has the
answer to the last one. The rivals are those of `serve_rivals.py`; they take turns with the service,
after a first round that does not count. The best rate of each counts, because a shared machine only
ever adds time; p50, p99 and the longest time of an answer are those of the same round. Directories are
made in FOLDER, which should be on the disk that is meant: by default where temporary files go.

disk       forced writes (fsync) a second; what a commit for every request costs depends on it.
singles    one event a request: without a log, with a commit for each, and as FastAPI alone.
slow_disk  the same where each commit takes 3 ms longer (a pause, the same for both).
chantilly  events and labels beside a service that writes the whole model every time.
batches    100 rows a request beside one, events and labels.
mixed      events and labels in turns, beside events alone; while snapshots are written; while trees
           grow.
recovery   from the start of a process until it is ready, with 100,000 labels after the snapshot.
memory     what a million events without a label add to that of 10,000.

Results go to benchmarks/results/serve.json, one record for each part.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import serve_recovery
import stored
from serve_load import BATCH, SLOWER, SNAPSHOT_LABELS, Load, Rows, load
from serve_rivals import MODEL, Server, new_model, served

from costream import dumps

PREPARED = 1000  # rows of a request that makes events for what is measured later
LABELS, LABELS_IN_BATCHES = 15_000, 60_000
BEHIND = 2000  # events between an event and its label, in mixed traffic
NEVER = {"snapshot_labels": 10**9, "snapshot_seconds": 1e9}
GROWING = 40_000  # requests, half of them labels
FEW, MANY = 10_000, 1_000_000
WRITES, WRITTEN = 1000, 4096  # of the disk, in bytes
CHANTILLY_EVENTS = 150
PACKAGES = ("starlette", "uvicorn", "httptools", "uvloop", "msgspec", "fastapi")


@dataclass(frozen=True)
class Line:
    """A rate beside another one; the goal is their ratio."""

    what: str
    ours: Load
    against: str
    rival: Load
    goal: float | None = None

    @property
    def record(self) -> dict[str, object]:
        return {
            "what": self.what,
            **self.ours.record,
            "against": self.against,
            "rival": self.rival.record,
            "ratio": self.ours.rate / self.rival.rate,
            "goal": self.goal,
        }


@dataclass(frozen=True)
class Number:
    """A number beside another one, and what it should not be above."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    against: str = ""
    rival: float | None = None

    @property
    def record(self) -> dict[str, object]:
        return asdict(self)


Lines = Iterator[Line | Number]
Measure = Callable[[], Load]


class Bench:
    """What the parts share: rows, a folder with a model, numbers of events that are not used yet."""

    def __init__(self, folder: Path, repeat: int, seconds: float) -> None:
        self.folder, self.repeat, self.seconds = folder, repeat, seconds
        self.rows = Rows()
        self._next = 0
        model = new_model()
        model.learn_many(self.rows.features, self.rows.positive.astype(int))
        (folder / MODEL).write_bytes(dumps(model))

    def fresh(self, count: int = 10**6) -> int:
        """The first of so many events that nobody has sent."""
        self._next += count
        return self._next - count

    def best(self, *measures: Measure, repeat: int | None = None) -> list[Load]:
        """The round of the best rate of each; they take turns, and a first round does not count."""
        rounds = [[one() for one in measures] for _ in range(1 + (repeat or self.repeat))]
        return [max(loads, key=lambda one: one.rate) for loads in zip(*rounds[1:], strict=True)]

    def singles(self, server: Server) -> Measure:
        """Events, one a request."""
        return lambda: load(server.port, self.rows.scores(self.fresh()), self.seconds)

    def batches(self, server: Server) -> Measure:
        """Batches of events."""

        def measure() -> Load:
            requests = self.rows.score_batches(BATCH, self.fresh())
            return load(server.port, requests, self.seconds, rows=BATCH)

        return measure

    def labels(self, server: Server, size: int = 1, count: int = LABELS) -> Measure:
        """Labels of events that were sent before the clock starts."""

        def measure() -> Load:
            numbers = self.sent(server, count)
            if size == 1:
                return load(server.port, self.rows.labels(numbers), self.seconds)
            return load(server.port, self.rows.label_batches(size, numbers), self.seconds, rows=size)

        return measure

    def sent(self, server: Server, count: int) -> range:
        """Send events in large batches, off the clock."""
        first = self.fresh(count)
        batches = self.rows.score_batches(PREPARED, first)
        load(server.port, batches, count=count // PREPARED, rows=PREPARED, connections=4)
        return range(first, first + count)

    def mixed(self, server: Server, count: int | None = None) -> Measure:
        """In turns an event, and the label of one that came a while ago."""

        def measure() -> Load:
            first = self.fresh()
            before = self.rows.score_batches(PREPARED, first)
            load(server.port, before, count=BEHIND // PREPARED, rows=PREPARED, connections=1)
            requests = self.rows.mixed(first + BEHIND, BEHIND)
            limit = self.seconds if count is None else float("inf")
            return load(server.port, requests, limit, count)

        return measure


# --- the parts ------------------------------------------------------------------------------------


def disk(bench: Bench) -> Lines:
    """How many pages a second reach the disk, one after the other: of a log that grows, and of one
    that is begun again, as SQLite's is after some megabytes."""
    rounds = [forced_writes(bench.folder) for _ in range(bench.repeat)]
    for what, rates in zip(("appended", "written over"), zip(*rounds, strict=True), strict=True):
        yield Number(f"pages of 4 KB, {what} and forced to disk", statistics.median(rates), "a second")


def forced_writes(folder: Path) -> list[float]:
    """Pages a second that are appended to a file, and then those that are written over."""
    rates = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(2):
            file.seek(0)
            begin = time.perf_counter()
            for _ in range(WRITES):
                file.write(bytes(WRITTEN))
                os.fsync(file.fileno())
            rates.append(WRITES / (time.perf_counter() - begin))
    return rates


def singles(bench: Bench) -> Lines:
    ways = ("service", "no log", "no log, no queue", "commit a request", "fastapi")
    with served(bench.folder, **{way: {"way": way} for way in ways}) as servers:
        ours, *rivals = bench.best(*(bench.singles(servers[way]) for way in ways))
    against = (
        ("the same without a log", 0.8),
        ("the same without log and queue", None),
        ("the same, a commit for each request", 10.0),
        ("FastAPI and the model, nothing kept", None),
    )
    for (name, goal), rival in zip(against, rivals, strict=True):
        yield Line("events, one a request", ours, name, rival, goal)


def slow_disk(bench: Bench) -> Lines:
    ways = ("service", "commit a request")
    with served(bench.folder, **{way: {"way": way, "pause": SLOWER} for way in ways}) as servers:
        ours, rival = bench.best(*(bench.singles(servers[way]) for way in ways))
    what = f"events, one a request; commits {1e3 * SLOWER:g} ms slower"
    yield Line(what, ours, "the same, a commit for each request", rival)  # made up: no goal


def chantilly(bench: Bench) -> Lines:
    ways = ("service", "chantilly")
    with served(bench.folder, **{way: {"way": way} for way in ways}) as servers:
        ours, theirs = servers.values()
        rival = "the way of Chantilly"
        pair = bench.best(bench.singles(ours), bench.singles(theirs), repeat=min(bench.repeat, 3))
        yield Line("events, one a request", pair[0], rival, pair[1], 3.0)

        def their_labels() -> Load:
            first = bench.fresh(CHANTILLY_EVENTS)
            load(theirs.port, bench.rows.scores(first), count=CHANTILLY_EVENTS)
            numbers = range(first, first + CHANTILLY_EVENTS)
            return load(theirs.port, bench.rows.labels(numbers))

        pair = bench.best(bench.labels(ours), their_labels, repeat=min(bench.repeat, 3))
        yield Line("labels, one a request", pair[0], rival, pair[1], 3.0)


def batches(bench: Bench) -> Lines:
    with served(bench.folder, service={"way": "service"}) as servers:
        one = servers["service"]
        many, single = bench.best(bench.batches(one), bench.singles(one))
        yield Line(f"events, {BATCH} a request", many, "one a request", single, 4.0)
        many, single = bench.best(bench.labels(one, BATCH, LABELS_IN_BATCHES), bench.labels(one))
        yield Line(f"labels, {BATCH} a request", many, "one a request", single, 4.0)


def mixed(bench: Bench) -> Lines:
    often = {"snapshot_labels": SNAPSHOT_LABELS}
    with served(
        bench.folder, plain={"way": "service", **NEVER}, often={"way": "service", **often}
    ) as servers:
        plain, often = servers.values()
        both, alone, snapshots = bench.best(
            bench.mixed(plain), bench.singles(plain), bench.mixed(often)
        )
    what = "events and labels in turns"
    yield Line(what, both, "events alone", alone)
    yield Line(f"{what}, a snapshot every {SNAPSHOT_LABELS:,} labels", snapshots, "no snapshots", both)
    rounds = [growing(bench) for _ in range(min(bench.repeat, 3))]
    young, old = (min(loads, key=lambda one: one.longest) for loads in zip(*rounds, strict=True))
    yield Line(
        f"{what}, the first {GROWING // 2:,} labels, trees grow", young, "a model of 20,000 labels", old
    )


def growing(bench: Bench) -> list[Load]:
    """A model from nothing, and one that has learnt as much as the first one learns here."""
    found = []
    for trained in (False, True):
        with served(bench.folder, one={"way": "service", "trained": trained, **NEVER}) as servers:
            found.append(bench.mixed(servers["one"], GROWING)())
    return found


def recovery(bench: Bench) -> Lines:
    for one in serve_recovery.measured(bench.folder, bench.rows, bench.repeat):
        yield Number(*one)


def memory(bench: Bench) -> Lines:
    with served(bench.folder, one={"way": "service"}) as servers:
        server = servers["one"]

        def send(count: int) -> Load:
            requests = bench.rows.score_batches(PREPARED, bench.fresh(count))
            return load(server.port, requests, count=count // PREPARED, rows=PREPARED, connections=4)

        send(FEW)
        before = server.memory
        sent = send(MANY - FEW)
        after = server.memory
    what = f"memory that {MANY:,} events without a label add to that of {FEW:,}"
    bytes_sent = MANY * len(bench.rows.event(0)) / 1e6
    yield Number(what, after - before, "MB", 20.0, "the events as JSON", bytes_sent)
    yield Number(f"memory of the process with {MANY:,} events", after, "MB", None)
    alone = f"events, {PREPARED:,} a request, the last of {MANY:,}"
    yield Number(f"{alone}, a second", sent.rate, "", None)


PARTS = {
    one.__name__: one for one in (disk, singles, slow_disk, chantilly, batches, mixed, recovery, memory)
}


# --- the table ------------------------------------------------------------------------------------


def show(line: Line | Number) -> None:
    goal = "" if line.goal is None else f"{line.goal:g}"
    if isinstance(line, Number):
        rival = "" if line.rival is None else f"{line.rival:,.3g}"
        cells = [line.what, f"{line.value:,.3g} {line.unit}", "", line.against, rival, "", "", goal]
    else:
        both = [(f"{one.rate:,.0f}/s", times(one)) for one in (line.ours, line.rival)]
        ratio = f"{line.ours.rate / line.rival.rate:.2f}"
        cells = [line.what, *both[0], line.against, *both[1], ratio, goal]
    print(f"| {' | '.join(cells)} |", flush=True)


def times(one: Load) -> str:
    return f"{one.p50:.1f}, {one.p99:.1f}, {one.longest:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a round")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--where", type=Path, help="a folder on the disk that is meant")
    options = parser.parse_args()
    if {"singles", "chantilly"} & set(options.only) and find_spec("fastapi") is None:
        parser.error(
            "two parts compare with FastAPI: pip install fastapi, or choose others with --only"
        )
    header = stored.about(PACKAGES)
    print(f"machine: {header['machine']}\n")
    print("| what | rate | ms: p50, p99, longest | against | rate | ms | ratio | goal |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.only:
        with tempfile.TemporaryDirectory(dir=options.where, ignore_cleanup_errors=True) as folder:
            lines = []
            for line in PARTS[name](Bench(Path(folder), options.repeat, options.seconds)):
                show(line)
                lines.append(line.record)
        record = {"repeat": options.repeat, "seconds": options.seconds, "lines": lines}
        stored.replace("serve", header, {name: record})


if __name__ == "__main__":
    main()
