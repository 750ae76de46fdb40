"""Views by name, and that a half-life reaches everyone."""

import numpy as np
import pytest

from costream import CostreamError, load, save
from costream.learners import Auto, make_learner
from costream.learners.auto import layout
from costream.learners.auto.views import VIEWS, leaves
from helpers import places
from helpers.files import put_together, taken_apart
from helpers.portfolios import auto, clock, curved_stream, state_of
from helpers.streams import feed, same_bits

X, y, WEIGHT = curved_stream(40, width=3, seed=6)


@pytest.mark.parametrize(
    "views", [(), ("trees",), ("linear", "trees"), "linear", None, 3, ("",), {"linear"}]
)
def test_views_that_are_none(views):
    with pytest.raises(CostreamError, match="views of auto must be one or more of linear, splines"):
        Auto(views=views)


@pytest.mark.parametrize(
    ("views", "kept"),
    [
        (["fourier", "linear"], ("linear", "fourier")),
        (("splines", "splines"), ("splines",)),
        (VIEWS[::-1], VIEWS),
        (("leaves",), ("leaves",)),
    ],
)
def test_order_and_repetition_do_not_matter(views, kept):
    assert Auto(views=views).views == kept
    assert Auto().set_params(views=views).views == kept
    assert make_learner("auto", views=views) == Auto(views=kept)
    one, other = auto(views=views), auto(views=kept)
    assert same_bits(feed(one, X, y, "dense", WEIGHT), feed(other, X, y, "dense", WEIGHT))


def test_views_survive_in_a_file(tmp_path):
    model = auto(views=("splines", "linear"))
    feed(model, X, y, "dense", WEIGHT)
    save(model, tmp_path / "model")
    assert taken_apart(tmp_path / "model")[1]["learner"]["params"]["views"] == ["linear", "splines"]
    other = load(tmp_path / "model")
    assert other.learner == model.learner
    assert same_bits(other.score_many(X), model.score_many(X))


@pytest.mark.parametrize("views", [[], ["trees"], "linear", None, [1], [["linear"]]])
def test_views_that_are_none_in_a_file(views, tmp_path):
    model = auto()
    save(model, tmp_path / "model")
    first, header, data = taken_apart(tmp_path / "model")
    header["learner"]["params"]["views"] = views
    put_together(tmp_path / "model", first, header, data)
    with pytest.raises(CostreamError):
        load(tmp_path / "model")


def test_a_view_that_no_row_is_narrow_enough_for():
    """Nobody is left but the constant policies, and the bias of the stacker."""
    model = auto(views=("splines",))
    Z = np.zeros((30, places.DENSE_WIDEST + 5))
    Z[:, :3] = X[:30]
    Z[4, -1] = 1.0
    scores = feed(model, Z, y[:30], "csr")
    assert np.isfinite(scores).all()
    assert not any(one.active for one in model.standings().members if one.view != "constant")


# --- half-life --------------------------------------------------------------------------------------


def after(rows, half_life, **params):
    model = auto(half_life=half_life, **params)
    feed(model, X[:rows], y[:rows], "dense", WEIGHT[:rows])
    return state_of(model)


def test_a_half_life_halves_costs_and_statistics():
    """Rows of weight 0 aside, ten rows later a cost counts half; statistics are halved at once."""
    state, plain = after(10, 10), after(10, None)
    assert state.costs[layout.COUNT] == 5.0
    assert plain.costs[layout.COUNT] == 10.0
    np.testing.assert_array_equal(state.stats[layout.SEEN], plain.stats[layout.SEEN] / 2)
    np.testing.assert_array_equal(state.stats[layout.SQUARE], plain.stats[layout.SQUARE] / 2)
    np.testing.assert_array_equal(state.stats[layout.MEAN], plain.stats[layout.MEAN])
    keep = 0.5 ** (1 / 10)
    ages = keep ** np.arange(9, -1, -1)
    positive = y[:10] > 0
    expected = [(ages * WEIGHT[:10])[positive].sum(), (ages * WEIGHT[:10])[~positive].sum()]
    assert state.costs[[layout.NEVER, layout.ALWAYS]] == pytest.approx(expected)
    assert state.costs[[layout.POSITIVES, layout.NEGATIVES]] == pytest.approx(
        [ages[positive].sum(), ages[~positive].sum()]
    )


def test_a_half_life_makes_the_sample_forget():
    rows = 300
    X, y, weight = curved_stream(rows, width=3, seed=3)
    model = auto(half_life=20, views=("leaves",))
    feed(model, X, y, "dense", weight)
    state = state_of(model)
    assert len(state.sample) == leaves.FIRST
    kept = [np.flatnonzero((X.astype(np.float32) == row[1:4]).all(axis=1)) for row in state.sample]
    newest = np.array([one.max() for one in kept if len(one)])
    assert np.mean(newest >= rows - 100) > 0.4
    assert clock(model, layout.GROW_AT) <= rows + leaves.FIRST
