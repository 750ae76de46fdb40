"""A log of another format is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from costream.errors import CostreamError
from helpers.commands import compiled_only
from helpers.engines import opened

pytestmark = compiled_only


def test_a_log_of_an_older_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as db:
        db.execute("PRAGMA user_version = 2")
    with pytest.raises(CostreamError, match="an older release \\(format 2, this one reads 3\\)"):
        opened(tmp_path)
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
