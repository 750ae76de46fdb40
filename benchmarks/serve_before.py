"""The service of this checkout beside that of another one, in turns, on the same load.

    git worktree add ../before COMMIT
    python benchmarks/serve_before.py ../before [--repeat 5] [--seconds 2]

Both are run by the same interpreter and packages, each with its own sources; all else is as in
`serve.py`. The best rate of each counts; a ratio is ours over theirs. Nothing is stored: it is for
whoever changes the service, before the change is committed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from serve_rivals import Server, free_port, wait_for

from serve import BATCH, LABELS_IN_BATCHES, NEVER, Bench

# The files of one release need not be those of another.
MODEL_OF_ITS_OWN = "import sys, pathlib, serve; serve.Bench(pathlib.Path(sys.argv[1]), 1, 1.0)"
HERE = Path(__file__).resolve().parent.parent


class Checkout(Server):
    """The service of a checkout, in a process of its own."""

    def __init__(self, tree: Path, folder: Path, **settings: object) -> None:
        folder.mkdir()
        own = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree / "benchmarks")]),
        }
        subprocess.run([sys.executable, "-c", MODEL_OF_ITS_OWN, str(folder)], env=own, check=True)
        folder = folder / "served"
        self.port = free_port()
        script = tree / "benchmarks" / "serve_rivals.py"
        command = [sys.executable, str(script), "service", str(folder), str(self.port)]
        with open(folder.with_name(f"{folder.name}.log"), "wb") as errors:
            self.process = subprocess.Popen(
                [*command, json.dumps(settings)],
                stderr=errors,
                env=own,
            )
        if not wait_for(self.port, self.process):
            self.process.kill()
            raise RuntimeError(f"the service of {tree} did not start: see {errors.name}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path, help="a checkout of the commit to compare with")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bench = Bench(Path(folder), options.repeat, options.seconds)
        trees = {"now": HERE, "before": options.before.resolve()}
        servers = [Checkout(tree, Path(folder) / name, **NEVER) for name, tree in trees.items()]
        print("| what | now | ms: p50, p99, longest | before | ms | ratio |\n|---|---|---|---|---|---|")
        for what, measures in (
            ("events, one a request", [bench.singles(one) for one in servers]),
            ("labels, one a request", [bench.labels(one) for one in servers]),
            (f"events, {BATCH} a request", [bench.batches(one) for one in servers]),
            (
                f"labels, {BATCH} a request",
                [bench.labels(one, BATCH, LABELS_IN_BATCHES) for one in servers],
            ),
            ("events and labels in turns", [bench.mixed(one) for one in servers]),
        ):
            now, before = bench.best(*measures)
            cells = [
                f"{one.rate:,.0f}/s | {one.p50:.1f}, {one.p99:.1f}, {one.longest:.0f}"
                for one in (now, before)
            ]
            print(f"| {what} | {' | '.join(cells)} | {now.rate / before.rate:.2f} |", flush=True)
        for one in servers:
            one.stop()


if __name__ == "__main__":
    main()
