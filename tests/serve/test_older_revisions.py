"""Directories that an older revision has served are read: the same model, which goes on learning.

`tests/fixtures/make_served.py` has made them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from costream import CostreamError, loads
from costream.learners.auto import Auto, members
from costream.serve.engine import recovery, verify, warm
from costream.serve.engine.maintenance import relearn
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.replay import learner_of
from costream.serve.engine.verify import check
from costream.serve.storage.directory import LOG
from costream.serve.storage.reader import LogReader
from fixtures.make_served import CASES, HERE, SETTINGS, Clock, began_with, expected, goes_on, live
from fixtures.make_served import unpacked as served
from helpers.commands import compiled_only

pytestmark = compiled_only
NAMES = sorted(one.name.removesuffix(".tar.xz") for one in HERE.glob("served-*.tar.xz"))


def base_models_of(folder: Path) -> list[Any]:
    log = LogReader(folder / LOG)
    try:
        return [log.base_model(one.number) for one in log.base_models()]
    finally:
        log.close()


def raised(folder: Path, patch: pytest.MonkeyPatch) -> int:
    """Raise the revision of the learner of a directory, as a later release does."""
    kind = type(loads(base_models_of(folder)[0].content).learner)
    patch.setattr(kind, "revision", kind.revision + 1)
    patch.setattr(members, "CURRENT", replace(members.CURRENT, revision=Auto.revision))
    return kind.revision


def test_there_is_a_directory_of_each_kind_for_revision_1() -> None:
    assert {f"served-{case}-r1" for case in CASES} <= {*NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_directory_gives_the_same_scores_and_goes_on_learning(name: str, tmp_path: Path) -> None:
    assert goes_on(served(name, tmp_path)) == expected(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_later_revision_reads_it_as_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = served(name, tmp_path)
    raised(folder, monkeypatch)
    assert goes_on(folder) == expected(name)


def test_what_is_compiled_at_a_start_is_for_the_revision_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = served("served-auto-r1", tmp_path)
    raised(folder, monkeypatch)
    kinds: list[int] = []
    monkeypatch.setattr(warm, "_WARM", set())
    monkeypatch.setattr(warm, "_pass", lambda one, _: kinds.append(one.model.learner.revision))
    warm.warm_up(loads(base_models_of(folder)[-1].content))
    assert {*kinds} == {1}


@pytest.mark.parametrize("name", NAMES)
def test_every_decision_of_it_can_be_made_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = served(name, tmp_path)
    by = base_models_of(folder)[-1].fingerprint  # another release: the bits are the same all the same
    monkeypatch.setattr(verify, "fingerprint", lambda: by)
    found = check(folder)
    assert (found.differences, found.elsewhere, found.examples) == (0, 0, [])
    assert (found.decisions, found.labels) == (expected(name)["events"], expected(name)["learnt"])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_decided_after_an_upgrade_can_be_made_again(name: str, tmp_path: Path) -> None:
    folder = served(name, tmp_path)
    goes_on(folder)
    found = check(folder)
    assert (found.differences, found.decisions + found.elsewhere) == (0, 240)
    assert found.decisions >= 40


def test_a_later_revision_learns_the_records_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = served("served-auto-fresh-r1", tmp_path)
    revision = raised(folder, monkeypatch)
    found = relearn(folder)
    assert (found.revision, found.labels) == (revision, expected("served-auto-fresh-r1")["learnt"])
    assert loads(base_models_of(folder)[-1].content).learner.revision == revision
    engine = open_engine(folder, None, SETTINGS, Clock(2.0))
    live(engine, 200, 220)
    engine.close()
    assert check(folder).differences == 0


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that a later release cannot go on with, since it reads its own revision alone."""
    folder = served("served-auto-fresh-r1", tmp_path)
    monkeypatch.setattr(Auto, "oldest", raised(folder, monkeypatch))
    for module in (recovery, verify):
        monkeypatch.setattr(module, "fingerprint", lambda: "a later release")
    return folder


def test_a_revision_that_is_not_read_any_more_is_refused_with_the_command_that_helps(
    refused: Path,
) -> None:
    with pytest.raises(CostreamError, match=r"revision 1 of auto.*\nhint: .*serve relearn"):
        open_engine(refused, None, SETTINGS, Clock(2.0))


def test_a_revision_that_is_not_read_any_more_is_learnt_again(refused: Path) -> None:
    found = relearn(refused)
    wanted = (1, 2, expected("served-auto-fresh-r1")["learnt"])
    assert (found.before, found.revision, found.labels) == wanted
    engine = open_engine(refused, lambda: began_with("auto", 0), SETTINGS, Clock(2.0))
    live(engine, 200, 220)
    engine.close()
    assert (check(refused).differences, learner_of(refused).name) == (0, "auto")


@pytest.mark.parametrize("name", NAMES)
def test_a_start_says_that_this_release_has_a_newer_revision(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = served(name, tmp_path)
    raised(folder, monkeypatch)
    with caplog.at_level("INFO", "costream.serve"):
        open_engine(folder, None, SETTINGS, Clock(2.0)).close()
    assert "goes on with revision 1 of" in caplog.text
    assert "with revision 2" in caplog.text


def test_relearning_says_which_revision_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = served("served-auto-fresh-r1", tmp_path)
    raised(folder, monkeypatch)
    found = relearn(folder)
    assert (found.before, found.revision) == (1, 2)
