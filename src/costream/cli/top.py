"""The rows of ``costream score`` with most money at stake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..costs.rows import FourCosts
from ..evaluation.deciding import Decided
from ..model.explanations import Effects

Explain = Callable[[int], Effects]


@dataclass(frozen=True)
class Row:
    """A row that is kept, with all that is written of it."""

    at_stake: float
    number: int  # in the stream
    score: float
    log_odds: float
    costs: tuple[float, ...]
    kept: dict[str, Any]
    effects: Effects | None


class Top:
    """Keeps the rows that are expected to save most if they are flagged.

    That is q a - (1 - q) b, where q is the probability that the row is positive, a = fn_cost - tp_cost
    and b = fp_cost - tn_cost. No more rows are in memory than are kept: ``most`` of them, and the best
    one alone for each value of a column ``per``.
    """

    def __init__(self, most: int | None = None, per: str | None = None) -> None:
        self._most, self._per = most, per
        self._rows: dict[Any, Row] = {}
        self._seen = 0
        self._least = -np.inf  # what a row must have at stake, once all places are taken

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, decided: Decided, kept: dict[str, list[Any]], explain: Explain | None = None) -> None:
        """Look at rows; ``explain(t)`` is asked for the reasons of those that are kept for now."""
        expected = decided.expected_costs()
        assert expected is not None
        assert decided.costs is not None
        at_stake = np.nan_to_num(expected[1] - expected[0], nan=-np.inf)
        best: dict[Any, int] = {}
        for t in np.argsort(-at_stake, kind="stable").tolist():
            if len(best) == self._most or at_stake[t] <= self._least:
                break
            best.setdefault(self._key(kept, t), t)
        for key, t in best.items():
            if key not in self._rows or at_stake[t] > self._rows[key].at_stake:
                self._rows[key] = Row(
                    float(at_stake[t]),
                    self._seen + t,
                    float(decided.scores[t]),
                    float(decided.log_odds[t]),
                    tuple(float(cost[t]) for cost in decided.costs),
                    {name: values[t] for name, values in kept.items()},
                    None if explain is None else explain(t),
                )
        self._seen += len(at_stake)
        self._drop()

    def _key(self, kept: dict[str, list[Any]], t: int) -> Any:
        if self._per is None:
            return self._seen + t
        value = kept[self._per][t]
        return "" if value is None else str(value)

    def _drop(self) -> None:
        """Keep the best rows alone, the largest first."""
        if self._most is not None and len(self._rows) >= self._most:
            best = sorted(self._rows.items(), key=lambda one: (-one[1].at_stake, one[1].number))
            self._rows = dict(best[: self._most])
            self._least = best[self._most - 1][1].at_stake

    def result(self) -> tuple[Decided, dict[str, list[Any]], list[Effects] | None]:
        """The rows that are kept, at least one, the largest first: decisions, columns and reasons."""
        rows = sorted(self._rows.values(), key=lambda one: (-one.at_stake, one.number))
        costs = FourCosts(*np.array([one.costs for one in rows], np.float64).reshape(-1, 4).T)
        decided = Decided(
            np.array([one.score for one in rows]), np.array([one.log_odds for one in rows]), costs
        )
        kept = {name: [one.kept[name] for one in rows] for name in rows[0].kept}
        effects = [one.effects for one in rows if one.effects is not None]
        return decided, kept, effects or None
