"""What everyone is charged, who leads, and the costs of rows on average: kernel against oracle."""

import numpy as np
import pytest

from costream.learners.auto import decision, layout, pausing
from helpers import places
from helpers.portfolios import new_portfolio
from helpers.streams import assert_close
from reference.auto.decision import NEVER, Ledger

M = places.MEMBERS


def rounds(seed, rows=60, good=3, bias=0.0):
    """Scores of members, one of which knows more, decision scores of the stacker, labels and costs."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], rows, p=[0.8, 0.2])
    scores = rng.normal(size=(rows, M))
    scores[:, good] += 2 * y
    margins = rng.normal(size=rows) + bias
    cost = rng.choice([0.0, 1.0, 3.0, 10.0], rows)
    return scores, margins, y, cost, np.where(y > 0, 4.0, 1.0)


def charged(one, keep=1.0, paused=(), narrow=M):
    """A kernel state and an oracle after the same rounds."""
    model = new_portfolio(3)._replace(keep=keep)
    ledger = Ledger(keep)
    is_paused = np.zeros(M, bool)
    for k in paused:
        model.pauses[layout.UNTIL, places.UNIT[k]] = layout.NO_ROW
        is_paused[[j for j in range(M) if places.UNIT[j] == places.UNIT[k]]] = True
    pausing.note_pauses(model)
    for scores, margin, y, cost, class_cost in zip(*one, strict=True):
        model.work[layout.SCORES, :M], model.work[layout.NOW, layout.MARGIN] = scores, margin
        decision.charge(model, y, cost, class_cost, M, narrow)
        ledger.charge(scores, is_paused, margin, y, cost, class_cost, narrow)
        model.clock[layout.ROWS] += 1
    return model, ledger


@pytest.mark.parametrize("keep", [1.0, 0.9])
@pytest.mark.parametrize("bias", [-3.0, 0.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_charges_and_leader(seed, bias, keep):
    model, ledger = charged(rounds(seed, bias=bias), keep)
    assert_close(model.costs[: NEVER + 1], ledger.costs)
    assert_close(model.spread, ledger.spread)
    assert model.clock[layout.BEST] == ledger.best
    assert model.clock[layout.LEADER] == ledger.leader
    assert model.clock[layout.SINCE] == ledger.since
    for y in (-1.0, 1.0):
        found = decision.relative_cost(model.costs, y, 2.5)
        assert found == pytest.approx(ledger.relative_cost(y, 2.5))
    assert decision.first_odds(model.costs) == pytest.approx(ledger.first_odds(), abs=1e-12)
    assert decision.mean_cost_ratio(model.costs) == pytest.approx(ledger.mean_cost_ratio())


@pytest.mark.parametrize("paused", [(0,), (3, 14), tuple(range(M))])
def test_a_paused_member_pays_what_all_pay_together(paused):
    _, margins, y, cost, _ = one = rounds(1, bias=3.0)
    model, ledger = charged(one, paused=paused)
    whole = np.sum(cost[(margins >= 0) != (y > 0)])
    assert_close(model.costs[: NEVER + 1], ledger.costs)
    units = {places.UNIT[k] for k in paused}
    for k in range(M):
        if places.UNIT[k] in units:
            assert model.costs[k] == whole
    assert model.clock[layout.BEST] == ledger.best


def test_who_takes_no_part_any_more_does_not_lead():
    model, ledger = charged(rounds(0, good=places.FOURIER), narrow=places.NARROW_FULL)
    assert model.clock[layout.BEST] == ledger.best < places.NARROW_FULL
