"""The files of `benchmarks/results`: what was measured, by which command, with what and where."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from costream.lab.pages.provenance import machine

FOLDER = Path(__file__).resolve().parent / "results"
DIGITS = 7  # of a number


def commit() -> str:
    """The commit of the source, with a + where files have changed since."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(FOLDER.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "../src", ".")
        return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def about(packages: Iterable[str]) -> dict[str, Any]:
    """The command, the day, the versions and the machine."""
    versions = {"python": platform.python_version(), "commit": commit()}
    for name in ("costream", "numpy", "numba", *packages):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "missing"
    script = f"benchmarks/{Path(sys.argv[0]).name}"
    return {
        "command": " ".join(["python", script, *sys.argv[1:]]),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "versions": versions,
        "machine": machine(),
    }


def rounded(thing: Any) -> Any:
    """The same with fewer digits."""
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [rounded(one) for one in thing]
    return float(f"{thing:.{DIGITS}g}") if isinstance(thing, float) else thing


def read(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """A file of results; empty if there is none."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def replace(name: str, header: dict[str, Any], records: dict[str, Any], folder: Path = FOLDER) -> None:
    """Write records; others that the file has stay, each with the header of its own run."""
    known = read(name, folder).get("records", {})
    merged = {**known, **{key: {**rounded(one), "about": header} for key, one in records.items()}}
    folder.mkdir(exist_ok=True)
    text = json.dumps({"records": merged}, indent=1) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
