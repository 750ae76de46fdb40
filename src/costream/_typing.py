"""Type aliases and protocols of what the public calls take."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy, in any format."""

    def tocsr(self) -> object: ...


Names: TypeAlias = Sequence[Hashable]
Label: TypeAlias = bool | int | float | str
Row: TypeAlias = Mapping[Any, Any] | ArrayLike | SparseMatrix  # keys: the type is invariant in them
