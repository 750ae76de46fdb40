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
    costs_of,
    faults_of,
    first_labels,
    learnt_plainly,
    lost_answers,
    lost_labels,
    records_of,
    replay,
    several_answers,
    stored_costs,
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
class Ended:
    """A story that is over: what clients were answered, what is recorded, what a replay gives."""

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
        """What a failure is reported with."""
        many = f"{len(self.answers)} answers, {len(self.labels)} of labels"
        return f"seed {self.seed}, kills {self.kills}, {many}, {self.again} requests sent again"


def story(directory: Path, seed: int, options: list[Any], rounds: int, times: int) -> Ended:
    """Kill a service at random moments and so often at every point, then stop it and look."""
    if "--fn-cost" not in options:
        save(trained(), directory / "trained.costream")
        options = ["-m", directory / "trained.costream", *options]
    played = Story(directory / "fraud", seed, options)
    try:
        played.begin()
        plan = ["random"] * rounds + [*POINTS] * times + ["stop"] * (rounds // 10)
        plan += ["live"] * (1 + rounds // 5) * ("--expire" in options)
        played.chance.shuffle(plan)
        for what in plan:
            if what == "random":
                played.kill_at_random()
            elif what == "stop":
                played.stop_in_order()
            elif what == "live":
                time.sleep(2.2)  # until the service has looked twice for what has expired
            else:
                played.die_at(what)
        played.end()
    finally:
        played.abandon()
    records = records_of(played.directory)
    engine = open_engine(played.directory)
    live, learnt = engine.served.dump({}), engine.served.learnt
    engine.close()
    everyone = played.everyone
    found = Ended(
        seed,
        "--expire" in options,
        played.kills,
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
    print(
        f"{found.about}, {len(records.events)} events, {dict(kinds)}, {len(records.rejected)} rejected"
    )
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
def ended(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return story(tmp_path_factory.mktemp("kills"), *request.param)


def test_the_records_are_of_all_kinds(ended: Ended) -> None:
    kinds = {one["kind"] for one in ended.records.labels}
    assert kinds & {"revision", "deferred"}, ended.about
    assert bool(kinds & {"expiry", "due"}) == ended.expires, ended.about
    assert ended.records.rejected, ended.about


def test_clients_see_nothing_that_must_not_be(ended: Ended) -> None:
    assert ended.wrong == [], ended.about


def test_acknowledged_events_are_stored_with_their_answers(ended: Ended) -> None:
    assert lost_answers(ended.records, ended.answers) == [], ended.about


def test_acknowledged_labels_are_recorded_once_in_their_order(ended: Ended) -> None:
    assert lost_labels(ended.records, ended.labels) == [], ended.about


def test_an_id_has_one_answer_in_all_histories(ended: Ended) -> None:
    assert several_answers(ended.answers) == [], ended.about


def test_nothing_is_recorded_that_nobody_has_sent(ended: Ended) -> None:
    assert set(ended.records.by_id) == {one.id for one in ended.answers}, ended.about


def test_the_records_are_consistent_and_nothing_is_learnt_twice(ended: Ended) -> None:
    assert faults_of(ended.records) == [], ended.about


def test_the_model_has_learnt_all_labels_but_the_rejected_ones(ended: Ended) -> None:
    wanted = len(ended.records.examples) - len(ended.records.rejected)
    assert (ended.learnt, ended.replay.learnt) == (wanted, wanted), ended.about


def test_what_is_rejected_is_what_a_replay_cannot_learn(ended: Ended) -> None:
    assert ended.records.rejected_labels == ended.replay.refused, ended.about


def test_the_bits_are_those_of_a_replay_row_by_row(ended: Ended) -> None:
    assert ended.live == ended.replay.bits, ended.about


def test_the_bits_do_not_depend_on_what_was_scored(ended: Ended) -> None:
    assert ended.live == replay(ended.records, with_decisions=False).bits, ended.about


def test_every_stored_decision_is_that_of_the_model_after_as_many_labels(ended: Ended) -> None:
    assert ended.replay.other_decisions == [], ended.about


def test_the_costs_are_those_of_events_and_last_labels(ended: Ended) -> None:
    assert stored_costs(ended.records) == costs_of(ended.records), ended.about


def test_the_first_labels_learnt_by_learn_one_alone_give_the_bits_of_the_replay(ended: Ended) -> None:
    first = first_labels(ended.records, INFER_AFTER - 1)
    assert learnt_plainly(first) == replay(first, with_decisions=False).bits, ended.about


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
