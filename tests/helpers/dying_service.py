"""The command line in a process that kills itself the N-th time a point of the service is reached.

``python dying_service.py "after commit" 3 serve --dir DIR ...``

Rows with the feature `UNLEARNABLE` cannot be learnt there, so that labels are put aside: we know of
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
from costream.serve.engine.served_model import Owner
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
        def checked(self: Owner, lessons: Any, *more: Any) -> None:
            if any(UNLEARNABLE in one.features for one in _listed(lessons)):
                raise CostreamError("this row is there to be refused")
            learn(self, lessons, *more)

        return checked

    with (
        mock.patch.object(Owner, "_learn_one", refusing(Owner._learn_one)),
        mock.patch.object(Owner, "_learn_batch", refusing(Owner._learn_batch)),
    ):
        yield


def _listed(lessons: Any) -> list[Any]:
    return lessons if isinstance(lessons, list) else [lessons]


if __name__ == "__main__":
    _, point, times, *arguments = sys.argv
    die_at(point, int(times))
    sys.argv = ["costream", *arguments]
    with some_refused():
        sys.exit(main())
