"""What the service logs: a line for each message, as text or JSON, with time, level, request and token.

Nothing that is logged holds data of events: errors are named by kind and place, warnings by their words
only where these are known to quote no value, requests by their routes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TextIO

import msgspec

from ...errors import PlainWarning, place_of
from ..storage.access import local_user

Format = Literal["text", "json"]
FLUSH_SECONDS = 0.2  # between two writes of audit lines
NOISE = ("Invalid HTTP request received.", "Unsupported upgrade request.", "No supported WebSocket")

logger = logging.getLogger("costream.serve")
audit_logger = logging.getLogger("costream.audit")


class _Lines(logging.Formatter):
    """A line for each message; of an error only its kind and place, since it may quote an event."""

    def format(self, record: logging.LogRecord) -> str:
        about = "".join(f" {key}={value}" for key, value in vars(record).get("about", {}).items())
        return (
            f"{moment(record.created)} {record.levelname} costream: {one_line(_words(record))}{about}"
        )


class _Objects(logging.Formatter):
    """An object of JSON for each message, in a line."""

    def format(self, record: logging.LogRecord) -> str:
        return msgspec.json.encode(
            {
                "time": moment(record.created),
                "level": record.levelname,
                "logger": record.name,
                "message": _words(record),
                **vars(record).get("about", {}),
            }
        ).decode()


def _words(record: logging.LogRecord) -> str:
    """The message of a record, with the kind and place of its error."""
    text = record.getMessage()
    if record.name == "asyncio":  # below and in brackets it shows what was handled, and its error
        text = text.partition("\n")[0]
        if text.startswith("Exception in callback "):
            text = text.partition("(")[0]
    if record.exc_info and record.exc_info[1] is not None:
        text = f"{text.rstrip()} {place_of(record.exc_info[1])}"
    return text


def about(request_id: str | None, token: str | None, **more: Any) -> dict[str, Any]:
    """What a line has besides its message; for ``extra`` of a logger."""
    given = {"request_id": request_id, "token": token, **more}
    return {"about": {key: value for key, value in given.items() if value is not None}}


def moment(seconds: float) -> str:
    date = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{date}.{int(seconds * 1000) % 1000:03d}Z"


def one_line(text: str) -> str:
    """A text without control characters, so that no name makes a line of its own."""
    if text.isprintable():
        return text
    text = text.replace("\nhint: ", "; hint: ")
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


Became = tuple[str, int | None]  # the status of a label, and the number of its record if it has one


class Audit:
    """A line for each label that was sent: by whom, what became of it, and under which number.

    The number is that of the record in the log, which knows the event; a line does not. Lines are kept
    for a moment and written together: a call of a logger for each label would cost a tenth of it.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[float, str | None, str, Sequence[Became]]] = []
        self._stream: TextIO | None = None
        self._json = False

    def to(self, stream: TextIO | None, form: Format = "text") -> None:
        self._stream, self._json = stream, form == "json"

    def labels(self, token: str | None, request_id: str, became: Sequence[Became]) -> None:
        """Labels have come with a request: what became of each."""
        if not self._kept:
            if self._stream is None and not audit_logger.isEnabledFor(logging.INFO):
                return
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self._kept.append((time.time(), token, request_id, became))

    def flush(self) -> None:
        kept, self._kept = self._kept, []
        if self._stream is None:
            for _, token, request_id, became in kept:
                for status, record in became:
                    more = about(request_id, token, status=status, record=record)
                    audit_logger.info("label", extra=more)
            return
        try:
            self._stream.write("".join(self._lines(kept)))
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads the log any more
            return

    def _lines(self, kept: Sequence[tuple[float, str | None, str, Sequence[Became]]]) -> Iterator[str]:
        """All lines; names of tokens, ids of requests and statuses need no escapes."""
        before, start = -1, ""
        quote, key, end = ('"', ',"record":', "}\n") if self._json else ("", " record=", "\n")
        for at, token, request_id, became in kept:
            now = int(at * 1000)
            if now != before:
                before, start = now, self._start(at)
            middle = start + request_id + self._middle(token)
            for status, record in became:
                number = "" if record is None else f"{key}{record}"
                yield f"{middle}{status}{quote}{number}{end}"

    def _start(self, at: float) -> str:
        if not self._json:
            return f"{moment(at)} INFO costream: label request_id="
        head = f'{{"time":"{moment(at)}","level":"INFO","logger":"costream.audit"'
        return f'{head},"message":"label","request_id":"'

    def _middle(self, token: str | None) -> str:
        """What stands between the id of a request and the status of a label."""
        if self._json:
            return '","status":"' if token is None else f'","token":"{token}","status":"'
        return " status=" if token is None else f" token={token} status="


def log_command(what: str, **more: object) -> None:
    """An audit line for a command that has changed something, or copied it: who, and what."""
    given = "".join(f" {key}={one_line(str(value))}" for key, value in more.items())
    line = f"{moment(time.time())} INFO costream: {what} by={one_line(local_user())}{given}"
    with contextlib.suppress(OSError, ValueError):  # nobody listens
        print(line, file=sys.stderr, flush=True)


class _Quiet(logging.Filter):
    """Leaves out what uvicorn logs of each request that is not HTTP: these are counted instead."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith(NOISE)


def log_to_stderr(form: Format = "text", audit: Audit | None = None) -> None:
    """Log to standard error, as text or JSON; nothing that is logged quotes an event."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Objects() if form == "json" else _Lines())
    for name in ("costream", "uvicorn", "asyncio"):
        one = logging.getLogger(name)
        one.handlers, one.propagate = [handler], False
        one.setLevel(logging.INFO if name == "costream" else logging.WARNING)
    logging.getLogger("uvicorn.error").filters = [_Quiet()]
    if audit is not None:
        audit.to(sys.stderr, form)
    _log_warnings()


def _log_warnings() -> None:
    """Log warnings once, with their words where these quote nothing, else by kind and place."""
    logged: set[tuple[object, ...]] = set()

    def shown(
        message: object, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
    ) -> None:
        words = message.words if isinstance(message, PlainWarning) else None
        if (filename, lineno, words) not in logged:
            logged.add((filename, lineno, words))
            if words is None:
                logger.warning("%s at %s:%d", category.__name__, filename, lineno)
            else:
                logger.warning("%s", words)

    warnings.showwarning = shown
