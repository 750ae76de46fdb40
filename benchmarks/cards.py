"""What does a fraud analyst save on raw card payments, and what is each kind of column worth there?

    python benchmarks/cards.py

The payments are the simulated ones of the Fraud Detection Handbook (`cards.csv.xz`, found through
COSTREAM_DATA): a time, a customer, a terminal, an amount, and whether it was fraud. A missed fraud
costs its amount, a review 5. The commands are those of a user, with the label, the column of costs and

as found         nothing else
keys as numbers  --number CUSTOMER_ID --number TERMINAL_ID
keys left out    --ignore CUSTOMER_ID --ignore TERMINAL_ID
time left out    --ignore TX_DATETIME

on the first 60 days, each payment decided before it is learnt (`costream evaluate`), and on May with a
model of April (`costream train`), which is frozen or goes on learning (`evaluate -m`, `--learn`). The
rule is ``--baseline "TX_AMOUNT > 220"``. Labels come at once.

Results go to benchmarks/results/cards.json.
"""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import stored

RULE = "TX_AMOUNT > 220"
COSTS = ("--fn-cost-column", "TX_AMOUNT", "--fp-cost", "5", "--tp-cost", "5")
WAYS = {
    "as found": (),
    "keys as numbers": ("--number", "CUSTOMER_ID", "--number", "TERMINAL_ID"),
    "keys left out": ("--ignore", "CUSTOMER_ID", "--ignore", "TERMINAL_ID"),
    "time left out": ("--ignore", "TX_DATETIME"),
}
PARTS = {  # the first day of each, and the one after it
    "60 days": ("2018-04-01", "2018-05-31"),
    "April": ("2018-04-01", "2018-05-01"),
    "May": ("2018-05-01", "2018-06-01"),
}


def parts(folder: Path) -> dict[str, Path]:
    """The files of the parts."""
    found = {name: folder / f"{at}.csv" for at, name in enumerate(PARTS)}
    with lzma.open(Path(os.environ["COSTREAM_DATA"]) / "cards.csv.xz", "rt") as file:
        head, *lines = file
    for name, path in found.items():
        first, end = PARTS[name]
        path.write_text(head + "".join(line for line in lines if first <= line[:10] < end))
    return found


def costream(*words: object) -> str:
    command = [sys.executable, "-m", "costream", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def savings(*words: object) -> float:
    """The savings in percent, as `costream evaluate` gives them."""
    return 100.0 * float(json.loads(costream("evaluate", *words, "--json"))["mean"]["savings"])


def measured(files: dict[str, Path], model: Path) -> dict[str, dict[str, float]]:
    """The savings of each way to read the columns, and those of the rule."""
    found = {}
    for way, options in WAYS.items():
        given = ("--label", "TX_FRAUD", *COSTS, *options)
        costream("train", files["April"], *given, "-o", model)
        found[way] = {
            "60 days": savings(files["60 days"], *given),
            "May, frozen": savings(files["May"], "-m", model),
            "May, learning": savings(files["May"], "-m", model, "--learn"),
        }
        print(way, found[way], flush=True)
    found[RULE] = {name: of_rule(files[name.split(",")[0]]) for name in found["as found"]}
    print(RULE, found[RULE])
    return found


def of_rule(path: Path) -> float:
    words = (
        "--label",
        "TX_FRAUD",
        *COSTS,
        "-l",
        "perceptron",
        "--baseline",
        RULE,
        "--no-report",
        "--json",
    )
    (data,) = json.loads(costream("compare", path, *words))
    return 100.0 * next(one["mean"]["savings"] for one in data["entries"] if one["name"] == RULE)


if __name__ == "__main__":
    header = stored.about([])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stored.replace("cards", header, {"savings": measured(parts(folder), folder / "m.costream")})
