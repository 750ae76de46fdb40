"""A metric that is put into the list is shown everywhere, without any other edit."""

import json
from pathlib import Path

import pytest

from helpers.copies import command, copied, run
from helpers.streams import JIT_OFF

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JIT_OFF, reason="the package is tested as users have it: compiled"),
]
LIST = Path("src/costream/costs/metrics.py")
METRIC = """_LISTED = (
    Metric(
        "flagged_rows",
        "flagged rows",
        "Rows that were flagged.",
        lambda tally, _: tally.positives - tally.missed + tally.false_alarms,
        "count",
    ),
"""
ROWS = "label,amount,night\n" + "".join(f"{n % 3 // 2},{n % 7},{n % 2}\n" for n in range(60))
PYTHON = """
import costream
from costream import metrics
assert list(costream.metrics.METRICS)[0] == "flagged_rows"
assert metrics.flagged_rows([1, 1, 0, 0], [1, 0, 1, 1]) == 3
metric = metrics.FlaggedRows(fn_cost=5, fp_cost=1)
for y_true, y_pred in [(True, False), (True, True), (False, True)]:
    metric.update(y_true, y_pred)
assert metric.get() == 2.0
assert not metric.bigger_is_better
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with one more metric."""
    root = copied(tmp_path_factory.mktemp("copy"))
    text = (root / LIST).read_text(encoding="utf-8")
    assert text.count("_LISTED = (\n") == 1
    (root / LIST).write_text(text.replace("_LISTED = (\n", METRIC), encoding="utf-8")
    (root / "rows.csv").write_text(ROWS, encoding="utf-8")
    return root


def test_python_has_it_for_arrays_and_for_river(copy):
    run(copy, "-c", PYTHON)


def test_the_command_line_shows_it(copy):
    table = command(copy, "evaluate", "rows.csv", "--learner", "acog-i-diag")
    assert "flagged rows" in table
    found = json.loads(command(copy, "evaluate", "rows.csv", "--learner", "acog-i-diag", "--json"))
    assert 0.0 <= found["mean"]["flagged_rows"] <= 60.0
