"""Who gets in: a directory that ever had a token demands one."""

import json
import subprocess
import sys
import threading

import pytest

from costream import CostreamError
from costream.cli.options import ModelOptions
from costream.cli.serve import DEMO_COSTS, Serve
from costream.serve.engine.maintenance import backup
from costream.serve.http.tokens import Tokens
from costream.serve.server import check_token
from costream.serve.storage.directory import TOKENS
from helpers import commands
from helpers.asked import asked, event
from helpers.commands import compiled_only, fail, succeed
from helpers.engines import opened
from helpers.processes import running

pytestmark = compiled_only
COSTS = ("--fn-cost", 200, "--fp-cost", 5)


@pytest.fixture
def quick(monkeypatch):
    """Commands within this process."""
    monkeypatch.setattr(commands, "costream", commands.in_process)


def is_open(folder):
    """Whether a service that starts now lets a request without a token in."""
    with asked(folder) as client:
        assert client.get("/health/live").status_code == 200
        answer = client.get("/v1/summary")
        assert answer.status_code in (200, 401)
        return answer.status_code == 200


# --- a directory that ever had a token ------------------------------------------------------------


def test_a_directory_that_never_had_a_token_is_open(tmp_path):
    assert is_open(tmp_path / "fraud")


def test_a_lost_file_of_tokens_lets_nobody_in(tmp_path):
    Tokens.of(tmp_path / "fraud").add("till", ["score"])
    (tmp_path / "fraud" / TOKENS).unlink()
    assert not is_open(tmp_path / "fraud")


def test_a_running_service_demands_a_token_whose_file_was_lost_at_once(tmp_path, monkeypatch):
    with asked(tmp_path / "fraud") as client:
        assert client.get("/v1/summary").status_code == 200
        Tokens.of(tmp_path / "fraud").add("till", ["score"])
        (tmp_path / "fraud" / TOKENS).unlink()
        monkeypatch.setattr(client.app.state.guard, "_look_again", 0.0)
        assert client.get("/v1/summary").status_code == 401


def test_the_refusal_says_how_to_make_a_token(tmp_path):
    Tokens.of(tmp_path / "fraud").add("till", ["score"])
    (tmp_path / "fraud" / TOKENS).unlink()
    with asked(tmp_path / "fraud") as client:
        assert "costream serve token add" in client.get("/v1/summary").json()["hint"]


def test_removing_the_last_token_lets_nobody_in(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score"])
    kept.remove("till")
    assert not is_open(tmp_path / "fraud")


def test_removing_the_last_token_and_the_file_lets_nobody_in(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score"])
    kept.remove("till")
    kept.path.unlink()
    assert not is_open(tmp_path / "fraud")


def test_a_file_of_tokens_that_was_put_there_by_hand_is_remembered(tmp_path):
    Tokens.of(tmp_path / "other").add("till", ["score"])
    (tmp_path / "fraud").mkdir()
    (tmp_path / "other" / TOKENS).rename(tmp_path / "fraud" / TOKENS)
    assert not is_open(tmp_path / "fraud")
    (tmp_path / "fraud" / TOKENS).unlink()
    assert not is_open(tmp_path / "fraud")


def test_a_file_that_was_put_there_while_it_runs_is_remembered(tmp_path):
    Tokens.of(tmp_path / "other").add("till", ["score"])
    with asked(tmp_path / "fraud") as client:
        client.app.state.guard.tokens.delay = 0.0
        (tmp_path / "other" / TOKENS).rename(tmp_path / "fraud" / TOKENS)
        assert client.get("/v1/summary").status_code == 401
    (tmp_path / "fraud" / TOKENS).unlink()
    assert not is_open(tmp_path / "fraud")


def test_a_token_that_came_and_went_while_it_runs_closes_the_service(tmp_path):
    with asked(tmp_path / "fraud") as client:
        client.app.state.guard.tokens.delay = 0.0
        kept = Tokens.of(tmp_path / "fraud")
        kept.add("till", ["score"])
        kept.remove("till")
        assert client.get("/v1/summary").status_code == 401


def test_a_backup_without_the_file_demands_a_token_too(tmp_path):
    opened(tmp_path / "fraud").close()
    Tokens.of(tmp_path / "fraud").add("till", ["score"])
    (tmp_path / "fraud" / TOKENS).unlink()
    backup(tmp_path / "fraud", tmp_path / "copy")
    assert not is_open(tmp_path / "copy")


def test_beyond_this_machine_a_lost_token_is_still_missing(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score"])
    kept.remove("till")
    with pytest.raises(CostreamError, match="there is no token"):
        check_token("0.0.0.0", Tokens.of(tmp_path / "fraud"))


@pytest.mark.usefixtures("quick")
def test_the_demo_is_refused_where_the_log_demands_a_token(tmp_path):
    Tokens.of(tmp_path / "fraud").add("till", ["score"])
    (tmp_path / "fraud" / TOKENS).unlink()
    error = fail(2, "serve", "--dir", tmp_path / "fraud", "--demo")
    assert "--demo sends no token, and this directory needs one" in error


@pytest.mark.usefixtures("quick")
def test_the_demo_is_refused_where_the_command_demands_a_token(tmp_path):
    error = fail(2, "serve", "--dir", tmp_path / "fraud", "--demo", "--require-token")
    assert "--demo sends no token" in error


@pytest.mark.slow
def test_the_command_can_demand_a_token(tmp_path):
    with running(tmp_path / "fraud", "-l", "carow-diag", *COSTS, "--require-token") as process:
        done = subprocess.run(
            [sys.executable, "-c", f"import httpx; print(httpx.get('{process.url}/').status_code)"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "303"  # to the form


# --- opening it again -----------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
def test_a_directory_can_be_opened_again(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score"])
    kept.remove("till")
    succeed("serve", "token", "open", "--dir", tmp_path / "fraud")
    assert is_open(tmp_path / "fraud")


def test_a_directory_that_was_opened_before_it_began_can_have_the_demo(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score"])
    kept.remove("till")
    kept.open_again()
    make = Serve(tmp_path / "fraud", ModelOptions(), demo=True)._make()
    assert make().objective == DEMO_COSTS


@pytest.mark.usefixtures("quick")
def test_a_directory_with_tokens_is_not_opened(tmp_path):
    Tokens.of(tmp_path / "fraud").add("till", ["score"])
    assert "remove" in fail(1, "serve", "token", "open", "--dir", tmp_path / "fraud")
    assert not is_open(tmp_path / "fraud")


@pytest.mark.usefixtures("quick")
def test_a_directory_that_was_opened_again_demands_the_next_token(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score"])
    kept.remove("till")
    succeed("serve", "token", "open", "--dir", tmp_path / "fraud")
    kept.add("tall", ["score"])
    kept.path.unlink()
    assert not is_open(tmp_path / "fraud")


@pytest.mark.usefixtures("quick")
def test_opening_a_directory_that_is_not_there_makes_none(tmp_path):
    assert "no log of a service" in fail(1, "serve", "token", "open", "--dir", tmp_path / "fraud")
    assert not (tmp_path / "fraud").exists()


@pytest.mark.usefixtures("quick")
def test_a_running_service_goes_on_demanding(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score"])
    with asked(tmp_path / "fraud") as client:
        client.app.state.guard.tokens.delay = 0.0
        kept.remove("till")
        succeed("serve", "token", "open", "--dir", tmp_path / "fraud")
        assert client.get("/v1/summary").status_code == 401


@pytest.mark.usefixtures("quick")
def test_the_list_says_whether_a_token_is_needed(tmp_path):
    folder = tmp_path / "fraud"
    opened(folder).close()
    lists = []
    kept = Tokens.of(folder)
    for step in (
        lambda: None,
        lambda: kept.add("till", ["score"]),
        lambda: kept.remove("till"),
        lambda: succeed("serve", "token", "open", "--dir", folder),
    ):
        step()
        lists.append(commands.in_process("serve", "token", "list", "--dir", folder).stderr)
    assert "requires no token" in lists[0]
    assert "requires no token" in lists[3]
    assert "every request needs one of these" in lists[1]
    assert "every request is refused" in lists[2]


# --- many at once ---------------------------------------------------------------------------------


def test_tokens_that_are_added_at_the_same_time_are_all_kept(tmp_path):
    barrier, wrong = threading.Barrier(12), []

    def add(number):
        barrier.wait()
        try:
            Tokens.of(tmp_path / "fraud").add(f"t{number}", ["score"])
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=add, args=(n,)) for n in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []
    assert {one.name for one in Tokens.of(tmp_path / "fraud").names()} == {f"t{n}" for n in range(12)}


@pytest.mark.slow
def test_processes_that_add_and_remove_tokens_lose_none(tmp_path):
    Tokens.of(tmp_path / "fraud").add("old", ["score"])
    program = (
        "import sys; from pathlib import Path; from costream.serve.http.tokens import Tokens;"
        "t = Tokens.of(Path(sys.argv[1])); sys.stdin.read();"
        "[t.add(f'{sys.argv[2]}-{n}', ['score']) for n in range(10)]; t.remove(f'{sys.argv[2]}-0')"
    )
    folder = str(tmp_path / "fraud")
    processes = [
        subprocess.Popen([sys.executable, "-c", program, folder, str(n)], stdin=subprocess.PIPE)
        for n in range(4)
    ]
    for one in processes:
        one.stdin.close()
    assert [one.wait(60) for one in processes] == [0] * 4
    assert len(Tokens.of(tmp_path / "fraud").names()) == 1 + 4 * 9


def test_tokens_can_be_added_while_the_service_writes(tmp_path):
    with asked(tmp_path / "fraud") as client:
        for number in range(5):
            client.app.state.guard.tokens._looked = float("inf")  # it does not look, and stays open
            assert client.post("/v1/score", json=event(f"e{number}")).status_code == 200
            Tokens.of(tmp_path / "fraud").add(f"t{number}", ["score"])
    assert len(Tokens.of(tmp_path / "fraud").names()) == 5


# --- what was done is remembered ------------------------------------------------------------------


def test_the_log_says_who_made_and_removed_tokens(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    kept.add("till", ["score", "label"])
    kept.remove("till")
    engine = opened(tmp_path / "fraud")
    found = engine.log.operations("token-added", "token-removed")
    engine.close()
    details = [json.loads(one.detail) for one in found]
    assert [(one["name"], bool(one["by"])) for one in details] == [("till", True)] * 2
    assert details[0]["scopes"] == ["score", "label"]


@pytest.mark.usefixtures("quick")
def test_a_directory_of_tokens_alone_has_no_model_to_replay(tmp_path):
    Tokens.of(tmp_path / "fraud").add("till", ["score"])
    for options in ((), ("--check",)):
        assert "has no model" in fail(1, "replay", tmp_path / "fraud", *options)
