"""A row passes few modules on its way: `tools/walks.py` counts them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import compiled_only

TOOL = Path(__file__).parents[1] / "tools" / "walks.py"


@compiled_only
@pytest.mark.slow
def test_no_walk_has_grown():
    done = subprocess.run([sys.executable, TOOL, "--json"], capture_output=True, text=True, check=True)
    walks = json.loads(done.stdout)
    assert len(walks) == 4
    assert {name: walk for name, walk in walks.items() if len(walk["modules"]) > walk["most"]} == {}
