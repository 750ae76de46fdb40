"""A log of format 1 is brought to format 2, in which the bill knows what perfect decisions cost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from costream.serve.log import LogReader
from costream.serve.messages import Event, Label
from costream.serve.page.words import verdict
from helpers.commands import compiled_only
from helpers.engines import DAY, START, Hand, expire, label, opened, score

pytestmark = compiled_only
HOUR = 3600.0


def made(directory: Path) -> None:
    """Events of three hours with costs of their own, labels, revisions and expiries among them."""
    clock = Hand()
    engine = opened(directory, clock, expire=DAY)
    for n in range(30):
        clock.seconds = START + n * HOUR / 10
        costs = {"fn_cost": 10.0 + n, "fp_cost": 5.0, "tp_cost": 1.0 + n % 3, "tn_cost": n % 2 * 9.0}
        score(engine, Event(f"e{n}", {"amount": float(n % 7)}, **costs))
    for n in range(0, 25, 2):
        label(engine, Label(f"e{n}", n % 3 == 0))
    for n in range(0, 25, 6):
        label(engine, Label(f"e{n}", n % 3 != 0))
    clock.seconds = START + DAY + HOUR
    expire(engine)
    engine.close()


def to_format_1(directory: Path) -> None:
    with closing(sqlite3.connect(directory / "log.sqlite")) as db:
        db.executescript("ALTER TABLE bill DROP COLUMN perfect; PRAGMA user_version = 1;")


def test_the_bill_of_an_older_log_is_completed(tmp_path: Path) -> None:
    made(tmp_path)
    engine = opened(tmp_path)
    right = engine.summary("hour")
    engine.close()
    to_format_1(tmp_path)
    engine = opened(tmp_path)
    assert right.total.perfect
    assert engine.summary("hour") == right
    engine.close()
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)


def test_what_was_compacted_has_no_savings(tmp_path: Path) -> None:
    """Its events are gone, and with them what perfect decisions would have cost."""
    made(tmp_path)
    to_format_1(tmp_path)
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as db:
        db.executescript(
            "DELETE FROM labels WHERE event = (SELECT min(event) FROM labels);"
            "DELETE FROM events WHERE seq = 1;"
        )
    engine = opened(tmp_path)
    found = engine.summary("hour")
    assert [row.perfect is None for row in found.rows][:2] == [True, False]
    assert (found.total.perfect, found.total.savings) == (None, None)
    assert "%" not in verdict(found.total)[0]
    engine.close()


def test_a_log_of_format_1_can_be_read_as_it_is(tmp_path: Path) -> None:
    made(tmp_path)
    to_format_1(tmp_path)
    reader = LogReader(tmp_path / "log.sqlite")
    assert reader.count("events") == 30
    reader.close()


@pytest.mark.parametrize(
    ("cost", "savings", "sentence"),
    [
        (
            40.0,
            0.75,
            "The model saves 60.0 against flagging nothing, the cheaper way without it: 75.0\xa0% of",
        ),
        (40.0, None, "The model saves 60.0 against flagging nothing, the cheaper way without it."),
        (120.0, -0.25, "So far the model costs 20.0 more than flagging nothing."),
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
