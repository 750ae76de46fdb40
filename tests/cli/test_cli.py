"""The command line, as it is installed: what it prints, what it writes, and how it ends."""

import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import costream as library
from costream import Cost, OnlineClassifier
from costream.learners import make_learner
from helpers.commands import (
    COSTREAM,
    compiled_only,
    costream,
    fail,
    libsvm,
    messages_in,
    scored,
    succeed,
    train_libsvm,
    weights,
    write_libsvm,
)
from helpers.streams import same_bits, stream

pytestmark = compiled_only


@pytest.fixture
def rows(tmp_path):
    """A small LIBSVM file."""
    path = tmp_path / "rows.libsvm"
    write_libsvm(path)
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model of those rows."""
    return train_libsvm(tmp_path_factory.mktemp("trained"))


@pytest.fixture
def model(trained, tmp_path):
    """A copy of that model, to be changed."""
    return Path(shutil.copy(trained, tmp_path / "rows.costream"))


# --- train --------------------------------------------------------------------------------------


def test_train_equals_the_library(tmp_path):
    X, y = write_libsvm(tmp_path / "rows.libsvm")
    options = ("--learner", "acog-ii", "--set", "eta=3", "--set", "gamma=0.5", "--intercept")
    costs = ("--fn-cost", 30, "--fp-cost", 2)
    succeed("train", tmp_path / "rows.libsvm", "-o", tmp_path / "m", *options, *costs)
    expected = OnlineClassifier(
        make_learner("acog-ii", eta=3, gamma=0.5), Cost(30, 2), fit_intercept=True
    )
    expected.learn_many(np.hstack([np.zeros((len(X), 1)), X]), y)
    model = library.load(tmp_path / "m")
    assert same_bits(model.coef_, expected.coef_)
    assert model.intercept_ == expected.intercept_


def test_passes(rows, tmp_path):
    succeed("train", rows, "-o", tmp_path / "twice", "-l", "carow", "--passes", 2)
    (tmp_path / "double.libsvm").write_text(rows.read_text() * 2)
    succeed("train", tmp_path / "double.libsvm", "-o", tmp_path / "once", "-l", "carow")
    assert weights(tmp_path / "twice") == weights(tmp_path / "once")


def test_several_passes_of_auto_are_refused_and_the_hints_work(rows, tmp_path):
    succeed("train", rows, "-o", tmp_path / "m", "--passes", 1)
    for more in ((), ("--resume", tmp_path / "m")):
        done = costream("train", rows, "-o", tmp_path / "twice", "--passes", 2, *more)
        assert done.returncode == 2
        assert "auto learns from a file in one pass: in a second one its members know" in done.stderr
        assert not (tmp_path / "twice").exists()
    succeed("train", rows, "-o", tmp_path / "twice", "--passes", 2, "--learner", "carow")


def test_resume_equals_one_go(rows, tmp_path):
    lines = rows.read_text().splitlines(keepends=True)
    for name, part in (("a", lines[:120]), ("b", lines[120:])):
        (tmp_path / f"{name}.libsvm").write_text("".join(part))
    succeed("train", tmp_path / "a.libsvm", "-o", tmp_path / "m", "--learner", "ssacog-ii")
    succeed("train", tmp_path / "b.libsvm", "-o", tmp_path / "m", "--resume", tmp_path / "m")
    succeed("train", rows, "-o", tmp_path / "whole", "--learner", "ssacog-ii")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


# --- score --------------------------------------------------------------------------------------


def test_score_and_learn_equals_train(rows, model, tmp_path):
    lines = rows.read_text().splitlines(keepends=True)
    (tmp_path / "a").write_text("".join(lines[:100]))
    (tmp_path / "b").write_text("".join(lines[100:]))
    succeed("train", tmp_path / "a", "-o", tmp_path / "m")
    assert len(scored(tmp_path / "b", "-m", tmp_path / "m", "--learn")) == 200
    assert weights(tmp_path / "m") == weights(model)


def test_score_learns_from_labelled_rows_alone(rows, tmp_path):
    lines = rows.read_text().splitlines(keepends=True)
    unlabelled = [line.split(" ", 1)[-1] for line in lines[:50] if ":" in line]
    succeed("train", rows, "-o", tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    succeed("score", "-", "-m", tmp_path / "m", "--learn", input="".join(unlabelled))
    assert (tmp_path / "m").read_bytes() == before


def test_score_answers_a_live_pipe(model):
    with subprocess.Popen(
        [COSTREAM, "score", "-", "-m", model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for _ in range(2):
            process.stdin.write("1:0.5 3:1\n")
            process.stdin.flush()
            while "pass" not in (line := process.stdout.readline()) and "flag" not in line:
                assert line.startswith("score,")
        process.stdin.close()
        assert process.wait(30) == 0


# --- how it ends --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "arguments", "complaint"),
    [
        (2, (), None),
        (2, ("train", "rows.libsvm"), "--output"),
        (2, ("train", "rows.libsvm", "-o", "m", "--set", "eta"), "KEY=VALUE"),
        (2, ("train", "rows.libsvm", "-o", "m", "--set", "eta=ten"), "ten"),
        (2, ("train", "rows.libsvm", "-o", "m", "-l", "cog-i", "--set", "eta=-1"), "eta"),
        (2, ("train", "rows.libsvm", "-o", "m", "--fn-cost", "-3", "--fp-cost", "1"), "tp_cost"),
        (2, ("train", "rows.libsvm", "-o", "m", "--passes", "0"), "--passes"),
        (2, ("train", "rows.libsvm", "-o", "nowhere/m"), "nowhere"),
        (2, ("train", "rows.libsvm", "-o", "."), "folder"),
        (2, ("train", "rows.libsvm", "-o", "rows.libsvm"), "a different kind of file"),
        (2, ("train", "-", "-o", "m", "--passes", "2"), "standard input"),
        (2, ("evaluate", "rows.libsvm", "--order", "o", "--runs", "2"), "exclude"),
        (2, ("compare", "rows.libsvm", "--order", "o", "--runs", "2"), "exclude"),
        (2, ("compare", "rows.libsvm", "--set", "etaa=1"), "etaa"),
        (2, ("compare", "rows.libsvm", "--report", "rows.libsvm"), "a different kind of file"),
        (2, ("compare", "--fn-cost", "3"), "FILE"),
        (2, ("evaluate", "rows.libsvm", "--ratio", "guessed"), "guessed"),
        (1, ("train", "bad.libsvm", "-o", "m"), "bad.libsvm, line 2, column 4"),
        (1, ("train", "three.libsvm", "-o", "m"), "three.libsvm"),
        (1, ("train", "rows.libsvm", "-o", "m", "--label", "y"), "LIBSVM"),
        (1, ("score", "rows.libsvm", "-m", "rows.libsvm"), "not a costream model"),
        (1, ("evaluate", "rows.libsvm", "--order", "three.libsvm"), "three.libsvm, line 1"),
        (1, ("evaluate", "rows.libsvm", "--order", "missing"), "missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_bad_input_and_bad_usage(tmp_path, code, arguments, complaint):
    write_libsvm(tmp_path / "rows.libsvm")
    (tmp_path / "bad.libsvm").write_text("1 1:2\n0 3=4\n")
    (tmp_path / "three.libsvm").write_text("1 1:2\n7 1:3\n9 1:4\n")
    (tmp_path / "empty.libsvm").write_text("")
    if complaint is None:
        done = costream(*arguments, cwd=tmp_path)
        assert done.returncode == code
        assert "Usage" in done.stderr
    else:
        assert complaint in fail(code, *arguments, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert not (tmp_path / "m").exists()


def test_rows_before_a_bad_one_are_scored_and_learnt(rows, model, tmp_path):
    (tmp_path / "bad").write_text("".join(rows.read_text().splitlines(keepends=True)[:40]) + "1 1:x\n")
    done = costream("score", tmp_path / "bad", "-m", model, "--learn")
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 41)
    assert library.load(model).rows == 340


@pytest.mark.parametrize(
    "command", [("--help",), ("inspect", "MODEL"), ("score", "ROWS", "-m", "MODEL")]
)
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams(rows, model, command, closed):
    words = [{"MODEL": str(model), "ROWS": str(rows)}.get(word, word) for word in command]
    line = f"{shlex.join([COSTREAM, *words])} {closed}"
    run = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, messages_in(run.stderr)) == (0, "")


def test_sigterm_saves_what_score_has_learnt(model):
    with subprocess.Popen(
        [COSTREAM, "score", "-", "-m", model, "--learn"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        process.stdin.write("1 1:0.5 3:1\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("score,")
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    assert library.load(model).rows == 301


def test_a_bad_line_leaves_the_old_model(rows, model, tmp_path):
    before = model.read_bytes()
    (tmp_path / "bad").write_text(rows.read_text() + "1 1:x\n")
    assert "line 301, column 5" in fail(1, "train", tmp_path / "bad", "--resume", model, "-o", model)
    assert model.read_bytes() == before


def slow_train(model):
    """A train that reads a pipe that never ends; returns once it has learnt something."""
    process = subprocess.Popen(
        [COSTREAM, "train", "-", "-o", model],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    X, y = stream(0, rows=300)
    process.stdin.write(libsvm(X, y))
    process.stdin.flush()
    for line in process.stderr:
        if line.split()[:1] == ["200"]:
            return process
    raise AssertionError("it ended")


def test_ctrl_c_saves_and_says_so(tmp_path):
    process = slow_train(tmp_path / "m")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; saved" in errors
    assert library.load(tmp_path / "m").rows == 300


@pytest.mark.parametrize("before", [None, b"costream-model old"])
def test_a_killed_train_leaves_the_old_model_or_none(tmp_path, before):
    path = tmp_path / "m"
    if before is not None:
        path.write_bytes(before)
    process = slow_train(path)
    process.kill()
    process.communicate(timeout=60)
    assert (path.read_bytes() if path.exists() else None) == before
    assert {one.name for one in tmp_path.iterdir()} <= {"m"}


def test_killed_while_it_saves(rows, tmp_path):
    """At whatever moment: the model is the old one, the new one, or none."""
    path = tmp_path / "m"
    succeed("train", rows, "-o", path)
    whole = path.read_bytes()
    for delay in np.linspace(0.3, 1.3, 6):
        process = subprocess.Popen([COSTREAM, "train", rows, "-o", path], stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()
        assert path.read_bytes() == whole
