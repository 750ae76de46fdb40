"""Turns: how long portfolios rest, who wakes them, and what a rise of the loss is."""

from dataclasses import replace

import numpy as np
import pytest

from costream.learners import make_learner
from costream.learners.auto import layout, mixture, turns
from costream.learners.auto.portfolios import (
    HOLDS_UNTIL,
    LEADING,
    LEARNS,
    LED_SINCE,
    LOSS,
    PHASE,
    REST,
    RESTS,
    SHARE,
    TAKES_PART,
    TRENDS,
    portfolio,
)
from costream.learners.auto.standings import half_life_words
from costream.report.leaders import Lead, half_life_caption
from helpers.commands import in_process
from helpers.comparisons import comparison, entry
from helpers.portfolios import alone, auto, be_adaptive, curved_stream, state_of
from helpers.streams import feed, same_bits

G = 2  # the portfolio that these tests look at


@pytest.fixture(autouse=True)
def adaptive(monkeypatch):
    be_adaptive(monkeypatch)


def taking_part(rows=turns.FIRST, share=0.0):
    """Portfolios after some rows, of which one has a share and the others have equal ones."""
    model = make_learner("auto").state(3)
    model.clock[layout.ROWS], model.other_clock[:, layout.ROWS] = rows, rows
    model.mixture[LOSS] = 1.0
    others = model.mixture.shape[1] - 1
    model.mixture[SHARE] = (1.0 - share) / others
    model.mixture[SHARE, G] = share
    return model


def later(model, rows):
    model.clock[layout.ROWS] = rows
    turns.take_turns(model)


def state_at(model):
    return model.turns[[PHASE, HOLDS_UNTIL, REST], G].tolist()


def test_nobody_rests_before_all_have_had_a_chance():
    model = taking_part()
    later(model, turns.FIRST - turns.EVERY)
    assert (model.turns[PHASE] == TAKES_PART).all()
    later(model, turns.FIRST - 1)
    later(model, turns.FIRST + 1)
    assert (model.turns[PHASE] == TAKES_PART).all()
    later(model, turns.FIRST)
    assert state_at(model) == [RESTS, turns.FIRST + turns.SHORTEST, turns.SHORTEST]


@pytest.mark.parametrize(
    ("share", "phase"), [(0.999 * turns.LEAST_SHARE, RESTS), (turns.LEAST_SHARE, TAKES_PART)]
)
def test_who_has_a_share_does_not_rest(share, phase):
    model = taking_part(share=share)
    later(model, turns.FIRST)
    assert model.turns[PHASE, G] == phase
    assert model.mixture[SHARE].sum() == pytest.approx(1.0)


def test_the_share_of_who_rests_is_that_of_the_first():
    model = taking_part(share=0.01)
    before = model.mixture[SHARE, 0]
    later(model, turns.FIRST)
    assert model.mixture[[LOSS, SHARE], G].tolist() == [0.0, 0.0]
    assert model.mixture[SHARE, 0] == before + 0.01


def cycle(model):
    """From the beginning of a rest through the trial after it; how long it rested."""
    rows = int(model.clock[layout.ROWS])
    phase, wakes, length = state_at(model)
    assert (phase, wakes) == (RESTS, rows + length)
    later(model, wakes - turns.EVERY)
    assert model.turns[PHASE, G] == RESTS
    later(model, wakes)
    until = wakes + int(turns.CAUGHT_UP * model.paces[1, G])
    assert state_at(model) == [LEARNS, until, length]
    at = -(-until // turns.EVERY) * turns.EVERY
    later(model, at)
    trial = min(max(int(model.paces[1, G]), turns.SHORTEST_TRIAL), turns.LONGEST_TRIAL)
    assert state_at(model) == [TAKES_PART, at + trial, length]
    later(model, at + trial)
    return length


def test_each_rest_is_twice_as_long_as_the_one_before():
    model = taking_part()
    later(model, turns.FIRST)
    found = [cycle(model) for _ in range(9)]
    doubled = [turns.SHORTEST * 2**k for k in range(9)]
    assert found == [min(one, turns.LONGEST) for one in doubled]
    assert found[-1] == turns.LONGEST < doubled[-1]


def test_nobody_rests_on_a_stream_that_changes_and_all_rest_as_shortly_as_at_first():
    model = taking_part()
    model.turns[REST, 1:] = turns.LONGEST
    model.mixture[SHARE] = 0.0
    model.mixture[SHARE, G] = 1.0
    later(model, turns.FIRST)
    assert (model.turns[PHASE] == TAKES_PART).all()
    assert not model.turns[REST].any()
    assert model.trend[[LEADING, LED_SINCE]].tolist() == [G, turns.FIRST]
    later(model, turns.FIRST + turns.EVERY)
    assert model.trend[LED_SINCE] == turns.FIRST


def test_a_rise_wakes_all_and_nobody_rests(monkeypatch):
    model = taking_part()
    model.mixture[SHARE] = [1.0, 0.0, 0.0, 0.0]
    later(model, turns.FIRST)
    assert (model.turns[PHASE, 1:] == RESTS).all()
    monkeypatch.setattr(turns, "has_risen", lambda _: True)
    at = turns.FIRST + turns.EVERY
    later(model, at)
    assert state_at(model) == [LEARNS, at + int(turns.CAUGHT_UP * model.paces[1, G]), 0]
    assert (model.turns[PHASE, 1:] == LEARNS).all()
    assert portfolio(model, 1).clock[layout.GROW_AT] == at
    model = taking_part()
    later(model, turns.FIRST)
    assert (model.turns[PHASE] == TAKES_PART).all()


@pytest.mark.parametrize(
    "losses", [(9.0, 2.0, 0.0, 30.0), (9.0, 20.0, 0.0, 3.0), (1.0, 5.0, 90.0, 5.0)]
)
def test_a_trial_begins_with_the_share_of_the_best_but_for_the_preference(losses):
    """What it had lost before it rested does not count."""
    model = taking_part()
    model.mixture[LOSS] = losses
    model.turns[PHASE, G] = LEARNS
    later(model, turns.FIRST)
    mixture.share_out(model)
    shares = model.mixture[SHARE]
    best = np.delete(shares, G).max()
    assert shares[G] == pytest.approx(best * np.exp(-mixture.PREFERENCE))


def test_trees_grow_anew_once_those_that_are_growing_are_taken_over():
    """Else the row of both events would be another one in a batch."""
    model = taking_part()
    clock = portfolio(model, 1).clock
    clock[layout.BEGAN], clock[layout.TAKE_AT] = turns.FIRST, turns.FIRST + 200
    turns.rest(model, 1, turns.FIRST)
    assert clock[layout.GROW_AT] == layout.NO_ROW
    turns.wake(model, 1, turns.FIRST + turns.EVERY)
    assert clock[layout.GROW_AT] == turns.FIRST + 201


def test_a_portfolio_without_a_sample_wakes_without_trees():
    """As where rows have become too wide."""
    model = taking_part()
    model = model._replace(recent_sample=model.recent_sample[:0])
    portfolio(model, 1).clock[layout.GROW_AT] = layout.NO_ROW
    turns.wake(model, 1, turns.FIRST)
    assert portfolio(model, 1).clock[layout.GROW_AT] == layout.NO_ROW


def test_who_does_not_learn_trees_wakes_without_them():
    model = make_learner("auto", views=("linear", "splines")).state(3)
    turns.wake(model, 1, turns.FIRST)
    assert portfolio(model, 1).clock[layout.GROW_AT] == layout.NO_ROW


# --- what is said of it -------------------------------------------------------------------------------


@pytest.fixture
def model():
    """A model that has learnt a few rows, at all half-lives."""
    X, y, weight = curved_stream(30)
    found = auto()
    feed(found, X, y, "csr", weight)
    return found


def test_standings_say_at_which_half_life_a_model_lives(model):
    state_of(model).trend[[LEADING, LED_SINCE]] = 1, 20
    found = model.standings()
    assert [one.rows for one in found.half_lives] == [None, 320, 3000, 30]
    assert sum(one.share for one in found.half_lives) == pytest.approx(1.0)
    assert (found.half_life, found.half_life_since) == (320, 20)
    assert half_life_words(found) == "rows count half after 320 more, since row 20"


def test_inspect_shows_the_half_lives(model, tmp_path):
    turns.rest(state_of(model), 3, 20)
    model.save(tmp_path / "model.costream")
    printed = in_process("inspect", tmp_path / "model.costream").stdout
    assert "half life  " in printed
    assert ["30", "rows", "rests"] in [line.split() for line in printed.splitlines()]


def test_a_report_says_when_a_stream_has_changed():
    one = replace(entry("auto", 0.1), half_lives=[None, 320, 320])
    found = replace(comparison([one]), places=[10, 20, 30])
    text = half_life_caption(found, Lead(one, []))
    assert "counts rows half after 320 more, since row 20 or a little before" in text
    chosen = replace(one, half_lives=[320] * 3, settings={"half_life": 320})
    assert half_life_caption(found, Lead(chosen, [])) == ""


def test_the_variance_is_that_of_the_portfolio_that_never_forgets(model):
    X, y, weight = curved_stream(30)
    one = alone()
    feed(one, X, y, "csr", weight)
    assert same_bits(model.variance_many(X), one.variance_many(X))


# --- a rise of the loss -------------------------------------------------------------------------------


def alarms(losses):
    """The rows after which the loss has risen, at turns."""
    model, found = taking_part(), []
    model = model._replace(trend=np.zeros(TRENDS))
    for t, loss in enumerate(losses, start=1):
        mixture.follow(model.trend, loss, t - 1)
        if t % turns.EVERY == 0 and turns.has_risen(model):
            found.append(t)
    return np.array(found)


def test_a_loss_that_stays_does_not_rise_and_one_that_rises_is_found_soon():
    """Rows differ, as they do; six standard errors are far."""
    rng = np.random.default_rng(0)
    still = rng.exponential(0.3, 12_000)
    found = alarms(np.append(still, rng.exponential(0.6, 1_000)))
    assert not np.any(found <= len(still))
    assert np.any((found > len(still)) & (found <= len(still) + 4 * turns.EVERY))


def test_a_loss_that_falls_is_no_alarm():
    found = alarms(np.append(np.full(12_000, 0.5), np.full(2_000, 0.1)))
    assert not len(found)
