"""Nothing acknowledged is lost, nothing learnt twice, whenever the process is killed.

The long version is run by ``pytest -m long tests/serve/test_kills.py``.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from costream import save
from costream.serve import Client
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.served_model import INFER_AFTER
from costream.serve.messages import Answer, LabelAnswer
from costream.serve.storage.log import POINTS
from helpers.commands import compiled_only
from helpers.crashes import Story, trained
from helpers.dying_service import some_refused
from helpers.histories import (
    Records,
    Replay,
    bill_of,
    faults_of,
    first_labels,
    learnt_plainly,
    lost_answers,
    lost_labels,
    records_of,
    replay,
    several_answers,
    stored_bill,
)
from helpers.processes import Process, running

pytestmark = [compiled_only, pytest.mark.slow]
TRAINED = ["--snapshot-every", 60]
NEW = ["-l", "carow-diag", "--fn-cost", 200, "--fp-cost", 5, "--snapshot-every", 60]
AUTO = ["--fn-cost", 200, "--fp-cost", 5, "--snapshot-every", 150, "--expire", "1s"]
WINDOW = [*AUTO, "--learn", "at-window"]


@pytest.fixture(scope="module", autouse=True)
def _refusing():
    """As in the processes that are killed."""
    with some_refused():
        yield


@dataclass
class Told:
    """A story that is over: what clients were told, what is recorded, what a replay says."""

    seed: int
    expires: bool
    kills: dict[str, int]
    answers: list[Answer]
    labels: list[tuple[bool, LabelAnswer]]
    wrong: list[str]
    again: int
    records: Records
    replay: Replay
    live: bytes  # the model as the service has left it
    learnt: int

    @property
    def about(self) -> str:
        """What a failure is told with."""
        told = f"{len(self.answers)} answers, {len(self.labels)} labels told"
        return f"seed {self.seed}, kills {self.kills}, {told}, {self.again} requests sent again"


def story(directory: Path, seed: int, options: list[Any], rounds: int, times: int) -> Told:
    """Kill a service at random moments and so often at every point, then stop it and look."""
    if "--fn-cost" not in options:
        save(trained(), directory / "trained.costream")
        options = ["-m", directory / "trained.costream", *options]
    told = Story(directory / "fraud", seed, options)
    try:
        told.begin()
        plan = ["random"] * rounds + [*POINTS] * times + ["stop"] * (rounds // 10)
        plan += ["live"] * (1 + rounds // 5) * ("--expire" in options)
        told.chance.shuffle(plan)
        for what in plan:
            if what == "random":
                told.kill_at_random()
            elif what == "stop":
                told.stop_in_order()
            elif what == "live":
                time.sleep(2.2)  # until the service has looked twice for what has expired
            else:
                told.die_at(what)
        told.end()
    finally:
        told.abandon()
    records = records_of(told.directory)
    engine = open_engine(told.directory)
    live, learnt = engine.owner.dump({}), engine.owner.learnt
    engine.close()
    everyone = told.everyone
    found = Told(
        seed,
        "--expire" in options,
        told.kills,
        [one for client in everyone for one in client.answers],
        [one for client in everyone for one in client.labels],
        [one for client in everyone for one in client.wrong],
        sum(client.again for client in everyone),
        records,
        replay(records),
        live,
        learnt,
    )
    kinds = Counter(one["kind"] for one in records.labels)
    print(f"{found.about}, {len(records.events)} events, {dict(kinds)}, {len(records.aside)} aside")
    return found


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((1, TRAINED, 4, 1), id="trained"),
        pytest.param((2, AUTO, 6, 0), id="auto"),
        pytest.param((3, NEW, 60, 4), id="long-new", marks=pytest.mark.long),
        pytest.param(
            (4, [*TRAINED, "--expire", "1s"], 60, 3), id="long-trained", marks=pytest.mark.long
        ),
        pytest.param((5, AUTO, 60, 3), id="long-auto", marks=pytest.mark.long),
        pytest.param((6, WINDOW, 40, 2), id="long-window", marks=pytest.mark.long),
    ],
)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    return story(tmp_path_factory.mktemp("kills"), *request.param)


def test_the_records_are_of_all_kinds(told: Told) -> None:
    kinds = {one["kind"] for one in told.records.labels}
    assert kinds & {"revision", "held"}, told.about
    assert bool(kinds & {"expiry", "due"}) == told.expires, told.about
    assert told.records.aside, told.about


def test_clients_see_nothing_that_must_not_be(told: Told) -> None:
    assert told.wrong == [], told.about


def test_acknowledged_events_are_stored_with_their_answers(told: Told) -> None:
    assert lost_answers(told.records, told.answers) == [], told.about


def test_acknowledged_labels_are_recorded_once_in_their_order(told: Told) -> None:
    assert lost_labels(told.records, told.labels) == [], told.about


def test_an_id_has_one_answer_in_all_histories(told: Told) -> None:
    assert several_answers(told.answers) == [], told.about


def test_nothing_is_recorded_that_nobody_has_sent(told: Told) -> None:
    assert set(told.records.by_id) == {one.id for one in told.answers}, told.about


def test_the_records_are_consistent_and_nothing_is_learnt_twice(told: Told) -> None:
    assert faults_of(told.records) == [], told.about


def test_the_model_has_learnt_all_labels_but_those_put_aside(told: Told) -> None:
    wanted = len(told.records.lessons) - len(told.records.aside)
    assert (told.learnt, told.replay.learnt) == (wanted, wanted), told.about


def test_what_is_put_aside_is_what_a_replay_cannot_learn(told: Told) -> None:
    assert told.records.put_aside == told.replay.refused, told.about


def test_the_bits_are_those_of_a_replay_row_by_row(told: Told) -> None:
    assert told.live == told.replay.bits, told.about


def test_the_bits_do_not_depend_on_what_was_scored(told: Told) -> None:
    assert told.live == replay(told.records, with_decisions=False).bits, told.about


def test_every_stored_decision_is_that_of_the_model_after_as_many_labels(told: Told) -> None:
    assert told.replay.other_decisions == [], told.about


def test_the_bill_is_that_of_events_and_last_labels(told: Told) -> None:
    assert stored_bill(told.records) == bill_of(told.records), told.about


def test_the_first_labels_learnt_by_learn_one_alone_give_the_bits_of_the_replay(told: Told) -> None:
    first = first_labels(told.records, INFER_AFTER - 1)
    assert learnt_plainly(first) == replay(first, with_decisions=False).bits, told.about


@pytest.mark.parametrize("tries", [4, pytest.param(40, marks=pytest.mark.long)], ids=["quick", "long"])
def test_a_first_start_that_was_killed_can_be_done_again(tmp_path: Path, tries: int) -> None:
    for number in range(tries):
        directory = tmp_path / str(number)
        process = Process(directory, *NEW)
        time.sleep(0.25 + 0.5 * number / tries)
        process.kill()
        with running(directory, *NEW) as again, Client(again.ready()) as client:
            assert client.score("a", {"amount": 1.0}).learnt == 0
            assert client.label("a", True).learnt == 1
            assert again.stop() == 0
