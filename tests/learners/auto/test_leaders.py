"""What runs and commands report about a portfolio: its leaders, their costs, its probabilities."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import Cost, OnlineClassifier, WeightedAccuracy
from costream.costs.rows import NO_COSTS, GivenCosts
from costream.costs.tally import Costs
from costream.datasets.dataset import Dataset
from costream.evaluation.comparing import Task, compare_learners
from costream.evaluation.runs import permutations, run_once, standings_at
from costream.learners.auto.members import CONSTANT, TEAM
from costream.model.classifier import core_of
from costream.tables.arrays import as_batch
from helpers.commands import compiled_only
from helpers.streams import same_bits, stream

pytestmark = compiled_only  # runs and commands
COSTS = Costs(fn_cost=4.0, fp_cost=0.5)
PLACES = [1, 2, 9, 20, 33, 40]
WIDTH = 12
NAMES = [f"column {n}" for n in range(WIDTH)]
OBJECTIVES = {
    "sum": WeightedAccuracy(),
    "fading sum": WeightedAccuracy(half_life=7),
    "cost": Cost(4.0, 0.5),
}


def leaders_at(model, data, places):
    return [one.leader.name for one in standings_at(model, data, places)]


def data_of(names=None, costs=False):
    X, y = stream(3, rows=40, width=WIDTH)
    rng = np.random.default_rng(0)
    own = [rng.integers(1, 9, len(y)).astype(float) for _ in range(2)] if costs else []
    return Dataset(as_batch(csr_array(X)), names, y > 0, GivenCosts(*own))


def auto(objective=None, **settings):
    return OnlineClassifier("auto", objective or Cost(4.0, 0.5), **settings)


def learn(model, data):
    costs = data.costs if model.objective.name == "cost" else NO_COSTS  # the sum has none
    return core_of(model).learn_rows(data.rows, data.positive, costs=costs, names=data.names)


def all_of(model, data):
    """All that a model has learnt, as far as it tells."""
    member_costs = [one.cost for one in model.standings().members]
    names = data.names
    predictions = (
        model.score_many(data.rows, names=names),
        model.predict_proba_many(data.rows, names=names),
    )
    return np.concatenate([model.coef_, model.counts, member_costs, *predictions])


# --- runs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
@pytest.mark.parametrize("names", [None, NAMES], ids=["numbers", "names"])
def test_leaders_at_places_are_those_of_a_model_that_learns_row_by_row(names, objective):
    data = data_of(names, costs=True)
    model, expected = auto(objective), []
    for t in range(len(data)):
        learn(model, data.part(t, t + 1))
        expected.append(model.standings().leader.name)
    wanted = [expected[place - 1] for place in PLACES]
    assert len(set(wanted)) > 1
    assert run_once(auto(objective), data, COSTS, PLACES).leaders == wanted


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
@pytest.mark.parametrize("names", [None, NAMES], ids=["numbers", "names"])
def test_rows_learnt_in_parts_give_the_same_bits(names, objective):
    data = data_of(names, costs=True)
    whole, parts = auto(objective), auto(objective)
    learn(whole, data)
    leaders_at(parts, data, PLACES)
    assert same_bits(all_of(parts, data), all_of(whole, data))


def test_looking_who_leads_changes_nothing_else():
    data = data_of(costs=True)
    model, other = auto(), auto()
    watched = run_once(model, data, COSTS, PLACES)
    alone = run_once(other, data, COSTS, PLACES, watch=False)
    assert (watched.tally, watched.curve) == (alone.tally, alone.curve)
    assert same_bits(all_of(model, data), all_of(other, data))


@pytest.mark.parametrize("width", [12, 100, 400, 600])
def test_members_that_rest_have_no_bill(width):
    """Rows that are too wide for some full covariances, for all of them, for standardised rows too."""
    rows = as_batch(csr_array(([1.0, 1.0], ([0, 1], [0, width - 1])), shape=(2, width)))
    run = run_once(auto(), Dataset(rows, None, np.array([True, False])), COSTS, [1, 2])
    active = {one.name for one in TEAM if one.widest > width}
    assert set(run.member_costs) == {*active, *CONSTANT}


# --- comparisons ------------------------------------------------------------------------------------


def test_a_comparison_has_the_leaders_of_the_first_run():
    data = data_of()
    runs = [data.take(order) for order in permutations(len(data), 2, seed=1)]
    task = Task("", "", data, [lambda run=run: run for run in runs], lambda _: Cost(), COSTS)
    builds = {"auto": auto, "perceptron": lambda objective: OnlineClassifier("perceptron", objective)}
    found = compare_learners(task, builds, lambda: None)
    first, second = (leaders_at(auto(Cost()), run, found.places) for run in runs)
    leaders = {entry.name: entry.leaders for entry in found.entries}
    assert first != second
    assert leaders.pop("auto") == first
    assert not any(leaders.values())
