"""Small streams for the tests, and the ways to feed them to a model."""

import os

import numpy as np
from scipy.sparse import csr_array

from costream import OnlineClassifier
from costream.learners import LEARNERS, make_learner

JIT_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
ROWS = 40 if JIT_OFF else 60  # interpreted kernels are slow
NAMES = list(LEARNERS)
# A learner that prepares rows itself ("auto") has an intercept, whatever was asked for, so that an
# empty row is a row; its score is no coef.x of a normalised row, since it leaves out features that it
# has not learnt from; and it has many losses. What is true of the others alone is tested with PLAIN;
# tests/test_auto.py and the oracle say what it does instead.
PLAIN = [name for name in NAMES if not LEARNERS[name].prepares_rows]
KINDS = ("dense", "csr", "dict")
# For what does not depend on the learner, one of each kind: the default, a diagonal, a full one.
SOME = ["auto", "carow-diag", "acog-ii"]

# Values besides the default of every hyper-parameter that a learner has.
VALUES = {
    key: list(known.values)
    for learner in LEARNERS.values()
    for key, known in learner.hyper_parameters().items()
}


def stream(seed, rows=ROWS, width=12, density=0.4, positives=0.3):
    """Sparse rows of several magnitudes around a noisy linear truth: X and y in {-1, +1}.

    One row is empty and one comes twice. The first two are of one class: after one of each, at equal
    cost, the scores of standardised rows are 0 but for rounding, which then decides.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) * (rng.random((rows, width)) < density)
    X *= 10.0 ** rng.uniform(-2, 2, (rows, 1))
    X[rows // 3] = 0.0
    X[rows // 2] = X[rows // 4]
    p = X @ rng.normal(size=width) + 0.1 * rng.normal(size=rows)
    y = np.where(p > np.quantile(p, 1 - positives), 1, -1)
    y[1:2] = y[:1]
    return X, y


def settings_of(name):
    """The default setting of a learner, others that differ in one value, and one in all values."""
    params = make_learner(name).get_params()
    each = [{key: value} for key in params for value in VALUES[key]]
    return [{}, *each, {key: VALUES[key][0] for key in params}] if params else [{}]


def has_variance(name):
    return LEARNERS[name].rule.variance is not None


def dict_rows(X):
    """The nonzeros of each row by name."""
    return [{f"f{j}": float(row[j]) for j in np.flatnonzero(row)} for row in X]


def csr_rows(X):
    return [csr_array(x[None, :]) for x in X]


def feed(model, X, y, kind="csr", weight=None, **costs):
    """One pass: in one batch, "dense" or "csr", or row by row, "rows", "csr rows" or "dict"."""
    if kind in ("dense", "csr"):
        X = X if kind == "dense" else csr_array(X)
        return model.prequential(X, y, weight, **costs)
    rows = {"rows": list, "csr rows": csr_rows, "dict": dict_rows}[kind](X)
    scores = []
    for t, (x, label) in enumerate(zip(rows, y, strict=True)):
        own = {key: float(value[t]) for key, value in costs.items()}
        scores.append(model.learn_one(x, label, 1.0 if weight is None else float(weight[t]), **own))
    return np.array(scores)


def coef_of(model, width):
    """The weights in the order of the columns of X, whatever the model has named them."""
    coef = np.zeros(width)
    for name, value in zip(model.feature_names, model.coef_, strict=True):
        coef[int(str(name).removeprefix("f"))] = value
    return coef


def variance_of(model, X, kind="csr"):
    if kind == "dict":
        return np.array([model.variance_one(x) for x in dict_rows(X)])
    return model.variance_many(X if kind == "dense" else csr_array(X))


def assert_close(got, expected, tolerance=1e-9):
    """Equal to within a part of the largest number expected."""
    largest = np.max(np.abs(expected), initial=0.0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * largest)


def same_bits(got, expected):
    return np.asarray(got, float).tobytes() == np.asarray(expected, float).tobytes()


def transcripts():
    """The hex digits of whatever each learner computes on a small stream, in a batch and by rows."""
    X, y = stream(seed=11, rows=40, width=20)
    weight = np.where(np.arange(len(y)) % 5, 1.0, 0.5)
    found = {}
    for name in NAMES:
        batch = OnlineClassifier(name, fit_intercept=True)
        rows = OnlineClassifier(name, "cost")
        numbers = [feed(batch, X, y), feed(rows, X, y, "rows", weight), batch.coef_, rows.coef_]
        numbers.append(batch.score_many(X))
        if has_variance(name):
            numbers.append(batch.variance_many(X))
        found[name] = [number.hex() for number in np.concatenate(numbers).tolist()]
    return found
