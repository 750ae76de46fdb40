"""Events that do not fit what the model has learnt: counted, logged once, warned of, or refused."""

from __future__ import annotations

import csv
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest

from costream import load
from costream.serve.engine import served_model
from costream.serve.engine.engine import Engine
from costream.serve.engine.jobs import Scored
from costream.serve.engine.recovery import open_engine
from costream.serve.messages import Event, Label, Problem
from costream.serve.settings import Settings
from helpers.commands import compiled_only, in_process
from helpers.engines import Hand, label, opened, score
from helpers.served import served

pytestmark = compiled_only
FITTING = {
    "amount": 12.5,
    "age": 40,
    "online": True,
    "country": "DE",
    "when": "2026-03-04 10:00",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a small table, in which the age is empty at times."""
    folder = tmp_path_factory.mktemp("trained")
    table, path = folder / "table.csv", folder / "model.costream"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*FITTING, "fraud"])
        for t in range(600):
            when = f"2026-{1 + t // 100:02}-{1 + t % 28:02} {t % 24:02}:30"
            fraud = int(t % 50 > 45)
            amount = 7.5 + t % 50 * 2.25
            age = "" if t % 5 == 0 else 20 + t % 41
            writer.writerow(
                [amount, age, ("false", "true")[t % 2], ("DE", "FR")[t % 3 > 1], when, fraud]
            )
    costs = ["--fn-cost", "200", "--fp-cost", "5"]
    done = in_process("train", table, "--label", "fraud", "-l", "auto", *costs, "-o", path)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def engine(tmp_path: Path, model: Path):
    made = open_engine(tmp_path / "served", lambda: load(model), Settings(), Hand())
    yield made
    made.close()


def without(key: str, **more: Any) -> dict[str, Any]:
    return {name: value for name, value in (FITTING | more).items() if name != key}


def warned(engine: Engine, features: dict[str, Any], name: str = "a") -> list[str] | None:
    [found] = score(engine, Event(name, features))
    assert isinstance(found, Scored)
    return found.answer.warnings


def test_500_events_with_a_misnamed_field_are_warned_of_counted_and_logged_once(
    tmp_path: Path, model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    events = [{"id": f"e{t}", "features": without("amount", amont=100.0 + t)} for t in range(500)]
    with served(tmp_path / "fraud", model=model, learner=None, objective=None) as url:
        with caplog.at_level(logging.WARNING, "costream.serve"):
            answers = httpx.post(f"{url}/v1/score/batch", json={"events": events}).json()["results"]
        metrics = httpx.get(f"{url}/metrics").text
        page = httpx.get(url).text
    warnings = ["'amont' is not known to the model", "'amount' is missing"]
    assert all(one["warnings"] == warnings for one in answers)
    for kind in ("missing", "unknown"):
        assert f'costream_unfit_events_total{{answer="warned",kind="{kind}"}} 500.0' in metrics
    assert [one.getMessage() for one in caplog.records] == [
        "events do not fit the model: 'amont' is not known to the model",
        "events do not fit the model: 'amount' is missing",
    ]
    assert "500 events did not fit" in page


def test_an_event_that_fits_has_no_warnings(engine: Engine) -> None:
    assert warned(engine, FITTING) is None
    assert warned(engine, dict(reversed(FITTING.items())), "b") is None


@pytest.mark.parametrize(
    ("features", "warnings"),
    [
        (without("amount"), ["'amount' is missing"]),
        (FITTING | {"amount": None}, ["'amount' is missing"]),
        (FITTING | {"amount": "twelve"}, ["'amount' is not a number"]),
        (FITTING | {"amount": [1.0]}, ["'amount' is not a number"]),
        (FITTING | {"online": 7}, ["'online' is not yes or no, true or false"]),
        (FITTING | {"when": "yesterday"}, ["'when' is not a time"]),
        (FITTING | {"shop": {"name": "x"}}, ["'shop.name' is not known to the model"]),
        ({"amont": 1.0, "country_": "DE"}, ["the model knows none of the features"]),
        ({}, ["the model knows none of the features"]),
    ],
    ids=["absent", "null", "text", "list", "yes/no", "time", "nested", "nothing known", "nothing"],
)
def test_what_does_not_fit(engine: Engine, features: dict[str, Any], warnings: list[str]) -> None:
    warned(engine, FITTING, "before")
    assert warned(engine, features) == warnings


@pytest.mark.parametrize(
    "features",
    [
        without("age"),
        FITTING | {"age": None},
        FITTING | {"country": "a country never seen"},
        FITTING | {"country": ["DE", "FR"]},
        FITTING | {"country": None},
        FITTING | {"amount": "12.50", "online": "yes"},
    ],
    ids=["may be absent", "may be null", "new text", "tags", "no text", "written otherwise"],
)
def test_what_fits_all_the_same(engine: Engine, features: dict[str, Any]) -> None:
    assert warned(engine, features) is None


def test_an_event_sent_again_has_the_same_warnings(tmp_path: Path, model: Path) -> None:
    engine = open_engine(tmp_path, lambda: load(model), Settings(), Hand())
    before = warned(engine, without("amount"))
    assert warned(engine, without("amount")) == before
    engine.close()
    again = open_engine(tmp_path, None, Settings(strict=True), Hand())
    assert warned(again, without("amount")) == before
    assert again.find("a")["warnings"] == before  # type: ignore[index]
    again.close()


def test_strict_refuses_and_records_nothing(tmp_path: Path, model: Path) -> None:
    engine = open_engine(tmp_path, lambda: load(model), Settings(strict=True), Hand())
    refused, fine = score(engine, Event("a", without("amount", amont=5.0)), Event("b", FITTING))
    assert isinstance(refused, Problem)
    assert (refused.status, refused.error) == (
        422,
        "the event does not fit: 'amont' is not known to the model; 'amount' is missing",
    )
    assert isinstance(fine, Scored)
    assert engine.find("a") is None
    assert engine.unfit.counts == {("unknown", "refused"): 1, ("missing", "refused"): 1}
    engine.close()


def test_a_model_warns_once_its_columns_are_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_model, "INFER_AFTER", 40)
    engine = opened(tmp_path)
    for t in range(40):
        assert warned(engine, {"paid": {"amount": 1.5 * t}, "shop": f"s{t % 3}"}, f"e{t}") is None
        label(engine, Label(f"e{t}", t % 4 == 0))
    assert warned(engine, {"paid": {"amount": 1.5}, "shop": "s1"}, "fits") is None
    unknown = "'paid.amont' is not known to the model"
    assert warned(engine, {"paid": {"amount": 1.5, "amont": 1.5}, "shop": "s1"}, "more") == [unknown]
    missing = "'paid.amount' is missing"
    assert warned(engine, {"paid": {"amont": 1.5}, "shop": "s1"}) == [unknown, missing]
    engine.close()


def test_names_are_cut_and_few_are_remembered(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "costream.serve"):
        for t in range(30):
            warned(
                engine, FITTING | {f"field {t}-{n}\n" + "x" * 100: "secret" for n in range(30)}, f"e{t}"
            )
    lines = [one.getMessage() for one in caplog.records]
    assert len(lines) == 101
    assert all(len(line) < 160 and "\n" not in line and "secret" not in line for line in lines)
    assert lines[-1] == "more events do not fit the model (unknown): they are counted, not named"
    found = engine.find("e0")
    assert found is not None
    assert len(found["warnings"]) == 21
    assert found["warnings"][-1] == "and 10 more"
    assert engine.unfit.counts == {("unknown", "warned"): 30}
