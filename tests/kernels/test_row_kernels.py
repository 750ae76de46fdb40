"""Row kernels, as they are generated from the fields of a record."""

from typing import NamedTuple

import numpy as np
import pytest

from costream.kernels.row_kernels import source_of
from costream.learners import make_learner


class Numbers(NamedTuple):
    mu: np.ndarray
    a: float
    b: float
    c: float
    d: float
    e: float
    f: float
    g: float
    h: float
    i: float
    j: float


def test_arrays_are_arguments_and_the_rest_comes_from_the_row_buffer():
    assert source_of(make_learner("sacog-i").state(3)) == (
        "def row_kernel(buffer, mu, V, Lambda, Vx, clock, size):\n"
        "    return float(pass_row(Record(mu, V, Lambda, Vx, clock, size, hinge_in(buffer), buffer[7], "
        "buffer[8], int(buffer[9]), int(buffer[10])), buffer))\n"
    )


def test_a_record_with_more_numbers_than_a_row_buffer_holds_is_refused():
    with pytest.raises(TypeError, match=r"^Numbers has more numbers than a row buffer holds$"):
        source_of(Numbers(np.zeros(1), *([1.0] * 10)))
