"""Which tests run which lines of which packages, and how long each test takes.

``python coverage_map.py OUT PACKAGE,... TEST...``
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any


class Recorder:
    """A pytest plugin: the seconds of each test, and which ones are marked slow."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.slow: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        self.slow = {item.nodeid for item in items if item.get_closest_marker("slow")}

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration


def lines_of(data: Any, file: str, tests: list[str]) -> dict[int, list[str]]:
    """The tests of each line. A fixture may serve the whole file, not only the test that made it."""
    files = defaultdict(list)
    for test in tests:
        files[test.split("::")[0]].append(test)
    found: dict[int, set[str]] = defaultdict(set)
    for line, contexts in data.contexts_by_lineno(file).items():
        for context in filter(None, contexts):
            test, _, phase = context.rpartition("|")
            found[line].update(files[test.split("::")[0]] if phase == "setup" else [test])
    return {line: sorted(which) for line, which in found.items()}


def main() -> None:
    import pytest
    from coverage import CoverageData

    out, packages, *paths = sys.argv[1:]
    recorder = Recorder()
    source = Path("src/costream").resolve()
    with tempfile.TemporaryDirectory() as folder:
        configuration, store = Path(folder, "coveragerc"), Path(folder, "data")
        configuration.write_text(f"[run]\ndata_file = {store}\n")
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--basetemp={folder}/tmp"]
        options += [f"--cov={source / package}" for package in packages.split(",")]
        options += ["--cov-context=test", "--cov-report=", f"--cov-config={configuration}"]
        if code := pytest.main([*options, *paths], [recorder]):
            raise SystemExit(f"the tests do not pass without a change (pytest ended with {int(code)})")
        data = CoverageData(str(store))
        data.read()
        tests = list(recorder.seconds)
        lines = {
            str(Path(file).relative_to(source.parent.parent)): lines_of(data, file, tests)
            for file in data.measured_files()
        }
    found = {"seconds": recorder.seconds, "slow": sorted(recorder.slow), "lines": lines}
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
