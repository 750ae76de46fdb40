"""All records of a directory are learnt again with this release, and become the new base model."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from costream import Cost, CostreamError, OnlineClassifier, dumps, loads
from costream.learners.carow import CAROWDiag
from costream.model.header import Beginning, beginning_of
from costream.serve.engine import maintenance, recovery, served_model
from costream.serve.engine.engine import Engine
from costream.serve.engine.maintenance import compact, relearn
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label
from costream.serve.storage.directory import LOG
from costream.serve.storage.log import Log
from costream.serve.storage.reader import LogReader
from costream.tables.schema import Schema
from helpers.commands import compiled_only
from helpers.engines import DAY, START, Hand, expire, fresh, label, opened, score

pytestmark = compiled_only
ASKED = Event("asked", {"amount": 5.0, "shop": "s1"})


@pytest.fixture(autouse=True)
def infers_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_model, "INFER_AFTER", 20)


def live(engine: Engine, begin: int, end: int) -> None:
    for t in range(begin, end):
        score(engine, Event(f"e{t}", {"amount": float(t % 7), "shop": f"s{t % 5}"}))
        if t % 6:
            label(engine, Label(f"e{t}", t % 7 > 4))


def begun(folder: Path, events: int = 60) -> None:
    """A directory with labels and expiries."""
    clock = Hand()
    engine = opened(folder, clock, expire=DAY)
    live(engine, 0, events)
    clock.seconds += 2 * DAY
    engine.clock.is_in_doubt = False
    expire(engine)
    engine.close()


def other(model: OnlineClassifier) -> OnlineClassifier:
    """What a release with another algorithm would begin with."""
    return OnlineClassifier("scw-i-diag", model.objective)


def begins_with_another(content: bytes) -> Beginning:
    """What a release with another algorithm would read in a base model."""
    found = beginning_of(content)
    return found._replace(fresh=other(found.fresh))


def trained() -> OnlineClassifier:
    model = fresh()
    model.learn_many([{"amount": 1.0}, {"amount": 2.0}], [0, 1])
    return model


def scores_of(folder: Path) -> list[float]:
    with_log = LogReader(folder / LOG)
    rows = with_log.read("SELECT score FROM events ORDER BY seq")
    with_log.close()
    return [row[0] for row in rows]


def asked(folder: Path) -> float:
    engine = open_engine(folder)
    try:
        return engine.served.decide(ASKED).score
    finally:
        engine.close()


def test_the_same_algorithm_learns_the_same_bits_again(tmp_path: Path) -> None:
    begun(tmp_path)
    before = asked(tmp_path)
    found = relearn(tmp_path)
    assert (found.labels, found.refused, found.removed, found.decisions) == (60, 0, 0, 60)
    assert asked(tmp_path) == before


def test_another_algorithm_learns_all_labels_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path / "old")
    monkeypatch.setattr(maintenance, "beginning_of", begins_with_another)
    relearn(tmp_path / "old")
    monkeypatch.undo()
    monkeypatch.setattr(served_model, "INFER_AFTER", 20)
    clock = Hand()
    engine = open_engine(tmp_path / "new", lambda: other(fresh()), recovery.Settings(expire=DAY), clock)
    live(engine, 0, 60)
    clock.seconds += 2 * DAY
    engine.clock.is_in_doubt = False
    expire(engine)
    wanted = engine.served.decide(ASKED).score
    engine.close()
    assert asked(tmp_path / "old") == wanted


def test_the_new_base_model_has_the_revision_of_this_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path)
    monkeypatch.setattr(CAROWDiag, "revision", CAROWDiag.revision + 1)
    found = relearn(tmp_path)
    log = LogReader(tmp_path / LOG)
    base_models = log.base_models()
    model = loads(log.base_model(base_models[-1].number).content)
    log.close()
    assert found.revision == model.learner.revision == CAROWDiag.revision
    assert [one.cause for one in base_models] == ["start", "upgrade"]


def test_decisions_stay_as_they_were_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(tmp_path)
    before = scores_of(tmp_path)
    monkeypatch.setattr(maintenance, "beginning_of", begins_with_another)
    relearn(tmp_path)
    assert scores_of(tmp_path) == before


def test_it_goes_on_from_there_and_can_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path)
    monkeypatch.setattr(maintenance, "beginning_of", begins_with_another)
    relearn(tmp_path)
    engine = open_engine(tmp_path)
    live(engine, 60, 90)
    engine.close()
    found = check(tmp_path)
    assert (found.decisions, found.differences, found.elsewhere) == (90, 0, 0)


def test_few_labels_are_learnt_again_at_every_start(tmp_path: Path) -> None:
    begun(tmp_path, 12)
    before = asked(tmp_path)
    relearn(tmp_path)
    assert asked(tmp_path) == before
    assert check(tmp_path).differences == 0


def test_decisions_of_another_release_are_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(recovery, "fingerprint", lambda: "another release")
        begun(tmp_path)
    relearn(tmp_path)
    found = check(tmp_path)
    assert (found.decisions, found.elsewhere, found.differences) == (0, 60, 0)


def test_the_options_of_the_first_start_are_still_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path)
    monkeypatch.setattr(CAROWDiag, "revision", CAROWDiag.revision + 1)
    relearn(tmp_path)
    opened(tmp_path).close()
    with pytest.raises(CostreamError, match="began with another model"):
        open_engine(tmp_path, lambda: OnlineClassifier("carow-diag", Cost(300, 5)))


def test_labels_that_a_compaction_has_removed_are_missing(tmp_path: Path) -> None:
    begun(tmp_path)
    engine = opened(tmp_path, Hand(START + 3 * DAY))
    engine.clock.is_in_doubt = False
    live(engine, 60, 70)
    engine.close()
    removed = compact(tmp_path, 1.0).removed
    assert removed > 0
    with pytest.raises(CostreamError, match=f"{removed} labels of .* cannot be learnt again"):
        relearn(tmp_path)
    assert relearn(tmp_path, accept_removed=True).removed == removed


def test_a_directory_that_began_with_a_trained_model_is_refused(tmp_path: Path) -> None:
    open_engine(tmp_path, trained).close()
    with pytest.raises(CostreamError, match="began with a model of 2 rows"):
        relearn(tmp_path)


def test_a_directory_that_is_served_is_refused(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    with pytest.raises(CostreamError, match="in use"):
        relearn(tmp_path)
    engine.close()


def test_a_directory_that_is_refused_is_given_back(tmp_path: Path) -> None:
    open_engine(tmp_path, trained).close()
    with pytest.raises(CostreamError):
        relearn(tmp_path)
    open_engine(tmp_path).close()


@pytest.mark.parametrize(
    "model",
    [
        fresh(),
        OnlineClassifier("scw-i-diag", "sum", fit_intercept=True, normalize=False),
        OnlineClassifier("carow-diag", Cost(1, 2), positive="fraud", max_features=9),
        OnlineClassifier("auto", Cost(1, 2), classes=["no", "yes"]),
        OnlineClassifier("carow-diag", schema=Schema({"when": "left out"})),
        OnlineClassifier("carow-diag", hash_slots=64),
    ],
)
def test_a_fresh_model_has_the_settings_of_another(model: OnlineClassifier) -> None:
    assert dumps(beginning_of(dumps(model)).fresh) == dumps(model)


def test_a_clock_far_after_the_last_record_is_not_taken_for_right(tmp_path: Path) -> None:
    engine = opened(tmp_path, Hand(time.time() - 30 * DAY))
    live(engine, 0, 12)
    last = engine.log.last_received()
    engine.close()
    relearn(tmp_path)
    engine = open_engine(tmp_path)
    engine.clock.now()
    assert (engine.base_model.made, engine.clock.is_in_doubt) == (last, True)
    engine.close()


def test_a_full_disk_leaves_it_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    begun(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Log, "add_base_model", full)
        with pytest.raises(CostreamError, match="cannot be written: database or disk is full"):
            relearn(tmp_path)
    assert relearn(tmp_path).labels == 60
