"""However a portfolio is fed, and wherever it is interrupted, it gives the same bits."""

import copy
import pickle
import threading

import numpy as np
import pytest

from costream import Cost, OnlineClassifier, WeightedAccuracy, load, save
from costream.learners import make_learner
from costream.learners.auto import layout, portfolios
from costream.learners.auto.views import leaves
from costream.learners.states import arrays_of
from costream.model.classifier import core_of
from helpers import places
from helpers.commands import compiled_only
from helpers.portfolios import TAKEN, auto, be_quick, clock, curved_stream
from helpers.streams import JIT_OFF, feed, same_bits

pytestmark = pytest.mark.slow  # interpreted, at least
ROWS = TAKEN + 8 if JIT_OFF else int(2.4 * leaves.FIRST)  # through one takeover, or two
X, y, WEIGHT = curved_stream(ROWS, width=4, seed=1)
WIDTHS = (places.NARROWEST, places.FULL_WIDEST, places.DENSE_WIDEST)
CUTS = [leaves.FIRST - 1, leaves.FIRST, (leaves.FIRST + TAKEN) // 2, TAKEN - 1, TAKEN, TAKEN + 1]
WIDTHS_AND_MORE = [*WIDTHS, *(one + 1 for one in WIDTHS)]


def whole(model):
    """All that a model remembers."""
    state = core_of(model).parts()["state"]
    return {name: one.tobytes() for name, one in arrays_of(model.learner, state).items()}


@pytest.fixture(scope="module")
def batch():
    model = auto()
    scores = feed(model, X, y, "dense", WEIGHT)
    return scores, whole(model), model


def saved(model, tmp_path):
    save(model, tmp_path / "model")
    return load(tmp_path / "model")


COPIES = {
    "save": saved,
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, _: copy.deepcopy(model),
}


def test_trees_were_taken_over(batch):
    assert clock(batch[2], layout.GROWN) >= 1
    assert len(core_of(batch[2]).state.feature) > 0


@pytest.mark.parametrize("kind", ["csr", "rows", "csr rows"])
def test_row_by_row(kind, batch):
    model = auto()
    assert same_bits(feed(model, X, y, kind, WEIGHT), batch[0])
    assert whole(model) == batch[1]


@pytest.mark.parametrize("size", [7] if JIT_OFF else [1, 7, leaves.FIRST, 101])
def test_batches_of_any_size(size, batch):
    model, found = auto(), []
    for a in range(0, ROWS, size):
        b = slice(a, a + size)
        found.append(model.prequential(X[b], y[b], WEIGHT[b]))
    assert same_bits(np.concatenate(found), batch[0])
    assert whole(model) == batch[1]


@pytest.mark.parametrize("way", ["save"] if JIT_OFF else COPIES)
@pytest.mark.parametrize("cut", CUTS[2:3] if JIT_OFF else CUTS)
def test_a_copy_goes_on(cut, way, batch, tmp_path):
    """Also one that is made while trees grow."""
    model = auto()
    first = feed(model, X[:cut], y[:cut], "dense", WEIGHT[:cut])
    assert (clock(model, layout.TAKE_AT) < layout.NO_ROW) == (leaves.FIRST <= cut < TAKEN)
    other = COPIES[way](model, tmp_path)
    for one in (other, model):
        rest = feed(one, X[cut:], y[cut:], "dense", WEIGHT[cut:])
        assert same_bits([*first, *rest], batch[0])
        assert whole(one) == batch[1]


def test_scoring_while_trees_grow_changes_nothing(batch):
    model, found = auto(), []
    for x, label, weight in zip(X, y, WEIGHT, strict=True):
        before = model.score_one(x)
        found.append(model.learn_one(x, label, weight))
        assert same_bits([before], found[-1:])
        model.predict_proba_one(X[0])
    assert same_bits(found, batch[0])


@pytest.mark.parametrize("objective", [WeightedAccuracy(), Cost(5, 2)], ids=["sum", "cost"])
@pytest.mark.parametrize("params", [{"half_life": 40}, {"views": ("leaves", "linear")}], ids=str)
def test_settings(params, objective, tmp_path):
    rng = np.random.default_rng(0)
    costs = {
        "fn_cost": rng.uniform(-0.5, 3.0, ROWS),
        "fp_cost": rng.choice([-1.0, 0.0, 1.0, 2.0], ROWS),
    }
    costs = costs if objective.name == "cost" else {}
    one, other = (OnlineClassifier(make_learner("auto", **params), objective) for _ in range(2))
    expected = feed(one, X, y, "csr", WEIGHT, **costs)
    cut = leaves.FIRST + 5
    parts = [
        {key: cost[part] for key, cost in costs.items()} for part in (slice(cut), slice(cut, None))
    ]
    first = feed(other, X[:cut], y[:cut], "rows", WEIGHT[:cut], **parts[0])
    other = saved(other, tmp_path)
    rest = feed(other, X[cut:], y[cut:], "dense", WEIGHT[cut:], **parts[1])
    assert same_bits([*first, *rest], expected)
    assert whole(other) == whole(one)


# --- features that come late ------------------------------------------------------------------------


def growing_stream(slots, rows, at):
    """Narrow rows, then one at ``at`` that reaches the last slot, then narrow ones again."""
    Z = np.zeros((rows, slots - 1))
    Z[:, :4] = X[:rows]
    Z[at, slots - 2] = 1.5
    return Z


@pytest.mark.parametrize("at", [4] if JIT_OFF else [20, leaves.FIRST + 5, TAKEN + 3])
@pytest.mark.parametrize("slots", [one + 1 for one in WIDTHS] if JIT_OFF else WIDTHS_AND_MORE)
def test_a_row_that_makes_rows_wide(slots, at):
    """Members leave at that row, whether its columns were announced by a batch or come with it."""
    rows = at + (2 if JIT_OFF else 6)
    Z = growing_stream(slots, rows, at)
    batch, csr, one_by_one = auto(), auto(), auto()
    expected = feed(batch, Z, y[:rows], "csr", WEIGHT[:rows])
    assert np.isfinite(expected).all()
    assert same_bits(feed(one_by_one, Z, y[:rows], "csr rows", WEIGHT[:rows]), expected)
    found = [
        feed(csr, Z[a : a + 9], y[a : min(a + 9, rows)], "csr", WEIGHT[a : min(a + 9, rows)])
        for a in range(0, rows, 9)
    ]
    assert same_bits(np.concatenate(found), expected)
    assert whole(one_by_one) == whole(batch) == whole(csr)


@pytest.mark.parametrize("width", [70] if JIT_OFF else [100, 250, 400, 600])
def test_features_that_come_one_by_one(width, tmp_path):
    """Through all capacities: a feature a row, by name, and all columns known from the start."""
    rng = np.random.default_rng(0)
    rows = width + 6
    Z = np.zeros((rows, width))
    Z[:, :3] = rng.normal(size=(rows, 3))
    Z[np.arange(width), np.arange(width)] = rng.normal(size=width) + 2.0
    labels = np.where(Z[:, 0] * Z[:, 1] + rng.normal(size=rows) > 0, 1, -1)
    by_name, by_rows, batch = auto(), auto(), auto()
    found = [
        by_name.learn_one({j: row[j] for j in np.flatnonzero(row)}, label)
        for row, label in zip(Z, labels, strict=True)
    ]
    expected = feed(batch, Z, labels, "csr")
    assert same_bits(feed(by_rows, Z, labels, "csr rows"), expected)
    assert whole(by_rows) == whole(batch)
    assert np.isfinite(found).all()
    assert by_name.feature_names == list(range(width))
    assert same_bits(found, expected)
    other = saved(by_rows, tmp_path)
    assert same_bits(other.score_many(Z), batch.score_many(Z))


def test_a_growth_that_is_pending_when_rows_become_too_wide_is_dropped():
    at = leaves.FIRST + 2
    Z = growing_stream(places.DENSE_WIDEST + 1, ROWS, at)
    model = auto()
    feed(model, Z[:at], y[:at], "csr", WEIGHT[:at])
    assert 0 in core_of(model).jobs
    feed(model, Z[at:], y[at:], "csr", WEIGHT[at:])
    state = core_of(model).state
    for name in ("feature", "next_feature", "sample"):
        assert len(getattr(state, name)) == 0
    assert core_of(model).until_event == np.inf
    assert state.clock[layout.TAKE_AT] == state.clock[layout.GROW_AT] == layout.NO_ROW


def test_the_memory_of_a_growth_is_given_back_when_its_trees_are_taken_over():
    model = auto()
    feed(model, X[:TAKEN], y[:TAKEN], "dense", WEIGHT[:TAKEN])
    assert len(core_of(model).state.feature) > 0
    assert not core_of(model).jobs


# --- threads ----------------------------------------------------------------------------------------


@compiled_only
def test_two_models_at_once_give_the_bits_of_one_alone(batch):
    found = {}

    def learn(k, kind):
        found[k] = feed(auto(), X, y, kind, WEIGHT)

    threads = [
        threading.Thread(target=learn, args=(k, kind)) for k, kind in enumerate(["dense", "rows"])
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert same_bits(found[0], batch[0])
    assert same_bits(found[1], batch[0])


def test_a_job_that_another_process_took_away_is_done_again(batch):
    """As after a fork: the thread is gone, and its work undone."""
    cut = leaves.FIRST + 1
    model = auto()
    first = feed(model, X[:cut], y[:cut], "dense", WEIGHT[:cut])
    jobs = core_of(model).jobs
    assert [*jobs] == [0]
    for job in jobs.values():
        job.thread.join()
        job.done = False
        for one in (job.record.feature, job.record.child, job.record.root):
            assert one.flags.writeable
        job.record.mu[:], job.record.variance[:], job.record.value[:] = 0.0, 1.0, 0.0
        job.record.child[:], job.record.feature[:], job.record.threshold[:] = 0, 0, 0.0
    rest = feed(model, X[cut:], y[cut:], "dense", WEIGHT[cut:])
    assert same_bits([*first, *rest], batch[0])


# --- turns ------------------------------------------------------------------------------------------

TURNED = 100 if JIT_OFF else 200
TURNS_VIEWS = ("linear", "leaves") if JIT_OFF else ("linear", "splines", "fourier", "leaves")
FOLLOWED = 1  # the portfolio at whose turns copies are made: the one that has trees


@pytest.fixture(scope="module")
def turned():
    """Row by row through rests and trials: scores, what is remembered, and who did what then."""
    with pytest.MonkeyPatch.context() as patch:
        be_quick(patch)
        model, found, phases = auto(views=TURNS_VIEWS), [], []
        for x, label, weight in zip(X[:TURNED], y[:TURNED], WEIGHT[:TURNED], strict=True):
            found.append(model.learn_one(x, label, weight))
            phases.append(int(core_of(model).state.turns[portfolios.PHASE, FOLLOWED]))
        return found, whole(model), phases


def beginning(phases, phase):
    """After how many rows a portfolio begins with something for the first time, once it has rested."""
    rested = phases.index(portfolios.RESTS)
    return 1 + rested + phases[rested:].index(phase)


def test_a_batch_takes_turns_at_the_rows_at_which_its_rows_do(turned, monkeypatch):
    be_quick(monkeypatch)
    for size in [TURNED] if JIT_OFF else [TURNED, 7]:
        model, found = auto(views=TURNS_VIEWS), []
        for a in range(0, TURNED, size):
            part = slice(a, min(a + size, TURNED))
            found.extend(model.prequential(X[part], y[part], WEIGHT[part]))
        assert same_bits(found, turned[0])
        assert whole(model) == turned[1]


@pytest.mark.parametrize("way", ["save"] if JIT_OFF else COPIES)
@pytest.mark.parametrize(
    ("phase", "later"),
    [
        (portfolios.RESTS, 0),
        (portfolios.RESTS, 3),
        (portfolios.LEARNS, 0),
        (portfolios.LEARNS, 2),  # its trees are growing
        (portfolios.TAKES_PART, 0),
        (portfolios.TAKES_PART, 3),
    ],
)
def test_a_copy_goes_on_with_rests_and_trials(phase, later, way, turned, monkeypatch, tmp_path):
    be_quick(monkeypatch)
    cut = beginning(turned[2], phase) + later
    model = auto(views=TURNS_VIEWS)
    first = feed(model, X[:cut], y[:cut], "dense", WEIGHT[:cut])
    assert core_of(model).state.turns[portfolios.PHASE, FOLLOWED] == phase
    assert (FOLLOWED in core_of(model).jobs) == (phase == portfolios.LEARNS)
    other = COPIES[way](model, tmp_path)
    for one in [other] if JIT_OFF else [other, model]:
        rest = feed(one, X[cut:TURNED], y[cut:TURNED], "dense", WEIGHT[cut:TURNED])
        assert same_bits([*first, *rest], turned[0])
        assert whole(one) == turned[1]
