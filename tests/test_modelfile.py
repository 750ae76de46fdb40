"""The model file: exact, atomic, without pickle, and clear about whatever it cannot read.

``python tests/test_modelfile.py`` writes the fixtures of this release anew. That is for a new format
alone: the files of an old one stay as they are, and stay readable.
"""

import hashlib
import json
import os
import pickle
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from costream import (
    Cost,
    CostreamError,
    CostSensitiveClassifier,
    OnlineClassifier,
    Sum,
    load,
    make_learner,
    save,
)
from streams import NAMES, dict_rows, same_bits, stream

FIXTURES = Path(__file__).parent / "fixtures"
MAGIC = b"costream-model "
X, y = stream(seed=3, rows=40, width=6)
ROWS = dict_rows(X)


def learnt(learner="ssacog-ii", rows=20, classes=(-1, 1), **settings):
    """A model that has learnt from the first rows, by name."""
    model = OnlineClassifier(learner, classes=classes, **settings)
    for x, label in zip(ROWS[:rows], y[:rows], strict=True):
        model.learn_one(x, classes[int(label > 0)])
    return model


def scores(model):
    return [model.score_one(x) for x in ROWS]


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
    assert same_bits(other.coef, model.coef)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_of_a_loaded_model_is_the_same_file(name, path, tmp_path):
    save(learnt(name, intercept=True), path)
    save(load(path), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_has_seen_nothing(name, path):
    save(OnlineClassifier(name), path)
    other = load(path)
    fresh = OnlineClassifier(name)
    assert same_bits(other.prequential(X, y), fresh.prequential(X, y))


@pytest.mark.parametrize(
    "settings",
    [
        {"intercept": True},
        {"normalize": False},
        {"objective": Cost(9.5, 2)},
        {"objective": Sum(0.25, ratio=7.5)},
        {"objective": Sum.known(np.int64(3), np.int64(8))},
        {"max_features": 6},
        {"max_features": np.int64(6)},
        {"hash_slots": 4},
        {"hash_slots": 4, "intercept": True},
    ],
    ids=str,
)
def test_settings_survive(settings, path):
    model = learnt("acog-ii", **settings)
    save(model, path)
    other = load(path)
    assert (other.intercept, other.normalize) == (model.intercept, model.normalize)
    assert other.objective == model.objective
    assert other.feature_names == model.feature_names
    went_on = [
        [each.learn_one(x, label) for x, label in zip(ROWS, y, strict=True)] for each in (model, other)
    ]
    assert same_bits(*went_on)


def test_max_features_still_hold_after_loading(path):
    save(learnt(max_features=6), path)
    other = load(path)
    with pytest.warns(UserWarning, match="6 features"):
        other.learn_one({"new": 1.0}, 1)
    assert len(other.coef) == 6


@pytest.mark.parametrize("batch", [X, X[:, :3]], ids=["same", "narrower"])
def test_a_model_of_arrays_stays_one(batch, path):
    model = OnlineClassifier("carow")
    model.learn_many(X, y)
    save(model, path)
    other = load(path)
    assert other.feature_names == list(range(X.shape[1]))
    assert same_bits(other.prequential(batch, y), model.prequential(batch, y))


def test_hyper_parameters_survive(path):
    learner = make_learner("ssacog-i", eta=np.float32(0.5), gamma=3, m=np.int64(2), k=4)
    save(learnt(learner), path)
    assert load(path).learner == learner


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
    model = OnlineClassifier(classes=labels)
    model.learn_one({"a": 1.0}, labels[1])
    save(model, path)
    found = [load(path).predict_one({"a": value}) for value in (-1.0, 1.0)]
    assert found == list(labels)
    assert [type(label) for label in found] == [type(label) for label in labels]


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["a", "b"]), np.array([False, True])])
def test_labels_from_numpy(labels, path):
    model = OnlineClassifier(classes=labels)
    model.learn_many(np.eye(2), labels)
    save(model, path)
    assert load(path).predict_many(np.eye(2)).tolist() == labels.tolist()


def test_a_label_that_has_not_come_yet_may_still_come(path):
    model = OnlineClassifier(positive="bad")
    model.learn_one({"a": 1.0}, "bad")
    save(model, path)
    other = load(path)
    other.learn_one({"b": 1.0}, "good")
    assert other.predict_one({"b": 1.0}) == "good"


def test_rows_and_notes_survive(path):
    model = learnt()
    model.notes = {"threshold": 0.25, "trained on": ["a.csv", "b.csv"], "deep": {"er": [1, None, True]}}
    save(model, path)
    other = load(path)
    assert other.rows == 20
    assert other.notes == model.notes


def test_weighted_counts_survive(path):
    model = OnlineClassifier()
    weights = np.linspace(0.1, 2.0, len(y))
    model.learn_many(X, y, weights)
    save(model, path)
    other = load(path)
    assert same_bits(other.prequential(X, y, weights), model.prequential(X, y, weights))


def test_saving_changes_nothing(path):
    model = learnt()
    before = pickle.dumps(model)
    save(model, path)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("kind", [str, Path, os.fspath])
def test_paths_of_all_kinds(kind, path):
    save(learnt(), kind(path))
    assert load(kind(path)).rows == 20


def test_no_pickle(path, monkeypatch):
    model = learnt()

    def forbidden(*_args, **_kwargs):
        raise AssertionError("pickle was used")

    for name in ("load", "loads", "dump", "dumps", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, forbidden)
    save(model, path)
    load(path)


# --- files of this release stay readable ------------------------------------------------------------


def write_fixtures() -> None:
    """Write the fixtures: a file and the scores it gives, as hexadecimal digits."""
    for file, learner in (("model-v1", "ssacog-ii"), ("model-v1-carow", "carow")):
        model = learnt(
            learner, rows=30, objective=Cost(5.0, 1.0), intercept=True, classes=("ok", "bad")
        )
        model.notes = {"why": "a fixture"}
        save(model, FIXTURES / f"{file}.costream")
        expected = {
            "scores": [score.hex() for score in scores(model)],
            "names": model.feature_names,
            "labels": [model.predict_one(x) for x in ROWS],
            "rows": model.rows,
            "notes": model.notes,
        }
        (FIXTURES / f"{file}.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


@pytest.mark.parametrize("file", ["model-v1", "model-v1-carow"])
def test_an_old_file_gives_its_scores(file):
    expected = json.loads((FIXTURES / f"{file}.json").read_text(encoding="utf-8"))
    model = load(FIXTURES / f"{file}.costream")
    assert [score.hex() for score in scores(model)] == expected["scores"]
    assert [model.predict_one(x) for x in ROWS] == expected["labels"]
    assert model.feature_names == expected["names"]
    assert model.rows == expected["rows"]
    assert model.notes == expected["notes"]


@pytest.mark.parametrize("file", ["model-v1", "model-v1-carow"])
def test_an_old_file_goes_on_learning(file):
    model = load(FIXTURES / f"{file}.costream")
    for x, label in zip(ROWS, y, strict=True):
        assert np.isfinite(model.learn_one(x, "bad" if label > 0 else "ok"))
    assert model.rows == 30 + len(y)


# --- damage -----------------------------------------------------------------------------------------


def complaint_about(path):
    """What `load` says about a file: one sentence that names it, and perhaps a hint."""
    with pytest.raises(CostreamError) as caught:
        load(path)
    sentence, *hint = str(caught.value).split("\nhint: ")
    assert str(path) in sentence
    assert "\n" not in sentence
    assert len(hint) <= 1
    return str(caught.value)


def test_an_empty_file(path):
    path.write_bytes(b"")
    assert "is not a costream model" in complaint_about(path)


@pytest.mark.parametrize("content", [b"hello", b"\n" * 100, b"costream-model x\n", MAGIC, bytes(1000)])
def test_another_file(content, path):
    path.write_bytes(content)
    assert "is not a costream model" in complaint_about(path)


def test_a_file_cut_short_anywhere(path):
    save(learnt("perceptron", rows=5), path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        complaint = complaint_about(path)
        assert "cut short" in complaint or "not a costream model" in complaint


@pytest.mark.parametrize("length", [len(MAGIC) + 2, len(MAGIC) + 6, 200, -300, -32, -1])
def test_a_file_cut_short_is_said_to_be(length, path):
    save(learnt(intercept=True), path)
    path.write_bytes(path.read_bytes()[:length])
    assert "damaged or cut short" in complaint_about(path)


@pytest.mark.parametrize("flip", [0x01, 0xFF])
def test_a_flipped_byte_anywhere(flip, path):
    save(learnt("perceptron", rows=5), path)
    content = path.read_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= flip
        path.write_bytes(damaged)
        complaint_about(path)


def test_bytes_after_the_end(path):
    save(learnt(), path)
    path.write_bytes(path.read_bytes() + b"\0")
    assert "damaged" in complaint_about(path)


def test_two_files_in_one(path):
    save(learnt(), path)
    path.write_bytes(path.read_bytes() * 2)
    complaint_about(path)


def test_a_future_format(path):
    save(learnt(), path)
    path.write_bytes(path.read_bytes().replace(MAGIC + b"1", MAGIC + b"2", 1))
    complaint = complaint_about(path)
    assert "model format 2" in complaint
    assert "hint: install a newer costream" in complaint


def test_a_very_future_format(path):
    path.write_bytes(MAGIC + b"9" * 5000 + b"\n")
    complaint_about(path)


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_file_that_is_not_there(kind, path):
    if kind == "folder":
        path.mkdir()
    with pytest.raises((CostreamError, OSError)) as caught:
        load(path)
    assert str(path) in str(caught.value)


# --- whole files with the wrong content -------------------------------------------------------------


def taken_apart(path):
    first, rest = path.read_bytes()[:-32].split(b"\n", 1)
    length = int.from_bytes(rest[:8], "little")
    return first, json.loads(rest[8 : 8 + length]), rest[8 + length :]


def put_together(path, first, header, data, length=None):
    """Write a file with a checksum that holds."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = len(text) if length is None else length
    content = first + b"\n" + length.to_bytes(8, "little") + text + data
    path.write_bytes(content + hashlib.sha256(content).digest())


def changed(header, keys, value):
    """The header with one value in its place, or without the key where the value is `put_together`."""
    header = json.loads(json.dumps(header))
    inside = header
    for key in keys[:-1]:
        inside = inside[key]
    if value is put_together:
        del inside[keys[-1]]
    else:
        inside[keys[-1]] = value
    return header


def test_a_file_put_together_by_hand_is_read(path):
    model = learnt()
    save(model, path)
    put_together(path, *taken_apart(path))
    assert same_bits(scores(load(path)), scores(model))


KEYS = [
    *("learner", "objective", "counts", "labels", "intercept", "normalize", "features"),
    *("notes", "arrays", "learner name", "learner params", "objective name", "labels named"),
    *("features names", "features hash_slots"),
]


@pytest.mark.parametrize("keys", KEYS)
def test_a_missing_key(keys, path):
    save(learnt(), path)
    first, header, data = taken_apart(path)
    put_together(path, first, changed(header, keys.split(), put_together), data)
    complaint_about(path)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("learner name", "gradient-boosting"),
        ("learner name", None),
        ("learner params eta", -1),
        ("learner params nonsense", 1),
        ("objective name", "happiness"),
        ("objective params alpha_p", 2),
        ("objective params", []),
        ("counts", [1.0]),
        ("counts", ["many", "few"]),
        ("counts", [-1.0, 1.0]),
        ("labels", []),
        ("labels negative", [1]),
        ("intercept", "yes"),
        ("normalize", None),
        ("features", None),
        ("features names", ["f1", "f1", "f2", "f3", "f4", "f5"]),
        ("features names", [["f0"], "f1", "f2", "f3", "f4", "f5"]),
        ("features names", ["f0"]),
        ("features max_features", 2),
        ("features max_features", -1),
        ("features hash_slots", 3),
        ("notes", "text"),
        ("arrays", []),
    ],
    ids=str,
)
def test_a_wrong_value(keys, value, path):
    save(learnt(), path)
    first, header, data = taken_apart(path)
    put_together(path, first, changed(header, keys.split(), value), data)
    complaint_about(path)


def test_a_negative_count_of_features(path):
    model = OnlineClassifier()
    model.learn_many(X, y)
    save(model, path)
    first, header, data = taken_apart(path)
    put_together(path, first, changed(header, ["features", "count"], -5), data)
    complaint_about(path)


@pytest.mark.parametrize("at", range(3), ids=["name", "type", "shape"])
def test_an_array_that_is_not_the_learners(at, path):
    save(learnt(), path)
    first, header, data = taken_apart(path)
    header["arrays"][0][at] = ["W", "<f4", [7]][at]
    put_together(path, first, header, data)
    assert "arrays" in complaint_about(path)


@pytest.mark.parametrize("extra", [-8, 8], ids=["too few", "too many"])
def test_a_wrong_number_of_bytes(extra, path):
    save(learnt(), path)
    first, header, data = taken_apart(path)
    put_together(path, first, header, data[:extra] if extra < 0 else data + bytes(extra))
    complaint_about(path)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000], ids=lambda text: repr(text[:9])
)
def test_a_header_that_is_none(text, path):
    save(learnt(), path)
    first, _, data = taken_apart(path)
    put_together(path, first, text, data)
    complaint_about(path)


@pytest.mark.parametrize("length", [0, 3, 2**40, 2**64 - 1])
def test_a_wrong_length_of_the_header(length, path):
    save(learnt(), path)
    put_together(path, *taken_apart(path), length=length)
    complaint_about(path)


def test_a_model_too_large_for_the_memory(path, monkeypatch):
    model = OnlineClassifier("carow")
    model.learn_many(np.eye(50), np.arange(50) % 2)
    save(model, path)
    monkeypatch.setattr("costream.learners.memory", lambda: 10_000)
    assert "memory" in complaint_about(path)


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


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_first_write_that_fails_leaves_nothing(call, path, monkeypatch):
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="No space left"):
        save(learnt(), path)
    assert list(path.parent.iterdir()) == []


def test_a_second_save_takes_the_place_of_the_first(path):
    save(learnt(rows=10), path)
    save(learnt(rows=20), path)
    assert load(path).rows == 20
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / "missing" / "model.costream"
    with pytest.raises((CostreamError, OSError)) as caught:
        save(learnt(), path)
    named = getattr(caught.value, "filename", None) or str(caught.value)
    assert str(path) in str(named) or str(named) == str(path.parent)


def test_something_that_is_no_model(path):
    with pytest.raises((CostreamError, TypeError), match="CostSensitiveClassifier"):
        save(CostSensitiveClassifier().fit(X, y), path)
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
def test_a_new_file_has_the_rights_that_the_user_wants(path):
    before = os.umask(0o077)
    try:
        save(learnt(), path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_an_old_file_keeps_its_rights(path):
    save(learnt(), path)
    path.chmod(0o640)
    save(learnt(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


class Odd:
    """A name that JSON cannot hold."""

    def __repr__(self):
        return "Odd()"


UNWRITABLE = [("a", 1), b"a", frozenset("a"), Odd(), float("nan"), float("inf"), "\ud800", 1j]


def assert_refused(model, path):
    save(learnt(rows=10), path)
    before = path.read_bytes()
    with pytest.raises(CostreamError, match="cannot be written into a model file"):
        save(model, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", UNWRITABLE, ids=repr)
def test_a_name_that_json_cannot_hold_is_refused(name, path):
    model = OnlineClassifier()
    model.learn_one({name: 1.0}, 1)
    assert_refused(model, path)


@pytest.mark.parametrize("note", UNWRITABLE, ids=repr)
def test_a_note_that_json_cannot_hold_is_refused(note, path):
    model = learnt()
    model.notes = {"note": [note]}
    assert_refused(model, path)


def test_a_label_that_json_cannot_hold_is_refused(path):
    assert_refused(learnt(classes=("ok", "\ud800")), path)


@pytest.mark.parametrize("notes", [{1: "a"}, {"a": (1, 2)}, {"a": {2: 1}}, {None: 1}], ids=str)
def test_notes_that_would_come_back_otherwise_are_refused(notes, path):
    model = learnt()
    model.notes = notes
    assert_refused(model, path)


if __name__ == "__main__":
    write_fixtures()
