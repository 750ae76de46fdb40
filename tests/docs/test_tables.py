"""The tables of README and docs that come from the program are those of the program."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_tables_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "fill.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout}run python docs/fill.py"
