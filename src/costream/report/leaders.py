"""Who led a portfolio, over the rows of a comparison: as a strip below its chart, and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from ..learners.auto.members import CONSTANT
from .drawing import Axis, shortened
from .numbers import NO_BREAK, counted, decimals_of, number, percent

if TYPE_CHECKING:
    from ..evaluation.results import Comparison, Entry

TONES = 4
GAP, HEIGHT = 8, 24  # of the strip
STRIP = GAP + HEIGHT


@dataclass(frozen=True)
class Stretch:
    """Rows from one place to another, and who led a portfolio at the latter."""

    begin: int
    end: int
    leader: str


@dataclass(frozen=True)
class Lead:
    """Who led a portfolio: the stretches of rows with one leader each."""

    entry: Entry
    stretches: list[Stretch]

    @classmethod
    def of(cls, comparison: Comparison) -> Lead | None:
        """That of the portfolio that was run, if one was."""
        entry = next((entry for entry in comparison.entries if entry.leaders), None)
        if entry is None:
            return None
        stretches, begin = [], 0
        pairs = zip(comparison.places, entry.leaders, strict=False)
        for leader, places in groupby(pairs, itemgetter(1)):
            end = max(place for place, _ in places)
            stretches.append(Stretch(begin, end, leader))
            begin = end
        return cls(entry, stretches)

    @property
    def rows(self) -> Counter[str]:
        """For how many rows each has led, in the order in which they first did."""
        rows: Counter[str] = Counter()
        for one in self.stretches:
            rows[one.leader] += one.end - one.begin
        return rows

    @property
    def marks(self) -> dict[str, tuple[int, str]]:
        """The number of each leader, and its tone: "t1" for who has led longest."""
        tones = [leader for leader, _ in self.rows.most_common()]
        return {
            leader: (n, f"t{min(tones.index(leader) + 1, TONES)}")
            for n, leader in enumerate(self.rows, 1)
        }


def draw_strip(rows: Axis, lead: Lead, height: float, letter: float, room: int) -> str:
    """A segment for each stretch of rows, with the name or at least the number of its leader.

    It stands below a chart of some height; ``letter`` is the width of a letter, and ``room`` how many
    there may be beside it.
    """
    top = height + GAP
    middle = f'y="{top + HEIGHT / 2:g}" dy="4.5"'
    marks, parts = lead.marks, []
    for one in lead.stretches:
        n, tone = marks[one.leader]
        x, end = (rows(min(row, rows.span[1])) for row in (one.begin, one.end))
        width = end - x
        box = f'x="{x:.1f}" y="{top}" width="{max(width - 1, 0.5):.1f}" height="{HEIGHT}"'
        title = f"{one.leader}: rows {one.begin + 1:,} to {one.end:,}"
        texts = [text for text in (one.leader, str(n)) if (len(text) + 1) * letter <= width]
        label = "".join(
            f'<text x="{x + width / 2:.1f}" {middle} text-anchor="middle">{escape(text)}</text>'
            for text in texts[:1]
        )
        parts.append(f'<g><title>{escape(title)}</title><rect class="{tone}" {box}/>{label}</g>')
    name = shortened(f"who led {lead.entry.name}", room)
    place = f'x="{rows.ends[1] + 16:g}" {middle}'
    return f'<g class="led">{"".join(parts)}<text class="axis" {place}>{name}</text></g>'


def strip_legend(lead: Lead) -> str:
    """The numbers of the strip, and the part of the rows for which each has led."""
    rows = lead.rows
    items = []
    for leader, (n, tone) in lead.marks.items():
        share = percent(rows[leader] / max(rows.total(), 1), 0, f"{NO_BREAK}%")
        items.append(f'<li><b class="{tone}">{n}</b>{escape(leader)} <small>({share})</small></li>')
    return f'<ul class="led">{"".join(items)}</ul>'


def leader_caption(comparison: Comparison, lead: Lead) -> str:
    """Who led at the end, and how far behind the next one and the constant policies were."""
    entry, leader = lead.entry, lead.stretches[-1].leader
    others = len(lead.rows) - 1
    after = f"at the end, after {counted(others, 'other')}" if others else "all the way"
    run = " (first run)" if comparison.runs > 1 else ""
    text = f"Who led {escape(entry.name)}{run}: {_name(leader)} {after}."
    if leader not in entry.member_costs:
        return f"<p>{text}</p>"
    member_costs, own = entry.member_costs, entry.member_costs[leader]
    decimals = decimals_of(member_costs.values())
    rest = [name for name in member_costs if name != leader]
    half = entry.settings.get("half_life")
    fading = f", which count half after {half:,} rows," if half else ""
    unit = "" if comparison.has_costs else " (a false alarm costs 1)"
    parts = [f" The mistakes of that one{fading} have cost {number(own, decimals)}{unit}"]
    for name in rest:
        if name in (rest[0], *CONSTANT):
            who = f"the next, {_name(name)}," if name == rest[0] else _name(name)
            parts.append(f"those of {who} {number(member_costs[name] - own, decimals)} more")
    return f"<p>{text}{'; '.join(parts)}.</p>"


def half_life_caption(comparison: Comparison, lead: Lead) -> str:
    """At which half-lives a model has learnt: one that has come to lead is a sign of drift."""
    pairs = [*zip(comparison.places, lead.entry.half_lives, strict=False)]
    changes = [one for k, one in enumerate(pairs) if k == 0 or one[1] != pairs[k - 1][1]]
    if lead.entry.settings.get("half_life") or all(half_life is None for _, half_life in pairs):
        return ""
    place, half_life = changes[-1]
    lives = "forgets nothing" if half_life is None else f"counts rows half after {half_life:,} more"
    since = f"since row {place:,} or a little before" if len(changes) > 1 else "all the way"
    times = f", and changed {counted(len(changes) - 1, 'time')}" if len(changes) > 2 else ""
    return f"<p>It adapts to drift by itself: at the end it {lives}, {since}{times}.</p>"


def _name(member: str) -> str:
    return f"<em>{escape(member)}</em>"
