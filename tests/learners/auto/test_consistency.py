"""A model file whose numbers cannot be right is refused: compiled code trusts every index in it."""

import json

import numpy as np
import pytest

from costream import CostreamError, load, save
from costream.learners.auto import consistency, layout, pausing, portfolios, turns
from costream.learners.auto.views import leaves
from costream.model.classifier import core_of
from helpers import places
from helpers.files import put_together, taken_apart
from helpers.portfolios import TAKEN, auto, be_adaptive, curved_stream
from helpers.streams import JIT_OFF, feed, same_bits

PENDING = leaves.FIRST + 2
X, y, WEIGHT = curved_stream(TAKEN + 2, width=3, seed=2)


def learnt(rows, **params):
    model = auto(**params)
    feed(model, X[:rows], y[:rows], "dense", WEIGHT[:rows])
    return model


@pytest.fixture(scope="module", autouse=True)
def adaptive():
    """Several portfolios, each of which is checked as one alone is."""
    with pytest.MonkeyPatch.context() as patch:
        be_adaptive(patch)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model whose trees are growing, and one that has taken them over."""
    folder = tmp_path_factory.mktemp("models")
    save(learnt(PENDING), folder / "pending")
    save(learnt(TAKEN + 2), folder / "taken")
    return folder


def arrays_in(path):
    """The header of a file, and a writable copy of each of its arrays."""
    first, header, data = taken_apart(path)
    arrays, place = {}, 0
    for name, kind, shape in header["arrays"]:
        size = int(np.prod(shape))
        one = np.frombuffer(data, kind, size, place).reshape(shape).copy()
        arrays[name] = one
        place += one.nbytes
    return first, header, arrays


def write(path, first, header, arrays):
    header["arrays"] = [[name, one.dtype.str, list(one.shape)] for name, one in arrays.items()]
    put_together(path, first, header, b"".join(one.tobytes() for one in arrays.values()))


def assert_refused(path):
    with pytest.raises(CostreamError, match=r"cannot be right|can read"):
        load(path)


def damaged(files, which, tmp_path, damage):
    """A file after some damage to its arrays."""
    first, header, arrays = arrays_in(files / which)
    damage(arrays)
    write(tmp_path / "model", first, header, arrays)
    return tmp_path / "model"


def test_a_file_put_together_again_is_read(files, tmp_path):
    for which in ("pending", "taken"):
        same = damaged(files, which, tmp_path, lambda _: None)
        assert same_bits(load(same).score_many(X), load(files / which).score_many(X))


CLOCK = [
    (layout.ROWS, -1),
    (layout.ROWS, 2**60),
    (layout.LEADER, -1),
    (layout.LEADER, places.MEMBERS + 2),
    (layout.SINCE, -1),
    (layout.SINCE, 10**6),
    (layout.SLOTS, 0),
    (layout.SLOTS, -3),
    (layout.SLOTS, 5),
    (layout.SLOTS, 10**9),
    (layout.BEST, -1),
    (layout.BEST, places.MEMBERS),
    (layout.GROW_AT, 0),
    (layout.GROW_AT, PENDING),
    (layout.GROW_AT, -(2**62)),
    (layout.GROW_AT, layout.NO_ROW + 1),
    (layout.TAKE_AT, PENDING),
    (layout.TAKE_AT, -1),
    (layout.TAKE_AT, layout.NO_ROW + 1),
    (layout.BEGAN, -1),
    (layout.BEGAN, 10**6),
    (layout.GROWN, -1),
    (layout.GROWN, 10**6),
]


@pytest.mark.parametrize(("place", "value"), CLOCK)
def test_a_clock_out_of_range(place, value, files, tmp_path):
    def damage(arrays):
        arrays["clock"][place] = value

    assert_refused(damaged(files, "pending", tmp_path, damage))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("other_clock", (0, layout.BEST), places.MEMBERS),
        ("other_clock", (2, layout.LEADER), -1),
        ("other_clock", (1, layout.GROW_AT), 10**6),  # it has no trees
        ("other_pauses", (2, layout.LENGTH, 3), -1),
        ("other_pauses", (1, layout.UNTIL, 0), layout.NO_ROW),
        ("other_costs", (2, 1), np.nan),
        ("other_stacker_root", (0, 1, 1), np.inf),
    ],
)
def test_another_portfolio_that_cannot_be_right(name, place, value, files, tmp_path):
    def damage(arrays):
        arrays[name][place] = value

    assert_refused(damaged(files, "pending", tmp_path, damage))


# Of the mixture: what a check of it alone finds.
MIXTURE = [
    ("turns", (portfolios.PHASE, 0), portfolios.LEARNS),
    ("turns", (portfolios.PHASE, 2), 3),
    ("turns", (portfolios.PHASE, 2), -1),
    ("turns", (portfolios.PHASE, 2), portfolios.RESTS),  # it has a share
    ("turns", (portfolios.HOLDS_UNTIL, 1), -1),
    ("turns", (portfolios.HOLDS_UNTIL, 1), consistency.MOST_ROWS + 1),
    ("turns", (portfolios.REST, 3), -1),
    ("turns", (portfolios.REST, 3), turns.LONGEST + 1),
    ("turns", (portfolios.WAKES, 3), -1),
    ("turns", (portfolios.WAKES, 3), 2),
    ("other_clock", (1, layout.ROWS), PENDING + 1),
    ("other_clock", (2, layout.SLOTS), 3),
    ("mixture", (portfolios.LOSS, 1), np.inf),
    ("mixture", (portfolios.LOSS, 1), np.nan),
    ("mixture", (portfolios.LOSS, 1), -1e-3),
    ("mixture", (portfolios.SHARE, slice(0, 2)), (1.5, -0.75)),
    ("mixture", (portfolios.SHARE, 1), 0.5),
    ("mixture", (portfolios.SHARE, 1), np.nan),
    ("mixture", (portfolios.SLOPE, 2), 0.0),
    ("mixture", (portfolios.SLOPE, 2), 1.5),
    ("mixture", (portfolios.CURVATURE, 2), -1.0),
    ("sampling", (portfolios.KEPT,), -1.0),
    ("sampling", (portfolios.KEPT,), 1e6),
    ("sampling", (portfolios.KEPT,), 2.5),
    ("sampling", (portfolios.KEPT,), np.nan),
    ("sampling", slice(2), 0.0),  # there would never be a row
    ("sampling", (portfolios.THRESHOLDS + 1,), 1.5),
    ("sampling", (portfolios.THRESHOLDS + 1,), np.nan),
    ("sampling", slice(1, 3), 0.01),
    ("sample_hash", (3,), -0.1),
    ("sample_hash", (3,), 1.0),
    ("sample_hash", (3,), np.nan),
    ("trend", (portfolios.FAST,), np.nan),
    ("trend", (portfolios.SLOW,), -np.inf),
    ("trend", (portfolios.SQUARES,), -1e-9),
    ("trend", (portfolios.LEADING,), -1),
    ("trend", (portfolios.LEADING,), 4),
    ("trend", (portfolios.LED_SINCE,), -1),
    ("trend", (portfolios.LED_SINCE,), PENDING + 1),
]


@pytest.mark.parametrize(("name", "place", "value"), MIXTURE)
def test_a_mixture_that_cannot_be_right(name, place, value, files, tmp_path):
    def damage(arrays):
        if name != "turns" or value == portfolios.RESTS:  # of turns only who has no share
            arrays["mixture"][portfolios.SHARE] = 0.5, 0.25, 0.25, 0.0
        else:
            arrays["mixture"][portfolios.SHARE] = 0.0, 1.0, 0.0, 0.0
        arrays[name][place] = value

    assert_refused(damaged(files, "pending", tmp_path, damage))


# Where trees are: those that score, and those that are growing.
TREES = [("taken", ""), ("pending", "next_"), ("taken", "recent_"), ("pending", "recent_next_")]
every_forest = pytest.mark.parametrize(("which", "prefix"), TREES, ids=lambda one: one)


@every_forest
@pytest.mark.parametrize("value", [-1, 4, 2**31 - 1, -(2**31)])
def test_a_tree_that_asks_for_a_feature_that_is_not_there(which, prefix, value, files, tmp_path):
    def damage(arrays):
        inner = np.flatnonzero(arrays[f"{prefix}child"])
        arrays[f"{prefix}feature"][inner[-1]] = value

    assert_refused(damaged(files, which, tmp_path, damage))


@every_forest
@pytest.mark.parametrize("value", [-1, 1, 2**31 - 1, "itself", "end"])
def test_a_child_that_is_no_later_node_of_its_tree(which, prefix, value, files, tmp_path):
    def damage(arrays):
        child, root = arrays[f"{prefix}child"], arrays[f"{prefix}root"]
        tree = places.BOOSTED_TREES
        node = np.flatnonzero(child[root[tree] : root[tree + 1]])[1]
        size = root[tree + 1] - root[tree]
        child[root[tree] + node] = {"itself": node, "end": size - 1}.get(value, value)

    assert_refused(damaged(files, which, tmp_path, damage))


@every_forest
@pytest.mark.parametrize(
    ("place", "value"), [(0, 1), (0, -1), (3, 0), (5, 10**9), (-1, 10), (-1, 10**9)]
)
def test_a_root_out_of_place(which, prefix, place, value, files, tmp_path):
    def damage(arrays):
        arrays[f"{prefix}root"][place] = value

    assert_refused(damaged(files, which, tmp_path, damage))


ELASTIC = [
    *("leaves_mu", "leaves_variance", "leaves_value", "feature", "threshold", "child"),
    *("next_mu", "next_variance", "next_value", "next_feature", "next_threshold", "next_child"),
    *("sample", "sample_label", "sample_hash"),
    *("recent_feature", "recent_next_mu", "recent_sample_label"),
]


@pytest.mark.parametrize("change", ["shorter", "longer", "gone"])
@pytest.mark.parametrize("name", ELASTIC)
def test_an_array_of_another_length_than_its_companions(name, change, files, tmp_path):
    def damage(arrays):
        one = arrays[name]
        arrays[name] = {
            "shorter": one[: len(one) - 1],
            "longer": np.concatenate([one, one[-1:]]),
            "gone": one[:0],
        }[change]

    which = "pending" if "next" in name or "sample" in name else "taken"
    assert len(arrays_in(files / which)[2][name]) > 1
    assert_refused(damaged(files, which, tmp_path, damage))


@pytest.mark.parametrize("rows", [-1, 10**15, 2.5, None, "many", [3], True])
@pytest.mark.parametrize("name", ["feature", "next_mu", "sample"])
def test_a_table_that_lies_about_a_length(name, rows, files, tmp_path):
    first, header, data = taken_apart(files / "taken")
    entry = next(one for one in header["arrays"] if one[0] == name)
    entry[2] = [rows, *entry[2][1:]]
    put_together(tmp_path / "model", first, header, data)
    assert_refused(tmp_path / "model")


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (layout.UNTIL, -1),
        (layout.UNTIL, layout.NO_ROW),
        (layout.UNTIL, layout.NO_ROW + 1),
        (layout.LENGTH, -1),
        (layout.LENGTH, pausing.LONGEST + 1),
    ],
)
def test_rests_out_of_range(row, value, files, tmp_path):
    def damage(arrays):
        arrays["pauses"][row, 3] = value

    assert_refused(damaged(files, "taken", tmp_path, damage))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["costs", "stacker", "stacker_root", "spread"])
def test_numbers_that_are_not_finite(name, bad, files, tmp_path):
    def damage(arrays):
        arrays[name].ravel()[1] = bad

    assert_refused(damaged(files, "taken", tmp_path, damage))


MEMBERS = ("learner", "composition", "members")
NUMBERS_OF = ("learner", "composition", "numbers")
PACES = ("learner", "composition", "portfolios")
COMPOSITIONS = [
    (("learner", "composition"), None),
    (("learner", "composition"), {}),
    (("learner", "composition"), []),
    (MEMBERS, []),
    (MEMBERS, {}),
    (MEMBERS, "many"),
    ((*MEMBERS, 0), None),
    *(
        ((*MEMBERS, 0, "kind"), value)
        for value in ("splines", "nothing", 3, None, ["diagonal, scaled"])
    ),
    *(((*MEMBERS, 0, "gamma"), value) for value in (0.0, -1.0, 2.0, 1, "1", None, float("nan"), 1e999)),
    *(((*MEMBERS, 0, "eta"), value) for value in (0.5, -1.0, None)),
    *(((*MEMBERS, 0, "widest"), value) for value in (512, 10**30, -1, "all", 1.5)),
    *(((*MEMBERS, 0, "view"), value) for value in ("splines", None)),
    *(((*MEMBERS, 0, "unit"), value) for value in ("1", "new", 0, None)),
    *(((*MEMBERS, 9, "widest"), value) for value in (None, 513, 511, 0, -5)),
    *(((*MEMBERS, 14, "unit"), value) for value in ("1", "new")),
    *(((*MEMBERS, 16, "unit"), value) for value in ("4", "new")),
    *(((*MEMBERS, 16, "kind"), value) for value in ("boosted trees", "leaves of random trees")),
    *(((*MEMBERS, -1, "scale"), value) for value in (0.0, -1.0, float("nan"))),
    *(((*MEMBERS, -1, "more"), value) for value in (0, None)),
    *(
        ((*NUMBERS_OF, name), value)
        for name in ("whole", "knots", "features", "boosted_trees", "random_trees", "boosted_leaves")
        for value in (0, 1, -1, 2**62, 2.0, True, "9", None)
    ),
    *(((*NUMBERS_OF, name), 63) for name in ("whole", "knots", "features", "boosted_trees")),
    ((*NUMBERS_OF, "more"), 3),
    *((PACES, value) for value in (None, "many", [], {}, 3)),
    *(((*PACES, 0, "half_life"), value) for value in (5, 0)),
    *(((*PACES, 2, "half_life"), value) for value in (None, 2999.0, "3000", True)),
    *(((*PACES, 1, "views"), value) for value in (None, "linear", ["linear"], [3])),
    ((*PACES, 1, "more"), 3),
    (("learner", "params", "half_life"), 5),  # one half-life, and several
]


@pytest.mark.parametrize(("keys", "value"), COMPOSITIONS, ids=str)
def test_a_composition_that_cannot_be_right(keys, value, files, tmp_path):
    first, header, data = taken_apart(files / "taken")
    inside = header
    for key in keys[:-1]:
        inside = inside[key]
    inside[keys[-1]] = value
    put_together(tmp_path / "model", first, header, data)
    assert_refused(tmp_path / "model")


@pytest.mark.parametrize("change", ["one less", "one more", "swapped", "very many", "missing"])
def test_other_members_than_arrays_are_for(change, files, tmp_path):
    first, header, data = taken_apart(files / "taken")
    members = header["learner"]["composition"]["members"]
    if change == "missing":
        del members[0]["gamma"]
    else:
        members[:] = {
            "one less": members[:-1],
            "one more": [*members, members[-1]],
            "swapped": [members[8], *members[1:8], members[0], *members[9:]],
            "very many": [members[0]] * 10**5,
        }[change]
    put_together(tmp_path / "model", first, header, data)
    assert_refused(tmp_path / "model")


def test_leaves_that_grow_where_they_were_not_chosen(tmp_path):
    model = learnt(5, views=("linear",))
    save(model, tmp_path / "model")
    first, header, arrays = arrays_in(tmp_path / "model")
    arrays["clock"][layout.GROW_AT] = 50
    write(tmp_path / "model", first, header, arrays)
    assert_refused(tmp_path / "model")


def test_random_damage_is_refused_or_harmless(files, tmp_path):
    """Any whole number of any array replaced by another: an error, or a model that learns on."""
    rng = np.random.default_rng(0)
    first, header, arrays = arrays_in(files / "pending")
    whole = [name for name, one in arrays.items() if one.dtype.kind == "i" and one.size]
    for _ in range(12 if JIT_OFF else 60):
        name = str(rng.choice(whole))
        copies = {key: one.copy() for key, one in arrays.items()}
        limits = np.iinfo(copies[name].dtype)
        value = rng.choice([limits.min, -1, 0, 1, 7, 1000, limits.max])
        copies[name].ravel()[rng.integers(copies[name].size)] = value
        write(tmp_path / "model", first, json.loads(json.dumps(header)), copies)
        try:
            model = load(tmp_path / "model")
        except CostreamError:
            continue
        assert np.isfinite(feed(model, X[:25], y[:25], "dense", WEIGHT[:25])).all()


def test_models_of_all_ages_are_consistent(tmp_path):
    """What we save we can load."""
    for rows in (
        (0, 1, PENDING) if JIT_OFF else (0, 1, leaves.FIRST - 1, leaves.FIRST, TAKEN - 1, TAKEN)
    ):
        for params in ({}, {"half_life": 20}, {"views": ("splines",)}):
            model = learnt(rows, **params)
            save(model, tmp_path / "model")
            assert load(tmp_path / "model").rows == model.rows
            state = core_of(model).parts()["state"]
            assert model.learner.is_consistent(state)
