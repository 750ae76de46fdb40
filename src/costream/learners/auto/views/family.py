"""What a view says of itself, in Python: its members, and the numbers that it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....kernels.records import Floats
from ..member import Member

if TYPE_CHECKING:
    from ..composition import Composition


class Family(NamedTuple):
    """A view, and the members that learn it.

    ``kinds`` has for each kind of member the place in the plan of the number at which they begin;
    ``numbers`` has for each number its place in the plan, its value and the largest value that a file
    may have. ``fits`` is whether members of a kind, with these units, can be learnt; ``arrays`` makes
    the arrays of a new portfolio of d slots; ``size`` is their bytes when they are as large as they
    get.
    """

    name: str
    members: Sequence[Member]
    kinds: Mapping[str, int]
    numbers: Mapping[str, tuple[int, int, int]]
    fits: Callable[[int, Sequence[Member], Sequence[int]], bool]
    arrays: Callable[[Composition, int], dict[str, Any]]
    size: Callable[[Composition, int], int]


def identities(count: int, size: int) -> Floats:
    """So many unit matrices."""
    found = np.zeros((count, size, size))
    found[:, np.arange(size), np.arange(size)] = 1.0
    return found
