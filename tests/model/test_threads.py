"""Many threads on one model: calls wait for each other, and none sees half of another's work."""

import contextlib
import copy
import pickle
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import costream
from costream import OnlineClassifier
from helpers.commands import compiled_only
from helpers.streams import SOME, dict_rows, same_bits, stream

pytestmark = (
    compiled_only  # the locks are those of the classifier, and compiled kernels release the GIL
)
X, y = stream(seed=5, rows=60, width=10)
ROWS = dict_rows(X)
TURNS = 20


@pytest.fixture(autouse=True)
def _restless():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(*works):
    """Run the works in threads that start together; the first error of any is raised."""
    start = threading.Barrier(len(works))

    def run(work):
        start.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result() for future in [pool.submit(run, work) for work in works]]


def while_working(work, look):
    """Look again and again while another thread works; returns what was seen."""
    done = threading.Event()

    def work_on():
        try:
            work()
        finally:
            done.set()

    def look_on():
        seen = [look()]
        while not done.is_set():
            seen.append(look())
        return seen

    return at_once(work_on, look_on)[1]


@pytest.mark.parametrize("name", SOME)
def test_scoring_while_another_thread_learns(name):
    model = OnlineClassifier(name)

    def learn():
        for t in range(TURNS):
            for x, label in zip(ROWS, y, strict=True):
                model.learn_one(x | {f"id{t}": 1.0}, label)
            model.learn_many(csr_array(X), y)

    def look():
        scores = [model.score_one(ROWS[0]), model.score_one(X[1]), *model.score_many(X[:5])]
        labels = [model.predict_one(ROWS[2]), *model.predict_many(csr_array(X[:3]))]
        return np.isfinite(scores).all() and set(labels) <= {-1, 0, 1}

    assert all(while_working(learn, look))
    assert model.rows == TURNS * 2 * len(y)


def test_a_score_is_that_of_some_moment():
    """Every score seen is one that the model had between two rows."""
    model, serial = OnlineClassifier("acog-ii"), OnlineClassifier("acog-ii")
    probe = {f"f{j}": 1.0 for j in range(10)}
    moments = {serial.score_one(probe)}
    for x, label in zip(ROWS * TURNS, [*y] * TURNS, strict=True):
        serial.learn_one(x, label)
        moments.add(serial.score_one(probe))

    def learn():
        for x, label in zip(ROWS * TURNS, [*y] * TURNS, strict=True):
            model.learn_one(x, label)

    assert set(while_working(learn, lambda: model.score_one(probe))) <= moments


def test_a_batch_is_one_piece():
    """A batch is not seen half learnt, and nothing comes between its rows."""
    model, serial = OnlineClassifier("carow-diag", "cost"), OnlineClassifier("carow-diag", "cost")
    moments = {serial.score_one(X[0])}
    for _ in range(TURNS):
        serial.learn_many(X, y)
        moments.add(serial.score_one(X[0]))

    def learn():
        for _ in range(TURNS):
            model.learn_many(X, y)

    assert set(while_working(learn, lambda: model.score_one(X[0]))) <= moments
    assert same_bits(model.coef_, serial.coef_)


@pytest.mark.parametrize("batches", [False, True], ids=["rows", "batches"])
def test_threads_that_share_no_feature_share_nothing(batches):
    """With a fixed cost, rows without common features give the same model in any order."""
    model, serial = OnlineClassifier("acog-ii-diag", "cost"), OnlineClassifier("acog-ii-diag", "cost")

    def learn(model, thread):
        names = [f"{thread}-{j}" for j in range(10)]
        for _ in range(TURNS):
            if batches:
                model.learn_many(X, y, names=names)
            else:
                for x, label in zip(X, y, strict=True):
                    model.learn_one(dict(zip(names, x, strict=True)), label)

    at_once(*[lambda thread=thread: learn(model, thread) for thread in range(4)])
    for thread in range(4):
        learn(serial, thread)
    found, expected = (
        dict(zip(each.feature_names, each.coef_, strict=True)) for each in (model, serial)
    )
    assert found == expected
    assert model.rows == serial.rows


def learn_new_features(model):
    """Learn from rows that each bring one more feature: as many rows as names as weights of -1."""
    for t in range(300 * TURNS):
        model.learn_one({f"id{t}": 1.0}, 0)  # sign(0) = +1, so that this is a mistake


def assert_whole(model):
    assert model.rows == len(model.feature_names) == len(model.coef_)
    assert model.coef_.tolist() == [-1.0] * model.rows


@pytest.mark.parametrize(
    "way", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
def test_copies_while_another_thread_learns_are_whole(way):
    model = OnlineClassifier("perceptron")
    while_working(lambda: learn_new_features(model), lambda: assert_whole(way(model)))
    assert_whole(model)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer to interrupt with")
def test_an_interrupt_leaves_the_model_at_work():
    """Ctrl-C in the middle of a loop must not keep the model waiting for ever."""
    model = OnlineClassifier("perceptron")

    def interrupt(_, frame):
        """Only in our code: others do not all bear it (a finaliser of LLVM, the lock of a tracer)."""
        if frame is not None and str(Path(costream.__file__).parent) in frame.f_code.co_filename:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for turn in range(200):
            with contextlib.suppress(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 3e-4 + 1e-6 * turn)
                for _ in range(2000):  # an interrupt may fall where it is swallowed
                    model.learn_one({"a": 1.0, "b": 2.0}, turn % 2)
            thread = threading.Thread(target=model.score_one, args=({"a": 1.0},), daemon=True)
            thread.start()
            thread.join(5.0)
            assert not thread.is_alive()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
