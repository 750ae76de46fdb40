"""The model file: exact, atomic, without pickle, and clear about whatever it cannot read."""

import importlib
import json
import os
import pickle
import stat
import sys

import numpy as np
import pytest

from costream import Cost, CostreamError, OnlineClassifier, WeightedAccuracy, dumps, load, loads, save
from fixtures import make
from helpers.learnt import ROWS, learnt, scores, y
from helpers.streams import NAMES, same_bits


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.costream"


# --- round trips ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_model_goes_on_where_it_was_saved(name, path):
    model = learnt(name)
    save(model, path)
    other = load(path)
    assert same_bits(scores(other), scores(model))
    went_on = [
        [each.learn_one(x, label) for x, label in zip(ROWS[20:], y[20:], strict=True)]
        for each in (model, other)
    ]
    assert same_bits(*went_on)
    assert same_bits(other.coef_, model.coef_)


@pytest.mark.parametrize(
    "settings",
    [
        {"fit_intercept": True},
        {"normalize": False},
        {"objective": Cost(9.5, 2)},
        {"objective": WeightedAccuracy(0.25, ratio=7.5)},
        {"objective": WeightedAccuracy.known(np.int64(3), np.int64(8))},
        {"max_features": 6},
        {"max_features": np.int64(6)},
        {"hash_slots": 4},
        {"hash_slots": 4, "fit_intercept": True},
    ],
    ids=str,
)
def test_settings_survive(settings, path):
    model = learnt("acog-ii", **settings)
    save(model, path)
    other = load(path)
    assert (other.fit_intercept, other.normalize) == (model.fit_intercept, model.normalize)
    assert other.objective == model.objective
    assert other.feature_names == model.feature_names
    went_on = [
        [each.learn_one(x, label) for x, label in zip(ROWS, y, strict=True)] for each in (model, other)
    ]
    assert same_bits(*went_on)


def test_names_keep_their_types(path):
    model = OnlineClassifier()
    names = ["a", 1, "1", 2.5, -3, "naïve \u2603", "", "a\nb", np.str_("n"), np.int64(9), None]
    model.learn_one(dict.fromkeys(names, 1.0), 1)
    save(model, path)
    found = load(path).feature_names
    assert found == names
    assert [type(name) for name in found[:8]] == [type(name) for name in names[:8]]


@pytest.mark.parametrize(
    "labels",
    [(0, 1), (-1, 1), (False, True), (0.0, 1.0), ("good", "bad"), (3, 9), ("none", 1), (2.5, "é")],
    ids=str,
)
def test_labels_keep_their_types(labels, path):
    model = OnlineClassifier("carow-diag", classes=labels)
    model.learn_one({"a": 1.0}, labels[1])
    save(model, path)
    found = [load(path).predict_one({"a": value}) for value in (-1.0, 1.0)]
    assert found == list(labels)
    assert [type(label) for label in found] == [type(label) for label in labels]


def test_no_pickle(path, monkeypatch):
    model = learnt()

    def forbidden(*_args, **_kwargs):
        raise AssertionError("pickle was used")

    for name in ("load", "loads", "dump", "dumps", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, forbidden)
    save(model, path)
    load(path)


# --- files of all revisions stay readable -----------------------------------------------------------


@pytest.mark.parametrize("path", make.files(1), ids=make.name_of)
def test_a_file_of_revision_1_gives_its_scores_and_goes_on_learning(path):
    stored = path.with_suffix("").with_suffix(".json")
    expected = json.loads(stored.read_text(encoding="utf-8"))
    assert make.given(make.name_of(path), make.content_of(path)) == expected


# --- writing ----------------------------------------------------------------------------------------


def fail(*_args, **_kwargs):
    raise OSError(28, "No space left on device")


def interrupt(*_args, **_kwargs):
    raise KeyboardInterrupt


@pytest.mark.parametrize("failure", [fail, interrupt])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(call, failure, path, monkeypatch):
    save(learnt(rows=10), path)
    before = path.read_bytes()
    monkeypatch.setattr(os, call, failure)
    with pytest.raises((OSError, KeyboardInterrupt)):
        save(learnt(), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("host", [None, "sklearn", "river"])
def test_every_model_is_saved_and_read_in_the_same_way(host, path):
    kind = OnlineClassifier
    if host:
        pytest.importorskip(host)
        kind = importlib.import_module(f"costream.{host}").CostSensitiveClassifier
    model = kind("carow-diag")
    if host == "sklearn":
        model.fit(np.eye(2), [0, 1])
    save(model, path)
    content = path.read_bytes()
    assert content == dumps(model) == model.dumps()
    model.save(path)
    assert path.read_bytes() == content
    for again in (kind.load(path), kind.loads(content)):
        assert type(again) is kind
        assert again.dumps() == content
    for inside in (load(path), loads(content)):
        assert type(inside) is OnlineClassifier
        assert inside.dumps() == content


def test_something_that_is_no_model(path):
    with pytest.raises(CostreamError, match="expected an OnlineClassifier, not a dict"):
        save({}, path)
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
def test_a_new_file_has_the_rights_that_the_user_wants(path):
    before = os.umask(0o077)
    try:
        save(learnt(), path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


class Odd:
    """A name that JSON cannot hold."""

    def __repr__(self):
        return "Odd()"


UNWRITABLE = [("a", 1), b"a", frozenset("a"), Odd(), float("nan"), float("inf"), "\ud800", 1j]


def assert_refused(model, path):
    save(learnt(rows=10), path)
    before = path.read_bytes()
    with pytest.raises(CostreamError, match="cannot be saved in a model file"):
        save(model, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", UNWRITABLE, ids=repr)
def test_a_name_that_json_cannot_hold_is_refused(name, path):
    model = OnlineClassifier()
    model.learn_one({name: 1.0}, 1)
    assert_refused(model, path)


@pytest.mark.parametrize("notes", [{1: "a"}, {"a": (1, 2)}, {"a": {2: 1}}, {None: 1}], ids=str)
def test_notes_that_would_come_back_otherwise_are_refused(notes, path):
    model = learnt()
    model.notes = notes
    assert_refused(model, path)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_of_a_loaded_model_is_the_same_file(name, path, tmp_path):
    save(learnt(name, fit_intercept=True), path)
    save(load(path), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_label_that_has_not_come_yet_may_still_come(path):
    model = OnlineClassifier(positive="bad")
    model.learn_one({"a": 1.0}, "bad")
    save(model, path)
    other = load(path)
    other.learn_one({"b": 1.0}, "good")
    assert other.predict_one({"b": 1.0}) == "good"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_an_old_file_keeps_its_rights(path):
    save(learnt(), path)
    path.chmod(0o640)
    save(learnt(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("note", UNWRITABLE, ids=repr)
def test_a_note_that_json_cannot_hold_is_refused(note, path):
    model = learnt()
    model.notes = {"note": [note]}
    assert_refused(model, path)


def test_a_label_that_json_cannot_hold_is_refused(path):
    assert_refused(learnt(classes=("ok", "\ud800")), path)
