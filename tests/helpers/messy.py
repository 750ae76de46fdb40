"""A clean table of prices made messy, as spreadsheets and people leave them.

python tests/helpers/messy.py IN OUT [points|commas|spaces]
"""

import csv
import io
import random
import sys
from datetime import datetime, timedelta
from pathlib import Path

# The decimal sign, the separators of thousands (any of several spaces), the delimiter.
STYLES = {"points": (".", ",", ","), "commas": (",", ".", ";"), "spaces": (",", " \u00a0\u202f", ";")}
NONE = ("?", "n/a", "-", "")
TIMES = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y %H:%M", "%Y/%m/%d %H:%M")
COSTS = ("fn_cost", "fp_cost")
LABEL = "label"
RARELY = 0.01


def messy(text, style="points", seed=7):
    """The text of a CSV file, as a messy one."""
    decimal, thousands, delimiter = STYLES[style]
    names, *rows = csv.reader(io.StringIO(text))
    numeric = [all(map(_is_number, column)) for column in zip(*rows[:500], strict=True)]
    write = _Writer(decimal, thousands, seed)
    out = io.StringIO()
    plain, quoted = (
        csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=way)
        for way in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    )
    plain.writerow(["row_id", "reference", "created", *names[:-3], "channel", *names[-3:]])
    for t, row in enumerate(rows):
        cells = [write.cell(*one) for one in zip(names, row, numeric, range(len(row)), strict=True)]
        writer = quoted if t % 50 == 49 else plain
        writer.writerow([*write.extras(t), *cells[:-3], write.channel(), *cells[-3:]])
    return out.getvalue()


class _Writer:
    """Writes cells as people do."""

    def __init__(self, decimal, thousands, seed):
        self._decimal, self._thousands = decimal, thousands
        self._chance = random.Random(seed)
        self._now = datetime(2023, 1, 1)

    def cell(self, name, value, numeric, place):
        chance = self._chance
        if name in COSTS:
            return "" if chance.random() < RARELY else f"€ {self.number(value)}"
        if numeric and name != LABEL and chance.random() < RARELY:
            return chance.choice(NONE)
        if numeric:
            found = self.number(value) + (" %" if place == 0 else "")
        else:
            found = value.title() if chance.random() < 5 * RARELY else value
        return found + "\t" if chance.random() < RARELY else found

    def number(self, value):
        """A number with its thousands apart, a negative one as accountants write it."""
        if value.strip() == "" or "e" in value.lower():
            return value.replace(".", self._decimal)
        whole, point, fraction = value.removeprefix("-").partition(".")
        apart = f"{int(whole):,}".replace(",", self._chance.choice(self._thousands))
        found = apart + (self._decimal + fraction if point else "")
        return f"({found})" if value.startswith("-") else found

    def extras(self, t):
        """A number and a word that count the rows, and a time."""
        self._now += timedelta(seconds=self._chance.randrange(1, 900))
        when = self._now.strftime(self._chance.choice(TIMES))
        return 1_000_000 + t, f"{self._chance.getrandbits(48):012x}", when

    def channel(self):
        return self._chance.choice(("web", "Web", "shop", "phone", ""))


def _is_number(text):
    try:
        return not text.strip() or float(text) == float(text)
    except ValueError:
        return False


if __name__ == "__main__":
    source, target, *kind = sys.argv[1:]
    Path(target).write_text(messy(Path(source).read_text(encoding="utf-8"), *kind), encoding="utf-8")
