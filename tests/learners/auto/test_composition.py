"""A portfolio is made of what its composition says, wherever it came from."""

from dataclasses import replace

import numpy as np
import pytest

from costream import CostreamError, dumps, loads
from costream.errors import NotEnoughMemoryError
from costream.learners.auto import composition, members
from costream.learners.auto.composition import Pace
from costream.learners.auto.members import CURRENT, PACES
from helpers.portfolios import ALONE, TAKEN, alone, auto, be_adaptive, curved_stream, state_of
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
    return replace(ALONE, members=tuple(one for one in ALONE.members if one.view not in views))


OTHERS = {
    "twice": twice(ALONE),
    "numbers": replace(
        ALONE, numbers={**ALONE.numbers, "knots": 5, "features": 24, "boosted_trees": 8}
    ),
    "widths": replace(
        ALONE,
        members=(*ALONE.members[:-3], *(replace(one, widest=2) for one in ALONE.members[-3:])),
    ),
    "linear alone": without("splines", "fourier", "leaves"),
    "without splines": without("splines"),
}


def learnt(rows):
    model = auto()
    feed(model, X[:rows], y[:rows], "dense", WEIGHT[:rows])
    return model


def test_the_next_composition_survives_an_array_and_a_header(monkeypatch):
    be_adaptive(monkeypatch)
    model = state_of(auto())
    team = composition.composition_of(model)
    assert composition.restored(composition.header_of(team), team.revision) == team
    assert [one.name for one in team.members] == [one.name for one in CURRENT.members]
    assert team.portfolios == PACES
    assert team.units() == CURRENT.units()
    assert np.array_equal(composition.plan_of(team), composition.plan_of(members.ADAPTIVE))


LINEAR = Pace(300, ("linear",))


@pytest.mark.parametrize(
    ("paces", "what"),
    [
        ((PACES[0],), "the number of portfolios"),
        ((PACES[0], *[LINEAR] * composition.MOST_PORTFOLIOS), "the number of portfolios"),
        ((replace(LINEAR, half_life=5), LINEAR), "the first half-life"),
        *(
            ((PACES[0], replace(LINEAR, half_life=value)), "a half-life")
            for value in (None, 0, -1, 2.0, True, "300", composition.LONGEST + 1)
        ),
        ((PACES[0], replace(LINEAR, views=("linear", "trees"))), "the views of a portfolio"),
        ((PACES[0], LINEAR, replace(LINEAR, views=("leaves",))), "the trees of a portfolio"),
    ],
)
def test_half_lives_that_cannot_be_right(paces, what):
    header = composition.header_of(replace(CURRENT, portfolios=paces))
    with pytest.raises(ValueError, match=f"its composition cannot be right: {what}$"):
        composition.restored(header, CURRENT.revision)


@pytest.mark.parametrize(
    "paces",
    [
        (PACES[0], LINEAR),
        (PACES[0], replace(LINEAR, half_life=1), replace(LINEAR, half_life=composition.LONGEST)),
        (PACES[0], *[LINEAR] * (composition.MOST_PORTFOLIOS - 1)),
    ],
)
def test_other_half_lives(paces, monkeypatch):
    """As many as there may be, as long and as short."""
    with monkeypatch.context() as patch:
        patch.setattr(members, "CURRENT", replace(CURRENT, portfolios=paces))
        model = auto(views=("linear",))
        feed(model, X[:20], y[:20], "dense", WEIGHT[:20])
    other = loads(dumps(model))
    found = composition.composition_of(state_of(other)).portfolios
    assert [one.half_life for one in found] == [one.half_life for one in paces]
    rest = X[20:40], y[20:40], "dense", WEIGHT[20:40]
    assert same_bits(feed(other, *rest), feed(model, *rest))


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
    present = alone()
    feed(present, X, y, "dense", WEIGHT)
    assert not same_bits(model.score_many(X), present.score_many(X))


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
    content = dumps(alone())
    enough = 2 * members.portfolio_bytes(ALONE, 16)
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
