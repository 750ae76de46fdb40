"""The portfolio: who leads and what it says, rows of its own making, width, drift and probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import reference
from costream import Cost, OnlineClassifier, make_learner
from streams import JIT_OFF, assert_close, csr_rows, dict_rows, feed, same_bits, stream

FULL, SIZED, MEMBERS = 5, 9, 18  # the full members, those of sized rows, and all but the constant ones
ALWAYS, NEVER = MEMBERS, MEMBERS + 1
WIDE = 319  # the first column that is beyond the 320th slot: the intercept has the first


def auto(objective=None, **params):
    return OnlineClassifier(make_learner("auto", **params), objective or Cost(1, 1))


def bills(model):
    return model._model.mistakes


def leader(model):
    return int(model._model.clock[1])


def resting(model):
    return [one.name for one in model.standings().members if not one.active]


def oracle_after(X, y, r=None, **params):
    """The oracle that has learnt a stream, and its scores."""
    oracle = reference.make("auto", X.shape[1], **params)
    r = np.ones(len(y)) if r is None else r
    return oracle, reference.run(oracle, X, 1.0 * np.asarray(y), r)


# --- the leader -------------------------------------------------------------------------------------


def test_new_model_follows_the_first_member():
    assert leader(auto()) == 0


def test_bills_by_hand():
    """Two empty rows: a negative one, which a score of 0 flags, then a positive one of cost 3.

    The first has moved the intercepts below 0, and those without one still flag everything.
    """
    model = auto(Cost(3, 1))
    model.learn_many(np.zeros((2, 1)), [0, 1])
    assert bills(model).tolist() == [4.0] * 13 + [1.0] * 5 + [1.0, 3.0]


def test_a_constant_policy_leads_where_it_is_cheapest():
    model = auto()
    model.learn_one({}, 0)
    assert leader(model) == NEVER


def test_first_of_equals_leads():
    """After the rows above five members and a constant policy have paid 1."""
    model = auto(Cost(3, 1))
    model.learn_many(np.zeros((2, 1)), [0, 1])
    assert leader(model) == 13


@pytest.mark.parametrize("half_life", [None, 5])
@given(seed=st.integers(0, 2**32 - 1))
def test_leader_is_the_cheapest_so_far(half_life, seed):
    X, y = stream(seed, rows=30, width=4)
    model = auto(half_life=half_life)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
        assert leader(model) == np.argmin(bills(model))


@pytest.mark.parametrize("half_life", [None, 5])
@pytest.mark.parametrize("seed", range(3))
def test_bills_are_those_of_the_oracle(seed, half_life):
    X, y = stream(seed)
    r = np.random.default_rng(seed).choice([0.5, 1.0, 4.0], len(y))
    model = auto(half_life=half_life)
    feed(model, X, y, weight=r)
    assert_close(bills(model), oracle_after(X, y, r, half_life=half_life)[0].bills)


def test_a_bill_keeps_the_cost_that_the_row_had():
    """Under "sum" the price of a positive is 1 in the first row, and (2 + 1)/(1 + 1) in the last."""
    model = OnlineClassifier("auto", classes=(0, 1))
    model.learn_many(np.zeros((4, 1)), [1, 0, 0, 1])
    assert bills(model)[NEVER] == 1.0 + 1.5


def test_standings_name_the_leader():
    model = auto()
    model.learn_many(np.zeros((3, 1)), [0, 0, 0])
    found = model.standings()
    assert (found.leader.name, found.leader.cost, found.since) == ("always negative", 0.0, 1)


@pytest.mark.parametrize("rho", [1.0, 3.0, 9.0])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_noise_costs_little_more_than_the_better_constant_policy(rho, share):
    """At most twice the root of the sum of squared costs, the unit in which a bill is noisy.

    Of 1,620 streams of 40 to 1,000 rows none took more than 1.6 of these.
    """
    for seed in range(2 if JIT_OFF else 10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30 if JIT_OFF else 200, 6)) * 10.0 ** rng.integers(-3, 4, 6)
        y = np.where(rng.random(len(X)) < share, 1, -1)
        r = np.where(y > 0, rho, 1.0)
        scores = feed(auto(Cost(rho, 1)), X, y)
        paid = np.sum(r[(scores >= 0) != (y > 0)])
        better = min(np.sum(r[y > 0]), np.sum(r[y < 0]))
        assert paid - better <= 2 * np.sqrt(r @ r)


# --- what a constant policy says --------------------------------------------------------------------

ROWS = np.array([[2.0], [1.0], [-1.0], [0.0], [-3.0]])


def test_score_where_nothing_is_flagged():
    model = auto()
    model.learn_one([1.0], 0)
    oracle, _ = oracle_after(np.ones((1, 1)), [-1])
    p = np.array([oracle.scores(x)[oracle.best] for x in ROWS])
    assert leader(model) == NEVER
    assert_close(model.score_many(ROWS), [q - 1 if q <= 0 else -1 / (1 + q) for q in p])


def test_score_where_everything_is_flagged():
    """All members have paid for a miss that cost 3, and flagging none as well."""
    model = auto(Cost(3, 1))
    model.learn_many(np.ones((2, 1)), [0, 1])
    oracle, _ = oracle_after(np.ones((2, 1)), [-1, 1], [1.0, 3.0])
    p = np.array([oracle.scores(x)[oracle.best] for x in ROWS])
    assert leader(model) == ALWAYS
    assert_close(model.score_many(ROWS), [1 + q if q >= 0 else 1 / (1 - q) for q in p])


@pytest.mark.parametrize(("labels", "sign"), [([0], -1), ([0, 1], 1)])
def test_a_constant_policy_has_its_sign_and_the_order_of_the_best_member(labels, sign):
    """One feature and its weight: the order of rows is that of the feature, or the opposite one."""
    model = auto(Cost(3, 1))
    model.learn_many(np.ones((len(labels), 1)), labels)
    rows = np.linspace(-2, 2, 9)
    scores = model.score_many(np.column_stack([rows]))
    assert np.all(np.sign(scores) == sign)
    assert np.all(np.diff(scores) * np.sign(model.coef[0]) >= 0)
    assert len(set(scores)) == 3  # rows are divided by their norm: below 0, 0, above 0


# --- rows of its own making -------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [{}, {"intercept": True}, {"normalize": False}])
def test_intercept_and_norm_are_its_own(asked):
    X, y = stream(4)
    expected = feed(OnlineClassifier("auto"), X, y)
    assert same_bits(feed(OnlineClassifier("auto", **asked), X, y), expected)


def sized(model):
    """What the members of sized rows have learnt, and what they have paid."""
    state = model._model
    d = 1 + len(model.feature_names)
    lanes = state.mu[:d, : SIZED - FULL]
    return [*state.mean[:, :d].ravel(), *lanes.ravel(), *bills(model)[:SIZED]]


@given(seed=st.integers(0, 2**32 - 1))
def test_sizes_of_features_that_are_powers_of_two_do_not_matter_at_all(seed):
    X, y = stream(seed, rows=30, width=5)
    plain, scaled = auto(), auto()
    feed(plain, X, y)
    feed(scaled, X * 2.0 ** np.array([-20, 20, -10, 0, 7]), y)
    assert same_bits(sized(scaled), sized(plain))


@given(seed=st.integers(0, 2**32 - 1))
def test_sizes_of_features_do_not_matter(seed):
    X, y = stream(seed, rows=30, width=5)
    plain, scaled = auto(), auto()
    feed(plain, X, y)
    feed(scaled, X * 10.0 ** np.array([-6, 6, -3, 0, 2]), y)
    assert_close(sized(scaled), sized(plain))


def test_features_of_any_sizes_give_the_same_scores():
    """Two streams that differ in the sizes of features, both hard for members of raw rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X @ [1.0, -2.0, 1.5, 1.0] > 0.3, 1, -1)
    one, other = auto(), auto()
    scores = feed(one, X * 10.0 ** np.array([-6, 6, -3, 3]), y)
    same = feed(other, X * 10.0 ** np.array([2, -5, 6, -6]), y)
    assert max(leader(one), leader(other)) < SIZED
    assert_close(same[30:], scores[30:])


def test_size_is_the_root_of_the_mean_square_of_what_is_not_0():
    """Sizes 5 and 1: the row (5, 2) is (1, 2) before it is divided by its norm."""
    model = auto()
    for row in ([1.0, 0.0], [7.0, 0.0], [0.0, 1.0]):
        model.learn_one(row, 0)
    state = model._model
    size = np.sqrt(state.square[1:3] / state.seen[1:3])
    assert size.tolist() == [5.0, 1.0]
    assert leader(model) == NEVER
    x = np.array([1.0, 2.0]) / np.sqrt(5)
    p = model.coef @ x + model.intercept_
    assert model.score_one([5.0, 2.0]) == pytest.approx(p - 1, rel=1e-12)


@pytest.mark.parametrize(
    "row", [{"a": 3.0, "unseen": 4.0}, {"a": 3.0, "b": 4.0}], ids=["new", "scored"]
)
def test_a_feature_that_was_never_learnt_is_left_out_of_the_score(row):
    """Also one that has a column already, since rows of weight 0 or batches may make it."""
    model = auto()
    model.learn_many([[1.0, 0.0]], [0], names=["a", "b"])
    expected = model.score_one({"a": 3.0})
    assert model.score_one(row) == expected
    assert model.score_many([list(row.values())], names=list(row)).tolist() == [expected]


def test_a_feature_that_was_never_learnt_is_left_out_of_the_confidence():
    model = auto()
    model.learn_one({"a": 1.0}, 0)
    assert model.confidence_one({"a": 3.0, "unseen": 4.0}) == model.confidence_one({"a": 3.0})


def test_an_empty_row_is_scored_by_the_intercept():
    X, y = stream(1)
    model = auto()
    feed(model, X, y)
    oracle, _ = oracle_after(X, y)
    assert_close([model.score_one({})], [oracle.score(np.zeros(12))])


@pytest.mark.parametrize("label", [-1, 1])
def test_an_empty_row_moves_intercepts_alone(label):
    """Those of diagonal members: a full covariance knows how the intercept goes with features."""
    X, y = stream(1)
    model = auto()
    feed(model, X, y)

    def weights():
        return np.vstack([model._model.mean, model._model.mu.T])

    before = weights().copy()
    for _ in range(3):
        model.learn_one({}, label)
    moved = weights() != before
    assert moved[:13, 0].any()
    assert not moved[13:, 0].any()
    assert not moved[FULL:, 1:].any()


def test_loss_of_exactly_0_is_none():
    """The score is 1 to the last bit, with no intercept and gamma = 1: nothing is learnt."""
    model = auto()
    for label in (0, 1):
        model.learn_one({}, label)
    expected = model._model.mu[:, 13:].copy()
    model.learn_one({}, 1)
    assert same_bits(model._model.mu[:, 13:], expected)


# --- width ------------------------------------------------------------------------------------------


def one_at(column):
    return csr_array(([1.0], [column], [0, 1]), shape=(1, column + 1))


def wide_stream():
    """Six narrow rows, one beyond the 320th slot, five narrow ones; the width in all is the same."""
    X, y = stream(7, rows=12, width=5)
    X = np.pad(X, [(0, 0), (0, WIDE + 1 - 5)])
    X[6, WIDE] = 2.0
    return X, y


@pytest.mark.parametrize(("column", "count"), [(WIDE - 1, 0), (WIDE, FULL)])
def test_full_members_rest_beyond_the_320th_slot(column, count):
    model = auto()
    model.learn_one([1.0], 1)
    model.learn_one(one_at(column), 0)
    assert len(resting(model)) == count


def test_columns_of_zeros_make_no_row_wide():
    model = auto()
    model.learn_one(np.eye(1, WIDE + 50)[0], 1)
    assert resting(model) == []


def test_rows_that_are_only_scored_make_no_row_wide():
    model = auto()
    model.learn_one([1.0], 1)
    model.score_many(np.ones((1, WIDE + 50)))
    assert resting(model) == []


@pytest.mark.parametrize("kind", ["rows", "csr rows"])
def test_full_members_rest_at_the_same_row_in_a_batch(kind):
    X, y = wide_stream()
    batch, rows = auto(), auto()
    scores = feed(batch, X, y, "csr")
    assert same_bits(feed(rows, X, y, kind), scores)
    assert same_bits(bills(rows), bills(batch))


@pytest.mark.parametrize("kind", ["rows", "csr rows", "dict"])
def test_the_row_that_is_too_wide_has_the_score_made_before(kind):
    X, y = wide_stream()
    X[6, 5:] = 2.0
    rows = {"rows": list, "csr rows": csr_rows, "dict": dict_rows}[kind](X)
    model = auto()
    for x, label in zip(rows, y, strict=True):
        before = model.score_one(x)
        assert same_bits([model.learn_one(x, label)], [before])
    assert len(resting(model)) == FULL


def test_wide_rows_are_those_of_the_oracle():
    X, y = wide_stream()
    model = auto()
    scores = feed(model, X, y)
    oracle, expected = oracle_after(X, y)
    assert_close(scores, expected)
    assert_close(bills(model)[FULL:], oracle.bills[FULL:])


def test_members_that_rest_do_not_lead():
    """The first member led as the first of equals, and would again."""
    model = auto()
    model.learn_one([1.0], 1)
    assert leader(model) == 0
    model.learn_one(one_at(WIDE), 1)
    assert leader(model) == FULL


def test_members_that_rest_learn_nothing_and_pay_nothing():
    X, y = wide_stream()
    model = auto()
    feed(model, X[:7], y[:7])
    before = model._model.mean[:, :6].copy(), bills(model)[:FULL].copy()
    feed(model, X[7:], y[7:])
    assert same_bits(model._model.mean[:, :6], before[0])
    assert same_bits(bills(model)[:FULL], before[1])


# --- drift ------------------------------------------------------------------------------------------

MOSTLY = np.tile([0, 1, 1, 1, 1, 1, 1, 1], 5)  # 35 of 40 are positive


def after_flip(half_life, rows):
    """The leader some empty rows after those that were mostly positive are mostly negative."""
    model = auto(half_life=half_life)
    labels = np.concatenate([MOSTLY, 1 - MOSTLY])[: 40 + rows]
    model.learn_many(np.zeros((len(labels), 1)), labels)
    return leader(model)


def test_half_life_changes_the_leader_soon_after_a_flip():
    assert after_flip(2, 0) != NEVER
    assert after_flip(2, 4) == NEVER


def test_without_half_life_the_leader_stays_long_after_a_flip():
    assert after_flip(None, 40) == after_flip(None, 0) != NEVER


def test_a_mistake_counts_half_after_the_half_life():
    model = auto(half_life=4)
    model.learn_many(np.zeros((5, 1)), [1, 0, 0, 0, 0])
    assert bills(model)[NEVER] == pytest.approx(0.5, rel=1e-12)


# --- probabilities ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_platt_line(seed):
    X, y = stream(seed)
    model = auto()
    feed(model, X, y)
    assert_close(model._model.platt[:2], oracle_after(X, y)[0].platt)


def test_platt_line_starts_with_slope_1_and_without_costs():
    assert auto()._model.platt[:2].tolist() == [1.0, 0.0]
    cheap, dear = auto(), auto()
    cheap.learn_one({}, 0)
    dear.learn_one({}, 0, weight=8.0)
    assert same_bits(dear._model.platt, cheap._model.platt)


def test_probabilities_of_a_long_stream_are_those_of_its_rows():
    """Three of four rows have the sign of their feature."""
    rng = np.random.default_rng(0)
    x = rng.choice([-1, 1], 1500)
    y = np.where(rng.random(len(x)) < 0.75, x, -x)
    model = auto()
    feed(model, x[:, None] * 1.0, y, "dense")
    likely = model.probability_many([[1.0], [-1.0]])
    np.testing.assert_allclose(likely, [0.75, 0.25], atol=0.06)


@pytest.mark.parametrize("seed", range(3))
def test_probabilities(seed):
    X, y = stream(seed)
    model = auto()
    feed(model, X, y)
    oracle, _ = oracle_after(X, y)
    assert_close(model.probability_many(X), [oracle.probability(oracle.score(x)) for x in X])
