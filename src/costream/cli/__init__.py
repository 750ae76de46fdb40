"""The command line, ``costream COMMAND``: each command is a module, its options are in `app`."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from ..errors import CostreamError

BAD_INPUT, BAD_USAGE, INTERRUPTED = 1, 2, 130


class UsageError(Exception):
    """A command that cannot be carried out as it was given."""


def excluded(one: str, other: str, hint: str = "use only one of them") -> UsageError:
    """The error for two options that do not go together."""
    return UsageError(f"{one} and {other} exclude each other\nhint: {hint}")


@contextlib.contextmanager
def usage(what: str = "", hint: str = "") -> Iterator[None]:
    """Whatever is wrong within is wrong in the command."""
    try:
        yield
    except CostreamError as error:
        raise UsageError(f"{what}{error}{hint}") from None


def main() -> None:
    """Run a command; every way out has its exit code, and no bad input a traceback."""
    _mend_streams()
    code = _run()
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if code >= 128:
        os._exit(code)  # without waiting for the threads that still compute
    sys.exit(code)


def _run() -> int:
    try:
        import click

        from ..errors import no_file
        from .app import app
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    try:
        return int(app(prog_name="costream", standalone_mode=False) or 0)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return BAD_USAGE
    except click.ClickException as error:
        return _complain(_of_click(error), BAD_USAGE)
    except UsageError as error:
        return _complain(str(error), BAD_USAGE)
    except CostreamError as error:
        return _complain(str(error), BAD_INPUT)
    except FileNotFoundError as error:
        return _complain(str(no_file(error.filename) if error.filename else error), BAD_INPUT)
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        return _complain(f"{what}{error.strerror or error}", BAD_INPUT)
    except MemoryError:
        return _complain("not enough memory", BAD_INPUT)


def _of_click(error: Any) -> str:
    """What click finds wrong in a command, as other errors are written: one sentence and a hint."""
    context = getattr(error, "ctx", None)
    command = "costream" if context is None else context.command_path
    meant = getattr(error, "possibilities", None)
    message = error.message if meant else error.format_message()
    hint = f"did you mean {meant[0]}?" if meant else f"see {command} --help"
    return f"{message[:1].lower()}{message[1:].rstrip('.')}\nhint: {hint}"


def _mend_streams() -> None:
    """Have standard streams even where they are closed, and print any text to them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        if hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="backslashreplace")


def _complain(message: str, code: int) -> int:
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    with contextlib.suppress(OSError):
        print(f"error: {message}", file=sys.stderr, flush=True)
    return code
