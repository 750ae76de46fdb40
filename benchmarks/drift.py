"""Streams that change, and some that do not: does the default adapt by itself?

    python benchmarks/drift.py [--only STREAM ...] [--by NAME ...] [--seeds 5] [--late 0 500]
                               [--adaptive]

Balanced accuracy in %, prequential: every row is scored before it is learnt, and learnt at once or 500
rows later. Streams are River's generators; their changes were chosen before anything was measured.

hyperplane slow, fast   Hyperplane of 10 numbers, all of which drift, 5 % noise
agrawal                 functions 0, 3, 6 and 0 again, 10,000 rows each
rbf drift               RandomRBFDrift, 50 centroids that move by 0.001
sea                     variants 0 to 3, 10,000 rows each, 10 % noise
rbf                     RandomRBF, still

auto          `OnlineClassifier("auto")`; with ``--adaptive`` of several half-lives, which new models
              do not have as yet
half-life N   `Auto(half_life=N)`: the best one in hindsight is the goal
lightgbm      its defaults in one thread, fitted on all rows so far whenever they have grown by half
lightgbm 10k  the same on the last 10,000 rows, every 1,000 rows
vw            Vowpal Wabbit, logistic loss, its defaults
forest        River's ARFClassifier, 10 trees
arf, srp      CapyMOA's ARF and SRP with 100 trees, where it is installed
sgbt          its streaming gradient boosted trees

A probability decides at the class rate of the labels known so far. Results go to
benchmarks/results/drift.json, a record for each stream, seed and delay; what is there stays.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import stored

from costream import OnlineClassifier
from costream.learners import Auto
from costream.learners.auto import members

ROWS, PART = 40_000, 10_000
HALF_LIVES = (30, 100, 300, 1000, 3000, 10_000)
PACKAGES = ("river", "lightgbm", "vowpalwabbit", "capymoa")
FIRST, GROWTH, WINDOW, EVERY = 50, 1.5, 10_000, 1000  # rows
LIGHTGBM = {"objective": "binary", "num_threads": 1, "seed": 1, "deterministic": True, "verbosity": -1}

Rows = tuple[np.ndarray, np.ndarray]
Score = Callable[[np.ndarray], float]
Learn = Callable[[np.ndarray, int, Any], None]


# --- streams ----------------------------------------------------------------------------------------


def taken(source: Any, rows: int) -> Iterator[tuple[list[float], int]]:
    for x, y in itertools.islice(source, rows):
        yield [float(value) for value in x.values()], int(y)


def stream(name: str, seed: int) -> Rows:
    """The rows of a stream and their labels."""
    from river.datasets import synth

    found: list[tuple[list[float], int]] = []
    if name.startswith("hyperplane"):
        change = 0.001 if name.endswith("slow") else 0.01
        kept = {"n_drift_features": 10, "noise_percentage": 0.05}
        source = synth.Hyperplane(seed=seed, mag_change=change, **kept)
        found += taken(source, ROWS)
    elif name == "agrawal":
        for part, function in enumerate((0, 3, 6, 0)):
            source = synth.Agrawal(classification_function=function, seed=10 * seed + part)
            found += taken(source, PART)
    elif name == "sea":
        for variant in range(4):
            found += taken(synth.SEA(variant=variant, seed=10 * seed + variant, noise=0.1), PART)
    else:
        given = {"seed_model": seed, "seed_sample": seed, "n_classes": 2, "n_features": 10}
        if name == "rbf drift":
            given |= {"change_speed": 0.001, "n_drift_centroids": 50}
        kind = synth.RandomRBFDrift if name == "rbf drift" else synth.RandomRBF
        found += taken(kind(n_centroids=50, **given), ROWS)
    X, y = zip(*found, strict=True)
    return np.array(X), np.array(y)


STREAMS = ("hyperplane slow", "hyperplane fast", "agrawal", "rbf drift", "sea", "rbf")


# --- those who decide -------------------------------------------------------------------------------


def ours(half_life: int | None, X: np.ndarray, y: np.ndarray, late: int) -> np.ndarray:
    """The scores of `auto`, which is told what it has said of a row when the label comes."""
    model = OnlineClassifier(Auto(half_life=half_life))
    if not late:
        return model.prequential(X, y)
    scores, said = np.empty(len(y)), []
    for t, x in enumerate(X):
        said.append(model.forecast_one(x))
        scores[t] = model.score_one(x)
        if t >= late:
            model.learn_one(X[t - late], y[t - late], forecast=said[t - late])
    return scores


def at_class_rate(chances: np.ndarray, y: np.ndarray, late: int) -> np.ndarray:
    """Scores of 0 or more where a probability is at least the class rate of the labels known."""
    known = np.maximum(np.arange(len(y)) - late, 0)
    positives = np.concatenate(([0], np.cumsum(y)))[known]
    return np.nan_to_num(chances, nan=0.0) * known - positives


def one_by_one(score: Score, learn: Learn, X: np.ndarray, y: np.ndarray, late: int) -> np.ndarray:
    chances = np.empty(len(y))
    for t, x in enumerate(X):
        chances[t] = score(x)
        if t >= late:
            learn(X[t - late], int(y[t - late]), None)
    return at_class_rate(chances, y, late)


def boosted(window: int | None, X: np.ndarray, y: np.ndarray, late: int) -> np.ndarray:
    import lightgbm

    chances, seen = np.full(len(y), np.nan), FIRST
    while seen + late < len(y):
        first = 0 if window is None else max(seen - window, 0)
        data = lightgbm.Dataset(X[first:seen], y[first:seen])
        model = lightgbm.train(LIGHTGBM, data)
        after = int(np.ceil(GROWTH * seen)) if window is None or seen < EVERY else seen + EVERY
        rows = slice(seen + late, min(after + late, len(y)))
        chances[rows] = model.predict(X[rows], num_threads=1)
        seen = after
    return at_class_rate(chances, y, late)


def wabbit(X: np.ndarray, y: np.ndarray, late: int) -> np.ndarray:
    from vowpalwabbit import Workspace

    model = Workspace("--loss_function logistic --link logistic --quiet")

    def text(x: np.ndarray) -> str:
        return "| " + " ".join(f"{j}:{value:.8g}" for j, value in enumerate(x))

    def learn(x: np.ndarray, label: int, _: Any) -> None:
        model.learn(f"{2 * label - 1} {text(x)}")

    return one_by_one(lambda x: float(model.predict(text(x))), learn, X, y, late)


def forest(X: np.ndarray, y: np.ndarray, late: int) -> np.ndarray:
    from river.forest import ARFClassifier

    model = ARFClassifier(n_models=10, seed=1)
    rows = [dict(enumerate(x)) for x in X.tolist()]
    chances = np.empty(len(y))
    for t, row in enumerate(rows):
        chances[t] = model.predict_proba_one(row).get(True, 0.0)
        if t >= late:
            model.learn_one(rows[t - late], bool(y[t - late]))
    return at_class_rate(chances, y, late)


def capymoa(kind: str, X: np.ndarray, y: np.ndarray, late: int) -> np.ndarray:
    from capymoa import classifier
    from capymoa.stream import NumpyStream

    source = NumpyStream(X, y)
    name, given = {
        "arf": ("AdaptiveRandomForestClassifier", {"ensemble_size": 100}),
        "srp": ("StreamingRandomPatches", {"ensemble_size": 100}),
        "sgbt": ("StreamingGradientBoostedTrees", {}),
    }[kind]
    model = getattr(classifier, name)(schema=source.get_schema(), random_seed=1, **given)
    instances, chances = [], np.full(len(y), np.nan)
    for t in range(len(y)):
        instances.append(source.next_instance())
        votes = model.predict_proba(instances[t])
        if votes is not None and len(votes) > 1 and np.sum(votes) > 0:
            chances[t] = votes[1] / np.sum(votes)
        elif votes is not None:
            chances[t] = 0.0
        if t >= late:
            model.train(instances[t - late])
    return at_class_rate(chances, y, late)


CONTESTANTS: dict[str, Callable[[np.ndarray, np.ndarray, int], np.ndarray]] = {
    "auto": partial(ours, None),
    **{f"half-life {n}": partial(ours, n) for n in HALF_LIVES},
    "lightgbm": partial(boosted, None),
    "lightgbm 10k": partial(boosted, WINDOW),
    "vw": wabbit,
    "forest": forest,
    **{kind: partial(capymoa, kind) for kind in ("arf", "srp", "sgbt")},
}


# --- results ----------------------------------------------------------------------------------------


def balanced_accuracy(scores: np.ndarray, y: np.ndarray) -> float:
    flags = scores >= 0.0
    return 50.0 * float(flags[y == 1].mean() + (~flags[y == 0]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=STREAMS, default=STREAMS, metavar="STREAM")
    parser.add_argument(
        "--by", nargs="+", choices=CONTESTANTS, default=list(CONTESTANTS), metavar="NAME"
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--late", type=int, nargs="+", default=[0, 500])
    parser.add_argument("--adaptive", action="store_true")
    given = parser.parse_args()
    if given.adaptive:
        members.CURRENT, Auto.revision = members.ADAPTIVE, members.ADAPTIVE.revision
    header = stored.about(PACKAGES)
    for seed, name, late in itertools.product(range(given.seeds), given.only, given.late):
        X, y = stream(name, seed)
        key = f"{name}, seed {seed}, {late} rows late"
        found = stored.read("drift").get("records", {}).get(key, {}).get("balanced_accuracy", {})
        for who in given.by:
            try:
                found[who] = balanced_accuracy(CONTESTANTS[who](X, y, late), y)
            except ImportError as error:
                print(f"{key}: {who} is left out: {error}", flush=True)
                continue
            print(f"{key}: {who} {found[who]:.2f}", flush=True)
        stored.replace("drift", header, {key: {"balanced_accuracy": found}})


if __name__ == "__main__":
    main()
