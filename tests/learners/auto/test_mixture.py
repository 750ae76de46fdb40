"""Several portfolios against their oracle: losses, shares, turns, and all that they learn."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import reference
from costream import CostreamError, OnlineClassifier, dumps, loads
from costream.kernels.loop import prequential
from costream.learners import make_learner
from costream.learners.auto import layout, members, mixture, portfolios, turns
from costream.learners.auto.portfolios import (
    CURVATURE,
    LEARNS,
    LOSS,
    PHASE,
    RESTS,
    SHARE,
    SLOPE,
    TAKES_PART,
    portfolio,
)
from costream.learners.auto.views import leaves
from costream.model.knowledge import PRIOR
from helpers import places
from helpers.commands import compiled_only
from helpers.portfolios import NEVER, auto, be_adaptive, be_quick, chunk_of, curved_stream, state_of
from helpers.streams import JIT_OFF, assert_close, feed
from reference.auto.mixture import Mixer
from reference.auto.views import hashed

pytestmark = pytest.mark.slow  # interpreted, at least
ROWS = 128 if JIT_OFF else 400
ALARM = (88, 96)  # rows between which a turn is taken where the loss counts as risen
PHASES = {"rests": RESTS, "learns": LEARNS, "takes part": TAKES_PART}
FEW = ("linear", "splines")


@pytest.fixture(autouse=True)
def adaptive(monkeypatch):
    be_adaptive(monkeypatch)


@dataclass
class Both:
    """A model and its oracle that learn the same rows, their scores, and who did what at each row."""

    width: int
    params: dict = field(default_factory=dict)

    def __post_init__(self):
        self.model, self.oracle = auto(**self.params), reference.make("auto", self.width, **self.params)
        self.scores, self.expected, self.phases = [], [], []

    def learn(self, X, y, weight):
        self.scores.extend(feed(self.model, X, y, "csr", weight))
        for x, label, cost in zip(X, y, weight, strict=True):
            self.expected.extend(reference.run(self.oracle, x[None], [1.0 * label], [cost]))
            self.phases.append(tuple(self.oracle.mixer.phases))
        return self

    def check(self):
        """All that is known of the mixture, and the scores so far."""
        state, mixer = state_of(self.model), self.oracle.mixer
        np.testing.assert_allclose(self.scores, self.expected, rtol=1e-6, atol=1e-6)
        check_mixer(state, mixer)
        wakes = [k in self.oracle.forgets for k in range(len(mixer.phases))]
        assert state.turns[portfolios.WAKES].tolist() == wakes


def check_mixer(state, mixer):
    expected = [[PHASES[one] for one in mixer.phases], mixer.until, mixer.rest]
    assert state.turns[: portfolios.WAKES].tolist() == expected
    np.testing.assert_allclose(state.mixture[LOSS], mixer.losses, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(state.mixture[SHARE], mixer.shares, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(state.mixture[SLOPE], mixer.slopes, rtol=1e-6)
    np.testing.assert_allclose(state.mixture[CURVATURE], mixer.curvatures, rtol=1e-6, atol=1e-9)
    assert state.trend[:3] == pytest.approx(mixer.trend())
    assert state.trend[3:].tolist() == [mixer.leading, mixer.since]


def turned(rows, seed=3):
    """Rows whose labels mean the opposite from the middle on."""
    X, y, weight = curved_stream(rows, width=4, seed=seed)
    return X, np.where(np.arange(rows) < rows // 2, y, -y), weight


# --- with all views, trees and an alarm ---------------------------------------------------------------


@pytest.fixture(scope="module")
def both():
    """Through rests, trials, an alarm that wakes all, growths of trees and their takeovers."""
    X, y, weight = turned(ROWS)
    with pytest.MonkeyPatch.context() as patch:
        be_quick(patch)
        found, (begin, end) = Both(X.shape[1]), ALARM
        for part, rise in (
            (slice(begin), np.inf),
            (slice(begin, end), -np.inf),
            (slice(end, None), np.inf),
        ):
            patch.setattr(turns, "RISE", rise)
            found.learn(X[part], y[part], weight[part])
    return found


def test_scores_losses_shares_and_turns(both):
    both.check()


def test_all_that_may_happen_has_happened(both):
    """Else these tests would say little."""
    for k in range(1, len(both.phases[0])):
        assert {one[k] for one in both.phases} == PHASES.keys()
    before, after = both.phases[ALARM[1] - 2], both.phases[ALARM[1] - 1]
    assert "rests" in before
    assert "rests" not in after
    first, second, *others = both.oracle.parts
    assert first.trees.forest
    assert second.trees.grown >= (1 if JIT_OFF else 2)
    assert not any(one.trees for one in others)


@pytest.mark.parametrize("g", range(4))
def test_each_portfolio(g, both):
    found, expected = portfolio(state_of(both.model), g), both.oracle.parts[g]
    assert_close(found.costs[: NEVER + 1], expected.ledger.costs)
    assert_close(found.spread, expected.ledger.spread, 1e-6)
    np.testing.assert_allclose(found.stacker, expected.stacker.w, atol=1e-6)
    root = found.stacker_root
    np.testing.assert_allclose(root @ root.T, expected.stacker.P, atol=1e-8)


@pytest.mark.parametrize("g", [0, 1])
def test_leaves_and_samples(g, both):
    """Those of the second portfolio are its own; the sample goes on where that rests."""
    found, trees = portfolio(state_of(both.model), g), both.oracle.parts[g].trees
    rows = np.array(trees.sample.rows)
    assert found.sample_label[: len(rows)].tolist() == trees.sample.labels
    np.testing.assert_array_equal(found.sample[: len(rows), 1 : rows.shape[1]], rows[:, 1:])
    for name in ("mu", "variance"):
        expected = [tree for kind in trees.forest.kinds for tree in getattr(kind, name)]
        begun = zip(found.root, expected, strict=False)
        parts = [getattr(found, f"leaves_{name}")[at : at + len(one)] for at, one in begun]
        np.testing.assert_allclose(np.concatenate(parts), np.concatenate(expected), atol=1e-8)


def test_the_first_sample_has_all_rows_and_their_hashes(both):
    """As long as there is space."""
    state = state_of(both.model)
    assert state.sampling.tolist() == [ROWS, 1.0, 1.0]
    expected = [hashed(leaves.SEED, row, 1) for row in range(1, ROWS + 1)]
    assert state.sample_hash[:ROWS].tolist() == expected


def test_statistics_never_fade(both):
    X, _, _ = turned(ROWS)
    state = state_of(both.model)
    assert state.costs[layout.COUNT] == ROWS
    assert_close(state.stats[layout.MEAN, 1 : X.shape[1] + 1], X.mean(axis=0))


def test_probabilities(both):
    X, _, _ = curved_stream(12, width=4, seed=9)
    expected = [both.oracle.probability(x) for x in X]
    np.testing.assert_allclose(both.model.predict_proba_many(X), expected, rtol=1e-6)
    np.testing.assert_allclose([both.model.predict_proba_one(x) for x in X], expected, rtol=1e-6)


# --- rows that grow wide, classes that are missing, costs of all signs --------------------------------


@pytest.fixture
def restless(monkeypatch):
    """Who does not lead rests at once, and not for long."""
    be_quick(monkeypatch)
    settings = {"EVERY": 2, "FIRST": 4, "SHORTEST": 8, "SHORTEST_TRIAL": 2, "LONGEST_TRIAL": 2}
    for name, value in {**settings, "LEAST_SHARE": 1.0}.items():
        monkeypatch.setattr(turns, name, value)


@pytest.mark.parametrize("slots", [places.NARROWEST, places.FULL_WIDEST, places.DENSE_WIDEST])
@pytest.mark.usefixtures("restless")
def test_rows_that_become_too_wide_in_a_rest(slots):
    """Some portfolios rest at that row, and learn rows of that width later."""
    X, y, weight = curved_stream(16, width=4, seed=1)
    X = np.pad(X, [(0, 0), (0, slots - 4)])
    X[9, -1] = 2.0
    both = Both(slots).learn(X, y, weight)
    assert "rests" in both.phases[9]
    assert "learns" in both.phases[-1]
    both.check()
    for g, part in enumerate(both.oracle.parts):
        found = portfolio(state_of(both.model), g).clock
        assert found[layout.SLOTS] == slots + 1
        assert found[[layout.BEST, layout.LEADER]].tolist() == [part.ledger.best, part.ledger.leader]


@pytest.mark.usefixtures("restless")
def test_who_is_too_wide_does_not_lead_a_portfolio_that_rests():
    """Its model can be saved, and learns on."""
    X, y, weight = curved_stream(14, width=4, seed=1)
    X = np.pad(X, [(0, 0), (0, places.NARROWEST)])
    model = auto()
    feed(model, X[:9], y[:9], "csr", weight[:9])
    resting = np.flatnonzero(state_of(model).turns[PHASE] == RESTS)
    for g in resting:
        one = portfolio(state_of(model), g)
        one.clock[[layout.BEST, layout.LEADER]] = places.FOURIER
        one.costs[places.FOURIER] = -1.0
    X[9, -1] = 2.0
    first, second = loads(dumps(model)), loads(dumps(model))
    for copied in (model, first):
        feed(copied, X[9:10], y[9:10], "csr", weight[9:10])
        assert (state_of(copied).other_clock[resting - 1, layout.BEST] < places.FOURIER).all()
        assert dumps(loads(dumps(copied))) == dumps(copied)
    assert dumps(model) == dumps(first)
    feed(second, X[9:], y[9:], "csr", weight[9:])
    feed(first, X[10:], y[10:], "csr", weight[10:])
    assert dumps(first) == dumps(second)


@pytest.mark.usefixtures("restless")
def test_trees_stop_where_rows_are_too_wide():
    """Both samples and both forests are given up."""
    rows, at = 122, 116
    X, y, weight = curved_stream(rows, width=4, seed=1)
    X = np.pad(X, [(0, 0), (0, places.DENSE_WIDEST - 4)])
    X[at, -1] = 2.0
    both = Both(X.shape[1], {"views": ("leaves",)}).learn(X[:at], y[:at], weight[:at])
    parts = [portfolio(state_of(both.model), g) for g in (0, 1)]
    assert all(len(one.feature) > 0 for one in parts)
    both.learn(X[at:], y[at:], weight[at:]).check()
    for g in (0, 1):
        one = portfolio(state_of(both.model), g)
        assert len(one.feature) == len(one.sample) == 0


@pytest.mark.parametrize("label", [-1, 1])
def test_a_class_that_is_missing_for_long(label, monkeypatch):
    be_quick(monkeypatch)
    X, y, weight = curved_stream(56, width=3, seed=2)
    y[:40] = label
    both = Both(3, {"views": FEW}).learn(X, y, weight)
    both.check()
    assert any("rests" in one for one in both.phases)


def test_trees_wait_for_the_other_class(monkeypatch):
    be_quick(monkeypatch)
    X, _, weight = curved_stream(104, width=3, seed=2)
    both = Both(3, {"views": ("leaves",)}).learn(X, np.full(104, -1), weight)
    both.check()
    clocks = [portfolio(state_of(both.model), g).clock for g in (0, 1)]
    assert [one[layout.GROWN] for one in clocks] == [0, 0]


def test_rows_at_cost_ratios_of_any_sign():
    """A cost ratio that is not known is the mean one of the portfolio that never forgets."""
    X, y, cost = curved_stream(40, seed=5)
    cost_ratio = np.random.default_rng(5).choice([0.0, -1.0, -20.0, 0.2, 7.0], len(y))
    learner, scores = make_learner("auto", views=FEW), np.empty(len(y))
    state = learner.state(X.shape[1] + 1)
    learner.begin_at(state, PRIOR)
    prequential(state, chunk_of(X, y, cost, cost_ratio), scores, np.empty(0))
    oracle = reference.make("auto", X.shape[1], views=FEW)
    assert_close(scores, reference.run(oracle, X, 1.0 * y, cost, cost_ratio=cost_ratio))
    for g, one in enumerate(oracle.parts):
        assert_close(portfolio(state, g).costs[: NEVER + 1], one.ledger.costs)


# --- at the turns that users have ---------------------------------------------------------------------


def test_judged_by_what_was_said_when_rows_were_scored():
    """Labels come ten rows late; a row that nothing was said of is judged by what is said now."""
    X, y, _ = curved_stream(60, width=3, seed=8)
    rows, batch = auto(views=("linear",)), auto(views=("linear",))
    mixer, seen = Mixer([one.half_life for one in members.PACES]), {False: 0, True: 0}
    for part in map(slice, range(0, 60, 10), range(10, 70, 10)):
        forecasts = rows.forecast_many(X[part])
        assert forecasts.tolist() == [list(rows.forecast_one(x)) for x in X[part]]
        forecasts[4] = np.nan
        batch.learn_many(X[part], y[part], forecast=forecasts)
        for x, label, one in zip(X[part], y[part], forecasts, strict=True):
            now = np.array(rows.forecast_one(x))
            rows.learn_one(x, label, forecast=[None if np.isnan(number) else number for number in one])
            mixer.judge_all(np.where(np.isnan(one), now, one), label, seen)
            seen[bool(label > 0)] += 1
            check_mixer(state_of(rows), mixer)
    assert state_of(rows).mixture.tobytes() == state_of(batch).mixture.tobytes()


@pytest.mark.parametrize("learner", ["carow-diag", make_learner("auto", half_life=9)])
def test_who_has_one_half_life_has_no_forecast(learner):
    model = OnlineClassifier(learner)
    model.learn_one([1.0, 2.0], 1)
    assert model.forecast_one([1.0, 2.0]) == ()
    assert model.forecast_many([[1.0, 2.0]] * 3).shape == (3, 0)
    model.learn_many([[1.0, 2.0]], [0], forecast=np.empty((1, 0)))
    assert model.rows == 2


@pytest.mark.parametrize("forecast", [(1.0,), [None] * 9])
def test_a_forecast_of_another_model(forecast):
    model = auto(views=("linear",))
    with pytest.raises(CostreamError, match="forecasts of 1 rows with 5 numbers"):
        model.learn_one([1.0], 1, forecast=forecast)
    assert model.rows == 0


@compiled_only
def test_losses_shares_and_turns_of_a_long_stream():
    """What the mixture makes of what its portfolios say, through rests, trials, and a change."""
    rows, change = 12_000, 10_000
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    sign = np.where(np.arange(rows) < change, 1.0, -1.0)
    y = np.where(sign * (2.0 * X[:, 0] - X[:, 1]) + rng.normal(size=rows) > 1.0, 1, -1)
    model, mixer = auto(views=("linear",)), Mixer([one.half_life for one in members.PACES])
    seen, met, led = {False: 0, True: 0}, set(), set()
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        model.learn_one(x, label)
        state = state_of(model)
        said = state.said[: len(mixer.phases)]
        assert state.said[-1] == pytest.approx(mixer.mixed(said), abs=1e-9)
        mixer.judge(said, label, seen)
        seen[bool(label > 0)] += 1
        if mixer.take_turns(t + 1):
            check_mixer(state, mixer)
        met |= set(enumerate(mixer.phases))
        led.add(mixer.leading)
    check_mixer(state_of(model), mixer)
    assert len(met) == 1 + 3 * len(PHASES)
    assert len(led) > 1


def test_what_users_have():
    """Half-lives from never to about 30 rows, and a standing preference for never."""
    half_lives = [one.half_life for one in members.PACES]
    assert half_lives[0] is None
    assert 20 <= min(half_lives[1:]) <= 40
    state = make_learner("auto").state(1)
    mixture.share_out(state)
    first, *others = state.mixture[SHARE]
    assert all(one == pytest.approx(first * np.exp(-mixture.PREFERENCE)) for one in others)
