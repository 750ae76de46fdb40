"""Comparisons made by hand, their page, and its parts."""

import math
from dataclasses import replace

from costream.costs.policies import POLICIES
from costream.evaluation.results import Comparison, Entry
from costream.learners import LEARNERS
from costream.report.comparison import render
from helpers.pages import tree

NAN = math.nan
PLACES = [25, 50, 75, 100]


def entry(name, value, curve=None, settings=None, baseline=False):
    """An entry whose numbers are all made of one value from 0 (good) to 1 (bad)."""
    mean = {
        "missed": float(f"{100 * value:.9g}"),
        "false_alarms": float(f"{900 * value:.9g}"),
        "sensitivity": 1 - value,
        "specificity": 1 - value,
        "sum": 1 - value,
        "cost": float(f"{1000 * value:.9g}"),
        "saved": float(f"{500 - 1000 * value:.9g}"),
        "savings": 1 - 2 * value,
        "seconds": 0.01 + value,
    }
    curve = [10 * value * place for place in PLACES] if curve is None else curve
    return Entry(name, settings or {}, mean, dict.fromkeys(mean, 0.25), curve, baseline=baseline)


def comparison(entries, objective="cost", runs=1, places=PLACES, title="Payments"):
    costs = {"fn_cost": "per row", "fp_cost": 5.0, "alpha_p": 0.5}
    return Comparison(title, "From nowhere.", objective, costs, 100, 10, runs, places, entries)


def all_learners(objective="cost", runs=1):
    """All learners, the policies between them: two learners are worse than a policy."""
    names = list(LEARNERS)
    entries = [entry(name, 0.1 + 0.01 * n) for n, name in enumerate(names[:-2])]
    entries += [entry(POLICIES[1], 0.5), entry(names[-2], 0.6), entry(names[-1], 0.7)]
    entries += [entry(POLICIES[0], 0.9)]
    return comparison(entries, objective, runs)


def page(*comparisons):
    return render(comparisons, "costream compare", "1.2.3")


def rows_of(text, kind):
    """The rows of a kind (good, worse, constant) by the names in them."""
    found = tree(text).findall(f".//tr[@class='{kind}']")
    return {"".join(row.find("th/div").itertext()): row for row in found}


def lines_of(text, kind="wide"):
    """The curves of the chart by their names."""
    paths = tree(text).findall(f".//svg[@class='{kind}']/g/path")
    return {path.find("title").text: path for path in paths}


# A portfolio, and who led it.
LEADERS = [
    "diagonal, raw, gamma 1",
    "always negative",
    "full, scaled, gamma 1",
    "full, scaled, gamma 1",
]
MEMBER_COSTS = {"full, scaled, gamma 1": 20.0, "diagonal, raw, gamma 1": 24.5, "x": 30.0, "y": 31.0}
MEMBER_COSTS |= {"always negative": 50.0, "always positive": 90.0}


def led(leaders=LEADERS, member_costs=MEMBER_COSTS, settings=None, curve=None, **options):
    """A comparison of a portfolio and a policy."""
    first = replace(entry("auto", 0.1, curve, settings), leaders=leaders, member_costs=member_costs)
    return comparison([first, entry(POLICIES[1], 0.5)], **options)


ODD = {
    "nothing": [],
    "no entries": [comparison([])],
    "one entry": [comparison([entry("a", 0.1)])],
    "one policy": [comparison([entry(POLICIES[0], 0.1)])],
    "one place": [comparison([entry("a", 0.1, [5.0])], "sum", places=[100])],
    "place 0": [comparison([entry("a", 0.1, [0.0])], places=[0])],
    "no places": [comparison([entry("a", 0.1, [])], places=[])],
    "all nan": [comparison([entry("a", NAN, [NAN] * 4), entry(POLICIES[0], NAN, [NAN] * 4)])],
    "all zero": [comparison([entry("a", 0.0), entry(POLICIES[0], 0.0)])],
    "infinite": [comparison([entry("a", math.inf), entry("b", 0.1)])],
    "huge": [comparison([entry("a", 1e290), entry("b", 2e299)])],
    "too large to draw": [comparison([entry("a", 1e302), entry("b", 1e305)])],
    "tiny": [comparison([entry("a", 1e-290), entry("b", 2e-290)])],
    "no metrics": [comparison([Entry("a", {}, {}, {}, []), Entry(POLICIES[0], {}, {}, {}, [])])],
    "leaders without member_costs": [led(member_costs={})],
    "member_costs that are not numbers": [led(member_costs=dict.fromkeys(MEMBER_COSTS, math.inf))],
    "a single total cost": [led(member_costs={LEADERS[-1]: 1.0})],
    "fewer leaders than places": [led(LEADERS[:2])],
    "leaders without places": [led(places=[])],
    "no rows": [Comparison("", "", "sum", {}, 0, 0, 0, [], [])],
}
