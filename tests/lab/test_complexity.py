"""The complexity of learners: what is planned, how it is clocked, and what is made of the times."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from costream.lab import complexity
from costream.lab.complexity import (
    Stand,
    Sweep,
    SweepPlan,
    beginning,
    fitted_slope,
    from_json,
    measure,
    panels,
    random_rows,
    run_complexity,
    sweeps,
    sweeps_in,
    to_json,
)
from costream.lab.experiment import Experiment
from costream.lab.store import RESULTS, Store

TINY = [
    SweepPlan("acog-ii", {}, "d", (4, 8), {"s": 2}, "O(d^2)", "O(d^2)", 2, 1e-4),
    SweepPlan("acog-ii-diag", {}, "s", (1, 2, 4), {"d": 8}, "O(d)", "O(s)", 1, 1e-4),
    SweepPlan("sacog-ii", {"k": 1}, "d", (6, 12), {"s": 2, "m": 3}, "O(m^2 d)", "O(m^2 d)", 1, 1e-4),
    SweepPlan("ssacog-ii", {"k": "m"}, "m", (1, 3), {"d": 8, "s": 2}, "O(m^2 + m s)", "", 2, 1e-4),
]
IDS = [plan.learner for plan in TINY]


@pytest.fixture(autouse=True)
def few_entries(monkeypatch):
    monkeypatch.setattr(complexity, "ENTRIES", 64)


def sweep(points, expected=2.0, vary="d", learner="acog-ii", **params):
    fixed = {"d": 64, "s": 4, "m": 5} if params else {"d": 64, "s": 4}
    fixed.pop(vary, None)
    return Sweep(learner, params, vary, points, fixed, "O(d^2)", "O(d^2 + d s)", expected)


def powers(exponent, sizes=(16, 32, 64, 128)):
    return [(size, 1e-9 * size**exponent) for size in sizes]


# --- slopes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.5])
def test_the_slope_of_a_power_is_its_exponent(exponent):
    assert sweep(powers(exponent)).slope == pytest.approx(exponent)


def test_the_slope_is_that_of_the_upper_half():
    lower, upper = [(1, 7.0), (2, 7.0), (4, 7.0)], powers(3, (8, 16, 32, 64))
    assert fitted_slope(lower + upper) == pytest.approx(3.0)


def test_the_slope_is_a_least_squares_fit():
    x = np.array([1.0, 2.0, 3.0])
    points = list(zip(np.exp(x), np.exp([1.0, 4.0, 4.0]), strict=True))
    expected = np.polyfit(x[1:], [4.0, 4.0], 1)[0]
    assert fitted_slope(points) == pytest.approx(expected)


@pytest.mark.parametrize("points", [[], [(8, 1.0)], [(8, 1.0), (8, 2.0)]])
def test_too_few_points_have_no_slope(points):
    assert math.isnan(fitted_slope(points))


def test_a_bend_is_where_the_time_leaves_its_power():
    points = [*powers(2, (16, 32, 64)), (128, 2.5e-9 * 128**2), (256, 2.5e-9 * 256**2)]
    assert sweep(points).bend == 128


@pytest.mark.parametrize(
    ("points", "expected"), [(powers(2), 2.0), ([(1, 9.0), *powers(2)], 2.0), (powers(3), None)]
)
def test_no_bend_in_a_power_nor_at_its_slow_beginning(points, expected):
    assert sweep(points, expected).bend is None


# --- the plan ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [False, True])
def test_the_plan_covers_what_is_claimed(quick):
    found = {(plan.learner, plan.params.get("k"), plan.vary): plan for plan in sweeps(quick)}
    sketches = [(name, k) for name in ("sacog-ii", "ssacog-ii") for k in (1, "m")]
    learners = [("acog-ii", None), ("acog-ii-diag", None), *sketches]
    wanted = {(*one, vary) for vary in "ds" for one in learners} | {(*one, "m") for one in sketches}
    assert set(found) == wanted


def test_exponents_are_those_of_the_paper():
    claims = {
        (plan.learner, plan.params.get("k"), plan.vary): (plan.claim, plan.expected)
        for plan in sweeps()
    }
    assert claims["acog-ii", None, "d"] == ("O(d^2)", 2)
    assert claims["sacog-ii", 1, "m"] == ("O(m^2 d)", 2)
    assert claims["sacog-ii", "m", "d"] == ("O(m d)", 1)
    assert claims["ssacog-ii", 1, "m"] == ("O(m^3 + m s)", 3)
    assert claims["ssacog-ii", "m", "m"] == ("O(m^2 + m s)", 2)
    assert claims["ssacog-ii", 1, "d"][1] == 0


@pytest.mark.parametrize("quick", [False, True])
def test_every_size_can_be_had(quick):
    for plan in sweeps(quick):
        assert len(plan.values) >= 4
        for value in plan.values:
            sizes = {"m": 1, **plan.fixed, plan.vary: value}
            assert max(sizes["s"], sizes["m"]) <= sizes["d"]


def test_a_quick_plan_is_a_part_of_the_full_one():
    for small, full in zip(sweeps(quick=True), sweeps(), strict=True):
        assert set(small.values) < set(full.values)


def test_points_have_keys_of_their_own():
    keys = [key for plan in (*sweeps(), *sweeps(quick=True)) for key in plan.point_keys()]
    assert len(set(keys)) == len(keys)


# --- the clock ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("plan", TINY, ids=IDS)
def test_measuring_gives_a_time_for_each_size(plan):
    found = measure(plan, repeat=2)
    assert [size for size, _ in found.points] == list(plan.values)
    assert all(0 < seconds < math.inf for _, seconds in found.points)
    assert (found.learner, found.params, found.vary) == (plan.learner, plan.params, plan.vary)
    assert (found.claim, found.expected, found.fixed) == (plan.claim, plan.expected, plan.fixed)


@pytest.mark.parametrize("plan", TINY, ids=IDS)
def test_every_row_is_an_update(plan):
    stand = Stand(plan, plan.values[-1])
    stand.pass_once()
    before = stand.model.weights().copy()
    for t in range(stand.k):
        row = random_rows(1, len(before), 2)._replace(label=np.array([1.0 if t % 2 else -1.0]))
        stand._learn(row)
        after = stand.model.weights().copy()
        assert (after != before).any()
        before = after


def test_sigma_is_dense_before_the_clock_starts():
    assert Stand(TINY[0], 8).model.Sigma.all()


@pytest.mark.parametrize(("plan", "k"), [(TINY[2], 1), (TINY[3], 3)], ids=["k = 1", "k = m"])
def test_a_sketch_is_full_before_the_clock_starts(plan, k):
    stand = Stand(plan, plan.values[-1])
    assert (stand.model.clock[1], stand.model.k) == (3, k)


def test_the_sketch_is_updated_once_in_each_round_of_k():
    stand = Stand(TINY[3], 3)
    assert len(stand.rows.label) % 3 == 0


def test_an_implicit_sketch_is_not_rebased():
    """A re-base would leave F close to I."""
    stand = Stand(TINY[3], 3)
    for _ in range(5):
        stand.pass_once()
        assert np.abs(stand.model.F - np.eye(3)).max() > 0.01


def test_rows_have_their_nonzeros_and_length_one():
    x = random_rows(50, 10, 4)
    index = x.index.reshape(50, 4)
    assert (np.diff(index.astype(int), axis=1) > 0).all()
    assert index.max() == 9
    squares = (x.value.reshape(50, 4) * x.scale[:, None]) ** 2
    assert squares.sum(axis=1) == pytest.approx(np.ones(50))
    assert set(x.label) == {-1.0, 1.0}


def test_a_dense_row_has_every_feature():
    assert random_rows(1, 5, 5).index.tolist() == [0, 1, 2, 3, 4]


def test_a_beginning_is_never_longer_than_the_rows():
    x = random_rows(6, 8, 2)
    assert [len(beginning(x, n).label) for n in (0, 4, 9)] == [0, 4, 6]
    assert beginning(x, 4).start.tolist() == [0, 2, 4, 6, 8]


# --- results -----------------------------------------------------------------------------------------


def test_json_and_back():
    found = sweep(powers(2), k="m")
    assert from_json(json.loads(json.dumps(to_json(found)))) == found


def test_a_panel_for_each_size_and_one_for_the_memory():
    found = [sweep(powers(2)), sweep(powers(1), 1.0, "s"), sweep(powers(3), 3.0, "m", "ssacog-ii", k=1)]
    assert [panel.x_label for panel in panels(found)] == [
        "features d",
        "nonzeros a row s",
        "size of the sketch m",
        "memory of the model, MiB",
    ]


def test_times_are_shown_in_microseconds():
    (panel,) = panels([sweep([(2, 1e-6), (4, 3e-6)], 1.0, "s")])
    assert (list(panel.lines[0].x), list(panel.lines[0].y)) == ([2, 4], pytest.approx([1.0, 3.0]))
    assert panel.y_label.endswith("\N{MICRO SIGN}s")


def test_guides_have_the_slopes_that_are_expected():
    (panel,) = panels([sweep(powers(3), 3.0, "m", "ssacog-ii", k=1), sweep(powers(0), 0.0, "m", k=1)])
    (guide,) = [line for line in panel.lines if line.name.startswith("slope")]
    assert guide.name == "slope 3"
    assert math.log(guide.y[1] / guide.y[0], guide.x[1] / guide.x[0]) == pytest.approx(3.0)


def test_the_memory_panel_is_flat_where_the_power_holds():
    memory = panels([sweep(powers(2), 2.0)])[-1].lines[0]
    assert list(memory.y) == pytest.approx([1.0] * 4)
    assert memory.x[0] == pytest.approx(8 * 16 * 18 / 2**20)


def test_lines_of_a_sketch_say_how_often_it_is_updated():
    found = [sweep(powers(1), 1.0, "m", "ssacog-ii", k=k) for k in (1, "m")]
    assert [one.name for one in found] == ["ssacog-ii, k = 1", "ssacog-ii, k = m"]


def test_nothing_measured_is_nothing_drawn():
    assert panels([]) == []


# --- the store ---------------------------------------------------------------------------------------


@pytest.fixture
def few_sweeps(monkeypatch):
    monkeypatch.setattr(complexity, "sweeps", lambda _: TINY[:2])
    return Experiment("speed", "Speed", "complexity")


def test_what_is_measured_is_kept(few_sweeps, tmp_path):
    called = []
    assert run_complexity(few_sweeps, Store(tmp_path), lambda: called.append(1)) == 5
    assert len(called) == 2
    store = Store(tmp_path)
    assert run_complexity(few_sweeps, store, lambda: None) == 0
    found = sweeps_in(few_sweeps, store)
    assert [[size for size, _ in one.points] for one in found] == [[4, 8], [1, 2, 4]]


def test_results_hold_no_times(few_sweeps, tmp_path):
    for folder in ("one", "two"):
        run_complexity(few_sweeps, Store(tmp_path / folder), lambda: None)
    one, two = ((tmp_path / folder / f"speed{RESULTS}").read_bytes() for folder in ("one", "two"))
    assert one == two


def test_a_time_that_is_lost_is_measured_again(few_sweeps, tmp_path):
    run_complexity(few_sweeps, Store(tmp_path), lambda: None)
    (tmp_path / "speed.times.jsonl").unlink()
    assert run_complexity(few_sweeps, Store(tmp_path), lambda: None) == 5
    assert all(one.points for one in sweeps_in(few_sweeps, Store(tmp_path)))


def test_another_setting_is_another_point():
    plan = TINY[2]
    assert set(plan.point_keys()).isdisjoint(replace(plan, params={"k": "m"}).point_keys())
