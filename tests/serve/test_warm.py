"""A service that is ready has all code that traffic needs: nothing is compiled, or loaded, later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import compiled_only

pytestmark = [compiled_only, pytest.mark.slow]

TRAFFIC = """
import random, sys
from pathlib import Path
from costream import Cost, OnlineClassifier
from costream.kernels.compile import EntryCache
from costream.serve.engine.jobs import LabelJob, ScoreJob
from costream.serve.messages import Event, Label
from costream.serve.engine.recovery import open_engine

learner, folder = sys.argv[1:]
engine = open_engine(Path(folder), lambda: OnlineClassifier(learner, Cost(200, 5)))
load = EntryCache.load_overload
EntryCache.load_overload = lambda self, *rest: print(self._name) or load(self, *rest)
rng = random.Random(1)
costs = {"fn_cost": 50.0, "fp_cost": 2.0}
for round in range(50):
    size = 1 if round % 2 else 100
    events = [
        Event(
            f"{round}-{n}",
            {
                "amount": rng.random(),
                "country": rng.choice("xyz"),
                "card": f"c{rng.randrange(300)}",
                "when": f"2026-0{1 + n % 9}-1{n % 7}T1{n % 9}:00:00",
                "new": n % 2 == 0,
                "tags": ["p", "q"][: n % 3],
                "note": " ".join(rng.choice(["foo", "bar", "baz"]) for _ in range(4)),
                "rare": None if n % 5 else 1.5,
            },
            **(costs if round % 3 else {}),
        )
        for n in range(size)
    ]
    engine.run([ScoreJob(events, 3 if round % 4 == 0 else None)])
    engine.run([LabelJob([Label(one.id, rng.random() < 0.2) for one in events])])
assert engine.served.learnt > 2500
engine.snapshot()
engine.summary()
engine.close()
"""


@pytest.mark.parametrize("learner", ["auto", "acog-ii-diag"])
def test_nothing_is_compiled_in_mid_traffic(tmp_path: Path, learner: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", TRAFFIC, learner, str(tmp_path / "fraud")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == ""
