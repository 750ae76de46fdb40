"""Nobody asks an objective for its type: it is asked what there is to know."""

import re
from pathlib import Path

import pytest

import costream

PACKAGE = Path(costream.__file__).parent
HOME = PACKAGE / "costs" / "objectives"
TYPE_TESTS = (
    r"isinstance\([^)]*\b(WeightedAccuracy|Cost)\b",
    r"\bis (not )?(WeightedAccuracy|Cost)\b",
    r"type\(.*\) (is|==|in)\b.*\b(WeightedAccuracy|Cost)\b",
    r"[!=]= .(sum|cost). if ",
    r"[!=]= [\"']sum[\"']",
    r"(objective|metric)[\w.]* [!=]= [\"']cost[\"']",
    r"in \(\"(sum|cost)\", \"(sum|cost)\"\)",
)


@pytest.mark.parametrize("pattern", TYPE_TESTS)
def test_nobody_asks_an_objective_for_its_type(pattern):
    asked = re.compile(pattern)
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in PACKAGE.rglob("*.py")
        if HOME not in path.parents
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if asked.search(line)
    ]
    assert not found
