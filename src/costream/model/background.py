"""Work of a learner in a second thread."""

from __future__ import annotations

import threading
import time
from typing import Any

from ..kernels.loop import run_job
from ..kernels.records import State

SHORT_WAIT = 0.0002  # seconds


class Job:
    """Work of a learner in a second thread; it writes into arrays that nobody reads before its end."""

    def __init__(self, record: State) -> None:
        self.record = record
        self.done = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        run_job(self.record)
        self.done = True

    def finish(self) -> None:
        """Wait for its end; in a process that was forked meanwhile, do it here."""
        self.thread.join()
        if not self.done:
            self._run()

    def wait(self, part: float) -> None:
        """Wait until a part of it is done."""
        if part >= 1.0:
            self.finish()
        progress: Any = self.record
        done, whole = progress.progress, progress.progress[1]
        while done[0] < part * whole and self.thread.is_alive():
            time.sleep(SHORT_WAIT)
