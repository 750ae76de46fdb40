"""A row passes few modules on its way: `tools/walks.py` counts them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import compiled_only

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "walks.py"
TABLE = re.compile(r"^\| from .* \| ([\d; ]+) \|$", re.MULTILINE)


pytestmark = [compiled_only, pytest.mark.slow]


@pytest.fixture(scope="module")
def walks():
    done = subprocess.run([sys.executable, TOOL, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_no_walk_has_grown(walks):
    assert len(walks) == 4
    assert {name: walk for name, walk in walks.items() if len(walk["modules"]) > walk["most"]} == {}


def test_the_page_for_contributors_has_these_numbers(walks):
    cells = TABLE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    shown = [int(number) for number in "; ".join(cells).split("; ")]
    assert shown == [len(walk["modules"]) for walk in walks.values()]
