"""The sample of the smallest hashes by class, and what its rows count."""

import numpy as np
import pytest

from costream.learners import make_learner
from costream.learners.auto import layout, sampling, turns
from costream.learners.auto.portfolios import KEPT, THRESHOLDS
from costream.learners.auto.views import leaves
from helpers.portfolios import be_adaptive
from reference.auto.views import hashed

MOST, SPARE = 200, 2 * turns.EVERY


@pytest.fixture(autouse=True)
def adaptive(monkeypatch):
    be_adaptive(monkeypatch)


def after(labels, monkeypatch, most=MOST):
    """Portfolios whose first sample has taken its rows of a stream, which are numbered in a feature."""
    monkeypatch.setattr(sampling, "SPARE", SPARE)
    model = make_learner("auto").state(3)
    for row, label in enumerate(labels, start=1):
        model.clock[layout.ROWS] = row
        model.costs[layout.POSITIVES if label else layout.NEGATIVES] += 1
        model.rows[layout.WHOLE, :2] = 0.0, row
        sampling.keep_row(model, 2, 1.0 if label else -1.0)
        if row % turns.EVERY == 0:
            model = sampling.with_space(model, most, turns.EVERY)
    return model


def rare(share, rows=4_000, seed=0):
    return np.random.default_rng(seed).random(rows) < share


def rows_of(model):
    return model.sample[: int(model.sampling[KEPT]), 1].astype(int)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.06, 0.3, 0.5, 0.97, 1.0])
def test_all_rows_are_kept_whose_hash_is_below_the_threshold_of_their_class(share, monkeypatch):
    """Whatever the order in which thresholds sank: so samples of several streams can be pooled."""
    labels = rare(share)
    model = after(labels, monkeypatch)
    thresholds = model.sampling[THRESHOLDS:]
    hashes = np.array([hashed(leaves.SEED, row, 1) for row in range(1, len(labels) + 1)])
    expected = 1 + np.flatnonzero(hashes < thresholds[labels.astype(int)])
    kept = rows_of(model)
    assert kept.tolist() == expected.tolist()
    assert model.sample_label[: len(kept)].tolist() == labels[kept - 1].tolist()
    assert model.sample_hash[: len(kept)].tolist() == hashes[kept - 1].tolist()
    assert MOST - turns.EVERY <= len(kept) <= MOST + SPARE


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_classes_have_the_same_chance_where_none_is_rare(share, monkeypatch):
    negative, positive = after(rare(share), monkeypatch).sampling[THRESHOLDS:]
    assert negative == positive < 1.0


@pytest.mark.parametrize("turned", [False, True])
def test_the_rarer_class_has_a_tenth_of_the_sample_weighted_back(turned, monkeypatch):
    labels = rare(0.04) ^ turned
    model = after(labels, monkeypatch)
    found = model.sample_label[: int(model.sampling[KEPT])]
    rarer = found == (0 if turned else 1)
    assert int(sampling.RARE * MOST) <= rarer.sum() <= int(sampling.RARE * MOST) + 10
    weights = sampling.weights_of(model, found)
    assert weights[found].mean() == pytest.approx(1.0)
    assert weights[0] / weights[1] == pytest.approx(model.sampling[THRESHOLDS + 1] / model.sampling[1])
    share = np.where(rarer, weights[found], 0.0).sum() / weights[found].sum()
    assert share == pytest.approx(0.04, rel=0.4)
    assert not sampling.wants_more(model, MOST)


def test_a_class_that_has_too_few_rows_keeps_them_all(monkeypatch):
    """And trees go on growing anew until it has its part."""
    labels = np.arange(4_000) % 400 == 7
    model = after(labels, monkeypatch)
    assert model.sampling[THRESHOLDS + 1] == 1.0
    assert model.sample_label[: int(model.sampling[KEPT])].sum() == labels.sum()
    assert sampling.wants_more(model, MOST)


def test_there_is_always_space_until_the_next_turn(monkeypatch):
    """Else rows would be left out for another reason than their hash."""
    for rows in range(turns.EVERY, 1_000, turns.EVERY):
        model = after(np.arange(rows) % 2 == 0, monkeypatch, most=10_000)
        assert len(model.sample) == len(model.sample_label) == len(model.sample_hash)
        assert len(model.sample) >= rows + turns.EVERY
        assert rows_of(model).tolist() == list(range(1, rows + 1))


def test_nothing_is_kept_where_rows_have_become_too_wide(monkeypatch):
    model = after(rare(0.5, rows=50), monkeypatch)
    assert sampling.without_lost(model) is model
    gone = {name: getattr(model, name)[:0] for name in ("sample", "sample_label")}
    model = sampling.without_lost(model._replace(**gone))
    assert len(model.sample_hash) == model.sampling[KEPT] == 0
    assert sampling.with_space(model, MOST, turns.EVERY) is model
