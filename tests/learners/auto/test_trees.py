"""Trees, leaves and the sample: kernel against a slow grower in plain Python."""

import numpy as np
import pytest

from costream.learners.auto import growth, layout, pausing, trees
from costream.learners.auto.views import leaves
from helpers import places
from helpers.portfolios import new_portfolio
from reference.auto import views as oracle
from reference.auto.forest import Forest, Sample
from reference.auto.trees import Tree

KINDS = ["numbers", "categories", "mixed", "constant"]


def sample_of(kind, rows=90, d=5, seed=0):
    """A sample with the intercept first, and its labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, d))
    if kind == "categories":
        X = (X > 0).astype(float)
    if kind == "mixed":
        X[:, ::2] = np.round(X[:, ::2])
    if kind == "constant":
        X[:, 1:] = 3.0
    X[:, 0] = 0.0
    label = (X.sum(axis=1) + rng.normal(size=rows) > X.sum(axis=1).mean()).astype(np.int32)
    return X.astype(np.float32), label


def keys_of(X):
    """Keys in another order than features."""
    return np.array([oracle.key_of(j) for j in range(X.shape[1])])


def grown(X, gradient, curvature, rules, nodes):
    """The arrays of one tree of the kernel, and its leaves as lists of rows."""
    bed = trees.new_seedbed(X, keys_of(X), nodes)
    bed.columns[:] = X.T
    bed.gradient[:], bed.curvature[:] = gradient, curvature
    feature, child = np.zeros(nodes, np.int32), np.zeros(nodes, np.int32)
    threshold = np.zeros(nodes, np.float32)
    count = trees.grow_tree(bed, feature, threshold, child, rules)
    rows = [bed.order[bed.begin[k] : bed.end[k]].tolist() for k in range(count)]
    return feature, threshold, child, rows, bed


def assert_same_tree(X, gradient, curvature, rules, nodes):
    feature, threshold, child, rows, bed = grown(X, gradient, curvature, rules, nodes)
    tree = Tree(X, gradient, curvature, rules, nodes, keys_of(X))
    assert len(rows) == len(tree.nodes)
    for node in tree.nodes:
        k = node.number
        assert child[k] == (node.children[0] if node.children else 0)
        if node.children:
            assert (feature[k], threshold[k]) == (node.feature, np.float32(node.cut))
        else:
            assert rows[k] == node.rows
            assert (bed.G[k], bed.H[k]) == (node.G, node.H)
    for x in X:
        assert trees.leaf_of(feature, threshold, child, 0, x) == tree.leaf(x)
    return tree


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_of_labels(kind, seed):
    X, label = sample_of(kind, seed=seed)
    weight = np.where(label == 1, (label == 0).sum() / label.sum(), 1.0)
    rules = trees.Rules(0.0, 0.0, 40 + seed)
    tree = assert_same_tree(X, np.where(label == 1, weight, -1.0), weight, rules, 2 * len(X) - 1)
    assert (len(tree.nodes) == 1) == (kind == "constant")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [1, 2, 3, 8, 31])
def test_a_tree_of_gradients(kind, seed, most):
    X, label = sample_of(kind, seed=seed)
    q = np.random.default_rng(seed).uniform(0.05, 0.95, len(X))
    rules = trees.Rules(1.5, 1.0, seed)
    tree = assert_same_tree(X, label - q, q * (1 - q), rules, most)
    assert len(tree.nodes) <= most
    assert all(rules.least <= leaf.H for leaf in tree.leaves)


def test_a_threshold_is_never_the_larger_value():
    """Else nothing would go right; neighbours among single floats leave no number between."""
    one = np.float32(1.0)
    X = np.array([[one], [np.nextafter(one, np.float32(2.0))]] * 8, np.float32)
    g = np.tile([1.0, -1.0], 8)
    for seed in range(20):
        tree = assert_same_tree(X, g, np.ones(16), trees.Rules(0.0, 0.0, seed), 31)
        assert len(tree.nodes) in (1, 3)


# --- a whole growth ---------------------------------------------------------------------------------


def growing(X, label, positive_cost=2.0, rows=None, heard=0.0, half_life=None, look=None):
    """The model and the job after the event of a growth, and so with the arrays that it writes.

    ``heard`` is the weight of leaves in the stacker, where that of all others is 1; ``look`` finds what
    of the sample there is.
    """
    model = new_portfolio(X.shape[1], half_life=half_life)
    model.sample[: len(X)], model.sample_label[: len(X)] = X, label
    rows = rows or len(X)
    model.stacker[1:], model.spread[:] = 1.0, 1.0
    model.stacker[1 + places.LEAVES : 2 + places.BOOSTED] = heard
    model.clock[layout.ROWS] = model.clock[layout.GROW_AT] = rows
    model.clock[layout.SLOTS] = X.shape[1]
    model.keys[:] = keys_of(X)
    positives = label.sum()
    model.costs[layout.POSITIVES], model.costs[layout.NEGATIVES] = positives, rows - positives
    model.costs[layout.NEVER] = positive_cost * positives
    model.costs[layout.ALWAYS] = rows - positives
    return growth.event(model, look)


@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.5, 0.25)])
@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_a_growth(kind, weights):
    """Trees, steps of boosting, and the replay of the sample; classes may be weighted."""
    X, label = sample_of(kind, rows=leaves.FIRST)
    if weights == (1.0, 1.0):
        model, job = growing(X, label)
    else:
        sampled = growth.Sampled(len(X), np.array(weights), False)
        model, job = growing(X, label, look=lambda: sampled)
    leaves.grow(job)
    forest = Forest(X, label, 2.0, leaves.SEED + 1000, keys_of(X), weights)
    trees_of = [*forest.kinds[0].trees, *forest.kinds[1].trees]
    for k, tree in enumerate(trees_of):
        first = model.next_root[k]
        for node in tree.nodes:
            at, kids = first + node.number, node.children
            assert model.next_child[at] == (kids[0] if kids else 0)
            assert not kids or model.next_feature[at] == node.feature
            assert not kids or model.next_threshold[at] == np.float32(node.cut)
    for k, one in enumerate(forest.kinds):
        for t in range(len(one.trees)):
            first = model.next_root[places.FIRST_TREE[k] + t]
            part = slice(first, first + len(one.mu[t]))
            np.testing.assert_allclose(model.next_mu[part], one.mu[t], rtol=1e-8, atol=1e-12)
            np.testing.assert_allclose(model.next_variance[part], one.variance[t], rtol=1e-9)
    for k, values in enumerate(forest.values):
        for leaf, value in values.items():
            assert model.next_value[model.next_root[k] + leaf] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("label", [0, 1])
def test_a_sample_of_one_class_grows_no_trees(label):
    X, _ = sample_of("numbers", rows=leaves.FIRST)
    model, job = growing(X, np.full(len(X), label, np.int32))
    assert job is None
    assert model.clock[layout.GROWN] == 0
    assert model.clock[layout.TAKE_AT] == layout.NO_ROW
    assert model.clock[layout.GROW_AT] == int(leaves.TIMES * leaves.FIRST)


WIDE = places.NARROWEST + 6
FEW, ENOUGH = int(growth.NUMERIC * WIDE), int(growth.NUMERIC * WIDE) + 1


@pytest.mark.parametrize(
    ("numbers", "rows", "heard", "grows"),
    [
        (FEW, growth.TRIAL - 1, 0.0, True),  # too early to say
        (0, growth.TRIAL, 0.0, False),
        (FEW, growth.TRIAL, 0.0, False),
        (FEW, growth.TRIAL, 100.0, True),
        (ENOUGH, growth.TRIAL, 0.0, True),
    ],
)
def test_wide_rows_of_categories_give_trees_up_that_nobody_listens_to(numbers, rows, heard, grows):
    rng = np.random.default_rng(0)
    X = (rng.random((leaves.FIRST, WIDE)) < 0.5).astype(np.float32)
    X[:, 1 : 1 + numbers] = rng.normal(size=(leaves.FIRST, numbers))
    X[:, 0] = 0.0
    label = rng.integers(0, 2, leaves.FIRST).astype(np.int32)
    model, job = growing(X, label, rows=rows, heard=heard)
    assert (job is not None) == grows
    assert (len(model.sample) > 0) == grows
    assert (model.clock[layout.GROW_AT] < layout.NO_ROW) == grows


@pytest.mark.parametrize("half_life", [None, 1000])
def test_trees_grow_until_the_sample_is_full_or_for_ever_with_a_half_life(half_life):
    X, label = sample_of("numbers", rows=leaves.FIRST)
    most = growth.sample_size(X.shape[1], float(half_life or 0))
    model, job = growing(X, label, rows=most, half_life=half_life)
    assert job is not None
    assert len(model.sample) == most
    step = max(half_life or 0, leaves.FIRST)
    grow_at = most + int((leaves.TIMES - 1) * step) if half_life else layout.NO_ROW
    assert model.clock[layout.GROW_AT] == grow_at
    assert model.clock[layout.TAKE_AT] == most + int(growth.DELAY * (step if half_life else most))


@pytest.mark.parametrize("wants_more", [True, False])
def test_trees_go_on_growing_until_the_rarer_class_has_its_part(wants_more):
    X, label = sample_of("numbers", rows=leaves.FIRST)
    most = growth.sample_size(X.shape[1], 0.0)
    sampled = growth.Sampled(60, np.ones(2), wants_more)
    model, job = growing(X, label, rows=most, look=lambda: sampled)
    assert len(job.sample) == 60
    assert len(model.sample) == leaves.FIRST  # its space is not the business of trees
    assert model.clock[layout.GROW_AT] == (2 * most if wants_more else layout.NO_ROW)


def test_learning_leaves():
    X, label = sample_of("numbers", rows=leaves.FIRST)
    model, job = growing(X, label)
    leaves.grow(job)
    model.clock[layout.ROWS] = model.clock[layout.TAKE_AT]
    model, job = growth.event(model)
    assert job is None
    assert model.clock[layout.TAKE_AT] == layout.NO_ROW
    assert len(model.next_mu) == len(model.next_feature) == 0
    forest = Forest(X, label, 2.0, leaves.SEED + 1000, keys_of(X))
    rows = np.random.default_rng(5).normal(size=(12, X.shape[1]))
    pausing.note_pauses(model)
    for t, row in enumerate(rows):
        model.rows[layout.WHOLE, : len(row)] = row
        leaves.score(model, len(row), places.MEMBERS)
        scores = model.work[layout.SCORES, places.LEAVES : places.BOOSTED + 1]
        np.testing.assert_allclose(scores, forest.scores(row[1:]), rtol=1e-8)
        y, r = (1.0 if t % 3 else -1.0), 0.5 + t
        leaves.learn(model, len(row), places.MEMBERS, y, r)
        forest.update(row[1:], y, r, scores)


# --- the sample -------------------------------------------------------------------------------------


@pytest.mark.parametrize("half_life", [None, 10, 40])
def test_the_sample(half_life):
    size, rng = 25, np.random.default_rng(0)
    model = new_portfolio(4, half_life=half_life)._replace(
        sample=np.zeros((size, 4), np.float32), sample_label=np.zeros(size, np.int32)
    )
    sample = Sample(size, half_life)
    for row in range(1, 300):
        x, y = rng.normal(size=3), rng.choice([-1.0, 1.0])
        model.clock[layout.ROWS] = row
        model.rows[layout.WHOLE, :4] = [0.0, *x]
        leaves.take_sample(model, 4, y)
        sample.add(x, y > 0)
    np.testing.assert_array_equal(model.sample, np.array(sample.rows))
    assert model.sample_label.tolist() == sample.labels
