"""The tables and sentences of README and docs that come from the program or from results are theirs."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_tables_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "fill.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout}run python docs/fill.py"


def test_every_marker_is_known():
    """A text that nobody fills would stay as it was typed."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    markers = re.findall(r"<!-- end of (.*?) -->", "".join(page.read_text() for page in pages))
    sys.path.append(str(ROOT / "docs"))
    import fill

    assert {"paper counts", "quality", "speed", "kept aside"} <= set(markers) <= fill.TEXTS.keys()
