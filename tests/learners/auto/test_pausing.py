"""Who is paused, for how long, and that a pause ends."""

import copy

import numpy as np
import pytest

from costream.learners.auto import layout, pausing, rule
from costream.learners.auto.standings import standings_of
from helpers import places
from helpers.portfolios import TAKEN, alone, curved_stream, new_portfolio, state_of
from helpers.streams import feed

ALL = places.MEMBERS
QUIET = 4  # a unit with next to no influence in these tests


def state(rows=pausing.FIRST, quiet=(QUIET,), slots=3):
    """A portfolio at a row where some units have next to no influence, the others as much each."""
    model = new_portfolio(slots)
    model.clock[layout.ROWS], model.clock[layout.SLOTS] = rows, slots
    for k in range(ALL):
        model.stacker[k + 1] = -1.0 if k % 2 else 1.0
        model.spread[k] = 1e-6 if places.UNIT[k] in quiet else 1.0 / places.UNIT.count(places.UNIT[k])
    return model


def paused_units(model):
    until = model.pauses[layout.UNTIL]
    return np.flatnonzero(until > model.clock[layout.ROWS]).tolist()


def test_who_hardly_matters_is_paused():
    model = state()
    pausing.assess(model, ALL)
    assert paused_units(model) == [QUIET]
    assert model.pauses[layout.UNTIL, QUIET] == pausing.FIRST + pausing.SHORTEST
    pausing.note_pauses(model)
    assert [k for k in range(ALL) if pausing.is_paused(model, k)] == [
        k for k in range(ALL) if places.UNIT[k] == QUIET
    ]


def test_all_that_are_paused_together_matter_little():
    """Units of a twentieth of the whole, less and more."""
    for share, expected in ((0.999 * pausing.LEAST_SHARE, [QUIET]), (1.001 * pausing.LEAST_SHARE, [])):
        model = state(quiet=())
        others = sum(
            pausing.influence(model, unit, ALL) for unit in range(places.UNITS) if unit != QUIET
        )
        for k in range(ALL):
            if places.UNIT[k] == QUIET:
                model.spread[k] = share / (1 - share) * others
        pausing.assess(model, ALL)
        assert paused_units(model) == expected


def test_a_pause_ends_and_the_next_one_is_twice_as_long():
    model = state()
    length = pausing.SHORTEST
    for _ in range(12):
        pausing.assess(model, ALL)
        assert model.pauses[layout.LENGTH, QUIET] == length
        model.clock[layout.ROWS] = model.pauses[layout.UNTIL, QUIET] - 1
        assert paused_units(model) == [QUIET]
        model.clock[layout.ROWS] += 1
        assert paused_units(model) == []
        length = min(2 * length, pausing.LONGEST)
        assert model.clock[layout.ROWS] % pausing.EVERY == 0
    assert length == pausing.LONGEST


def test_who_is_paused_has_no_influence_on_who_is_next():
    model = state(quiet=(3, 4))
    model.pauses[layout.UNTIL, 0] = layout.NO_ROW
    for k in range(ALL):
        model.spread[k] = 1e9 if places.UNIT[k] == 0 else model.spread[k]
    pausing.assess(model, ALL)
    assert paused_units(model) == [0, 3, 4]


@pytest.mark.parametrize(
    "slots", [3, places.NARROWEST + 1, places.FULL_WIDEST + 1, places.DENSE_WIDEST + 1]
)
def test_every_unit_that_takes_part_may_be_paused(slots):
    part = sorted({places.UNIT[k] for k in range(rule.active(new_portfolio(slots), slots))})
    for unit in part if len(part) > 1 else []:
        model = state(quiet=(unit,))
        pausing.assess(model, rule.active(model, slots))
        assert [one for one in paused_units(model) if one in part] == [unit]


# --- in a whole portfolio ---------------------------------------------------------------------------

X, y, WEIGHT = curved_stream(TAKEN + 12, width=3, seed=5)


@pytest.fixture(scope="module")
def grown():
    """A model that has taken over its first trees."""
    model = alone()
    feed(model, X[:TAKEN], y[:TAKEN], "dense", WEIGHT[:TAKEN])
    return model


def learnt_by_member(model, k):
    """All that a member has learnt."""
    state = state_of(model)
    if k < places.DENSE:
        return state.mu[:, k], state.variance[:, k]
    if k < places.SPLINES:
        at = k - places.DENSE
        return state.standardised_mu[at], state.standardised_variance[at]
    if k < places.LEAVES:
        return state.splines_mu[:, k - places.SPLINES], state.splines_variance[:, k - places.SPLINES]
    if k == places.BOOSTED:
        return (state.leaves_value,)
    if k < places.FULL:
        kind = k - places.LEAVES
        part = slice(*(state.root[places.FIRST_TREE[one]] for one in (kind, kind + 1)))
        return state.leaves_mu[part], state.leaves_variance[part]
    if k < places.FOURIER:
        return state.mean[k - places.FULL], state.Sigma[k - places.FULL]
    return state.fourier_mean[k - places.FOURIER], state.fourier_covariance[k - places.FOURIER]


def bits(model, k):
    return b"".join(np.ascontiguousarray(one).tobytes() for one in learnt_by_member(model, k))


@pytest.mark.parametrize("unit", range(places.UNITS))
def test_a_paused_unit_learns_nothing_and_others_as_ever(unit, grown):
    active, paused = copy.deepcopy(grown), copy.deepcopy(grown)
    state_of(paused).pauses[layout.UNTIL, unit] = layout.NO_ROW - 1
    pausing.note_pauses(state_of(paused))
    before = [bits(paused, k) for k in range(ALL)]
    for model in (active, paused):
        feed(model, X[TAKEN:], y[TAKEN:], "dense", WEIGHT[TAKEN:])
    for k in range(ALL):
        if places.UNIT[k] == unit:
            assert bits(paused, k) == before[k]
            assert k == places.BOOSTED or bits(active, k) != before[k]
            assert state_of(paused).work[layout.SCORES, k] == 0.0
        else:
            assert bits(paused, k) == bits(active, k)


def test_who_is_paused_neither_leads_nor_stands_before_others():
    """Who is paused is charged as the portfolio is, and may become cheaper than the leader."""
    model = state()
    model.costs[: ALL + 2] = np.arange(10.0, 10.0 + ALL + 2)
    paused = [k for k in range(ALL) if places.UNIT[k] == QUIET]
    model.costs[paused] = 1.0
    model.pauses[layout.UNTIL, QUIET] = pausing.FIRST + pausing.SHORTEST
    found = standings_of(model)
    assert found.leader.cost == 10.0
    assert [one.paused for one in found.members] == [False] * (ALL + 2 - len(paused)) + [True] * len(
        paused
    )
    assert min(one.cost for one in found.members if not one.paused) == found.leader.cost
