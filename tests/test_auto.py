"""The portfolio: who leads and what it says, its members, its rows, width, drift and probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import reference
from costream import Cost, OnlineClassifier, load, make_learner, save
from costream.kernels.portfolio import (
    BEST,
    CENTRED,
    DENSE,
    DENSE_LANES,
    LEADER,
    MEMBERS,
    NARROW,
    SCORES,
    SEEN,
    SPARSE_LANES,
    SQUARE,
    WIDER,
    WIDEST,
)
from costream.portfolio import TEAM
from streams import JIT_OFF, assert_close, csr_rows, dict_rows, feed, same_bits, stream

ALWAYS, NEVER = len(TEAM), len(TEAM) + 1
RESTING = {  # how many slots rows have, and who finds that too many
    64: [],
    65: [one.name for one in TEAM if one.widest == 64],
    320: [one.name for one in TEAM if one.widest == 64],
    321: [one.name for one in TEAM if one.kind.startswith("full")],
    512: [one.name for one in TEAM if one.kind.startswith("full")],
    513: [one.name for one in TEAM if one.kind.startswith("full") or one.kind.endswith("centred")],
}
WIDTHS = [65, 321, 513]  # slots, of which the intercept has the first, that are too many for some


def auto(objective=None, **params):
    return OnlineClassifier(make_learner("auto", **params), objective or Cost(1, 1))


def bills(model):
    return model._model.mistakes[: NEVER + 1]


def leader(model):
    return int(model._model.clock[1])


def resting(model):
    return [one.name for one in model.standings().members if not one.active]


def of_kind(*ends):
    """The places of the members whose kind of row is one of these."""
    return [k for k, one in enumerate(TEAM) if one.kind.endswith(ends)]


def weights_of(model, k):
    """The weights of a member, that of the intercept first."""
    state, d = model._model, 1 + len(model.feature_names)
    if k < SPARSE_LANES:
        return state.mu[:d, k].copy()
    if k < DENSE_LANES:
        return state.centred_mu[k - SPARSE_LANES, :d].copy()
    return state.mean[k - DENSE_LANES, :d].copy()


def learnt_by(model, members):
    """What members have learnt, and what they have paid."""
    return np.concatenate([*(weights_of(model, k) for k in members), bills(model)[members]])


def uneven(y, seed=0):
    """Random weights, since after rows of equal cost a score may be 0 but for rounding."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, len(y))


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

    The first has moved the intercepts below 0; members that have none still flag everything.
    """
    model = auto(Cost(3, 1))
    model.learn_many(np.zeros((2, 1)), [0, 1])
    members = [1.0 if one.kind == "ACOG-II, raw" else 4.0 for one in TEAM]
    assert bills(model).tolist() == [*members, 1.0, 3.0]


def test_a_constant_policy_leads_where_it_is_cheapest():
    model = auto()
    model.learn_one({}, 0)
    assert leader(model) == NEVER


def test_first_of_equals_leads():
    """After the rows above the four members of ACOG-II have paid 1, and a constant policy."""
    model = auto(Cost(3, 1))
    model.learn_many(np.zeros((2, 1)), [0, 1])
    assert leader(model) == 4


@pytest.mark.parametrize("power", [-60, -1, 5, 20])
def test_the_coin_of_costs_does_not_matter_at_all(power):
    X, y = stream(3)
    weight = uneven(y)
    one, other = auto(), auto()
    scores = feed(one, X, y, weight=weight)
    assert same_bits(feed(other, X, y, weight=weight * 2.0**power), scores)
    assert same_bits(bills(other), bills(one) * 2.0**power)


@pytest.mark.parametrize("half_life", [None, 5])
@given(seed=st.integers(0, 2**32 - 1))
def test_leader_has_the_lowest_bill(half_life, seed):
    X, y = stream(seed, rows=30, width=4)
    model = auto(half_life=half_life)
    for x, label, weight in zip(X, y, uneven(y, seed), strict=True):
        model.learn_one(x, label, weight)
        assert leader(model) == np.argmin(bills(model))


@pytest.mark.parametrize("half_life", [None, 5])
@pytest.mark.parametrize("seed", range(3))
def test_bills_are_those_of_the_oracle(seed, half_life):
    X, y = stream(seed)
    r = uneven(y, seed)
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


# --- the decision -----------------------------------------------------------------------------------


@pytest.mark.parametrize("half_life", [None, 5])
@pytest.mark.parametrize("seed", range(3))
def test_shares_are_those_of_the_oracle(seed, half_life):
    X, y = stream(seed)
    r = np.random.default_rng(seed).choice([0.5, 1.0, 4.0], len(y))
    model = auto(half_life=half_life)
    feed(model, X, y, weight=r)
    assert_close(model._model.shares, oracle_after(X, y, r, half_life=half_life)[0].shares)


def test_who_is_behind_by_more_than_the_noise_has_no_share():
    """After a long stream of raw columns of very different size the members of raw rows have lost."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    model = auto()
    feed(model, X * [1e6, 1.0, 1e-6], np.where(X[:, 2] > 0, 1, -1))
    found = model.standings()
    assert found.leader.share == max(one.share for one in found.members)
    assert sum(one.share for one in found.members) == pytest.approx(1.0)
    assert not any(one.share for one in found.members if "raw" in one.name)


def test_a_constant_policy_that_leads_decides_alone():
    model = auto()
    model.learn_one({}, 0)
    assert [one.share for one in model.standings().members if one.share] == [1.0]


def test_who_decides_alone_is_heard_as_it_is():
    """With one share the mean on the other scale and back is the score of the member."""
    X, y = stream(3)
    model = auto()
    feed(model, X, y)
    model._model.shares[:] = 0.0
    model._model.shares[2] = 1.0
    model._model.clock[1] = 2
    score = model.score_one(X[0])
    assert score == pytest.approx(model._model.work[SCORES, 2], rel=1e-12)


def test_scores_are_bounded():
    """However sure all members are."""
    model = auto()
    model.learn_one([1.0], 1)
    for weights in (model._model.mu, model._model.centred_mu, model._model.mean):
        weights[:] = 1e300
    assert model.score_one([1.0]) == pytest.approx(1e9)


# --- what a constant policy says --------------------------------------------------------------------

ROWS = np.array([[2.0], [1.0], [-1.0], [0.0], [-3.0]])


def test_score_where_nothing_is_flagged():
    model = auto()
    model.learn_one([1.0], 0)
    oracle, _ = oracle_after(np.ones((1, 1)), [-1])
    said = [oracle.mean(x) for x in ROWS]
    assert leader(model) == NEVER
    assert_close(model.score_many(ROWS), [s - 1 if s <= 0 else -1 / (1 + s) for s in said])


def test_score_where_everything_is_flagged():
    """All members have paid for a miss that cost 3, and flagging none as well."""
    model = auto(Cost(3, 1))
    model.learn_many(np.ones((2, 1)), [0, 1])
    oracle, _ = oracle_after(np.ones((2, 1)), [-1, 1], [1.0, 3.0])
    said = [oracle.mean(x) for x in ROWS]
    assert leader(model) == ALWAYS
    assert_close(model.score_many(ROWS), [1 + s if s >= 0 else 1 / (1 - s) for s in said])


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


# --- members ----------------------------------------------------------------------------------------


def dense_stream(seed=0, rows=30 if JIT_OFF else 60, width=6, shift=0.0):
    """Rows that have all their features, with a price each, around a noisy linear truth."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width))
    y = np.where(X @ rng.normal(size=width) + rng.normal(size=rows) > 0.5, 1, -1)
    return X + shift, y, uneven(y, seed)


def sized_by_hand(X):
    before = [np.sqrt(np.mean(X[: t or 1] ** 2, axis=0)) for t in range(len(X))]
    return X / np.array(before)


def centred_by_hand(X):
    """The first two rows are 0: nothing has varied."""
    rows = np.zeros(X.shape)
    for t in range(2, len(X)):
        away = (X[t] - X[:t].mean(axis=0)) / X[:t].std(axis=0)
        rows[t] = np.clip(away, -3, 3) / np.sqrt(X.shape[1])
    return rows


def coins(y, weight):
    """The mean cost of a negative row up to each row; of a positive one while there is no other."""
    paid, negative = np.cumsum(np.where(y < 0, weight, 0.0)), np.cumsum(y < 0)
    first = np.cumsum(weight) / np.arange(1, len(y) + 1)
    return np.where(negative > 0, paid / np.maximum(negative, 1), first)


def alone(member, X, y, weight):
    """The learner that a member is, given rows of its kind; the learner and its scores."""
    geometry, kind = member.kind.split(", ")
    name = {"ACOG-II": "acog-ii-diag", "diagonal": "carow-diag", "full": "carow"}[geometry]
    eta = {"eta": member.eta} if member.eta else {}
    learner = make_learner(name, gamma=member.gamma, **eta)
    settings = {"intercept": member.kind != "ACOG-II, raw", "normalize": kind != "centred"}
    model = OnlineClassifier(learner, Cost(1, 1), **settings)
    X = {"raw": np.copy, "sized": sized_by_hand, "centred": centred_by_hand}[kind](X)
    return model, feed(model, X, y, "dense", weight / coins(y, weight))


@pytest.mark.parametrize("k", range(len(TEAM)), ids=[one.name for one in TEAM])
def test_a_member_learns_what_its_learner_would_alone(k):
    X, y, weight = dense_stream(shift=2.0)
    model = auto()
    feed(model, X, y, "dense", weight)
    other, _ = alone(TEAM[k], X, y, weight)
    assert_close(weights_of(model, k), [other.intercept_, *other.coef], 1e-11)


@pytest.mark.parametrize("k", range(len(TEAM)), ids=[one.name for one in TEAM])
def test_a_member_pays_what_its_learner_would_alone(k):
    X, y, weight = dense_stream(shift=2.0)
    model = auto()
    feed(model, X, y, "dense", weight)
    _, scores = alone(TEAM[k], X, y, weight)
    assert bills(model)[k] == pytest.approx(np.sum(weight[(scores >= 0) != (y > 0)]), rel=1e-12)


@pytest.mark.parametrize("k", range(len(TEAM)), ids=[one.name for one in TEAM])
def test_variances_of_features_are_those_of_the_best_member(k):
    X, y, weight = dense_stream(shift=2.0)
    model = auto()
    feed(model, X, y, "dense", weight)
    model._model.clock[BEST] = k
    other, _ = alone(TEAM[k], X, y, weight)
    columns = np.arange(X.shape[1])
    assert_close(model.feature_variances(columns), other.feature_variances(columns), 1e-11)


@pytest.mark.parametrize("half_life", [None, 3])
def test_acog_of_raw_rows_has_no_intercept(half_life):
    X, y, weight = dense_stream()
    model = auto(half_life=half_life)
    feed(model, X, y, weight=weight)
    moved = [weights_of(model, k)[0] != 0.0 for k in range(len(TEAM))]
    assert moved == [one.kind != "ACOG-II, raw" for one in TEAM]


def test_loss_of_exactly_0_is_none():
    """ACOG-II with eta = gamma = 1 has learnt the weight 2 (1/2) from the first row: its score is 1."""
    k = [one.name for one in TEAM].index("ACOG-II, raw, eta 1, gamma 1")
    model = auto()
    model.learn_one({}, 0)
    for _ in range(2):
        model.learn_one([1.0], 1, 2.0)
        assert weights_of(model, k).tolist() == [0.0, 1.0]
        assert model._model.variance[1, k] == 0.5


# --- rows of its own making -------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [{}, {"intercept": True}, {"normalize": False}])
def test_intercept_and_norm_are_its_own(asked):
    X, y = stream(4)
    expected = feed(OnlineClassifier("auto"), X, y)
    assert same_bits(feed(OnlineClassifier("auto", **asked), X, y), expected)


def without_sizes(model):
    """What those members have learnt and paid to whom the sizes of features do not matter."""
    return learnt_by(model, of_kind("sized", "centred"))


@given(seed=st.integers(0, 2**32 - 1))
def test_sizes_of_features_that_are_powers_of_two_do_not_matter_at_all(seed):
    X, y = stream(seed, rows=30, width=5)
    plain, scaled = auto(), auto()
    feed(plain, X, y)
    feed(scaled, X * 2.0 ** np.array([-20, 20, -10, 0, 7]), y)
    assert same_bits(without_sizes(scaled), without_sizes(plain))


@given(seed=st.integers(0, 2**32 - 1))
def test_sizes_of_features_do_not_matter(seed):
    X, y = stream(seed, rows=30, width=5)
    plain, scaled = auto(), auto()
    feed(plain, X, y)
    feed(scaled, X * 10.0 ** np.array([-6, 6, -3, 0, 2]), y)
    assert_close(without_sizes(scaled), without_sizes(plain))


def test_size_is_the_root_of_the_mean_square_of_what_is_not_0():
    """Sizes 5 and 1: the row (5, 2) is (1, 2) before it is divided by its norm."""
    model = auto()
    for row in ([1.0, 0.0], [7.0, 0.0], [0.0, 1.0]):
        model.learn_one(row, 0)
    state = model._model
    size = np.sqrt(state.facts[SQUARE, 1:3] / state.facts[SEEN, 1:3])
    assert size.tolist() == [5.0, 1.0]
    x = np.array([1.0, 1.0, 2.0]) / np.array([1.0, np.sqrt(5), np.sqrt(5)])
    model.score_one([5.0, 2.0])
    for k in of_kind("sized"):
        assert state.work[SCORES, k] == pytest.approx(weights_of(model, k) @ x, rel=1e-12)


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


@pytest.mark.parametrize("label", [-1, 1])
def test_an_empty_row_moves_intercepts_alone(label):
    """Those of diagonal members: a full covariance knows how the intercept goes with features.

    As a centred row an empty one is none.
    """
    X, y = stream(1)
    model = auto()
    feed(model, X, y)
    lanes = [k for k in of_kind("sized", "raw") if k < SPARSE_LANES]
    before = [weights_of(model, k) for k in lanes]
    for _ in range(3):
        model.learn_one({}, label)
    moved = np.array([weights_of(model, k) != old for k, old in zip(lanes, before, strict=True)])
    assert not moved[:, 1:].any()
    assert moved[:, 0].tolist() == [not TEAM[k].eta for k in lanes]


def test_a_matrix_that_lies_about_its_duplicates_does_no_harm():
    """scipy keeps the answer to whether a column comes twice in a row, and may be wrong later."""
    model = auto()
    for label in (1, -1, 1):
        X = csr_array(np.ones((1, 400)))
        assert X.has_canonical_format
        X.indices %= 4
        assert np.isfinite(model.prequential(X, [label])).all()


# --- centred rows -----------------------------------------------------------------------------------


def centred(model, row):
    """A row as the members of centred rows see it, without the intercept."""
    model.score_one(row)
    d = 1 + len(model.feature_names)
    return model._model.rows[CENTRED, 1:d].copy()


def with_rows(rows, **params):
    """A model that has learnt rows with weights that do not matter here."""
    model = auto(**params)
    for t, row in enumerate(rows):
        model.learn_one(row, t % 2, 1.0 + t)
    return model


def test_centred_row_by_hand():
    """Means 2 and 1, of zeros too, and deviations 1 and the root of 3."""
    model = with_rows([[1.0, 0.0], [3.0, 0.0], [1.0, 4.0], [3.0, 0.0]])
    expected = np.array([0.5, 2 / np.sqrt(3)]) / np.sqrt(2)
    assert_close(centred(model, [2.5, 3.0]), expected, 1e-15)


def test_a_feature_that_a_row_lacks_is_0_before_it_is_centred():
    model = with_rows([{"a": 1.0}, {"a": 3.0, "b": 1.0}])
    assert_close(centred(model, {}), np.array([-2.0, -1.0]) / np.sqrt(2), 1e-15)


@pytest.mark.parametrize("far", [4.1, 1e6, 1e200, 1.7e308])
def test_centred_features_are_at_most_3_deviations_away(far):
    """Deviations of 1 around 1."""
    model = with_rows([[0.0, 2.0], [2.0, 0.0]])
    assert_close(centred(model, [far, -far]), np.array([3.0, -3.0]) / np.sqrt(2), 1e-15)
    assert_close(centred(model, [3.5, -1.5]), np.array([2.5, -2.5]) / np.sqrt(2), 1e-15)


@pytest.mark.parametrize("value", [0.1, -3.0, 1e-5, 1e200])
def test_a_centred_feature_that_never_varied_is_0(value):
    """Seven times 0.1, whose sum is not 0.7 to the last bit."""
    model = with_rows([[value, t] for t in range(7)])
    assert centred(model, [value, 1.0])[0] == 0.0
    assert centred(model, [value + 5.0, 1.0])[0] == 0.0


def test_a_new_feature_is_0_in_a_centred_row_that_is_learnt():
    model = with_rows([{"a": 1.0}, {"a": 3.0}, {"a": 2.5, "b": 7.0}])
    learnt = {TEAM[k].kind.split(", ")[1]: weights_of(model, k)[2] for k in range(len(TEAM))}
    assert learnt["centred"] == 0.0 != learnt["sized"]


def test_the_root_of_d_is_that_of_the_columns_in_use():
    """The first and the last of four columns were in no row."""
    model = with_rows([[0.0, 1.0, 1.0, 0.0], [0.0, 3.0, 0.0, 0.0]])
    assert_close(centred(model, [0.0, 3.0, 0.0, 0.0]), np.array([0, 1, -1, 0]) / np.sqrt(2), 1e-15)


@pytest.mark.parametrize(
    "zero", [{"a": 1.0, "b": 0.0}, csr_array(([1.0, 0.0], [0, 1], [0, 2]))], ids=["dict", "csr"]
)
def test_a_zero_that_is_written_down_is_no_feature(zero):
    model = auto()
    model.learn_one(zero, 0)
    model.learn_one({}, 1)
    assert_close(centred(model, zero)[:1], [1.0], 1e-15)


def test_a_feature_of_a_size_that_was_never_seen_gives_finite_numbers():
    model = auto()
    for row, label in (({"a": 1e-140, "b": 1.0}, 0), ({"a": 1e200, "b": 1.0}, 1), ({"a": 1e-140}, 0)):
        assert np.isfinite(model.learn_one(row, label))
    assert np.isfinite(model.score_one({"a": 1e299}))


@pytest.mark.parametrize("weight", [1e-290, 1e-200, 1e200, 1e300])
def test_costs_of_any_size_give_finite_numbers_and_one_leader(weight):
    X, y = stream(2)
    model = auto()
    assert np.isfinite(feed(model, X, y, weight=np.full(len(y), weight))).all()
    assert model._model.shares.max() > 0.1
    assert all(np.isfinite(one).all() for one in model._model if isinstance(one, np.ndarray))


def test_costs_of_very_different_size_give_finite_numbers():
    X, y = stream(2)
    model = auto()
    weight = np.where(y > 0, 1e10, 1e-300)
    assert np.isfinite(feed(model, X, y, weight=weight)).all()


def test_a_class_that_has_been_forgotten_gives_finite_numbers():
    model = auto(half_life=1)
    labels = [0] + [1] * 1100
    scores = model.prequential(np.ones((len(labels), 1)), labels, np.full(len(labels), 0.1))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("half_life", [None, 2])
@pytest.mark.parametrize("value", [1.7e308, 1e300, 1e160, 1e-160, 1e-300, 5e-324])
def test_any_value_gives_finite_numbers(value, half_life):
    """Columns of one extreme size, of all sizes, and of signs that change."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 4))
    X[:, 0] = value * rng.choice([-1, 1], 24)
    X[::3, 1] *= value / 1e3 if value > 1 else value
    X[::2, 2] = 0.0
    model = auto(half_life=half_life)
    scores = feed(model, X, rng.choice([0, 1], 24), weight=uneven(X))
    assert np.isfinite(scores).all()
    assert np.isfinite(learnt_by(model, list(range(len(TEAM))))).all()
    assert np.isfinite(model.score_many(X)).all()
    assert np.isfinite([model.confidence_one(x) for x in X]).all()
    assert all(np.isfinite(array).all() for array in model._model[:4])


@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-2, 4))
def test_a_constant_added_to_a_column_does_not_matter_to_centred_members(seed, power):
    X, y, weight = dense_stream(seed, rows=30, width=4)
    one, other = auto(), auto()
    feed(one, X, y, "dense", weight)
    feed(other, X + np.array([1.0, -1.0, 3.0, 0.5]) * 10.0**power, y, "dense", weight)
    members = of_kind("centred")
    assert_close(learnt_by(other, members), learnt_by(one, members), 1e-8)


def test_columns_far_from_0_are_led_by_a_member_of_centred_rows():
    """Why they are there: what varies is a thousandth of the column."""
    X, y, _ = dense_stream(shift=1000.0)
    model = auto()
    feed(model, X, y)
    assert leader(model) in of_kind("centred")


# --- width ------------------------------------------------------------------------------------------


def one_at(slots):
    """A row with a 1 in the last of so many slots."""
    return csr_array(([1.0], [slots - 2], [0, 1]), shape=(1, slots - 1))


def wide_stream(slots):
    """Six narrow rows, a wide one, five narrow ones."""
    X, y = stream(7, rows=12, width=5)
    X = np.pad(X, [(0, 0), (0, slots - 1 - 5)])
    X[6, slots - 2] = 2.0
    return X, y


def members_that_rest(slots):
    return [k for k, one in enumerate(TEAM) if one.name in RESTING[slots]]


@pytest.mark.parametrize("slots", RESTING)
def test_who_rests(slots):
    model = auto()
    model.learn_one([1.0], 1)
    model.learn_one(one_at(slots), 0)
    assert sorted(resting(model)) == sorted(RESTING[slots])


def test_the_groups_of_members_end_where_the_kernel_believes():
    """Compiled code trusts these numbers."""
    groups = [one.widest for one in TEAM]
    assert groups == [np.inf] * 8 + [512] * 6 + [320] * 3 + [64] * 2
    assert (SPARSE_LANES, DENSE_LANES, WIDER, MEMBERS) == (8, 14, 17, 19)
    assert (DENSE, WIDEST, NARROW) == (512, 320, 64)
    assert {one.kind for one in TEAM[8:14]} == {"diagonal, centred", "ACOG-II, centred"}


def test_who_rests_has_no_share():
    model = auto()
    feed(model, *stream(1, rows=20))
    model.learn_one(one_at(600), -1)
    assert not any(one.share for one in model.standings().members if not one.active)


def test_columns_of_zeros_make_no_row_wide():
    model = auto()
    model.learn_one(np.eye(1, 600)[0], 1)
    assert resting(model) == []


def test_rows_that_are_only_scored_make_no_row_wide():
    model = auto()
    model.learn_one([1.0], 1)
    model.score_many(np.ones((1, 600)))
    assert resting(model) == []


@pytest.mark.parametrize("kind", ["rows", "csr rows"])
@pytest.mark.parametrize("slots", WIDTHS)
def test_members_rest_at_the_same_row_in_a_batch(slots, kind):
    X, y = wide_stream(slots)
    batch, rows = auto(), auto()
    scores = feed(batch, X, y, "csr")
    assert same_bits(feed(rows, X, y, kind), scores)
    assert same_bits(bills(rows), bills(batch))


@pytest.mark.parametrize("kind", ["rows", "csr rows", "dict"])
@pytest.mark.parametrize("slots", WIDTHS)
def test_the_row_that_is_too_wide_has_the_score_made_before(slots, kind):
    X, y = wide_stream(slots)
    X[6, 5:] = 2.0
    rows = {"rows": list, "csr rows": csr_rows, "dict": dict_rows}[kind](X)
    model = auto()
    for x, label in zip(rows, y, strict=True):
        before = model.score_one(x)
        assert same_bits([model.learn_one(x, label)], [before])
    assert len(resting(model)) == len(RESTING[slots])


@pytest.mark.parametrize("slots", RESTING)
def test_wide_rows_are_those_of_the_oracle(slots):
    X, y = wide_stream(slots)
    model = auto()
    scores = feed(model, X, y, weight=uneven(y))
    oracle, expected = oracle_after(X, y, uneven(y))
    assert_close(scores, expected)
    assert_close(bills(model), oracle.bills)


@pytest.mark.parametrize("slots", RESTING)
def test_members_learn_of_wide_rows_what_those_of_the_oracle_do(slots):
    X, y = wide_stream(slots)
    model = auto()
    feed(model, X, y, weight=uneven(y))
    oracle, _ = oracle_after(X, y, uneven(y))
    for k, member in enumerate(oracle.members):
        found = weights_of(model, k)
        assert_close(found, np.roll(member.learner.weights(), 1)[: len(found)])


def test_who_rests_after_a_row_still_pays_for_it():
    model = auto()
    model.learn_one(one_at(513), 0)
    assert bills(model).tolist() == [1.0] * len(TEAM) + [1.0, 0.0]


def test_members_that_rest_do_not_lead():
    """Columns far from 0 are led by a member of centred rows."""
    X, y, _ = dense_stream(shift=1000.0)
    model = auto()
    feed(model, X, y)
    assert leader(model) in members_that_rest(513)
    model.learn_one(one_at(513), 1)
    assert leader(model) not in members_that_rest(513)


@pytest.mark.parametrize("slots", WIDTHS)
def test_members_that_rest_learn_nothing_and_pay_nothing(slots):
    X, y = wide_stream(slots)
    members = members_that_rest(slots)
    model = auto()
    feed(model, X[:7], y[:7])
    before = [weights_of(model, k)[:6] for k in members], bills(model)[members]
    feed(model, X[7:], y[7:])
    assert same_bits([weights_of(model, k)[:6] for k in members], before[0])
    assert same_bits(bills(model)[members], before[1])


def growing_stream():
    """Each row has 90 columns more than the one before."""
    rng = np.random.default_rng(5)
    X = np.zeros((10, 900))
    for t in range(10):
        X[t, rng.integers(0, 90 * t + 89, 6)] = rng.normal(size=6)
        X[t, 90 * t + 89] = 1.0
    return X, rng.choice([-1, 1], 10)


def test_growth_through_all_widths_gives_the_same_bits():
    X, y = growing_stream()
    whole, parts = auto(), auto()
    scores = feed(whole, X, y)
    same = [parts.learn_one(X[t, : 90 * t + 90], y[t]) for t in range(10)]
    assert same_bits(same, scores)
    assert same_bits(learnt_by(parts, of_kind("raw")), learnt_by(whole, of_kind("raw")))


@pytest.mark.parametrize("rows", [1, 5, 7])
def test_a_saved_model_of_any_width_goes_on_with_the_same_bits(rows, tmp_path):
    X, y = growing_stream()
    whole, parts = auto(), auto()
    scores = feed(whole, X, y)
    feed(parts, X[:rows, : 90 * rows], y[:rows])
    save(parts, tmp_path / "model")
    parts = load(tmp_path / "model")
    assert same_bits(feed(parts, X[rows:], y[rows:]), scores[rows:])


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


def test_without_half_life_the_past_counts_long_after_a_flip():
    assert after_flip(None, 40) != NEVER


def test_a_mistake_counts_half_after_the_half_life():
    model = auto(half_life=4)
    model.learn_many(np.zeros((5, 1)), [1, 0, 0, 0, 0])
    assert bills(model)[NEVER] == pytest.approx(0.5, rel=1e-12)


# --- probabilities ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_platt_line(seed):
    X, y = stream(seed)
    model = auto()
    feed(model, X, y, weight=uneven(y, seed))
    assert_close(model._model.platt[:2], oracle_after(X, y, uneven(y, seed))[0].platt)


def test_platt_line_starts_with_slope_2_and_without_costs():
    assert auto()._model.platt[:2].tolist() == [2.0, 0.0]
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
    feed(model, X, y, weight=uneven(y, seed))
    oracle, _ = oracle_after(X, y, uneven(y, seed))
    assert_close(model.probability_many(X), [oracle.probability(x) for x in X])


@pytest.mark.parametrize("constant", [ALWAYS, NEVER])
def test_probabilities_do_not_change_where_a_constant_policy_takes_the_lead(constant):
    X, y = stream(0)
    model = auto()
    feed(model, X, y)
    before = model.probability_many(X)
    model._model.clock[LEADER] = constant
    assert_close(model.probability_many(X), before)
