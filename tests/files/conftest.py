"""What tests of files that grow share."""

import pytest

from costream.files import following as module
from helpers.followed import POLL


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr(module, "POLL", POLL)


@pytest.fixture
def file(tmp_path):
    """A table with one row."""
    path = tmp_path / "rows.csv"
    path.write_text("y,a\n1,0\n")
    return path
