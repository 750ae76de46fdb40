"""What the page calls saved is what `costream compare` and `costream evaluate` call saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from costream.costs.tally import Costs, Tally
from costream.report.numbers import NO_BREAK, cost_text, percent
from costream.report.results import saved_sentences
from costream.serve.messages import Event, Label, Period
from costream.serve.page.words import cheaper_policy, saved_text, verdict
from helpers.commands import compiled_only
from helpers.engines import label, opened, score


@compiled_only
@pytest.mark.parametrize("fp_cost", [5.0, 60.0], ids=["cheap alarms", "dear alarms"])
def test_the_page_saves_what_compare_says_of_the_same_decisions(tmp_path: Path, fp_cost: float) -> None:
    engine = opened(tmp_path)
    flags, truth, costs = [], [], []
    for t in range(300):
        amount = 10.0 + 7.0 * (t % 37)
        event = Event(f"e{t}", {"amount": amount}, fn_cost=amount, fp_cost=fp_cost, tp_cost=1.0)
        [scored] = score(engine, event)
        label(engine, Label(event.id, t % 37 > 30))
        flags.append(scored.answer.flag)  # type: ignore[union-attr]
        truth.append(t % 37 > 30)
        costs.append((amount, fp_cost, 1.0, 0.0))
    given = dict(zip(("fn_cost", "fp_cost", "tp_cost", "tn_cost"), np.array(costs).T, strict=True))
    tally = Tally.of(np.where(flags, 1.0, -1.0), np.array(truth), Costs(), **given)
    total = engine.summary().total
    engine.close()
    assert (total.cost, total.perfect) == pytest.approx((tally.cost, tally.perfect))
    assert total.savings == pytest.approx(tally.savings())
    assert saved_text(total) == cost_text(tally.saved)
    share = percent(tally.savings(), unit=NO_BREAK + "%")
    found = verdict(total)[0]
    assert tally.saved > 0.0
    assert f"saves {cost_text(tally.saved)} against" in found
    assert f"{share} of what perfect decisions would save" in found
    both = "the better constant policy"
    assert both in found
    assert both in saved_sentences(tally.cost, tally.saved, tally.savings(), tally.better_policy)


def test_of_equal_policies_the_page_names_the_one_that_compare_names() -> None:
    total = Period(2, 1, 2, 0, 0.0, 1, 0, 0, 2.0, 10.0, 10.0, 1.0, 1.0, perfect=0.0, savings=0.8)
    equal = Tally(
        positives=1, negatives=1, missed=0, false_alarms=0, costs=Costs(fn_cost=10.0, fp_cost=10.0)
    )
    assert equal.better_policy == "flagging every row"
    assert cheaper_policy(total) == ("flagging everything", 10.0)
