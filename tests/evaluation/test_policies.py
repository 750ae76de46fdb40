"""The one rule for the better constant policy: tallies, comparisons and the lab agree."""

import numpy as np
import pytest

from costream.costs.policies import POLICIES, best_of
from costream.costs.tally import Costs, Tally
from costream.evaluation.results import Comparison, Entry


@pytest.mark.parametrize("fn_cost", [0.5, 9.0])
def test_savings_are_measured_with_the_better_policy(fn_cost):
    costs, positive = Costs(fn_cost=fn_cost, fp_cost=1.0), np.array([True, False, False, False])
    policies = {
        name: Tally.of(np.full(4, score), positive, costs).cost
        for name, score in zip(POLICIES, (1.0, -1.0), strict=True)
    }
    tally = Tally.of(np.array([-1.0, 1.0, -1.0, -1.0]), positive, costs)
    assert tally.savings() == 1.0 - tally.cost / policies[best_of("cost", policies)]


def entry(name, value):
    return Entry(name, {}, {"cost": value}, {}, [])


def compared(*entries):
    return Comparison("", "", "cost", {}, 4, 1, 1, [], list(entries))


def test_a_learner_is_useful_if_it_beats_the_better_policy():
    found = compared(entry("a", 1.0), entry(POLICIES[1], 2.0), entry("b", 2.0), entry(POLICIES[0], 3.0))
    assert found.better_policy.name == POLICIES[1]
    assert [found.is_useful(found.entries[n]) for n in (0, 2)] == [True, False]
