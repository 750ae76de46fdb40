"""How much memory a model may take."""

import builtins
import io
import os

import pytest

from costream.learners.states import memory

PHYSICAL = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(("limit", "expected"), [("1000000", 1_000_000), ("max", PHYSICAL)])
def test_the_limit_of_a_container_counts(monkeypatch, limit, expected):
    """cgroup v2 has a number of bytes, or the word max."""
    plain = builtins.open

    def fake(path, *args, **kwargs):
        return io.StringIO(limit) if "cgroup" in str(path) else plain(path, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", fake)
    assert memory() == expected
