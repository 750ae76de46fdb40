"""Views by name, and that a half-life reaches everyone."""

import numpy as np
import pytest

from costream import CostreamError, OnlineClassifier, WeightedAccuracy, load, save
from costream.learners import Auto, make_learner
from costream.learners.auto import layout
from costream.learners.auto.members import TEAM
from costream.learners.auto.views import VIEWS, leaves
from costream.model.classifier import core_of
from helpers import places
from helpers.files import put_together, taken_apart
from helpers.portfolios import TAKEN, auto, clock, curved_stream, of_view, state_of, weights_of
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


@pytest.mark.parametrize("view", VIEWS)
def test_members_of_other_views_take_no_part(view):
    model = auto(views=(view,))
    feed(model, X, y, "dense", WEIGHT)
    found = {one.name: one for one in model.standings().members}
    for one in TEAM:
        assert found[one.name].active == (one.view == view)
        assert found[one.name].view == one.view
    assert found["always positive"].view == "constant"


def test_without_leaves_no_trees_grow():
    X, y, weight = curved_stream(TAKEN + 1, width=3, seed=6)
    model = auto(views=("linear", "splines"))
    feed(model, X, y, "dense", weight)
    assert core_of(model).job is None
    assert core_of(model).until_event == np.inf
    assert clock(model, layout.GROWN) == 0


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


def test_a_half_life_makes_every_member_as_unsure_as_at_first():
    state = after(20, 20)
    d = X.shape[1] + 1
    lanes = state.settings[layout.ETA, : places.SPARSE_LANES] > 0
    assert (state.variance[1:d] == 1.0).all()
    assert state.variance[0].tolist() == np.where(lanes, 0.0, 1.0).tolist()
    assert (state.standardised_variance[:, :d] == 1.0).all()
    assert (state.splines_variance == 1.0).all()
    assert (state.Sigma[:, :d, :d] == np.eye(d)).all()
    assert (state.fourier_covariance == np.eye(state.fourier_covariance.shape[1])).all()


def test_a_half_life_reaches_leaves():
    rows = 6 * 20
    X, y, weight = curved_stream(rows, width=3, seed=6)
    model = auto(half_life=20)
    feed(model, X, y, "dense", weight)
    state = state_of(model)
    assert len(state.leaves_variance) > 0
    assert (state.leaves_variance == 1.0).all()


def test_a_half_life_keeps_what_members_know():
    model, plain = auto(half_life=20), auto()
    for one in (model, plain):
        feed(one, X[:20], y[:20], "dense", WEIGHT[:20])
    for k in of_view("linear"):
        assert weights_of(model, k).any() == weights_of(plain, k).any()


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


def test_a_half_life_makes_the_council_forget():
    """Its P is larger than without: it can learn what is new."""
    short, long = after(40, 5), after(40, None)
    trace = [np.square(one.stacker_root).sum() for one in (short, long)]
    assert trace[0] > 1.5 * trace[1]


def test_a_half_life_reaches_the_class_rate():
    model = OnlineClassifier(make_learner("auto", half_life=4), WeightedAccuracy())
    plain = OnlineClassifier("auto", WeightedAccuracy())
    labels = np.repeat([0, 1], 30)
    for one in (model, plain):
        one.prequential(np.ones((60, 1)), labels)
    rates = [core_of(one).row_costs.cost_ratio(None) for one in (model, plain)]
    assert rates[0] < 0.25 < 1.0 == rates[1]


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
