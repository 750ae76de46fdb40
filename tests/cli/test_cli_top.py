"""``costream score --top`` and ``--per``: the rows with most money at stake."""

import csv

import numpy as np
import pytest

from costream.cli.scored import Top
from costream.costs.rows import FourCosts
from costream.evaluation.deciding import Decided
from helpers.commands import compiled_only, scored, succeed

pytestmark = compiled_only
COSTS = ("--fn-cost-column", "loss", "--fp-cost", 5, "--tp-cost", 2, "--tn-cost", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("top")
    rng = np.random.default_rng(0)
    with open(folder / "rows.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["payment", "customer", "amount", "loss", "label"])
        for t in range(300):
            label = int(rng.random() < 0.3)
            amount = float(rng.normal(1.5 * label, 1))
            customer = "" if t % 50 == 7 else f"c{rng.integers(12)}"
            rows.writerow([f"p{t}", customer, amount, 3 + 40 * float(rng.random()), label])
    train = ("train", folder / "rows.csv", "--ignore", "payment", "--ignore", "customer")
    succeed(*train, *COSTS, "-o", folder / "model")
    succeed(*train, "--ignore", "loss", "-o", folder / "sum")
    return folder


def at_stake(row):
    return float(row["expected_cost_pass"]) - float(row["expected_cost_flag"])


def command(folder, *options):
    return (folder / "rows.csv", "-m", folder / "model", "--id", "payment", *options)


def by_hand(folder, *options):
    return sorted(scored(*command(folder, *options)), key=at_stake, reverse=True)


def test_the_rows_with_most_money_at_stake_come_first(folder):
    assert scored(*command(folder, "--top", 20)) == by_hand(folder)[:20]


def best_of_each(rows):
    best = {}
    for row in rows:
        best.setdefault(row["customer"], row)
    return list(best.values())


@pytest.mark.parametrize("top", [None, 5])
def test_each_value_of_a_column_has_one_row(folder, top):
    expected = best_of_each(by_hand(folder, "--keep-columns", "customer"))
    assert len(expected) == 13
    options = () if top is None else ("--top", top)
    assert scored(*command(folder, "--per", "customer", *options)) == expected[:top]


def test_rows_are_decided_before_they_are_learnt(folder, tmp_path):
    found = []
    for name, options in (("all", ()), ("top", ("--top", 7))):
        (tmp_path / name).write_bytes((folder / "model").read_bytes())
        learnt = (folder / "rows.csv", "-m", tmp_path / name, "--learn", "--explain", 1)
        found.append(scored(*learnt, "--id", "payment", *options))
    assert found[1] == sorted(found[0], key=at_stake, reverse=True)[:7]
    assert (tmp_path / "all").read_bytes() == (tmp_path / "top").read_bytes()


def decided(scores):
    scores = np.asarray(scores, float)
    return Decided(
        scores, scores, FourCosts(*(np.full(len(scores), one) for one in (3.0, 1.0, 0.0, 0.0)))
    )


@pytest.mark.parametrize("per", [None, "x"])
def test_no_more_rows_are_in_memory_than_are_kept(per):
    rng = np.random.default_rng(1)
    top = Top(10, per)
    for _ in range(20):
        top.add(decided(rng.normal(size=50)), {"x": rng.integers(0, 40, 50).tolist()})
        assert len(top) <= 10
