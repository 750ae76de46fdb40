"""A tiny data set, and an empty cache, for the tests of data sets."""

from functools import partial

import pytest

from helpers.tiny import enter, nothing_at_hand, real_file


@pytest.fixture
def cache(tmp_path, monkeypatch):
    return nothing_at_hand(tmp_path, monkeypatch)


@pytest.fixture
def real(monkeypatch):
    return partial(real_file, monkeypatch)


@pytest.fixture
def register(monkeypatch):
    return partial(enter, monkeypatch)
