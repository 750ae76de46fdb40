"""A connection to a service that is kept open, and requests that are sent again where that may help."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

import msgspec

from ..errors import CostreamError
from .messages import Problem

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds before a request is sent again; doubled each time
LONGEST_RETRY_AFTER = 60.0
AGAIN = (429, 503)  # what may go well later


class ServiceError(CostreamError):
    """A request that was refused, or that could not be sent.

    Parameters
    ----------
    message : str
        What is wrong, in one sentence.
    hint : str, default=None
        What to do about it.
    status : int, default=None
        The HTTP status; None where there was no answer.

    Examples
    --------
    >>> from costream.serve import ServiceError
    >>> ServiceError("this id has come with another event", status=409).status
    409
    """

    def __init__(self, message: str, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(message, hint)
        self.status = status


class Connection:
    """One connection, opened when it is needed; threads that share it take turns."""

    def __init__(self, url: str, token: str | None, timeout: float, retries: int) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or parts.scheme not in ("http", "https"):
            raise CostreamError(
                f"{url!r} is not the address of a service", "write it like http://127.0.0.1:8321"
            )
        if token is not None and (not token.isascii() or not token.isprintable() or " " in token):
            raise CostreamError("the token has characters that no token has")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.url = url.rstrip("/")
        self.retries = max(0, retries)
        self.pause: Callable[[float], object] = time.sleep
        self._http = kind(host, port, timeout=timeout)
        self._path = parts.path.rstrip("/")
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the connection; a later request opens it again."""
        with self._lock:
            self._http.close()

    def ask(self, method: str, path: str, body: bytes | None) -> bytes:
        """The body of a good answer; asks again where that may help."""
        for attempt in range(self.retries + 1):
            last = attempt == self.retries
            try:
                status, text, retry_after = self.send(method, path, body)
            except (OSError, HTTPException) as error:
                if last:
                    why = f"no answer from {self.url}: {str(error) or type(error).__name__}"
                    raise ServiceError(why, "is the service running there?") from None
                retry_after = None
            else:
                if status in (200, 202):
                    return text
                if status not in AGAIN or last:
                    raise _refused(status, text)
            self.pause(wait_before(attempt, retry_after))
        raise AssertionError("the last attempt has returned or raised")

    def send(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes, str | None]:
        """Status, body and Retry-After of one request; a connection that was closed is opened again."""
        headers = (
            self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        )
        with self._lock:
            used = self._http.sock is not None
            try:
                return self._exchange(method, path, body, headers)
            except (ConnectionError, HTTPException):
                if not used:  # a new connection: this is not a connection that was kept too long
                    raise
            return self._exchange(method, path, body, headers)

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes, str | None]:
        try:
            self._http.request(method, self._path + path, body, headers)
            answer = self._http.getresponse()
            return answer.status, answer.read(), answer.getheader("Retry-After")
        except BaseException:
            self._http.close()
            raise


def wait_before(attempt: int, retry_after: str | None) -> float:
    if retry_after is not None and retry_after.isdecimal():
        return min(float(retry_after), LONGEST_RETRY_AFTER)
    return min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT)


def _refused(status: int, text: bytes) -> ServiceError:
    try:
        problem = msgspec.json.decode(text, type=Problem)
    except msgspec.MsgspecError:
        return ServiceError(f"the answer was {status} without a reason", "check the address", status)
    return ServiceError(problem.error, problem.hint, status)
