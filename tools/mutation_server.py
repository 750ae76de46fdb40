"""Runs tests on one mutant after another, each in a fork of a process that has loaded the libraries.

Reads a line of JSON for each mutant from standard input (files and their new texts, the tests in their
order, the time limit in seconds) and writes one with the outcome to standard output.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

# What the tests import and no mutant changes: loaded once.
LIBRARIES = (
    "hypothesis.strategies",
    "numba",
    "numpy.testing",
    "pytest",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.special",
)
# Of ours too, where these do not import what is changed.
OURS = (
    "costream.model.classifier",
    "costream.datasets.catalogue",
    "costream.model.file",
    "costream.files.reader",
)
BEHIND_OURS = {"model", "costs", "tables"}
MEMORY = 8 << 30


class Selected:
    """A pytest plugin: only these tests, file by file, and who failed first."""

    def __init__(self, tests: list[str], first_failure: Path) -> None:
        self.rank = {test: at for at, test in enumerate(tests)}
        self.first_failure = first_failure

    def pytest_sessionstart(self) -> None:
        """One example that fails is enough: it is not made smaller."""
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings(), phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted(
            (i for i in items if i.nodeid in self.rank), key=lambda i: self.rank[i.nodeid]
        )

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.first_failure.write_text(report.nodeid)


def load(packages: list[str]) -> None:
    """Import what stays the same, and make sure that nothing else was imported."""
    for name in LIBRARIES if BEHIND_OURS & set(packages) else LIBRARIES + OURS:
        __import__(name)
    mutated = tuple(f"costream.{package}." for package in packages)
    early = [name for name in sys.modules if f"{name}.".startswith(mutated)]
    if early:
        raise SystemExit(f"{early[0]} is loaded before it can be changed")
    gc.collect()
    gc.freeze()  # a collection in a fork is then quick


def run(tests: list[str], folder: Path) -> int:
    """Run the tests in this process; the exit code is that of pytest."""
    import resource

    import pytest

    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take as long as the tests
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what is loaded already
    options += ["--no-header", "--tb=no", f"--basetemp={folder / 'tmp'}"]
    return int(pytest.main([*options, *files], [Selected(tests, folder / "first_failure")]))


def outcome(tests: list[str], limit: float, folder: Path) -> dict[str, Any]:
    """What became of a mutant: survived, killed (and by which test), or timeout."""
    first_failure = folder / "first_failure"
    first_failure.unlink(missing_ok=True)
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = run(tests, folder)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() - began > limit:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return {"outcome": "timeout", "by": ""}
        time.sleep(0.005)
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return {"outcome": "survived", "by": ""}
    if code in (4, 5, 70):
        log = (folder / "log").read_text()
        if "while loading conftest" in log:  # the package of such a mutant is not even imported
            return {"outcome": "killed", "by": "conftest.py"}
        return {"outcome": "error", "by": f"pytest ended with {code}\n{log}"}
    by = first_failure.read_text() if first_failure.exists() else f"exit code {code}"
    return {"outcome": "killed", "by": by}


def main() -> None:
    load(sys.argv[2].split(","))
    folder = Path(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        originals = {name: Path(name).read_bytes() for name in request["files"]}
        for name, text in request["files"].items():
            Path(name).write_text(text)
        try:
            answer = outcome(request["tests"], request["limit"], folder)
        finally:
            for name, original in originals.items():
                Path(name).write_bytes(original)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
