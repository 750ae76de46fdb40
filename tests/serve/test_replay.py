"""The recorded stream again: the costs of other learners, and the same model again."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.learners import make_learner
from costream.serve.engine.engine import Engine
from costream.serve.engine.replay import total_costs
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label
from helpers.commands import compiled_only, in_process
from helpers.engines import DAY, Hand, changed, expire, label, opened, score

pytestmark = compiled_only


def live(engine: Engine, begin: int, end: int) -> None:
    """A stream with late labels, some of which never come, and costs of some events."""
    for t in range(begin, end):
        features = {"amount": float(t % 7), "shop": f"s{t % 5}", "new": t % 3 == 0}
        score(engine, Event(f"e{t}", features, fn_cost=10.0 * (t % 4) if t % 2 else None))
        if t >= 10 and t % 9:
            label(engine, Label(f"e{t - 10}", t % 7 > 4))


def finish(engine: Engine) -> None:
    """Leave a directory as a crash does, but for its lock."""
    engine.log.close()
    engine._lock.release()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with snapshots, an expiry and a revision."""
    directory, clock = tmp_path_factory.mktemp("recorded"), Hand()
    engine = opened(directory, clock, "auto", expire=DAY)
    live(engine, 0, 150)
    engine.snapshots.write(*engine.snapshot())
    clock.seconds += DAY
    assert expire(engine) > 0
    live(engine, 150, 300)
    label(engine, Label("e20", True), Label("e20", False))
    engine.snapshots.write(*engine.snapshot())
    live(engine, 300, 320)
    finish(engine)
    return directory


def test_every_decision_is_made_again_to_the_bit(recorded: Path) -> None:
    found = check(recorded)
    assert (found.decisions, found.snapshots, found.differences) == (320, 2, 0)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET score = score + 1e-15 WHERE id = 'e200'",
        "UPDATE events SET flag = 1 - flag WHERE id = 'e200'",
        "UPDATE events SET learnt = learnt + 1 WHERE id = 'e200'",
        "UPDATE events SET reasons = CAST('[{}]' AS BLOB) WHERE id = 'e200'",
    ],
    ids=["score", "flag", "learnt", "reasons"],
)
def test_a_decision_that_was_changed_is_found(recorded: Path, tmp_path: Path, statement: str) -> None:
    found = check(changed(recorded, tmp_path / "copy", statement, sealed=True))
    assert found.examples[-1].startswith("event 'e200': score")


def test_a_label_that_was_changed_is_found(recorded: Path, tmp_path: Path) -> None:
    statement = "UPDATE labels SET positive = 1 - positive, label = NULL WHERE seq = 100"
    assert check(changed(recorded, tmp_path / "copy", statement, sealed=True)).differences > 50


def test_a_snapshot_of_another_model_is_found(recorded: Path, tmp_path: Path) -> None:
    folder = changed(recorded, tmp_path / "copy", "SELECT 1")
    (folder / "snapshots").mkdir()
    first, second = sorted((recorded / "snapshots").iterdir())
    content = first.read_bytes()
    (folder / "snapshots" / first.name).write_bytes(content)
    (folder / "snapshots" / second.name).write_bytes(content[:-1])
    found = check(folder)
    assert found.examples == [f"snapshot {second.name} cannot be read"]


def test_the_costs_of_the_live_learner_is_made_again(recorded: Path) -> None:
    live, again, *_ = total_costs(recorded, [make_learner("auto")])
    assert again.tally == live.tally
    assert live.tally.rows > 200


def test_the_live_costs_are_those_of_the_summary(recorded: Path) -> None:
    engine = opened(recorded, learner="auto")
    total = engine.summary().total
    finish(engine)
    found = {one.name: one.tally for one in total_costs(recorded)}
    costs = [found[name].cost for name in ("always-negative", "always-positive")]
    assert costs == pytest.approx([total.flag_nothing, total.flag_all])
    assert next(iter(found.values())).cost == pytest.approx(total.cost)


def test_another_learner_learns_only_what_was_known_then(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    for t in range(60):  # all labels come after all events
        score(engine, Event(f"e{t}", {"amount": float(t % 2)}))
    for t in range(60):
        label(engine, Label(f"e{t}", t % 2 == 1))
    engine.close()
    _, other, flag_all, flag_none = total_costs(tmp_path, [make_learner("perceptron")])
    assert other.tally.cost in (flag_all.tally.cost, flag_none.tally.cost)


def test_the_command_checks(recorded: Path) -> None:
    found = in_process("replay", recorded, "--check")
    assert "2 snapshots compared, " in found.stdout
    assert found.stdout.endswith(" records and the costs checked: bit-identical\n")


def test_the_command_exits_with_1_where_bits_differ(recorded: Path, tmp_path: Path) -> None:
    copy = changed(recorded, tmp_path / "copy", "UPDATE events SET score = 1 WHERE id = 'e9'")
    found = in_process("replay", copy, "--check")
    assert (found.returncode, "differs: event 'e9'" in found.stderr) == (1, True)
