"""SHA-256 of what every learner computes, and of what the lab finds: digits must not move unseen.

    python -m helpers.digests           (in tests/) say which digests of tests/digests.json differ now
    python -m helpers.digests --write   take those of now; the commit then says why they moved

States are hashed as arrays in the order of their record, scratch left out, without the names of fields:
renaming one moves nothing. Of the results of the lab the keys are left out, since they stand for code,
and numbers that an optimiser finds count to six digits.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import costream
from costream import Cost, OnlineClassifier, WeightedAccuracy
from costream.learners import make_learner
from costream.learners.states import arrays_of
from costream.model.classifier import core_of
from helpers.streams import KINDS, NAMES, VALUES, feed, stream

FILE = Path(__file__).parents[1] / "digests.json"
# Settings that were renamed: hashes are those of the names before, so that results can be compared.
RENAMED = {"splines": "hats", "fourier": "waves"}
UNVARIED = {"seed"}  # hyper-parameters that came after the digests
UNHASHED = {"size"}  # how many slots are in use; the arrays have just these
OBJECTIVES = {"sum": WeightedAccuracy(0.6), "cost": Cost(5, 2)}
CASES = [
    f"{name} {setting} {kind} {objective} {way}"
    for name in NAMES
    for setting in ("default", "other")
    for kind in KINDS
    for objective in OBJECTIVES
    for way in ("straight", "resumed")
    if setting == "default" or make_learner(name).get_params()
]


def digest_of_case(case):
    """The digest of the scores of a small stream, and of the state that it leaves."""
    name, setting, kind, objective, way = case.split()
    known = make_learner(name).get_params().keys() - UNVARIED
    params = {key: VALUES[key][0] for key in known} if setting == "other" else {}
    X, y = stream(seed=21, rows=40)
    model = OnlineClassifier(make_learner(name, **params), OBJECTIVES[objective])
    half = len(y) // 2 if way == "resumed" else 0
    scores = [feed(model, X[:half], y[:half], kind)]
    if half:
        with tempfile.TemporaryDirectory() as folder:
            costream.save(model, Path(folder, "model"))
            model = costream.load(Path(folder, "model"))
    scores.append(feed(model, X[half:], y[half:], kind))
    digest = hashlib.sha256(np.concatenate(scores).tobytes())
    for field, array in arrays_of(model.learner, core_of(model).parts()["state"]).items():
        if field not in UNHASHED:
            digest.update(f"{array.dtype.str} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def digest_of_results(path):
    """The digest of a file of results of the lab."""
    digest = hashlib.sha256()
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        del record["key"]
        if "views" in record.get("params", {}):
            record["params"]["views"] = [RENAMED.get(one, one) for one in record["params"]["views"]]
        solved = "best_loss" in record
        record = {key: _rounded(value) if solved else value for key, value in record.items()}
        record.pop("gap", None)  # how far the optimiser is from the best: rounding alone
        digest.update(json.dumps(record, sort_keys=True).encode())
    return digest.hexdigest()


def _rounded(value):
    return float(f"{value:.6g}") if isinstance(value, float) else value


def digests_of_lab(folder):
    """By experiment, of all results in a folder."""
    end = ".results.jsonl"
    return {
        path.name.removesuffix(end): digest_of_results(path) for path in sorted(folder.glob(f"*{end}"))
    }


def known():
    return json.loads(FILE.read_text(encoding="utf-8"))


def _now():
    """All digests; those of the lab only where its data are at hand."""
    from helpers.commands import costream as command
    from helpers.commands import data_file

    data_file("german.libsvm.xz")
    with tempfile.TemporaryDirectory() as folder:
        done = command(
            "lab",
            "run",
            "all",
            "--quick",
            "--no-download",
            "--no-report",
            "--output",
            folder,
            timeout=900,
        )
        assert done.returncode == 0, done.stderr
        lab = digests_of_lab(Path(folder, "quick"))
    return {"learners": {case: digest_of_case(case) for case in CASES}, "lab": lab}


if __name__ == "__main__":
    now, before = _now(), known()
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    moved = [
        f"{part}: {key}"
        for part in now
        for key in sorted({*now[part], *before[part]})
        if now[part].get(key) != before[part].get(key)
    ]
    print("\n".join(moved) or "nothing has moved")
    sys.exit(bool(moved))
