"""Which of two labels is positive: every way into the program takes the same one, or asks for it."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("river")

from costream import CostreamError, OnlineClassifier, Stream
from costream.river import CostSensitiveClassifier as RiverClassifier
from costream.serve.messages import Event, Label
from costream.sklearn import CostSensitiveClassifier
from helpers.commands import in_process
from helpers.engines import label, opened, score

ROWS = 20
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, 2))
DICTS = [{"a": float(a), "b": float(b)} for a, b in X]


def labels_of(negative, positive):
    """Five rows in twenty are positive."""
    return [positive if t % 4 == 3 else negative for t in range(ROWS)]


def by_learn_one(y, _):
    model = OnlineClassifier("perceptron")
    for x, one in zip(DICTS, y, strict=True):
        model.learn_one(x, one)
    return model


def by_learn_many(y, _):
    model = OnlineClassifier("perceptron")
    model.learn_many(X, y)
    return model


def by_frame(y, _):
    model = OnlineClassifier("perceptron")
    model.learn_many(pd.DataFrame(DICTS), pd.Series(y))
    return model


def by_river(y, _):
    model = RiverClassifier("perceptron")
    for x, one in zip(DICTS, y, strict=True):
        model.learn_one(x, one)
    return model.model


def by_river_in_batches(y, _):
    model = RiverClassifier("perceptron")
    model.learn_many(pd.DataFrame(DICTS), pd.Series(y))
    return model.model


def by_service(y, folder):
    engine = opened(folder / "served", learner="perceptron")
    try:
        for t, (x, one) in enumerate(zip(DICTS, y, strict=True)):
            score(engine, Event(f"e{t}", x))
            (answer,) = label(engine, Label(f"e{t}", one))
            if getattr(answer, "status", None) == 422:
                raise CostreamError(answer.error, answer.hint)
        return engine.served.model
    finally:
        engine.close()


def file_of(y, folder):
    frame = pd.DataFrame(DICTS)
    frame["label"] = y
    frame.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def by_stream(y, folder):
    model = OnlineClassifier("perceptron")
    model.learn_stream(Stream(file_of(y, folder)))
    return model


def by_fit(y, _):
    return CostSensitiveClassifier("perceptron").fit(X, y).model_


def by_partial_fit(y, _):
    return CostSensitiveClassifier("perceptron").partial_fit(X, y).model_


ONLINE = (by_learn_one, by_learn_many, by_frame, by_river, by_river_in_batches)
AT_ONCE = (by_stream, by_fit, by_partial_fit)
REFUSED = "refused"
BY_SIDE = "learnt as positive or negative, and not kept as a label of the model"
TABLE = [  # the labels; the outcome online, by the service, and of many rows at once
    (0, 1, "", "", ""),
    (-1, 1, "", "", ""),
    (False, True, "", "", ""),
    (1, 2, REFUSED, REFUSED, ""),
    ("no", "yes", REFUSED, BY_SIDE, ""),
    ("N", "Y", REFUSED, BY_SIDE, ""),
    ("good", "bad", REFUSED, REFUSED, "warned"),
    ("bad", "good", REFUSED, REFUSED, "warned"),
    ("ok", "fraud", REFUSED, REFUSED, "warned"),
]
CASES = [
    pytest.param(way, negative, positive, outcome, id=f"{way.__name__[3:]}-{negative}-{positive}")
    for negative, positive, online, served, at_once in TABLE
    for ways, outcome in ((ONLINE, online), ((by_service,), served), (AT_ONCE, at_once))
    for way in ways
]


@pytest.mark.parametrize(("way", "negative", "positive", "outcome"), CASES)
def test_one_rule_everywhere(way, negative, positive, outcome, tmp_path):
    y = labels_of(negative, positive)
    if outcome == REFUSED:
        with pytest.raises(CostreamError, match="positive"):
            way(y, tmp_path)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = way(y, tmp_path)
    assert model.labels.pair == ((0, 1) if outcome == BY_SIDE else (negative, positive))
    assert model.counts == (5.0, 15.0)
    messages = [str(one.message) for one in caught]
    if outcome == "warned":
        assert any(f"{positive!r} is taken for the positive label" in one for one in messages)
        assert any(f"positive={negative!r}" in one for one in messages)
    else:
        assert messages == []


@pytest.mark.parametrize("pair", [("good", "bad"), ("no", "yes"), (1, 2)], ids=str)
def test_the_command_line_says_which(pair, tmp_path):
    path = file_of(labels_of(*pair), tmp_path)
    done = in_process("train", path, "-o", tmp_path / "m", "--learner", "perceptron")
    assert done.returncode == 0
    assert f"positive: {pair[1]}; negative: {pair[0]}" in done.stderr
    assert ("is taken for the positive label" in done.stderr) == (pair[0] == "good")


@pytest.mark.parametrize("way", [*ONLINE, by_service, by_stream], ids=lambda way: way.__name__[3:])
def test_the_hint_of_a_refusal_works(way, tmp_path):
    y = ["bad", "good"] * 10  # as many of each: a file cannot tell, either
    with pytest.raises(CostreamError) as refused:
        way(y, tmp_path)
    assert re.search(r"positive= or classes=|--positive", str(refused.value))
    model = OnlineClassifier("perceptron", positive="bad")
    model.learn_many(X, y)
    assert model.labels.pair == ("good", "bad")
