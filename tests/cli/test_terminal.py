"""The line of progress: on a terminal, in one place, and gone when it is done."""

import io
from types import SimpleNamespace

import pytest

from costream.cli import terminal
from costream.cli.terminal import Progress


class Terminal(io.StringIO):
    """A terminal that a person looks at."""

    def isatty(self):
        return True

    @property
    def screen(self):
        """What can be seen: a carriage return goes back to the beginning of its line."""
        lines = []
        for line in self.getvalue().split("\n"):
            seen = ""
            for part in line.split("\r"):
                seen = part + seen[len(part) :]
            lines.append(seen.rstrip())
        return lines


@pytest.fixture
def seen(monkeypatch):
    stderr = Terminal()
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stderr=stderr))
    monkeypatch.setattr(terminal, "EVERY", 0.0)
    return stderr


def test_the_part_that_is_done_is_shown(seen):
    with Progress("reading", 200.0) as bar:
        bar.to(150.0, "1,000 rows")
        assert seen.screen == ["reading  75%  1,000 rows"]
        bar.to(160.0)
        assert seen.screen == ["reading  80%"]
    assert seen.screen == [""]


def test_without_a_terminal_nothing_is_written(capsys):
    with Progress("reading", 1.0) as bar:
        bar.to(1.0)
        assert not bar.shown
    assert capsys.readouterr().err == ""
