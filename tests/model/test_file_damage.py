"""A model file that is damaged or not one of ours is an error that names it."""

import copy
import json
import pickle

import numpy as np
import pytest

from costream import CostreamError, OnlineClassifier, dumps, load, loads, save
from costream.learners import LEARNERS
from helpers.files import put_together, taken_apart
from helpers.learnt import learnt

MAGIC = b"costream-model "


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.costream"


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


def test_a_file_cut_short_anywhere(path):
    save(learnt("perceptron", rows=5), path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        complaint = complaint_about(path)
        assert "cut short" in complaint or "not a costream model" in complaint


@pytest.mark.parametrize("flip", [0x01, 0xFF])
def test_a_flipped_byte_anywhere(flip, path):
    save(learnt("perceptron", rows=5), path)
    content = path.read_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= flip
        path.write_bytes(damaged)
        complaint_about(path)


def test_a_future_format(path):
    save(learnt(), path)
    path.write_bytes(path.read_bytes().replace(MAGIC + b"3", MAGIC + b"4", 1))
    complaint = complaint_about(path)
    assert "model format 4" in complaint
    assert "hint: install a newer costream" in complaint


@pytest.mark.parametrize("version", [0, 1, 2])
def test_an_older_format(version, path):
    save(learnt(), path)
    path.write_bytes(path.read_bytes().replace(MAGIC + b"3", MAGIC + b"%d" % version, 1))
    complaint = complaint_about(path)
    assert (
        f"model format {version}, from before the first release, and this release reads 3" in complaint
    )
    assert "hint: learn the model again" in complaint


@pytest.mark.parametrize("learner", ["perceptron", "auto"])
def test_a_newer_revision_of_the_learner(learner, path):
    save(learnt(learner, rows=5), path)
    known = LEARNERS[learner].revision
    first, header, data = taken_apart(path)
    header = changed(changed(header, ["learner", "revision"], known + 1), ["costream"], "9.5.0")
    put_together(path, first, header, data)
    complaint = complaint_about(path)
    assert f"revision {known + 1} of {learner}, which costream 9.5.0 reads" in complaint
    assert f"this release reads {'1' if known == 1 else f'1 to {known}'}" in complaint
    assert "hint: install costream 9.5.0 or a newer one" in complaint


def test_a_revision_that_is_too_old(path, monkeypatch):
    save(learnt(rows=5), path)
    learner = type(load(path).learner)
    monkeypatch.setattr(learner, "revision", 3)
    monkeypatch.setattr(learner, "oldest", 2)
    complaint = complaint_about(path)
    assert "reads, and this release reads 2 to 3" in complaint
    assert "or learn the model again" in complaint


@pytest.mark.parametrize("learner", ["carow-diag", "auto"])
def test_a_model_keeps_its_revision_and_a_new_one_has_that_of_the_release(learner, monkeypatch):
    old = dumps(OnlineClassifier(learner))
    kind = type(loads(old).learner)
    known = kind.revision
    monkeypatch.setattr(kind, "revision", known + 1)
    again = loads(old)
    assert again.learner.revision == known
    for same in (again, pickle.loads(pickle.dumps(again)), copy.deepcopy(again)):
        assert f'"revision": {known}'.encode() in dumps(same)
    new = OnlineClassifier(again.learner)
    assert new.learner.revision == known + 1
    assert (f'"revision": {known + 1}'.encode() in dumps(new)) == (learner != "auto")


@pytest.mark.parametrize("revision", [0, -1, True, 1.0, "1", None, []], ids=repr)
def test_a_revision_that_is_none(revision, path):
    save(learnt(), path)
    first, header, data = taken_apart(path)
    put_together(path, first, changed(header, ["learner", "revision"], revision), data)
    assert "revision" in complaint_about(path)


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_file_that_is_not_there(kind, path):
    if kind == "folder":
        path.mkdir()
    with pytest.raises((CostreamError, OSError)) as caught:
        load(path)
    assert str(path) in str(caught.value)


# --- whole files with the wrong content -------------------------------------------------------------


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


KEYS = [
    *("learner", "objective", "counts", "labels", "fit_intercept", "normalize", "features"),
    *("notes", "arrays", "learner name", "learner params", "objective name", "labels others"),
    *("features names", "features hash_slots", "learner revision", "leakage"),
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
        ("learner params eta", -1),
        ("learner params nonsense", 1),
        ("objective name", "happiness"),
        ("objective params alpha_p", 2),
        ("counts", [1.0]),
        ("counts", [-1.0, 1.0]),
        ("labels negative", [1]),
        ("fit_intercept", "yes"),
        ("normalize", None),
        ("features", None),
        ("features names", ["f1", "f1", "f2", "f3", "f4", "f5"]),
        ("features names", [["f0"], "f1", "f2", "f3", "f4", "f5"]),
        ("features max_features", 2),
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


@pytest.mark.parametrize("at", range(3), ids=["name", "type", "shape"])
def test_an_array_that_is_not_the_learners(at, path):
    save(learnt(), path)
    first, header, data = taken_apart(path)
    header["arrays"][0][at] = ["W", "<f4", [7]][at]
    put_together(path, first, header, data)
    assert "arrays" in complaint_about(path)


def test_a_model_too_large_for_the_memory(path, monkeypatch):
    model = OnlineClassifier("carow")
    model.learn_many(np.eye(50), np.arange(50) % 2)
    save(model, path)
    monkeypatch.setattr("costream.learners.states.memory", lambda: 10_000)
    assert "memory" in complaint_about(path)
