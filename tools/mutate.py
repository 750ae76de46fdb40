"""Mutation testing: change the code a little, run the tests that see the change, and count who notices.

    python tools/mutate.py                         # all packages that it knows: hours
    python tools/mutate.py evaluation --sample 20    # 20 mutants of each module
    python tools/mutate.py report/numbers.py --json numbers.json
    python tools/mutate.py --again numbers.json    # only those that survived

Everything happens in a copy of the repository. A mutant is killed when a test fails, or runs much
longer than it should. It is given the tests that run the changed statement, the fastest file first.
`equivalent_mutants.toml` lists mutants that cannot change a result, with the reason; they are not
tried. As a control, every module is also written out without a change, which must survive: otherwise
the tests would look at the source and not at what it does.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants import Mutant, mutants_of, unchanged

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "tools"
PACKAGES = ("evaluation", "report", "lab", "model", "costs", "tables", "serve")
SOURCE = "src/costream"
EQUIVALENT = TOOLS / "equivalent_mutants.toml"
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "build", "dist")
SECONDS, TIMES = 5.0, 5.0  # a mutant may take so long, and so many times the time of its tests


@dataclass(frozen=True)
class Result:
    """What became of a mutant."""

    mutant: Mutant
    outcome: str  # killed, timeout, survived
    by: str  # the first test that failed

    def as_json(self) -> dict[str, Any]:
        one = self.mutant
        where = {"module": one.module, "line": one.lines[0], "function": one.function}
        return {**where, "change": one.change, "outcome": self.outcome, "by": self.by}


class TestMap:
    """The tests that see a statement, in the order in which they are run."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.seconds: dict[str, float] = found["seconds"]
        self.slow = set(found["slow"])
        self.lines: dict[str, dict[str, list[str]]] = found["lines"]

    def stages(self, mutant: Mutant) -> list[list[str]]:
        """First all tests in files that are named after the module, which are few and kill most.

        Then the tests that run the statement; and where it runs at import, or never, all tests in files
        that test its module. (What is cached runs in the first test alone that asks for it.)
        """
        lines = self.lines.get(f"{SOURCE}/{mutant.module}", {})
        first, last = mutant.lines
        seen = lines if mutant.imported else [str(line) for line in range(first, last + 1)]
        direct = {test for line in seen for test in lines.get(line, [])}
        name = Path(mutant.module).stem
        files = {test.split("::")[0] for tests in lines.values() for test in tests}
        touching = {test for test in self.seconds if test.split("::")[0] in files}
        own = {test for test in touching if name in Path(test.split("::")[0]).stem}
        others = touching if mutant.imported or not direct else set()
        stages = (own, direct - own, others - direct - own)
        return [self.ordered(stage) for stage in stages if stage]

    def ordered(self, tests: set[str]) -> list[str]:
        """File by file, the fastest first; slow tests only where there are no others."""
        tests = (tests - self.slow) or tests
        files: dict[str, list[str]] = defaultdict(list)
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            files[test.split("::")[0]].append(test)
        ranked = sorted(files.values(), key=lambda file: sum(self.seconds[test] for test in file))
        return [test for file in ranked for test in file]

    def limit(self, tests: Iterable[str]) -> float:
        return SECONDS + TIMES * sum(self.seconds[test] for test in tests)


class Workshop:
    """A copy of the repository, and a process in it that runs the tests of mutants."""

    def __init__(self, folder: Path, packages: list[str]) -> None:
        self.packages = ",".join(packages)
        self.copy = folder / "copy"
        shutil.copytree(ROOT, self.copy, ignore=LEFT_OUT)
        # Compiled modules are checked by the hash of their source: a mutant may have its size and time.
        compiled = ["compileall", "-q", "--invalidation-mode", "checked-hash", "src", "tests"]
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.copy / "src"),
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self.call("-m", *compiled)
        self.folder = folder
        self.server: Any = None

    def call(self, *arguments: str) -> None:
        done = subprocess.run([sys.executable, *arguments], cwd=self.copy, env=self.environment)
        if done.returncode:
            raise SystemExit(done.returncode)

    def test_map(self, tests: list[str]) -> TestMap:
        out = self.folder / "map.json"
        self.call(str(TOOLS / "coverage_map.py"), str(out), self.packages, *tests)
        return TestMap(json.loads(out.read_text()))

    def check_control(self, modules: list[str], tests: TestMap) -> None:
        """Run all tests on modules that are written out as mutants are, without a change."""
        texts = {f"{SOURCE}/{name}": unchanged((ROOT / SOURCE / name).read_text()) for name in modules}
        every = tests.ordered(set(tests.seconds))
        answer = self._ask(texts, every, tests.limit(every))
        if answer["outcome"] != "survived":
            raise SystemExit(f"without a change: {answer['outcome']} {answer['by']}")

    def try_out(self, mutant: Mutant, tests: TestMap) -> Result:
        for stage in tests.stages(mutant):
            answer = self._ask({f"{SOURCE}/{mutant.module}": mutant.source}, stage, tests.limit(stage))
            if answer["outcome"] == "error":
                raise RuntimeError(f"{mutant.name}: {answer['by']}")
            if answer["outcome"] != "survived":
                return Result(mutant, answer["outcome"], answer["by"])
        return Result(mutant, "survived", "")

    def _ask(self, files: dict[str, str], tests: list[str], limit: float) -> dict[str, Any]:
        if self.server is None:
            self.server = subprocess.Popen(
                [sys.executable, str(TOOLS / "mutation_server.py"), str(self.folder), self.packages],
                cwd=self.copy,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        request = {"files": files, "tests": tests, "limit": limit}
        self.server.stdin.write(json.dumps(request) + "\n")
        self.server.stdin.flush()
        answer: dict[str, Any] = json.loads(self.server.stdout.readline())
        return answer

    def close(self) -> None:
        if self.server is not None:
            self.server.stdin.close()
            self.server.wait()


def modules_in(wanted: list[str]) -> list[str]:
    """The modules of packages, or modules by their names, as paths under src/costream."""
    found = []
    for name in wanted or PACKAGES:
        path = ROOT / SOURCE / name
        if not path.exists():
            raise SystemExit(f"{SOURCE}/{name} does not exist")
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        found += [str(file.relative_to(ROOT / SOURCE)) for file in files]
    return found


class SetAside:
    """The mutants that cannot change a result, from the file that gives the reasons."""

    def __init__(self, path: Path) -> None:
        self.entries = tomllib.loads(path.read_text()).get("mutants", []) if path.exists() else []
        self.used: set[int] = set()

    def has(self, mutant: Mutant) -> bool:
        for at, entry in enumerate(self.entries):
            same = (entry["module"], entry["function"]) == (mutant.module, mutant.function)
            if same and _is_meant(entry, mutant.change):
                self.used.add(at)
                return True
        return False

    def unused(self, modules: list[str]) -> list[str]:
        return [
            f"{entry['module']}: {entry['function']}"
            for at, entry in enumerate(self.entries)
            if at not in self.used and entry["module"] in modules
        ]


def _is_meant(entry: dict[str, Any], change: str) -> bool:
    """Whether an entry names a change, or what is changed, or the beginning of that, or nothing."""
    before = change.split(" => ")[0]
    return (
        change in entry.get("changes", [])
        or before in entry.get("of", [])
        or before.startswith(tuple(entry.get("begins", [])))
        or not entry.keys() & {"changes", "of", "begins"}
    )


def sampled(mutants: list[Mutant], size: int | None, seed: int) -> list[Mutant]:
    if size is None or size >= len(mutants):
        return mutants
    chosen = random.Random(f"{seed} {mutants[0].module}").sample(range(len(mutants)), size)
    return [mutants[at] for at in sorted(chosen)]


def survivors_of(path: Path) -> set[tuple[str, str, str]]:
    survivors = json.loads(path.read_text())["survivors"]
    return {(one["module"], one["function"], one["change"]) for one in survivors}


_HEAD = f"{'module':32}{'mutants':>9}{'set aside':>11}{'tried':>7}{'killed':>8}{'survived':>10}{'%':>7}"


def table(results: list[Result], found: Counter[str], aside: Counter[str]) -> str:
    """A line for each module and one for all."""
    counts: dict[str, Counter[str]] = {module: Counter() for module in found}
    for result in results:
        counts[result.mutant.module][result.outcome] += 1
    lines = [
        f"{'module':32}{'mutants':>9}{'set aside':>11}{'tried':>7}{'killed':>8}{'survived':>10}{'%':>7}"
    ]
    total: Counter[str] = Counter()
    for module, count in counts.items():
        total += count
        lines.append(_line(module, found[module], aside[module], count))
    return "\n".join([*lines, _line("all", found.total(), aside.total(), total)])


def _line(name: str, found: int, aside: int, count: Counter[str]) -> str:
    killed, tried = count["killed"] + count["timeout"], count.total()
    part = f"{100.0 * killed / tried:.1f}" if tried else "-"
    return f"{name:32}{found:9}{aside:11}{tried:7}{killed:8}{count['survived']:10}{part:>7}"


def run_all(mutants: list[Mutant], shops: list[Workshop], tests: TestMap) -> list[Result]:
    """Try all mutants, one at a time in each copy."""
    free: queue.Queue[Workshop] = queue.Queue()
    for shop in shops:
        free.put(shop)

    def one(mutant: Mutant) -> Result:
        shop = free.get()
        try:
            result = shop.try_out(mutant, tests)
        finally:
            free.put(shop)
        print(f"{result.outcome:9}{mutant.name}", file=sys.stderr, flush=True)
        return result

    with ThreadPoolExecutor(len(shops)) as pool:
        return list(pool.map(one, mutants))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("modules", nargs="*", help="packages or modules below src/costream")
    parser.add_argument("--sample", type=int, help="how many mutants of each module (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants at a time")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    parser.add_argument("--again", type=Path, help="try the survivors in this file once more")
    parser.add_argument("--tests", nargs="+", help="which tests (default: those of the packages)")
    parser.add_argument("--no-control", action="store_true", help="do not run the control")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    modules = modules_in(options.modules)
    again = survivors_of(options.again) if options.again else None
    set_aside = SetAside(EQUIVALENT)
    found: Counter[str] = Counter()
    aside: Counter[str] = Counter()
    mutants: list[Mutant] = []
    for module in modules:
        every = mutants_of(module, (ROOT / SOURCE / module).read_text())
        left = [one for one in every if not set_aside.has(one)]
        found[module], aside[module] = len(every), len(every) - len(left)
        if again is not None:
            left = [one for one in left if (one.module, one.function, one.change) in again]
        mutants += sampled(left, options.sample, options.seed)
    for name in set_aside.unused(modules):
        print(f"{EQUIVALENT.name} names a mutant that does not exist: {name}", file=sys.stderr)
    packages = list(dict.fromkeys(module.split("/")[0] for module in modules))
    tests = options.tests or [f"{at}/{package}" for package in packages for at in ("tests", SOURCE)]
    with tempfile.TemporaryDirectory() as folder:
        shops = [Workshop(Path(folder, str(at)), packages) for at in range(options.jobs)]
        try:
            test_map = shops[0].test_map(tests)
            if not options.no_control:
                shops[0].check_control(modules, test_map)
            results = run_all(mutants, shops, test_map)
        finally:
            for shop in shops:
                shop.close()
    survivors = [result for result in results if result.outcome == "survived"]
    print(table(results, found, aside))
    for result in survivors:
        print(f"survived: {result.mutant.name}")
    if options.json:
        report = {"found": found, "set_aside": aside, "sample": options.sample, "seed": options.seed}
        report["survivors"] = [result.as_json() for result in survivors]
        report["killed"] = [result.as_json() for result in results if result.outcome != "survived"]
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
