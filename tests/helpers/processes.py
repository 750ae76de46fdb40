"""``costream serve`` in a process of its own, to be stopped, killed, or left to kill itself."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from costream.serve import Client
from helpers import dying_service
from helpers.commands import COSTREAM

PATIENCE = 60.0  # seconds for anything that must happen at all


class Process:
    """``costream serve`` on a directory and a free port, in a process of its own."""

    def __init__(
        self,
        directory: Path,
        *options: object,
        point: str | None = None,
        times: int = 1,
        environment: dict[str, str] | None = None,
    ) -> None:
        launch = [COSTREAM] if point is None else [sys.executable, dying_service.__file__, point, times]
        arguments = [*launch, "serve", "--dir", directory, "--port", 0, *options]
        self.lines: list[str] = []
        self.url: str | None = None
        self._known = threading.Event()
        self._process = subprocess.Popen(
            [str(one) for one in arguments],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.lines.append(line.rstrip())
            if "serving" in line and " at http" in line:
                self.url = line.split()[-1].rstrip('"}')
                self._known.set()
        self._known.set()

    @property
    def output(self) -> str:
        """The standard error of the process so far."""
        return "\n".join(self.lines)

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def ready(self) -> str:
        """Wait until it takes requests, and give the address."""
        url = self.address()
        assert url is not None, f"the service did not start: {self.output}"
        with Client(url, retries=0) as client:
            end = time.monotonic() + PATIENCE
            while self.lives and not client.is_ready() and time.monotonic() < end:
                time.sleep(0.01)
        return url

    def address(self) -> str | None:
        """Wait until the address is known; one that dies before that has none."""
        self._known.wait(PATIENCE)
        return self.url

    def ended(self) -> int:
        """Wait for the end; returns the exit code."""
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"the service did not end: {self.output}") from None
        finally:
            self._listener.join()
            assert self._process.stderr is not None
            self._process.stderr.close()
        return code

    def kill(self) -> int:
        self._process.kill()
        return self.ended()

    def stop(self) -> int:
        """Stop it in order; returns the exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self.ended()


@contextlib.contextmanager
def running(directory: Path, *options: object, **more: Any) -> Iterator[Process]:
    """A service that listens, and is gone at the end, whatever a test has done with it."""
    process = Process(directory, *options, **more)
    try:
        process.ready()
        yield process
    finally:
        if process.lives:
            process.kill()
