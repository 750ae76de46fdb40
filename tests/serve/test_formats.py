"""A log of another format is refused; the page says savings as all others do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from costream.errors import CostreamError
from costream.serve.page.words import verdict
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


@pytest.mark.parametrize(
    ("cost", "savings", "sentence"),
    [
        (
            40.0,
            0.75,
            "The model saves 60.0 against flagging nothing, the better constant policy: 75.0\xa0% of",
        ),
        (40.0, None, "The model saves 60.0 against flagging nothing, the better constant policy."),
        (
            120.0,
            -0.25,
            "So far the model costs 20.0 more than flagging nothing, the better constant policy.",
        ),
        (100.0, 0.0, "So far the model costs just as much as flagging nothing."),
    ],
)
def test_the_page_says_savings_as_all_others_do(tmp_path, cost, savings, sentence) -> None:
    engine = opened(tmp_path)
    total = engine.summary("day").total
    engine.close()
    total.labelled, total.cost, total.flag_nothing, total.flag_all = 9, cost, 100.0, 900.0
    total.savings = savings
    assert verdict(total)[0].startswith(sentence)
