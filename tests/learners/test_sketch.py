"""SSACOG is SACOG; the sketch stays orthonormal; re-basing moves nothing."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import reference
from costream import OnlineClassifier
from costream.learners import LEARNERS, make_learner
from costream.model.classifier import core_of
from helpers.streams import assert_close, feed, stream

PAIRS = [("sacog-i", "ssacog-i"), ("sacog-ii", "ssacog-ii")]
SPARSE = [sparse for _, sparse in PAIRS]
SKETCHES = [name for name in LEARNERS if "m" in make_learner(name).get_params()]
GAMMAS = [10, 1, 0.1, 0.01, 1e-3, 1e-4]
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=["I", "II"])
every_gamma = pytest.mark.parametrize("gamma", GAMMAS)
every_sketch = pytest.mark.parametrize("name", SKETCHES)


def parts(model):
    """V and Lambda of a model."""
    state = core_of(model).state
    size, rank = state.size[0], state.clock[1]
    if hasattr(state, "V"):
        return state.V[:rank, :size], state.Lambda[:rank]
    return state.F[:rank, :rank] @ state.Z[:size, :rank].T, state.Lambda[:rank]


def both(pair, X, y, params):
    models = [OnlineClassifier(make_learner(name, **params)) for name in pair]
    return [feed(model, X, y) for model in models]


def copies(seed, noise, rows=60, width=12):
    """Rows that lie in a plane, but for a part of squared length ``noise``."""
    rng = np.random.default_rng(seed)
    plane = rng.normal(size=(2, width))
    X = reference.normalise(rng.normal(size=(rows, 2)) @ plane)
    away = reference.normalise(rng.normal(size=(rows, width)))
    return X + np.sqrt(noise) * away, np.where(rng.random(rows) < 0.3, 1, -1)


@every_pair
@every_gamma
@pytest.mark.parametrize("k", [1, 5])
def test_sparse_is_explicit(pair, gamma, k):
    """With features that come half way."""
    X, y = stream(0, rows=120, width=24)
    X[:60, 10:] = 0.0
    explicit, sparse = both(pair, X, y, {"gamma": gamma, "k": k})
    assert_close(sparse, explicit, 1e-8)


@every_pair
@every_gamma
def test_sparse_is_explicit_on_dependent_rows(pair, gamma):
    X, y = copies(2, noise=0.0)
    X[5:] = X[np.arange(5, 60) // 3]
    explicit, sparse = both(pair, X, y, {"gamma": gamma})
    assert_close(sparse, explicit, 1e-8)


@every_sketch
@pytest.mark.parametrize("gamma", [1, 1e-4])
def test_rows_of_v_are_orthonormal(name, gamma):
    """To the digits that two passes of Gram-Schmidt give, and one does not."""
    X, y = stream(5, rows=100)
    model = OnlineClassifier(make_learner(name, gamma=gamma))
    tolerance = 1e-11 if name in SPARSE else 1e-14
    for t in range(100):
        model.learn_one(X[t], y[t])
        V, _ = parts(model)
        np.testing.assert_allclose(V @ V.T, np.eye(len(V)), rtol=0, atol=tolerance)


@every_sketch
def test_sketch_equals_the_oracle(name):
    """V and Lambda themselves, not only the scores they lead to."""
    X, y = stream(6)
    oracle = reference.make(name, 12, gamma=0.1)
    reference.run(oracle, reference.normalise(X), 1.0 * y, reference.laplace(y))
    model = OnlineClassifier(make_learner(name, gamma=0.1))
    feed(model, X, y)
    V, eigenvalues = parts(model)
    assert_close(V, oracle.vectors())
    assert_close(eigenvalues, oracle.Lambda)


@pytest.mark.parametrize("name", [name for name in SKETCHES if "k" in make_learner(name).get_params()])
def test_only_every_kth_row_is_absorbed(name):
    X, y = stream(9)
    model = OnlineClassifier(make_learner(name, k=5))
    before, absorbed = np.zeros(0), []
    for t in range(20):
        model.learn_one(X[t], y[t])
        after = parts(model)[1].copy()
        if not np.array_equal(before, after):
            absorbed.append(t)
        before = after
    assert absorbed == [0, 5, 10, 15]


def rebases(model, rows, learn):
    """After how many rows K is I, while ``learn`` is called for each."""
    count = 0
    for x in rows:
        learn(x)
        K = core_of(model).state.K
        count += np.allclose(K, np.eye(len(K)), rtol=0, atol=1e-9)
    return count


@pytest.mark.parametrize("name", SPARSE)
def test_rebasing_leaves_the_mean_alone(name):
    """Rows that suffer no loss move the sketch alone, and re-base it many times."""
    X, y = stream(10, rows=160)
    model = OnlineClassifier(make_learner(name, gamma=1e-3, eta=100), "cost")
    feed(model, X[:80], y[:80])
    rows = [x for x in X[80:] if abs(model.score_one(x)) > 1.0]
    before = model.coef_

    def learn(x):
        model.learn_one(x, 1 if model.score_one(x) > 0 else -1, fn_cost=1e-12, fp_cost=1e-12)

    assert rebases(model, rows, learn) > 5
    assert_close(model.coef_, before, 1e-12)


@every_pair
def test_sparse_is_explicit_across_many_rebases(pair):
    X, y = stream(11, rows=150)
    params = {"gamma": 1e-4}
    explicit, _ = both(pair, X, y, params)
    model = OnlineClassifier(make_learner(pair[1], **params))
    labels, scores = iter(y), []
    assert rebases(model, X, lambda x: scores.append(model.learn_one(x, next(labels)))) > 20
    assert_close(scores, explicit, 1e-8)


@every_pair
def test_sparse_is_explicit_as_the_model_grows(pair):
    X, y = stream(1, rows=120, width=40)
    halves = csr_array(X[:60, :10]), csr_array(X[60:])
    scores = []
    for name in pair:
        model = OnlineClassifier(make_learner(name, gamma=0.01))
        scores.append([model.prequential(halves[0], y[:60]), model.prequential(halves[1], y[60:])])
    explicit, sparse = (np.concatenate(each) for each in scores)
    assert_close(sparse, explicit, 1e-8)


def nearly_dependent(seed, noise):
    """Directions that come from tiny residuals, then rows that make much of them."""
    X, y = stream(seed, density=1.0)
    X[:10], _ = copies(seed, noise, rows=10)
    return X, y


every_noise = pytest.mark.parametrize("noise", [1e-4, 1e-6, 1e-8, 1e-10, 1e-11])


@every_pair
@every_noise
def test_sparse_is_explicit_on_nearly_dependent_rows(pair, noise):
    X, y = nearly_dependent(3, noise)
    explicit, sparse = both(pair, X, y, {"gamma": 0.1})
    assert_close(sparse, explicit, 1e-8)


@every_sketch
@every_noise
def test_nearly_dependent_rows_equal_the_oracle(name, noise):
    X, y = nearly_dependent(4, noise)
    expected = reference.run(
        reference.make(name, 12), reference.normalise(X), 1.0 * y, reference.laplace(y)
    )
    assert_close(feed(OnlineClassifier(name), X, y), expected, 1e-8)


@every_sketch
@pytest.mark.parametrize("noise", [0.0, 1e-14])
def test_a_row_of_the_span_adds_no_direction(name, noise):
    X, y = copies(7, noise)
    model = OnlineClassifier(name)
    feed(model, X, y)
    assert len(parts(model)[1]) == 2


@every_sketch
def test_fewer_features_than_directions(name):
    X, y = stream(8, width=3, density=1.0)
    expected = reference.run(
        reference.make(name, 3), reference.normalise(X), 1.0 * y, reference.laplace(y)
    )
    model = OnlineClassifier(make_learner(name, m=5))
    assert_close(feed(model, X, y), expected)
    assert len(parts(model)[1]) == 3


@pytest.mark.parametrize("name", SPARSE)
def test_k_stays_bounded(name):
    """A row multiplies K by at most (1 + 1/gamma)^2, and a re-base follows at once."""
    X, y = stream(12, rows=100)
    model = OnlineClassifier(make_learner(name, gamma=1e-4))
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
        assert np.abs(core_of(model).state.K).max() <= 1e3
