"""Runs trials in threads that share the rows, and appends their results in the order of the plan."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..datasets.dataset import Dataset
from ..learners import make_learner
from ..model.classifier import OnlineClassifier, core_of
from .store import Store
from .trial import Result, Trial, run_trial


@dataclass
class Shared:
    """Something that several trials need: made by the first of them, dropped after the last."""

    make: Callable[[], Dataset]
    users: int
    _made: Dataset | None = None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def use(self) -> Dataset:
        with self._lock:
            if self._made is None:
                self._made = self.make()
            self.users -= 1
            made = self._made
            if self.users == 0:
                self._made = None
            return made


def run_trials(
    trials: Sequence[Trial],
    store: Store,
    name: str,
    rows_of: Callable[[Trial], Dataset],
    jobs: int,
    done: Callable[[Trial], None],
) -> int:
    """Run what is not in the store yet, and let the file of the experiment have all of them."""
    wanted = list({trial.key: trial for trial in trials}.values())
    new = [trial for trial in wanted if trial.key not in store]
    _warm_up(new)
    counts = Counter(map(_rows, new))
    shared: dict[Any, Shared] = {}
    for trial in new:
        shared.setdefault(_rows(trial), Shared(_loader(rows_of, trial), counts[_rows(trial)]))
    held = set(store.held(name))
    if all(trial.key in held for trial in wanted):
        return 0
    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {trial.key: pool.submit(_run_shared, trial, shared[_rows(trial)]) for trial in new}
        with store.writing(name) as writer:
            for trial in wanted:
                if trial.key in futures:
                    result, seconds = futures.pop(trial.key).result()
                    record = {"key": trial.key, **trial.identity(), **result.as_json()}
                    writer.append(record, round(seconds, 6))
                    done(trial)
                else:
                    writer.append(store[trial.key])
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return len(new)


def _rows(trial: Trial) -> tuple[str, str, str, int]:
    """What decides the rows of a trial and their order."""
    return trial.dataset, trial.content, trial.order, trial.run


def _loader(rows_of: Callable[[Trial], Dataset], trial: Trial) -> Callable[[], Dataset]:
    return lambda: rows_of(trial)


def _run_shared(trial: Trial, shared: Shared) -> tuple[Result, float]:
    return run_trial(trial, shared.use())


def _warm_up(trials: Sequence[Trial]) -> None:
    """Load or compile what is needed before anything is timed, one learner at a time."""
    for name in dict.fromkeys(trial.learner for trial in trials):
        core_of(OnlineClassifier(make_learner(name))).warm_up()
