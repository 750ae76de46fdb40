"""An objective that is put into the package is found everywhere, without any other edit."""

import json
from pathlib import Path

import pytest

from helpers.copies import command, copied, run
from helpers.streams import JIT_OFF

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JIT_OFF, reason="the package is tested as users have it: compiled"),
]
HOME = Path("src/costream/costs/objectives")
OBJECTIVE = '''"""Toy: positives cost so many times what negatives cost."""
from dataclasses import dataclass
from ..objective import Objective, register
from ..tally import Costs

@register
@dataclass(frozen=True)
class Times(Objective):
    """A fixed ratio of the costs of the two classes."""
    times: float = 3.0
    name = goal = "times"
    metric = score = "sum"

    @classmethod
    def of(cls, costs, counts=None, half_life=None):
        return cls(costs.fn_cost / costs.fp_cost)

    def rho(self, positives, negatives):
        return self.times

    @property
    def costs(self):
        return Costs(fn_cost=self.times, fp_cost=1.0)
'''
ROWS = "label,amount,night\n" + "".join(f"{n % 3 // 2},{n % 7},{n % 2}\n" for n in range(60))
PYTHON = """
import sys
import numpy as np
import costream
from costream import OnlineClassifier
from costream.river import CostSensitiveClassifier as RiverClassifier
from costream.sklearn import CostSensitiveClassifier
from costream.costs.objectives.times import Times
X, y = [[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]], [1, 0, 1]
model = OnlineClassifier("acog-i-diag", Times(7.0))
twin = OnlineClassifier("acog-i-diag", costream.WeightedAccuracy(ratio=7.0))  # 0.5 / (1 - 0.5) * 7
assert model.prequential(X, y).tolist() == twin.prequential(X, y).tolist()
rows = OnlineClassifier("acog-i-diag", "times")
rows.learn_one({"amount": 1.0}, 1)
assert rows.rho == 3.0
costream.save(model, sys.argv[1])
again = costream.load(sys.argv[1])
assert again.objective == Times(7.0)
assert again.score_many(X).tolist() == model.score_many(X).tolist()
scikit = CostSensitiveClassifier(objective="times").fit(X, y)
assert 0.0 <= scikit.score(X, y) <= 1.0
river = RiverClassifier(objective="times")
river.learn_one({"amount": 1.0}, True)
assert river.predict_one({"amount": 1.0}) is True
try:
    model.learn_one({"amount": 1.0}, 1, fn_cost=5.0, fp_cost=1.0)
except costream.CostreamError as error:
    assert "the objective of the model is the times, which has no costs" in str(error), error
else:
    raise AssertionError("it has no costs")
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with one more objective."""
    root = copied(tmp_path_factory.mktemp("copy"))
    (root / HOME / "times.py").write_text(OBJECTIVE, encoding="utf-8")
    (root / "rows.csv").write_text(ROWS, encoding="utf-8")
    return root


def test_python_saves_loads_and_adapts_it(copy):
    run(copy, "-c", PYTHON, copy / "python.costream")


def test_evaluate_ranks_by_its_metric(copy):
    options = ("--learner", "acog-i-diag", "--fn-cost", "6", "--fp-cost", "2", "--json")
    found = json.loads(command(copy, "evaluate", "rows.csv", "--objective", "times", *options))
    assert found["objective"] == "times"
    assert found["costs"] == {"times": 3.0}
    assert found["rho"] == 3.0
