"""Each view, kernel against oracle: what is kept of rows, and how a row is written."""

import numpy as np
import pytest

from costream.kernels.elementary import exponential, logarithm
from costream.learners.auto import Auto, layout
from costream.learners.auto import rows as row_rules
from costream.learners.auto.trees import hashed, name_key
from costream.learners.auto.views import fourier, splines
from helpers import places
from helpers.portfolios import chunk_of
from helpers.streams import stream
from reference.auto import views as oracle

WIDTH = 6
X, _ = stream(2, rows=24, width=WIDTH)


def learnt(rows, half_life=None):
    """The statistics of a model, and those of the oracle, after some rows."""
    model, past = Auto().state(WIDTH + 1), oracle.Past(WIDTH)
    x = chunk_of(rows)
    for t in range(len(rows)):
        count = model.costs[layout.COUNT] = model.costs[layout.COUNT] + 1.0
        row_rules.take_sizes(model.stats, x, t)
        row_rules.write_whole(model.rows, WIDTH + 1, x, t)
        row_rules.take_moments(model.stats, model.rows, WIDTH + 1, count)
        past.add(rows[t])
        if half_life and (t + 1) % half_life == 0:
            row_rules.fade_stats(model.stats, WIDTH + 1)
            model.costs[layout.COUNT] *= 0.5
            past.halve()
    return model, past


def entries(model, row, purpose):
    """A row over the sizes of its features, and as it came, each over its norm."""
    slot = model.slots[layout.ENTRIES]
    n = row_rules.write_entries(model.stats, model.rows, slot, chunk_of(row[None]), 0, purpose)
    row_rules.normalise_entries(model.rows, n)
    found = np.zeros((2, WIDTH + 1))
    for kind in (layout.SCALED, layout.RAW):
        found[kind, slot[:n]] = model.rows[kind, :n]
    return found


def standardise(model, row):
    row_rules.write_whole(model.rows, WIDTH + 1, chunk_of(row[None]), 0)
    row_rules.write_standardised(model.stats, model.rows, WIDTH + 1, model.costs[layout.COUNT])
    return model.rows[layout.STANDARDISED, : WIDTH + 1]


@pytest.mark.parametrize("half_life", [None, 5])
@pytest.mark.parametrize("rows", [0, 1, 3, 20])
@pytest.mark.parametrize("purpose", [row_rules.SCORING, row_rules.LEARNING])
def test_scaled_and_raw_rows(purpose, rows, half_life):
    model, past = learnt(X[:rows], half_life)
    for row in X[20:]:
        found = entries(model, row, purpose)
        learning = purpose == row_rules.LEARNING
        np.testing.assert_allclose(found[layout.SCALED, 1:], past.scaled(row, learning), atol=1e-12)
        np.testing.assert_allclose(found[layout.RAW, 1:], past.raw(row, learning), atol=1e-12)
        assert found[:, 0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("half_life", [None, 5])
@pytest.mark.parametrize("rows", [0, 1, 3, 20])
def test_standardised_rows(rows, half_life):
    model, past = learnt(X[:rows], half_life)
    for row in X[20:]:
        found = standardise(model, row)
        np.testing.assert_allclose(found[1:], past.standardised(row), atol=1e-12)
        assert found[0] == 1.0


@pytest.mark.parametrize("row", X[20:], ids=range(4))
def test_old_entries_are_those_that_were_scored(row):
    model, past = learnt(X[:2])
    n = row_rules.old_entries(model.stats, model.slots.shape[1], chunk_of(row[None]), 0)
    new = np.any(row[~past.seen] != 0)
    assert n == (0 if new else 1 + np.count_nonzero(row))


@pytest.mark.parametrize("rows", [0, 1, 3, 20])
def test_splines(rows):
    model, past = learnt(X[:rows])
    scale = 1.0 / np.sqrt(max(past.seen.sum(), 1))
    for row in [*X[20:], X[0] * 100.0, -X[0] * 100.0]:
        z = standardise(model, row)
        slot, value = model.spline_slots, model.spline_values
        n = splines.write(z, model.stats[layout.SEEN], WIDTH + 1, scale, places.KNOTS, slot, value)
        found = np.zeros(places.KNOTS * (WIDTH + 1))
        np.add.at(found, slot[:n], value[:n])
        np.testing.assert_allclose(found[places.KNOTS :], past.splines(row), atol=1e-12)
        assert not found[: places.KNOTS].any()
        assert n == 2 * past.seen.sum()


NAMES = ["amount", "7", "né\ud800e", ""]


def direction_of(name):
    return fourier.direction(name_key(name), places.SCALES, places.FEATURES)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_directions_come_from_the_hash_of_a_name(name):
    scales = np.repeat(places.SCALES, places.FEATURES)
    expected = oracle.normal_numbers(name) * scales
    np.testing.assert_allclose(direction_of(name), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", range(1, len(NAMES) + 2))
def test_fourier_features(d):
    z = np.random.default_rng(d).normal(size=d)
    expected = oracle.Fourier(NAMES[: d - 1]).of(z[1:]).ravel() if d > 1 else None
    directions = np.vstack(
        [fourier.phases(len(places.SCALES) * places.FEATURES), *map(direction_of, NAMES)]
    )
    out = np.zeros(len(places.SCALES) * places.FEATURES)
    fourier.write(z, d, directions, places.FEATURES, out)
    if d == 1:
        expected = np.cos(directions[0]) * np.sqrt(2 / places.FEATURES)
    np.testing.assert_allclose(out, expected, atol=1e-11)


@pytest.mark.parametrize(
    ("function", "exact", "values"),
    [
        (exponential, np.exp, np.linspace(-650, 650, 2001)),
        (logarithm, np.log, np.geomspace(1e-300, 1e300, 2001)),
        (logarithm, np.log, np.linspace(0.5, 2.0, 401)),
    ],
)
def test_elementary_functions(function, exact, values):
    found = np.array([function(float(one)) for one in values])
    np.testing.assert_allclose(found, exact(values), rtol=2e-15, atol=2e-16)


@pytest.mark.parametrize(
    "key", [(11, 3, 5), (0, 0, 0), (12011, 2**20, -7), (2**16 - 1, 2**16 - 1, 400)]
)
def test_hash(key):
    assert hashed(*key) == oracle.hashed(*key)
