"""The documents quote real code."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "\n".join(file.read_text() for file in sorted((ROOT / "src").rglob("*.py")))
QUOTES = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("quote", QUOTES, ids=lambda quote: quote.split("(")[0].split()[-1])
def test_contributing_quotes_the_source(quote):
    assert quote in SOURCES


def test_readme_names_every_learner():
    from costream import LEARNERS

    text = (ROOT / "README.md").read_text()
    assert [name for name in LEARNERS if f"`{name}`" not in text] == []
