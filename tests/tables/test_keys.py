"""Keys in Python: whole numbers that are named like ids are read as text, and that is warned of."""

import numpy as np
import pandas as pd
import pytest

from costream import Column, Cost, OnlineClassifier, Schema
from helpers.sources import state_of

RNG = np.random.default_rng(4)
FRAME = pd.DataFrame({"card_id": RNG.integers(0, 400, 600), "amount": RNG.gamma(2.0, 30.0, 600)})
LABELS = RNG.random(600) < 0.2
SCHEMA = Schema([Column("card_id", "text", target_encoding=True, key=True), Column("amount", "number")])


def test_keys_are_warned_of_with_what_undoes_it():
    model = OnlineClassifier("carow-diag")
    with pytest.warns(UserWarning, match="card_id: whole numbers .*Schema.*number.* reads them"):
        model.learn_many(FRAME, LABELS)
    assert model.feature_names == ["amount", "card_id rate"]


def test_a_key_is_the_same_in_frames_and_in_dicts():
    frames, dicts = (OnlineClassifier("auto", Cost("amount", 5.0), schema=SCHEMA) for _ in range(2))
    frames.learn_many(FRAME, LABELS)
    for row, label in zip(FRAME.to_dict("records"), LABELS.tolist(), strict=True):
        dicts.learn_one(row, label)
    assert state_of(frames) == state_of(dicts)
