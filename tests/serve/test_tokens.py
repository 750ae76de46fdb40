"""Tokens: hashed on disk, scoped, gone when they are removed."""

import json
import os
import stat
import sys

import pytest

from costream import CostreamError
from costream.serve.http.tokens import SCOPES, Token, Tokens


@pytest.fixture
def tokens(tmp_path):
    return Tokens.of(tmp_path)


def test_a_token_has_its_scopes(tokens):
    token = tokens.add("till", ["score", "label"])
    assert [one for one in SCOPES if tokens.find(token).allows(one)] == ["score", "label"]


def test_admin_implies_every_scope(tokens):
    found = tokens.find(tokens.add("boss", ["admin"]))
    assert all(map(found.allows, SCOPES))


@pytest.mark.parametrize("wrong", ["", "cst_", "cst_x", "ü", "\ud800"])
def test_an_unknown_token_has_none(tokens, wrong):
    tokens.add("till", ["score"])
    assert tokens.find(wrong) is None


def steps(tokens, token):
    """How many steps of Python looking for a token takes."""
    tokens.find(token)  # which reads the file
    tokens.delay, taken = 1e9, []
    before = sys.gettrace()

    def trace(_frame, _what, _arg):
        taken.append(1)
        return trace

    sys.settrace(trace)
    try:
        tokens.find(token)
    finally:
        sys.settrace(before)
    return len(taken)


@pytest.mark.parametrize("known", [True, False])
def test_many_tokens_are_not_looked_through_one_by_one(tokens, known):
    token = tokens.add("till", ["score"]) if known else "cst_x"
    few = steps(tokens, token)
    tokens.delay = 0.0
    tokens._write([Token(f"t{n}", f"{n:064x}", ["read"], "") for n in range(5000)] + tokens.names())
    assert steps(tokens, token) == few
    assert (tokens.find(token) is not None) == known


def test_the_file_does_not_hold_the_token(tokens):
    token = tokens.add("till", ["score"])
    text = tokens.path.read_text()
    assert token not in text
    assert token.removeprefix("cst_") not in text


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_only_the_owner_may_read_the_files(tokens):
    before = os.umask(0)
    try:
        tokens.add("till", ["score"])
    finally:
        os.umask(before)
    files = [one for one in tokens.path.parent.iterdir() if one.is_file()]
    assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}


def test_tokens_differ(tokens):
    assert tokens.add("a", ["score"]) != tokens.add("b", ["score"])


def test_a_running_service_sees_what_another_process_changes(tokens):
    running = Tokens(tokens.path)
    assert not running
    token = tokens.add("till", ["score"])
    assert running.find(token).scopes == ["score"]
    tokens.remove("till")
    assert running.find(token) is None


def test_no_other_file_is_left(tokens):
    tokens.add("till", ["score"])
    left = {path.name for path in tokens.path.parent.iterdir()}
    assert left == {"tokens.json", "log.sqlite", "snapshots"}


def test_a_damaged_file_lets_nobody_in_and_still_counts(tokens):
    token = tokens.add("till", ["score"])
    tokens.path.write_text("{")
    assert tokens.find(token) is None
    assert tokens


def test_a_damaged_file_is_not_overwritten(tokens):
    tokens.path.write_text("{")
    with pytest.raises(CostreamError, match="cannot be read"):
        tokens.add("till", ["score"])
    assert tokens.path.read_text() == "{"


def test_a_scope_of_another_version_lets_nobody_in(tokens):
    tokens.add("till", ["score"])
    kept = json.loads(tokens.path.read_text())
    kept["tokens"][0]["scopes"] = ["everything"]
    tokens.path.write_text(json.dumps(kept))
    assert tokens.names() == []


@pytest.mark.parametrize(
    ("name", "scopes", "complaint"),
    [
        ("", ["score"], "cannot be the name"),
        ("a b", ["score"], "cannot be the name"),
        ("x" * 65, ["score"], "cannot be the name"),
        ("till", [], "needs a scope"),
        ("till", ["write"], "unknown scope 'write'"),
    ],
    ids=["empty", "blank", "long", "no scope", "unknown scope"],
)
def test_what_cannot_be_added(tokens, name, scopes, complaint):
    with pytest.raises(CostreamError, match=complaint):
        tokens.add(name, scopes)
    assert not tokens.path.exists()


def test_a_name_is_used_once(tokens):
    tokens.add("till", ["score"])
    with pytest.raises(CostreamError, match="already"):
        tokens.add("till", ["label"])


def test_only_a_token_that_is_there_is_removed(tokens):
    tokens.add("till", ["score"])
    with pytest.raises(CostreamError, match="there are: till"):
        tokens.remove("tall")
