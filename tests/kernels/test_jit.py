"""Compiled and interpreted kernels give the same bits; each is compiled once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.portfolios import quick_transcript
from helpers.streams import JIT_OFF, NAMES, transcripts

pytestmark = pytest.mark.skipif(JIT_OFF, reason="needs compiled kernels")

TRANSCRIPTS = "import json; from helpers import streams; print(json.dumps(streams.transcripts()))"

QUICK = "import json; from helpers import portfolios as p; print(json.dumps(p.quick_transcript()))"

# Every learner, with whole and broken hyper-parameters, all kinds of rows, growth, and a loaded model.
SIGNATURES = """
import json, sys
import numpy as np
from scipy.sparse import csr_array
import costream
from costream.kernels import loop, row_kernels, rows, rules
from helpers.streams import NAMES, VALUES, dict_rows, has_variance, stream

X, y = stream(0, rows=6, width=20)
made = set()  # one portfolio has a record of its own
for name in NAMES:
    known = costream.learners.LEARNERS[name].hyper_parameters()
    numbers = {key: one.values[-1] for key, one in known.items() if one.kind in (int, float)}
    whole = {key: int(value) for key, value in numbers.items() if known[key].takes(int(value))}
    broken = {key: float(value) for key, value in numbers.items() if known[key].kind is float}
    for params in ({}, whole, broken):
        learner = costream.learners.make_learner(name, **params)
        made.add(type(learner.state(1)).__name__)
        model = costream.OnlineClassifier(learner, "cost")
        for each in (X[:, :3], X[:, :3].astype(int), X.astype(np.float32), np.asfortranarray(X)):
            model.prequential(each, y)
        model.prequential(X, y, weight=2)
        for index in (np.int32, np.int64):
            sparse = csr_array(X)
            sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
            model.prequential(sparse, y.astype(float), fn_cost=2)
        for x, label in zip(X, y):
            model.learn_one(x, label)
        model.score_many(X)
        if has_variance(name):
            model.variance_many(X)
        costream.save(model, sys.argv[1])
        model = costream.load(sys.argv[1])
        model.prequential(np.ones((1, 50)), [1])
        for x, label in zip(dict_rows(X), y):
            model.learn_one(x, label, 2)
        model.score_many(csr_array(X))

def records(entry):
    return sorted(signature[0].instance_class.__name__ for signature in entry.signatures)

used = {
    "records": sorted(made),
    "prequential": records(loop.prequential),
    "score_rows": records(loop.score_rows),
    "variance_rows": records(loop.variance_rows),
    "row kernels": {
        record.__name__: len(kernel.signatures) for record, kernel in row_kernels.ROW_KERNELS.items()
    },
    "rows": {name: len(getattr(rows, name).signatures) for name in ("row_scales", "table_rows")},
}

# What hosts hand over, too: memory to read only, and every other element of an array.
def entries():
    return [len(entry.signatures) for entry in (loop.prequential, rows.row_scales, rows.table_rows)]

def grown(array):
    return np.repeat(array, 2)[::2]

before, model = entries(), costream.OnlineClassifier("cog-ii")
sparse = csr_array(X)
frozen = [X.copy(), sparse.data.copy(), sparse.indices.copy(), sparse.indptr.copy()]
for array in frozen:
    array.flags.writeable = False
model.prequential(frozen[0], y)
used["read-only dense"] = [before, entries()]
before = entries()
model.prequential(csr_array(tuple(frozen[1:]), shape=X.shape), y)
used["read-only CSR"] = [before, entries()]
before = entries()
strided = (grown(sparse.data), grown(sparse.indices), grown(sparse.indptr))
model.prequential(csr_array(strided, shape=X.shape), y)
used["strided CSR"] = [before, entries()]
print(json.dumps(used))
"""


def run(script, *arguments, **variables):
    """What a script prints in a process of its own."""
    here = str(Path(__file__).parents[1])
    path = os.pathsep.join(part for part in (here, os.environ.get("PYTHONPATH")) if part)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def interpreted():
    return run(TRANSCRIPTS, NUMBA_DISABLE_JIT="1")


@pytest.fixture(scope="module")
def compiled():
    return transcripts()


@pytest.mark.parametrize("name", NAMES)
def test_interpreted_kernels_give_the_same_bits(name, interpreted, compiled):
    assert interpreted[name] == compiled[name]


def test_interpreted_trees_views_and_turns_give_the_same_bits():
    """Through two growths of trees and their takeover, rests and trials."""
    assert run(QUICK, NUMBA_DISABLE_JIT="1") == quick_transcript()


@pytest.fixture(scope="module")
def signatures(tmp_path_factory):
    return run(SIGNATURES, tmp_path_factory.mktemp("signatures") / "model")


def test_the_loop_is_compiled_once_for_each_record(signatures):
    assert signatures["prequential"] == signatures["records"]


@pytest.mark.parametrize("entry", ["score_rows", "variance_rows"])
def test_entries_are_compiled_at_most_once_for_each_record(signatures, entry):
    assert len(set(signatures[entry])) == len(signatures[entry])


def test_row_kernels_are_compiled_once(signatures):
    assert signatures["row kernels"] == dict.fromkeys(signatures["records"], 1)


def test_checks_are_compiled_once(signatures):
    assert signatures["rows"] == {"row_scales": 1, "table_rows": 1}


@pytest.mark.parametrize("rows", ["read-only dense", "read-only CSR", "strided CSR"])
def test_no_rows_compile_another_copy(signatures, rows):
    before, after = signatures[rows]
    assert before == after
