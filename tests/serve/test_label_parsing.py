"""Labels as callers write them: any mix, one side each, and the same model again from the log."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costream import Cost, OnlineClassifier, load
from costream.labels.labels import Choice
from costream.serve.engine.engine import Engine
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label, Problem
from helpers.commands import compiled_only, in_process
from helpers.engines import Hand, fresh, label, opened, score, statuses

pytestmark = compiled_only
POSITIVE = (1, True, 1.0, "1", "+1", "1.0", "true", "TRUE", "yes", "Yes", "y", "t")
NEGATIVE = (0, -1, False, 0.0, -1.0, "0", "-1", "-1.0", "false", "False", "no", "NO", "n", "f")
PAIRS = {
    "-1/1": (-1, 1),
    "0/1": (0, 1),
    "false/true": ("false", "true"),
    "no/yes": ("no", "yes"),
    "n/Y": ("n", "Y"),
}


@pytest.fixture
def engine(tmp_path: Path):
    made = opened(tmp_path)
    yield made
    made.close()


def sent(engine: Engine, *labels: object) -> list[object]:
    """Labels of as many events, one request each."""
    found = []
    for t, one in enumerate(labels):
        score(engine, Event(f"e{t}", {"amount": float(t)}))
        found += label(engine, Label(f"e{t}", one))  # type: ignore[arg-type]
    return found


def trained(folder: Path, negative: object, positive: object) -> Path:
    """A model that `costream train` makes from a table with these labels."""
    table, model = folder / "table.csv", folder / "model.costream"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["amount", "label"])
        writer.writerows([float(t % 50), positive if t % 10 == 9 else negative] for t in range(300))
    costs = ["--fn-cost", "200", "--fp-cost", "5"]
    done = in_process("train", table, "--label", "label", "-l", "carow-diag", *costs, "-o", model)
    assert done.returncode == 0, done.stderr
    return model


@given(st.lists(st.sampled_from([*POSITIVE, *NEGATIVE]), min_size=1, max_size=30))
@settings(max_examples=25, deadline=None)
def test_any_mix_in_any_order_is_learnt(
    tmp_path_factory: pytest.TempPathFactory, labels: list[object]
) -> None:
    engine = opened(tmp_path_factory.mktemp("mix"))
    try:
        assert statuses(sent(engine, *labels)) == ["learnt"] * len(labels)
        positive = [engine.find(f"e{t}")["positive"] for t in range(len(labels))]  # type: ignore[index]
        assert positive == [any(one is given for given in POSITIVE) for one in labels]
    finally:
        engine.close()


def test_the_same_side_in_another_way_is_a_duplicate(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 1.0}))
    labels = [1, True, "yes", 0, -1, "false", "+1"]
    found = [label(engine, Label("a", one))[0] for one in labels]
    same = "duplicate"
    assert statuses(found) == ["learnt", same, same, "revised", same, same, "revised"]


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_a_trained_model_takes_all_ways_to_write_its_labels(
    tmp_path: Path, pair: tuple[object, object]
) -> None:
    model = trained(tmp_path, *pair)
    engine = open_engine(tmp_path / "served", lambda: load(model))
    try:
        found = sent(engine, *NEGATIVE, *POSITIVE)
        assert statuses(found) == ["learnt"] * len(found)
        counts = engine.served.model.counts
        assert counts == (30 + len(POSITIVE), 270 + len(NEGATIVE))
    finally:
        engine.close()


@pytest.mark.parametrize("negative", ["ok", "no"])
def test_a_model_with_words_of_its_own_takes_these_alone(tmp_path: Path, negative: str) -> None:
    model = trained(tmp_path, negative, "fraud")
    engine = open_engine(tmp_path / "served", lambda: load(model))
    try:
        own = sent(engine, "fraud", f" {negative} ")
        assert statuses(own) == ["learnt", "learnt"]
        for one in (1, "yes", "Fraud"):
            [refused] = label(engine, Label("e0", one))
            assert isinstance(refused, Problem)
            assert (refused.status, refused.hint) == (422, f"send fraud or {negative}")
    finally:
        engine.close()


def test_true_is_not_the_number_one_where_one_is_negative(tmp_path: Path) -> None:
    model = trained(tmp_path, 1, 2)
    engine = open_engine(tmp_path / "served", lambda: load(model))
    try:
        score(engine, Event("a", {"amount": 1.0}))
        assert [one.status for one in label(engine, Label("a", True), Label("a", 0))] == [422, 422]
        assert statuses(label(engine, Label("a", "2.0"), Label("a", 2))) == ["learnt", "duplicate"]
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("positive", "labels", "sides"),
    [
        ({0, "fraud"}, [0, "0", False, "fraud", 1, "yes", -1], [1, 1, 1, 1, 0, 0, 0]),
        ("1", ["1", 1, 1.0, 0, "maybe"], [1, 1, 1, 0, 0]),
    ],
)
def test_positive_says_otherwise(
    tmp_path: Path, positive: Choice, labels: list[object], sides: list[int]
) -> None:
    model = OnlineClassifier("carow-diag", Cost(200, 5), positive=positive)
    engine = open_engine(tmp_path, lambda: model)
    try:
        sent(engine, *labels)
        found = [engine.find(f"e{t}")["positive"] for t in range(len(labels))]  # type: ignore[index]
        assert found == [*map(bool, sides)]
    finally:
        engine.close()


@pytest.mark.parametrize("odd", ["maybe", "fraud", 2, 0.5, "", " "])
def test_a_label_of_another_kind_is_refused_with_what_is_taken(engine: Engine, odd: object) -> None:
    sent(engine, 1, 0)
    [refused] = label(engine, Label("e0", odd))  # type: ignore[arg-type]
    assert isinstance(refused, Problem)
    words = 'send 1, true or "yes"; 0, -1, false or "no"'
    taken = f"{words}; for other words begin a directory with --positive LABEL"
    assert (refused.status, refused.hint) == (422, taken)


@pytest.mark.parametrize("learner", ["carow-diag", "auto"])
def test_a_mix_gives_the_same_bits_again(tmp_path: Path, learner: str) -> None:
    mixed = [*POSITIVE, *NEGATIVE, "yes", -1, False, 1, "no", True]
    engine = opened(tmp_path, Hand(), learner)
    sent(engine, *mixed)
    bits = engine.served.dump({})
    engine.snapshots.write(*engine.snapshot())
    engine.log.close()  # as a crash does
    engine._lock.release()
    found = check(tmp_path)
    assert (found.labels, found.differences) == (len(mixed), 0)
    for path in (tmp_path / "snapshots").iterdir():
        path.unlink()
    again = open_engine(tmp_path, lambda: fresh(learner), None, Hand())
    try:
        assert again.served.dump({}) == bits
    finally:
        again.close()
