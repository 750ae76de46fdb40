"""Commands that succeed or fail in an orderly way need no process of their own."""

import pytest

from helpers import commands


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Whoever asks for `costream` itself, or starts a process, has the installed command."""
    monkeypatch.setattr(commands, "costream", commands.in_process)
