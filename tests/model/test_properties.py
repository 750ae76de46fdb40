"""What holds for every learner and any stream, mostly bit for bit."""

import copy
import pickle
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from costream import Cost, CostreamError, OnlineClassifier, WeightedAccuracy, load, save
from costream.model.classifier import core_of
from helpers.streams import NAMES, assert_close, coef_of, dict_rows, feed, same_bits, stream

COLUMNS = [f"f{j}" for j in range(12)]
every_learner = pytest.mark.parametrize("name", NAMES)

numbers = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 2.0]),
    st.builds(lambda sign, size: sign * size, st.sampled_from([-1, 1]), st.floats(1e-3, 1e3)),
)
seeds = st.integers(0, 2**32 - 1)
options = st.fixed_dictionaries(
    {
        "objective": st.sampled_from(
            [WeightedAccuracy(), WeightedAccuracy(0.7, ratio=3.0), Cost(5, 2)]
        ),
        "fit_intercept": st.booleans(),
        "normalize": st.booleans(),
    }
)


@st.composite
def streams(draw):
    """Rows of a few values, with zeros and ties, their labels and weights."""
    rng = np.random.default_rng(draw(seeds))
    rows, width = draw(st.integers(1, 12)), draw(st.integers(1, 20))
    values = draw(st.lists(numbers, min_size=1, max_size=6))
    X = rng.choice(values, (rows, width)) * (rng.random((rows, width)) < rng.random((rows, 1)))
    y = rng.choice([-1, 1], rows)
    weight = rng.choice([0.3, 1.0, 3.0], rows) if draw(st.booleans()) else None
    return X, y, weight


@st.composite
def cut_streams(draw):
    """A stream and a place to cut it."""
    X, y, weight = draw(streams())
    return X, y, weight, draw(st.integers(0, len(y)))


def part(weight, where):
    return None if weight is None else weight[where]


def state(model):
    """All that a model remembers."""
    kept = core_of(model).parts()
    fields = {
        name: field.tobytes() if isinstance(field, np.ndarray) else field
        for name, field in kept["state"]._asdict().items()
        if name not in model.learner.scratch
    }
    row_costs = kept["row_costs"]
    counts = row_costs.positives, row_costs.negatives
    return fields, counts, model.rows, model.labels, tuple(model.feature_names)


def saved_and_loaded(model):
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder, "model"))
        return load(Path(folder, "model"))


COPIES = {
    "save": saved_and_loaded,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "deepcopy": copy.deepcopy,
}


@every_learner
@pytest.mark.parametrize(("batches", "kind"), [("dense", "rows"), ("csr", "csr rows")])
@given(given_stream=streams(), options=options)
def test_batch_is_row_by_row(name, batches, kind, given_stream, options):
    X, y, weight = given_stream
    batch, rows = OnlineClassifier(name, **options), OnlineClassifier(name, **options)
    scores = feed(batch, X, y, batches, weight)
    assert same_bits(feed(rows, X, y, kind, weight), scores)
    assert state(rows) == state(batch)


@every_learner
@given(given_stream=streams(), options=options)
def test_sparse_is_dense(name, given_stream, options):
    """The model may know of fewer features: those that were not 0 throughout."""
    X, y, weight = given_stream
    dense, sparse = OnlineClassifier(name, **options), OnlineClassifier(name, **options)
    scores = feed(dense, X, y, "dense", weight)
    assert same_bits(feed(sparse, X, y, "csr", weight), scores)
    assert same_bits(coef_of(sparse, X.shape[1]), coef_of(dense, X.shape[1]))


@every_learner
@given(given_stream=streams(), options=options, data=st.data())
def test_batches_cut_anywhere_are_one_batch(name, given_stream, options, data):
    X, y, weight = given_stream
    cuts = data.draw(st.lists(st.integers(0, len(y)), max_size=4).map(sorted))
    whole, cut = OnlineClassifier(name, **options), OnlineClassifier(name, **options)
    scores = feed(whole, X, y, "csr", weight)
    found = [
        feed(cut, X[a:b], y[a:b], "csr", part(weight, slice(a, b)))
        for a, b in pairwise([0, *cuts, len(y)])
    ]
    assert same_bits(np.concatenate(found), scores)
    assert state(cut) == state(whole)


@every_learner
@pytest.mark.parametrize("kind", COPIES)
@given(given_stream=cut_streams(), options=options)
def test_copy_goes_on(name, kind, given_stream, options):
    X, y, weight, cut = given_stream
    model = OnlineClassifier(name, **options)
    feed(model, X[:cut], y[:cut], "csr", part(weight, slice(cut)))
    other = COPIES[kind](model)
    rest = X[cut:], y[cut:], "rows", part(weight, slice(cut, None))
    scores = feed(model, *rest)
    assert same_bits(feed(other, *rest), scores)
    assert state(other) == state(model)


@every_learner
@pytest.mark.parametrize("kind", ["csr", "rows", "dict"])
@given(given_stream=cut_streams(), options=options)
def test_weight_0_is_a_no_op(name, kind, given_stream, options):
    X, y, _, cut = given_stream
    model = OnlineClassifier(name, classes=(-1, 1), **options)
    feed(model, X[:cut], y[:cut], kind)
    before = state(model)
    feed(model, X[cut:], y[cut:], kind, np.zeros(len(y) - cut))
    assert state(model) == before


@every_learner
@pytest.mark.parametrize("kind", ["rows", "dict"])
@given(given_stream=streams(), options=options)
def test_learn_one_returns_the_score_made_before(name, kind, given_stream, options):
    X, y, _ = given_stream
    model = OnlineClassifier(name, **options)
    for x, label in zip(X if kind == "rows" else dict_rows(X), y, strict=True):
        before = model.score_one(x)
        assert same_bits([model.learn_one(x, label)], [before])


@every_learner
@given(given_stream=streams(), options=options)
def test_score_one_is_score_many(name, given_stream, options):
    X, y, _ = given_stream
    model = OnlineClassifier(name, **options)
    feed(model, X, y)
    assert same_bits([model.score_one(x) for x in X], model.score_many(X))


# Ties are left out of what follows: a sum that is 0 in one order may be 1e-17 in another.


@every_learner
@given(seed=seeds, fit_intercept=st.booleans())
def test_order_of_features_does_not_matter(name, seed, fit_intercept):
    X, y = stream(seed, rows=30)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    plain, mixed = (OnlineClassifier(name, fit_intercept=fit_intercept) for _ in range(2))
    expected = plain.prequential(csr_array(X), y, names=COLUMNS)
    names = [COLUMNS[j] for j in order]
    assert_close(mixed.prequential(csr_array(X[:, order]), y, names=names), expected)
    assert_close(coef_of(mixed, len(order)), coef_of(plain, len(order)))


@every_learner
@given(seed=seeds, fit_intercept=st.booleans())
def test_dict_rows_are_arrays(name, seed, fit_intercept):
    X, y = stream(seed, rows=30)
    arrays, dicts = (OnlineClassifier(name, fit_intercept=fit_intercept) for _ in range(2))
    expected = arrays.prequential(csr_array(X), y, names=COLUMNS)
    assert_close(feed(dicts, X, y, "dict"), expected)
    assert_close(coef_of(dicts, X.shape[1]), coef_of(arrays, X.shape[1]))


@given(seed=seeds)
def test_the_score_of_a_row_does_not_depend_on_its_label(seed):
    """Whatever its costs: what is scored is what was known before."""
    rng = np.random.default_rng(seed)
    X, y = stream(seed, rows=20, width=4)
    objective = [Cost(), Cost(1, 7), Cost(7, 1)][seed % 3]
    model = OnlineClassifier("auto", objective, classes=(-1, 1))
    names = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
    costs = dict(zip(names, rng.choice([-2.0, 0.0, 0.1, 1.0, 30.0], (4, 20)), strict=True))
    feed(model, X, y, "rows", **costs)
    for x in rng.normal(size=(4, 4)):
        fn_cost, fp_cost = rng.choice([0.0, 0.2, 1.0, 50.0, 1e6], 2)
        scores = []
        for label in (-1, 1):
            other = copy.deepcopy(model)
            scores.append(other.learn_one(x, label, fn_cost=fn_cost, fp_cost=fp_cost))
            batch = copy.deepcopy(model).prequential(
                x[None], [label], fn_cost=np.array([fn_cost]), fp_cost=np.array([fp_cost])
            )
            scores.append(batch[0])
        assert same_bits(scores, scores[:1] * 4)
        model.learn_one(x, int(rng.choice([-1, 1])), fn_cost=fn_cost, fp_cost=fp_cost)


@given(seed=seeds)
def test_the_cost_of_a_row_reaches_its_score_through_the_cost_ratio_alone(seed):
    """Rows with costs in the same ratio have the same score, and a higher ratio never a lower one."""
    rng = np.random.default_rng(seed)
    X, y = stream(seed, rows=20, width=4)
    model = OnlineClassifier("auto", Cost(1, 1), classes=(-1, 1))
    feed(model, X, y, "rows")
    x = rng.normal(size=4)
    fn, fp = rng.uniform(0.1, 10.0, 2)

    def score(fn_cost, fp_cost):
        return copy.deepcopy(model).learn_one(x, 1, fn_cost=fn_cost, fp_cost=fp_cost)

    assert score(4 * fn, 4 * fp) == score(fn, fp)
    assert score(fn, fp) <= score(2 * fn, fp)
    assert score(fn, fp) >= score(fn, 2 * fp)


def assert_refused(name, kind, bad):
    X, y = stream(0, rows=8)
    model = OnlineClassifier(name)
    feed(model, X, y, kind)
    before = state(model)
    X[-1, :3] = 1.0, bad, 2.0
    rows = slice(-1, None) if kind in ("rows", "dict") else slice(None)
    with pytest.raises(CostreamError, match="not finite"):
        feed(model, X[rows], y[rows], kind)
    assert state(model) == before


@every_learner
@pytest.mark.parametrize(("kind", "bad"), [("csr", np.nan), ("rows", np.nan), ("dict", np.inf)])
def test_a_row_that_is_not_finite_changes_nothing(name, kind, bad):
    assert_refused(name, kind, bad)
