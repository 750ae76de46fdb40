"""What was saved stays readable: files of revision 1, read by a copy of the code that has gone on.

Each copy is of a raised revision, with one change: files give their stored scores, as they are, once
they have learnt on and once they have grown, and a new model of the copy does not. Served directories
go on.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures import make
from helpers.streams import JIT_OFF

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JIT_OFF, reason="the package is tested as users have it: compiled"),
]
ROOT = Path(__file__).parents[3]

VIEW = '''"""Signs: whether each standardised feature is above 0."""
from __future__ import annotations
import numpy as np
from ..layout import GAMMA, NUMBERS, SCORES, SIGNS, STANDARDISED, Portfolio
from ..member import Member
from ..pausing import is_paused
from .family import Family

def write(model: Portfolio, d: int) -> None:
    for j in range(d):
        model.signs[j] = 1.0 / np.sqrt(float(d)) if model.rows[STANDARDISED, j] > 0.0 else 0.0

def score(model: Portfolio, d: int, last: int) -> None:
    place = model.plan[NUMBERS, SIGNS]
    if place < last and not is_paused(model, place):
        write(model, d)
        total = 0.0
        for j in range(d):
            total += model.signs_mu[j] * model.signs[j]
        model.work[SCORES, place] = total

def learn(model: Portfolio, d: int, last: int, y: float, r: float) -> None:
    place = model.plan[NUMBERS, SIGNS]
    if place < last and not is_paused(model, place):
        loss = 1.0 - y * model.work[SCORES, place]
        if loss > 0.0:
            for j in range(d):
                step = loss / (1.0 + model.settings[GAMMA, place] / r) * y
                model.signs_mu[j] += step * model.signs[j]

def forget(model: Portfolio, d: int) -> None:
    pass

def fits(place, members, units):
    return len(members) <= 1

def arrays(team, d):
    n = team.slots(SIGNS, d)
    return {"signs_mu": np.zeros(n), "signs": np.zeros(n)}

def size(team, d):
    return 8 * team.slots(SIGNS, d)

FAMILY = Family(
    "signs", [Member("signs", 1.0, widest=512, view="signs")], {"signs": SIGNS}, {}, fits, arrays, size
)
'''
RULE = '''"""A portfolio with a record and a rule of its own: it is half as sure."""
from typing import NamedTuple
from ...kernels.records import Chunk, Floats
from .layout import Portfolio
from .rule import score as score_all
from .rule import update as update_all

Calm = NamedTuple("Calm", [("given", Floats), *Portfolio.__annotations__.items()])
Calm.__module__ = __name__

def score(model: Calm, x: Chunk, t: int) -> float:
    model.given[0] = 0.5 * score_all(model, x, t)
    return model.given[0]

def update(model: Calm, x: Chunk, t: int, score: float, loss: float) -> None:
    update_all(model, x, t, score, loss)
    model.given[1] += 1.0

def log_odds(model: Calm) -> float:
    return model.given[0]
'''
RAISED = ("members.py", "REVISION = 1", "REVISION = 2")
CHANGES = {
    "gamma": [RAISED, ("views/splines.py", "(1.0, 0.1)", "(1.0, 0.2)")],
    "members and numbers": [
        RAISED,
        ("views/splines.py", "(1.0, 0.1)", "(1.0, 0.3, 0.1)"),
        ("views/linear.py", "(30.0, 10.0, 3.0, 1.0)", "(30.0, 10.0, 3.0, 2.0, 1.0)"),
        ("views/fourier.py", "(0.5, 1.0, 2.0)", "(0.5, 2.0)"),
        ("views/splines.py", '"knots": (KNOTS, 9,', '"knots": (KNOTS, 7,'),
        ("views/fourier.py", '"features": (FEATURES, USUAL,', '"features": (FEATURES, 48,'),
        ("views/leaves.py", "(BOOSTED_TREES, 64,", "(BOOSTED_TREES, 32,"),
        ("views/leaves.py", "(BOOSTED_LEAVES, 256,", "(BOOSTED_LEAVES, 8,"),
    ],
    "rule": [
        RAISED,
        ("__init__.py", "layout, members, mixture", "calm, layout, members, mixture"),
        (
            "__init__.py",
            "RULES[leaves.Growth] =",
            "RULES[calm.Calm] = Rule(calm.Calm, calm.update, calm.score, log_odds=calm.log_odds)\n"
            "RULES[leaves.Growth] =",
        ),
        ("__init__.py", "return members.new_portfolio(", "made = members.new_portfolio("),
        (
            "__init__.py",
            "float(n or 0))\n",
            "float(n or 0))\n"
            "        return calm.Calm(np.zeros(2), *made) if team.revision > 1 else made\n",
        ),
    ],
    "view": [
        RAISED,
        ("layout.py", "FOURIER = range(2, 8)", "FOURIER = range(2, 8)\nSIGNS = 15"),
        ("layout.py", "PLACES = 15", "PLACES = 16"),
        (
            "layout.py",
            "    hinge: Hinge\n",
            "    signs_mu: Floats\n    signs: Floats\n    hinge: Hinge\n",
        ),
        ("views/__init__.py", "leaves, linear, splines\n", "leaves, linear, signs, splines\n"),
        ("views/__init__.py", "leaves.FAMILY)", "leaves.FAMILY, signs.FAMILY)"),
        (
            "views/__init__.py",
            "from .splines import forget as",
            "from .signs import learn as learn_signs\nfrom .signs import score as score_signs\n"
            "from .splines import forget as",
        ),
        (
            "views/__init__.py",
            "    score_fourier(model, d, last)",
            "    score_fourier(model, d, last)\n    score_signs(model, d, last)",
        ),
        (
            "views/__init__.py",
            "    learn_fourier(model, d, last, y, r)",
            "    learn_fourier(model, d, last, y, r)\n    learn_signs(model, d, last, y, r)",
        ),
    ],
}
PYTHON = """
import json, sys
import make
from costream import dumps, loads
autos = ["auto-narrow", "auto-growing", "auto-wide", "auto-new"]
grown = json.loads(sys.stdin.read())
moved = autos[: {"view": 2, "rule": 4}.get(sys.argv[1], 3)]  # the third has two of the views alone
for path in make.files(1):
    name, stored = make.name_of(path), json.loads(path.with_suffix("").with_suffix(".json").read_text())
    content = make.content_of(path)
    assert make.given(name, content) == stored, f"{path.name} gives other scores"
    assert make.widened(name, content) == grown[name], f"{path.name} grows in another way"
    old, new = loads(content), make.new(name)
    assert make.given(name, dumps(old)) == stored, f"{path.name} gives other scores when it is saved"
    assert make.given(name, dumps(new))["scores"] == make.scores(new, make.MODELS[name][2])
    same = make.scores(new, make.MODELS[name][2]) == stored["scores"]
    assert same != (name in moved), f"a new {name} gives {'the same' if same else 'other'} scores"
    if name in autos:
        assert b'"revision": 2' in dumps(new) and b'"revision": 1' in dumps(old)
    if name == "auto-new":
        assert make.long_stream(content) == make.stored_long(1), "a long stream gives other scores"
"""
SERVED = """
import tempfile
from pathlib import Path
import make_served
from costream import dumps, OnlineClassifier
assert b'"revision": 2' in dumps(OnlineClassifier("auto"))
names = sorted(one.name.removesuffix(".tar.xz") for one in make_served.HERE.glob("served-*-r1.tar.xz"))
assert names
for name in names:
    with tempfile.TemporaryDirectory() as folder:
        found = make_served.goes_on(make_served.unpacked(name, Path(folder)))
        assert found == make_served.expected(name), name
"""


@pytest.fixture(scope="module")
def copy_with(tmp_path_factory):
    """Copies of the package after some changes, each of which must be possible: one for each name."""
    made = {}

    def copy(change):
        if change not in made:
            made[change] = tmp_path_factory.mktemp("copy")
            make_copy(CHANGES[change], made[change])
        return made[change]

    return copy


def make_copy(changes, root):
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    auto = root / "src" / "costream" / "learners" / "auto"
    (auto / "views" / "signs.py").write_text(VIEW, encoding="utf-8")
    (auto / "calm.py").write_text(RULE, encoding="utf-8")
    for file, before, after in changes:
        text = (auto / file).read_text(encoding="utf-8")
        assert text.count(before) == 1, (file, before)
        (auto / file).write_text(text.replace(before, after), encoding="utf-8")


def run_in(root, code, *arguments, given=""):
    """Run code with the package of a folder; it must succeed."""
    path = os.pathsep.join([str(root / "src"), str(ROOT / "tests" / "fixtures")])
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path, "COSTREAM_CACHE_DIR": str(root / "cache")},
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def grown():
    """What this release says of each file once it has more features."""
    names = {make.name_of(path): make.content_of(path) for path in make.files(1)}
    return {name: make.widened(name, content) for name, content in names.items()}


@pytest.mark.parametrize("change", CHANGES)
def test_files_of_revision_1_are_read_by_code_that_has_gone_on(change, grown, copy_with):
    run_in(copy_with(change), PYTHON, change, given=json.dumps(grown))


@pytest.mark.parametrize("change", ["members and numbers", "rule"])
def test_directories_of_revision_1_are_served_by_code_that_has_gone_on(change, copy_with):
    run_in(copy_with(change), SERVED)


def test_a_long_stream_gives_what_it_gave():
    """Members are paused, a sample is full, and one row costs more than all others."""
    (content,) = [make.content_of(path) for path in make.files(1) if make.name_of(path) == "auto-new"]
    assert make.long_stream(content) == make.stored_long(1)
    assert make.stored_long(1)["paused"] > 0


def test_a_view_is_three_files():
    assert len({"views/signs.py", *(file for file, *_ in CHANGES["view"][1:])}) == 3
