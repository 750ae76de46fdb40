"""Keys of results: they cover all code that decides a result, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from costream.lab import keys
from costream.lab.experiment import Candidate, Metric
from costream.lab.keys import combined, parts_behind
from costream.lab.regret import Problem
from costream.lab.timing import sweeps
from costream.lab.trial import Trial
from helpers.pages import INFO

ROOT = Path(str(resources.files("costream")))
PATHS = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.*")}
MODULES = {path for path in PATHS if path.endswith(".py")}
COMPUTING = ["costream.lab.trial", "costream.lab.regret", "costream.lab.timing"]


def read(path: str) -> bytes:
    return (ROOT / path).read_bytes()


@pytest.mark.parametrize("module", COMPUTING)
def test_a_change_in_any_module_behind_a_result_gives_a_new_key(module: str) -> None:
    parts = parts_behind(module, PATHS, read)
    known = combined(parts)
    for changed in parts:
        again = parts_behind(
            module, PATHS, lambda path, one=changed: read(path) + b"\nCHANGED = 1\n" * (path == one)
        )
        assert combined(again) != known, changed


@pytest.mark.parametrize("module", COMPUTING)
def test_the_code_that_learns_is_behind_every_result(module: str) -> None:
    parts = parts_behind(module, PATHS, read).keys()
    assert {path for path in MODULES if path.startswith("learners")} <= parts
    assert {"kernels/compile.py", "kernels/loop.py", "kernels/rules.py"} <= parts


@pytest.mark.parametrize("module", ["costream.lab.trial", "costream.lab.regret"])
def test_the_way_of_a_row_is_behind_results_on_data_sets(module: str) -> None:
    parts = parts_behind(module, PATHS, read).keys()
    assert {path for path in MODULES if path.startswith("kernels/")} - parts <= {"kernels/text.py"}
    assert {"objective.py", "classifier.py", "core.py", "encoder.py", "inputs.py"} <= parts


def test_modules_that_decide_nothing_are_behind_no_trial() -> None:
    parts = parts_behind("costream.lab.trial", PATHS, read)
    others = (
        "cli/",
        "report/",
        "adapters/",
        "lab/pages/",
        "lab/kinds/",
        "modelfile.py",
        "datasets/catalogue",
    )
    assert not [path for path in parts if path.startswith(others)]


LOADED = """
import sys
import numpy as np
from costream.datasets.dataset import Dataset
from costream.inputs import Batch
from costream.lab.experiment import Metric
from costream.lab.trial import Trial, run_trial
from costream.learners import LEARNERS

index = np.tile(np.arange(2, dtype=np.uint32), 8)
rows = Batch(np.arange(0, 17, 2, dtype=np.uint64), index, np.arange(16.0), 2)
data = Dataset(rows, None, np.arange(8) % 3 == 0)
for name in LEARNERS:
    for options in ({"curve": True}, {"folds": 2}, *([{"bins": 5}] if name == "auto" else [])):
        run_trial(Trial("made", "up", 8, 3, "seed 0", 0, name, {}, Metric(), **options), data)
print(*(name for name in sys.modules if name.startswith("costream.")))
"""


def test_all_modules_that_running_trials_loads_are_behind_them() -> None:
    """Whatever way they are loaded."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    stems = [name.removeprefix("costream.").replace(".", "/") for name in done.stdout.split()]
    parts = parts_behind("costream.lab.trial", PATHS, read)
    assert [one for one in stems if not {f"{one}.py", f"{one}/__init__.py"} & parts.keys()] == []


# --- how modules are found --------------------------------------------------------------------------


def found_in(**files: str) -> set[str]:
    """What is behind ``a`` in a package of these modules; two underscores stand for a slash."""
    package = {name.replace("__", "/") + ".py": text.encode() for name, text in files.items()}
    return set(parts_behind("costream.a", package, package.__getitem__))


@pytest.mark.parametrize(
    "text",
    [
        "from . import b",
        "from .b import c",
        "import costream.b",
        "from costream import b",
        "def f():\n    from . import b",
        "if True:\n    from . import b",
    ],
)
def test_imports_are_followed_however_they_are_written(text: str) -> None:
    assert found_in(a=text, b="import numpy", c="") == {"a.py", "b.py"}


def test_imports_for_type_checkers_are_not_followed() -> None:
    assert found_in(a="if TYPE_CHECKING:\n    from . import b", b="") == {"a.py"}


def test_packages_run_their_init() -> None:
    files = {"a": "from .b.c import d", "b____init__": "from ..e import f", "b__c": "", "e": ""}
    package = {name.replace("b__", "b/") + ".py": text.encode() for name, text in files.items()}
    found = parts_behind("costream.a", package, package.__getitem__)
    assert set(found) == {"a.py", "b/__init__.py", "b/c.py", "e.py"}


def test_a_registry_stands_for_its_whole_package() -> None:
    registry = "for one in iter_modules(__path__):\n    import_module(one.name)"
    package = {
        "a.py": b"from . import b",
        "b/__init__.py": registry.encode(),
        "b/c/d.py": b"",
        "e.py": b"",
    }
    found = parts_behind("costream.a", package, package.__getitem__)
    assert set(found) == {"a.py", "b/__init__.py", "b/c/d.py"}


def test_a_data_file_counts_where_it_is_named() -> None:
    package = {
        "a.py": b"from .b import c",
        "b/c.py": b"NAME = 'd.toml'",
        "b/d.toml": b"",
        "b/e.toml": b"",
    }
    found = parts_behind("costream.a", package, package.__getitem__)
    assert set(found) == {"a.py", "b/c.py", "b/d.toml"}


def digest(text: str) -> str:
    return combined(parts_behind("costream.a", {"a.py"}, lambda _: text.encode()))


CODE = "def f(x):\n    return x + 1\n"
SAME = {
    "docstring of the module": '"""Says more."""\n' + CODE,
    "docstring of a function": CODE.replace("    return", "    'More.'\n    return"),
    "comment": "# Why.\n" + CODE,
    "layout": CODE.replace("x + 1", "(\n        x + 1\n    )"),
}


@pytest.mark.parametrize("what", SAME)
def test_documentation_and_layout_do_not_count(what: str) -> None:
    assert digest(SAME[what]) == digest(CODE)


@pytest.mark.parametrize("other", [CODE.replace("1", "2"), CODE + "y = 1\n", CODE.replace("+", "-")])
def test_code_counts(other: str) -> None:
    assert digest(other) != digest(CODE)


# --- what has keys ----------------------------------------------------------------------------------


KEYED = {
    "trial": lambda: Trial("german", "c0ffee", 1000, 300, "seed 0", 0, "auto", {}, Metric()).key,
    "regret": lambda: Problem(INFO, Metric(), Candidate("acog-i")).key(1.0),
    "complexity": lambda: sweeps(quick=True)[0].point_keys()[0],
}


@pytest.mark.parametrize("kind", KEYED)
def test_other_code_is_another_key(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = KEYED[kind]()
    monkeypatch.setattr(keys, "code_behind", lambda _: "other")
    assert KEYED[kind]() != known
