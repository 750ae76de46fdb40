"""The command line in a process that kills itself the N-th time a point of the service is reached.

``python dying_service.py "after commit" 3 serve --dir DIR ...``

Rows with the feature `UNLEARNABLE` cannot be learnt there, so that labels are rejected: we know of
no request that makes such a row.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from costream import CostreamError
from costream.cli import main
from costream.serve.engine.served_model import ServedModel
from costream.serve.storage import log

UNLEARNABLE = "cannot be learnt"


def die_at(point: str, times: int) -> None:
    """Let this process end without a word, as `kill -9` ends it, when a point is reached so often."""
    left = times

    def hook(reached: str) -> None:
        nonlocal left
        if reached == point:
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    log.hook = hook


@contextmanager
def some_refused() -> Iterator[None]:
    """Models of services refuse to learn rows with the feature `UNLEARNABLE`."""

    def refusing(learn: Callable[..., None]) -> Callable[..., None]:
        def checked(self: ServedModel, examples: Any, *more: Any) -> None:
            if any(UNLEARNABLE in one.features for one in _listed(examples)):
                raise CostreamError("this row is there to be refused")
            learn(self, examples, *more)

        return checked

    with (
        mock.patch.object(ServedModel, "_learn_one", refusing(ServedModel._learn_one)),
        mock.patch.object(ServedModel, "_learn_batch", refusing(ServedModel._learn_batch)),
    ):
        yield


def _listed(examples: Any) -> list[Any]:
    return examples if isinstance(examples, list) else [examples]


if __name__ == "__main__":
    _, point, times, *arguments = sys.argv
    die_at(point, int(times))
    sys.argv = ["costream", *arguments]
    with some_refused():
        sys.exit(main())
