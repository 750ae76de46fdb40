"""``costream inspect``: what a model has learnt, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Label
from ..costs.objectives import OBJECTIVES
from ..evaluation.shapes import LEVELS, shapes_of
from ..learners.auto.standings import Standings, half_life_words
from ..model.classifier import OnlineClassifier, core_of
from ..model.explanations import feature_variances
from ..model.file import load
from ..report.numbers import number, percent
from ..report.tables import text_table
from ..tables.leakage import message as leakage_message
from .detected import schema_facts, schema_rows
from .terminal import print_json

SHAPES = 6  # features of which the shape is shown


@dataclass(frozen=True)
class Inspect:
    """One run of the command."""

    model: Path
    top: int = 20
    as_json: bool = False

    def run(self) -> int:
        model = load(self.model)
        facts, weights = self._facts(model), self._weights(model)
        if self.as_json:
            print_json({**facts, "weights": weights})
            return 0
        keys = ("views", "half_lives", "members", "shapes", "schema", "warnings")
        views, half_lives, members, shapes, schema, warnings = (facts.pop(key, []) for key in keys)
        width = max(map(len, facts)) + 2
        for key, value in facts.items():
            print(f"{key.replace('_', ' ').ljust(width)}{_words(value)}")
        print()
        for warning in warnings:
            print(f"warning: {warning}\n")
        if schema:
            print(_schema(schema))
        if members:
            print(_views(views))
            print(_half_lives(half_lives))
            print(_standings(members, facts["objective"]))
            print(_shapes(shapes))
        if not weights:
            print("no weights yet")
            return 0
        rows = [
            [
                str(one["feature"]),
                number(one["weight"], "+.6g", plain=True),
                number(one["variance"], ".4g", plain=True),
            ]
            for one in weights
        ]
        more = "" if len(rows) >= facts["features_with_a_weight"] else f" {len(rows)} largest"
        whose = " of the best member, for its kind of row" if members else ""
        print(
            f"the{more} weights{whose} (positive ones are evidence for {facts['positive_label']}; the"
        )
        print("variance is the uncertainty of a weight: 1 at the start, less as the model learns):")
        print(text_table(("feature", "weight", "variance"), rows))
        return 0

    def _facts(self, model: OnlineClassifier) -> dict[str, Any]:
        labels = model.labels
        positives, negatives = model.counts
        objective = model.objective
        facts: dict[str, Any] = {
            "learner": model.learner.name,
            "settings": model.learner.get_params(),
            "reference": model.learner.reference,
            "objective": objective.name,
            "costs": objective.sources,
            "rho": "of each row" if objective.columns else model.rho,
            "rows": model.rows,
            "positives": positives,
            "negatives": negatives,
            "positive_label": _side(labels.positive, labels.pair[1]),
            "negative_label": labels.pair[0],
            "features": len(model.feature_names),
            "features_with_a_weight": int(np.count_nonzero(model.coef_)),
            "normalize": "l2" if model.normalize else "none",
            "intercept": model.intercept_ if model.fit_intercept else None,
        }
        if model.schema is not None:
            facts |= schema_facts(model.schema)
        core = core_of(model)
        facts["schema"] = [] if model.schema is None else schema_rows(model.schema, core.coverage)
        facts["warnings"] = [
            leakage_message(name, how, model.schema is not None) for name, how in core.leaks.items()
        ]
        if model.learner.has_standings:
            standings = model.standings()
            facts["normalize"] = "by its members"
            facts["leader"] = standings.leader.name
            facts["leads_since_row"] = standings.since
            facts["half_life"] = half_life_words(standings)
            facts["half_lives"] = [vars(one) for one in standings.half_lives]
            facts["views"] = view_shares(standings)
            unit = objective.unit
            facts["members"] = [{**vars(one), "cost": one.cost * unit} for one in standings.members]
            facts["shapes"] = [vars(one) for one in shapes_of(model, SHAPES)]
        return facts

    def _weights(self, model: OnlineClassifier) -> list[dict[str, Any]]:
        coef = model.coef_
        strongest = np.argsort(-np.abs(coef), kind="stable")[: self.top or None]
        strongest = strongest[coef[strongest] != 0.0]
        names = model.feature_names
        variances = feature_variances(core_of(model), strongest)
        return [
            {
                "feature": names[column],
                "weight": float(coef[column]),
                "variance": float("nan") if variances is None else float(variances[at]),
            }
            for at, column in enumerate(strongest.tolist())
        ]


def view_shares(standings: Standings) -> list[dict[str, Any]]:
    """The share of each view in the decisions, the largest first: that of its members."""
    shares: dict[str, float] = {}
    for one in standings.members:
        shares[one.view] = shares.get(one.view, 0.0) + one.share
    order = sorted(shares, key=lambda view: -shares[view])
    return [{"view": view, "share": shares[view]} for view in order if shares[view] > 0.0]


def _schema(columns: list[dict[str, Any]]) -> str:
    rows = [[one["column"], one["kind"], one["reading"]] for one in columns]
    return text_table(("column", "kind", "how it is read"), rows, left=3) + "\n"


def _views(views: list[dict[str, Any]]) -> str:
    rows = [[one["view"], percent(one["share"], 0, " %", plain=True)] for one in views]
    return text_table(("view", "share"), rows) + "\n" if rows else "no view has a weight yet\n"


def _half_lives(half_lives: list[dict[str, Any]]) -> str:
    """The half-lives at which a model learns, if there are several."""
    if len(half_lives) < 2:
        return ""
    rows = [
        [
            "never forgets" if one["rows"] is None else f"{one['rows']:,} rows",
            "rests" if one["paused"] else percent(one["share"], 0, " %", plain=True),
        ]
        for one in half_lives
    ]
    return text_table(("half-life", "share lately"), rows) + "\n"


def _shapes(shapes: list[dict[str, Any]]) -> str:
    """The log-odds at low, middle and high values of the most important features."""
    if not shapes:
        return "no shapes yet: they take a sample of at least 100 rows, which are not too wide\n"
    rows = [
        [
            str(one["feature"]),
            number(one["importance"], ".3g", plain=True),
            *(_at(one, place) for place in (0, len(LEVELS) // 2, -1)),
        ]
        for one in shapes
    ]
    head = ("log-odds against feature", "importance", "at 5 %", "at the median", "at 95 %")
    return text_table(head, rows) + "\n(in brackets: the feature at that quantile)\n"


def _at(shape: dict[str, Any], place: int) -> str:
    odds = number(shape["log_odds"][place], "+.2f", plain=True)
    return f"{odds} ({number(shape['values'][place], ',.6g', plain=True)})"


def _standings(members: list[dict[str, Any]], objective: str) -> str:
    """Who leads, and how much more the mistakes of the others have cost."""
    head = "cost" if OBJECTIVES[objective].has_costs else "cost, in false alarms"
    least = members[0]["cost"]
    inactive = sum(not one["active"] for one in members)
    rest = f"\n{inactive} more are inactive: rows have become too wide for them" if inactive else ""
    rows = [
        [
            one["name"],
            percent(one["share"], 0, " %", plain=True) if one["share"] else "",
            number(one["cost"], ",.6g", plain=True),
            _behind(one, least),
        ]
        for one in members
        if one["active"]
    ]
    return text_table(("member, the leader first", "share", head, "behind"), rows) + rest + "\n"


def _behind(member: dict[str, Any], least: float) -> str:
    """How much more a member has cost than the leader; one that is paused is not compared."""
    if member["paused"] and not member["leads"]:
        return "paused"
    return number(member["cost"] - least, "+,.6g", plain=True)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none besides the usual ones"
    if isinstance(value, float):
        return number(value, ",.0f" if value.is_integer() else ",.6g", plain=True)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _side(labels: tuple[Label, ...], name: Label) -> Label:
    """A side as it is shown: its labels if there are several, else its name."""
    return ", ".join(map(str, labels)) if len(labels) > 1 else name
