"""The worked example in docs/anomaly-detection.md gives the numbers that the page shows."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest

from costream.datasets import catalogue
from helpers.commands import compiled_only, data_file, scored, succeed

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "anomaly-detection.md").read_text()
COMMANDS = {
    words[1]: words[1:]
    for words in map(shlex.split, re.findall(r"^ {4}(costream .*)$", PAGE, re.MULTILINE))
}
pytestmark = [compiled_only, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The raw file as UCI has it, made into a stream by the commands of the page."""
    data_file("magic04.libsvm.xz")
    data = catalogue.load("magic04", download=False)
    folder = tmp_path_factory.mktemp("telescope")
    with open(folder / "magic04.data", "w", encoding="ascii") as raw:
        for row, positive in enumerate(data.positive):
            part, x = data.rows.part(row, row + 1), np.zeros(11)
            x[part.index] = part.value
            raw.write(",".join(f"{value:g}" for value in x[1:]) + (",h\n" if positive else ",g\n"))
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    subprocess.run(["bash", "-euc", script], cwd=folder, check=True)
    return folder


def test_the_table_of_the_page_is_what_compare_prints(folder):
    out = succeed(*COMMANDS["compare"], "--no-report", cwd=folder)
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
    shown = re.findall(r"^\| ([a-z-]+) \| ([^a-z]*?) \|$", PAGE, re.MULTILINE)
    assert len(shown) == 6
    for name, cells in shown:
        missed, false_alarms, cost, savings = cells.split(" | ")
        assert rows[name][1:3] == [missed, false_alarms]
        assert (rows[name][6], rows[name][8]) == (cost, savings)


def test_the_total_cost_of_the_page_is_what_evaluate_prints(folder):
    lines = succeed(*COMMANDS["evaluate"], cwd=folder).splitlines()
    (out,) = [line.split() for line in lines if line.startswith("run ")]
    assert f"costs {out[6]}, and saves {out[7]} ({out[8]} of what could be saved)" in PAGE.replace(
        "\n", " "
    )


def test_the_total_cost_of_new_rows_is_that_of_the_scores(folder):
    succeed(*COMMANDS["train"], cwd=folder)
    flags = [row["label"] for row in scored(*COMMANDS["score"][1:], cwd=folder)]
    truth = [line.rsplit(",", 1)[1] for line in (folder / "new.csv").read_text().splitlines()[1:]]
    pairs = list(zip(truth, flags, strict=True))
    missed, false_alarms = pairs.count(("h", "g")), pairs.count(("g", "h"))
    text = PAGE.replace("\n", " ")
    assert f"Of the {len(pairs):,} new rows it misses {missed} hadrons" in text
    assert (
        f"throws away {false_alarms} gamma rays: a total cost of {2 * missed + false_alarms:,}," in text
    )
    assert f"flagging everything costs {truth.count('g'):,}" in text
