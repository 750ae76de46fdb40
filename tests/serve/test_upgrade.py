"""After an upgrade a service goes on with the options that it was started with."""

import pytest

from costream import Cost, CostreamError, OnlineClassifier
from costream.model import file
from costream.serve.engine.recovery import open_engine


def opened(folder, fn_cost=200):
    return open_engine(folder, lambda: OnlineClassifier("carow-diag", Cost(fn_cost, 5)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A directory that another release has begun."""
    monkeypatch.setattr(file, "installed_version", lambda _: "0.0.9")
    opened(tmp_path).close()
    monkeypatch.undo()
    return tmp_path


def test_the_same_options_are_the_same_model_in_another_release(folder):
    opened(folder).close()


def test_other_options_are_another_model(folder):
    with pytest.raises(CostreamError, match="began with another model"):
        opened(folder, fn_cost=300)
