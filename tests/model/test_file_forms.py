"""Models as bytes and in file objects, and their calibration."""

import hashlib
import io
import json

import numpy as np
import pytest

from costream import Cost, CostreamError, OnlineClassifier, dumps, load, loads
from costream.model.header import DIGEST_BYTES
from helpers.streams import stream


@pytest.fixture(scope="module")
def model():
    X, y = stream(3, rows=40)
    found = OnlineClassifier("carow-diag", Cost(fn_cost="loss", fp_cost=5.0))
    found.learn_many(X, y, fn_cost=np.arange(1.0, 41.0))
    return found


def same(one, other):
    return dumps(one) == dumps(other)


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview])
def test_a_model_is_read_from_bytes(model, form):
    assert same(loads(form(dumps(model))), model)
    assert same(OnlineClassifier.loads(form(model.dumps())), model)


def test_a_model_is_read_from_a_file_object(model):
    assert same(load(io.BytesIO(dumps(model))), model)


@pytest.mark.parametrize("wrong", ["m", None, 7])
def test_loads_is_for_bytes(wrong):
    with pytest.raises(CostreamError, match="hint: loads is for bytes"):
        loads(wrong)


def test_load_is_not_for_bytes(model):
    with pytest.raises(CostreamError, match="loads is for bytes"):
        load(dumps(model))


def changed(model, change):
    """The bytes of a model with another header."""
    content = dumps(model)
    first, _, rest = content.partition(b"\n")
    length = int.from_bytes(rest[:8], "little")
    header = json.loads(rest[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    body = first + b"\n" + len(text).to_bytes(8, "little") + text
    body += rest[8 + length : -DIGEST_BYTES]
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize("numbers", [[], [1.0] * 9, ["x"] * 7, [1.0] * 6 + [1e999], None])
def test_a_calibration_that_cannot_be_right(model, numbers):
    with pytest.raises(CostreamError, match="not a model that this release can read"):
        loads(changed(model, lambda header: header.update(calibration=numbers)))


def test_a_file_without_a_calibration_begins_a_new_one(model):
    again = loads(changed(model, lambda header: header.pop("calibration")))
    assert again.coef_.tolist() == model.coef_.tolist()
    assert 0.0 < again.predict_proba_one(np.ones(3)) < 1.0
