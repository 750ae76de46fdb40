"""What everyone is charged, who leads, and the costs of rows on average: kernel against oracle."""

import numpy as np
import pytest

from costream.learners.auto import Auto, decision, layout, resting
from helpers import places
from helpers.streams import assert_close
from reference.auto.decision import NEVER, Ledger

M = places.MEMBERS


def rounds(seed, rows=60, good=3, bias=0.0):
    """Scores of members, one of which knows more, the council's margins, labels and costs."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], rows, p=[0.8, 0.2])
    scores = rng.normal(size=(rows, M))
    scores[:, good] += 2 * y
    margins = rng.normal(size=rows) + bias
    cost = rng.choice([0.0, 1.0, 3.0, 10.0], rows)
    return scores, margins, y, cost, np.where(y > 0, 4.0, 1.0)


def judged(one, keep=1.0, asleep=(), narrow=M):
    """A kernel state and an oracle after the same rounds."""
    model = Auto().state(3)._replace(keep=keep)
    ledger = Ledger(keep)
    awake = np.ones(M, bool)
    for k in asleep:
        model.pauses[layout.UNTIL, places.UNIT[k]] = layout.NO_ROW
        awake[[j for j in range(M) if places.UNIT[j] == places.UNIT[k]]] = False
    resting.wake(model)
    for scores, margin, y, cost, flat in zip(*one, strict=True):
        model.work[layout.SCORES, :M], model.work[layout.NOW, layout.MARGIN] = scores, margin
        decision.judge(model, y, cost, flat, M, narrow)
        ledger.judge(scores, awake, margin, y, cost, flat, narrow)
        model.clock[layout.ROWS] += 1
    return model, ledger


@pytest.mark.parametrize("keep", [1.0, 0.9])
@pytest.mark.parametrize("bias", [-3.0, 0.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_charges_and_leader(seed, bias, keep):
    model, ledger = judged(rounds(seed, bias=bias), keep)
    assert_close(model.costs[: NEVER + 1], ledger.costs)
    assert_close(model.spread, ledger.spread)
    assert model.clock[layout.BEST] == ledger.best
    assert model.clock[layout.LEADER] == ledger.leader
    assert model.clock[layout.SINCE] == ledger.since
    for y in (-1.0, 1.0):
        found = decision.flat_cost(model.costs, y, 2.5)
        assert found == pytest.approx(ledger.flat_cost(y, 2.5))
    assert decision.first_odds(model.costs) == pytest.approx(ledger.first_odds(), abs=1e-12)
    assert decision.mean_stake(model.costs) == pytest.approx(ledger.mean_stake())


@pytest.mark.parametrize("asleep", [(0,), (3, 14), tuple(range(M))])
def test_who_rests_pays_what_the_council_pays(asleep):
    _, margins, y, cost, _ = one = rounds(1, bias=3.0)
    model, ledger = judged(one, asleep=asleep)
    council = np.sum(cost[(margins >= 0) != (y > 0)])
    assert_close(model.costs[: NEVER + 1], ledger.costs)
    units = {places.UNIT[k] for k in asleep}
    for k in range(M):
        if places.UNIT[k] in units:
            assert model.costs[k] == council
    assert model.clock[layout.BEST] == ledger.best


def test_who_takes_no_part_any_more_does_not_lead():
    model, ledger = judged(rounds(0, good=places.FOURIER), narrow=places.NARROW_FULL)
    assert model.clock[layout.BEST] == ledger.best < places.NARROW_FULL
