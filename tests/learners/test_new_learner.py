"""A learner that is put into the package is found everywhere: one file, and its line in the list."""

import shutil

import pytest

from helpers.copies import ROOT, command, copied, run
from helpers.streams import JIT_OFF

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JIT_OFF, reason="the package is tested as users have it: compiled"),
]
LEARNER = '''"""Toy: a step along every misclassified row, as long as its cost."""
from typing import NamedTuple
import numpy as np
from ..kernels.hinge import MISTAKE, Hinge
from ..kernels.primitives import add
from ..kernels.records import Floats
from ..kernels.rules import Rule
from .base import Learner, register
from .hyper_parameters import number

class Toy(NamedTuple):
    mu: Floats
    hinge: Hinge
    rate: float

def update(model, x, t, score, loss):
    if loss > 0.0:
        add(model.mu, model.rate * x.cost[t] * x.label[t], x, t)

@register
class ToyLearner(Learner):
    """A Perceptron with costs."""
    name = "toy"
    reference = "nobody 2026"
    rule = Rule(Toy, update)
    hinge = MISTAKE
    rate: float = number(1.0, "Length of a step.", (0.5, 2))
    def state(self, d):
        return Toy(np.zeros(d), self.hinge, float(self.rate))
'''
LINE = "from .toy import ToyLearner"
ORACLE = """from .base import Linear, oracle, sign

@oracle("toy")
class Toy(Linear):
    def __init__(self, d, rate=1.0):
        super().__init__(d)
        self.rate = rate

    def update(self, x, y, r, score):
        if sign(score) != y:
            self.mu += self.rate * r * y * x
"""
ROWS = "label,amount,night\n" + "".join(f"{n % 3 // 2},{n % 7},{n % 2}\n" for n in range(60))
EXPERIMENT = """
title = "A toy"
datasets = ["mine"]
files.mine = {path = "rows.csv", label = "label"}
runs = 2
[[learners]]
learner = "toy"
grid.rate = [0.5, 1.0]
"""
PYTHON = """
import sys
import costream
from costream import OnlineClassifier
from costream.learners import ToyLearner
from costream.river import CostSensitiveClassifier as RiverClassifier
from costream.sklearn import CostSensitiveClassifier
X, y = [[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]], [1, 0, 1]
model = OnlineClassifier(ToyLearner(rate=0.5), costream.Cost(5, 1))
scores = model.prequential(X, y)
costream.save(model, sys.argv[1])
again = costream.load(sys.argv[1])
assert again.learner == ToyLearner(rate=0.5)
assert again.score_many(X).tolist() == model.score_many(X).tolist() != [0.0, 0.0, 0.0]
scikit = CostSensitiveClassifier("toy").set_params(learner__rate=2.0).fit(X, y)
assert set(scikit.predict(X)) <= {0, 1}
river = RiverClassifier("toy")
river.learn_one({"amount": 1.0}, True)
assert river.predict_one({"amount": 1.0}) is True
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project with one more learner and its oracle."""
    root = copied(tmp_path_factory.mktemp("copy"), "tests", "docs", "benchmarks")
    for file in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / file, root / file)
    learners = root / "src" / "costream" / "learners"
    (learners / "toy.py").write_text(LEARNER, encoding="utf-8")
    listed = (learners / "__init__.py").read_text(encoding="utf-8")
    listed = listed.replace("from .scw ", f"{LINE}\nfrom .scw ")
    (learners / "__init__.py").write_text(listed, encoding="utf-8")
    (root / "tests" / "reference" / "toy.py").write_text(ORACLE, encoding="utf-8")
    (root / "rows.csv").write_text(ROWS, encoding="utf-8")
    (root / "toy.toml").write_text(EXPERIMENT, encoding="utf-8")
    return root


def test_the_command_line_trains_and_scores_with_it(copy):
    model = copy / "toy.costream"
    command(copy, "train", "rows.csv", "--learner", "toy", "--set", "rate=0.5", "-o", model)
    assert len(command(copy, "score", "rows.csv", "-m", model).splitlines()) == 1 + 60


def test_python_saves_loads_and_adapts_it(copy):
    run(copy, "-c", PYTHON, copy / "python.costream")


def test_an_experiment_of_the_lab_runs_it(copy):
    command(copy, "lab", "run", "toy.toml", "--output", copy / "lab")
    assert "toy" in (copy / "lab" / "report.html").read_text(encoding="utf-8")


def test_the_tables_of_the_documentation_have_it(copy):
    run(copy, "docs/fill.py")
    page = (copy / "docs" / "learners.md").read_text(encoding="utf-8")
    assert page.count("| `toy` |") == 2
    assert "`rate`" in page


def test_the_shared_tests_hold_it_to_its_oracle(copy):
    files = ["tests/learners/test_learners.py", "tests/learners/test_reference.py"]
    printed = run(copy, "-m", "pytest", "-q", "-k", "toy", *files)
    assert "passed" in printed
