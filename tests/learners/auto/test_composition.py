"""A portfolio is made of what its composition says, wherever it came from."""

from dataclasses import replace

import numpy as np
import pytest

from costream import CostreamError, dumps, loads
from costream.errors import NotEnoughMemoryError
from costream.learners.auto import composition, members
from costream.learners.auto.members import CURRENT
from helpers.portfolios import TAKEN, auto, curved_stream, state_of
from helpers.streams import feed, same_bits

X, y, WEIGHT = curved_stream(TAKEN + 6, width=3, seed=4)
LANES = ("mu", "standardised_mu", "mean", "splines_mu")  # Fourier features of two members differ


def twice(team):
    """Every member twice, but those of leaves."""
    members = [one for one in team.members for _ in range(1 if one.view == "leaves" else 2)]
    units = [one.unit or f"{one.name}, {one.widest}" for one in members]
    members = [replace(one, unit=unit) for one, unit in zip(members, units, strict=True)]
    return replace(team, members=tuple(members))


def without(*views):
    """A composition without the members of some views."""
    return replace(CURRENT, members=tuple(one for one in CURRENT.members if one.view not in views))


OTHERS = {
    "twice": twice(CURRENT),
    "numbers": replace(
        CURRENT, numbers={**CURRENT.numbers, "knots": 5, "features": 24, "boosted_trees": 8}
    ),
    "widths": replace(
        CURRENT,
        members=(*CURRENT.members[:-3], *(replace(one, widest=2) for one in CURRENT.members[-3:])),
    ),
    "linear alone": without("splines", "fourier", "leaves"),
    "without splines": without("splines"),
}


def learnt(rows):
    model = auto()
    feed(model, X[:rows], y[:rows], "dense", WEIGHT[:rows])
    return model


def test_the_present_composition_survives_an_array_and_a_header():
    model = state_of(auto())
    team = composition.composition_of(model)
    assert composition.restored(composition.header_of(team), team.revision) == team
    assert [one.name for one in team.members] == [one.name for one in CURRENT.members]
    assert team.units() == CURRENT.units()
    assert np.array_equal(composition.plan_of(team), composition.plan_of(CURRENT))


@pytest.mark.parametrize("name", OTHERS)
def test_a_model_of_another_composition_is_saved_and_goes_on(name, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(members, "CURRENT", OTHERS[name])
        model = learnt(TAKEN)
    other = loads(dumps(model))
    rest = X[TAKEN:], y[TAKEN:], "dense", WEIGHT[TAKEN:]
    assert same_bits(feed(other, *rest), feed(model, *rest))
    assert same_bits(state_of(other).stacker, state_of(model).stacker)
    assert composition.composition_of(state_of(other)).numbers == OTHERS[name].numbers
    found = {one.name for one in other.standings().members}
    assert {one.name for one in OTHERS[name].members} < found
    assert not same_bits(model.score_many(X), learnt(len(X)).score_many(X))


def test_members_that_are_there_twice_learn_the_same(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(members, "CURRENT", OTHERS["twice"])
        state = state_of(learnt(40))
    for name in LANES:
        lanes = getattr(state, name)
        lanes = lanes.T if name in ("mu", "splines_mu") else lanes
        assert np.any(lanes)
        assert same_bits(lanes[::2], lanes[1::2])


def test_a_file_needs_the_memory_of_its_own_composition(monkeypatch):
    """Later portfolios may be larger: an old one is read, and grows, where a new one has no space."""
    content = dumps(auto())
    enough = 2 * members.portfolio_bytes(CURRENT, 16)
    monkeypatch.setattr(members, "CURRENT", OTHERS["twice"])
    monkeypatch.setattr("costream.learners.states.memory", lambda: enough)
    with pytest.raises(NotEnoughMemoryError):
        auto()
    feed(loads(content), X[:20], y[:20], "dense", WEIGHT[:20])


def test_a_composition_that_is_far_too_large_is_refused(monkeypatch):
    """What a file says is not made before it is known to be of a reasonable size."""
    content = dumps(auto())
    monkeypatch.setattr("costream.learners.auto.LARGEST", 0.5)
    with pytest.raises(CostreamError, match="too large"):
        loads(content)
