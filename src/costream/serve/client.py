"""A client of the service; it needs the standard library and msgspec alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from http.client import HTTPException
from math import isfinite
from types import TracebackType
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from ..errors import CostreamError
from .connection import AGAIN, Connection, ServiceError, wait_before
from .endpoints import EVENT, LABEL, LABEL_BATCH, READY, SCORE, SCORE_BATCH, SUMMARY
from .messages import ROWS, Answer, Event, Label, LabelAnswer, Problem, Summary

Time = str | float | datetime
T = TypeVar("T")

BODY = 900_000  # bytes of a batch, below what a service takes
COSTS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")


class Client:
    """A connection to a running service.

    It is kept open, and opened again where it was lost. A request that found nobody, or was answered
    with 429 or 503, is sent again, as it was and so with the same id: a service that has taken it
    before gives the same answer, and learns nothing twice. Threads may share a client; they take turns.

    Parameters
    ----------
    url : str
        Where the service is, such as ``http://127.0.0.1:8321``.
    token : str, default=None
        A token, where the service asks for one.
    timeout : float, default=10.0
        Seconds to wait for an answer.
    retries : int, default=8
        How often a request is sent again, after 0.1 s, 0.2 s and so on up to 5 s, or after the time
        that the service asks for.

    Examples
    --------
    ::

        from costream.serve import Client, Problem

        with Client("http://127.0.0.1:8321") as service:
            payment = {"amount": 120.0, "country": "FR", "new device": True}
            answer = service.score("payment-1", payment, fn_cost=120.0)
            if answer.flag:
                print(f"stop it: {answer.probability:.0%}", answer.reasons)
            # days later, when the chargeback has come or the customer has said that all is well
            service.label("payment-1", True)

            events = [{"id": f"payment-{n}", "features": {"amount": 10.0 * n}} for n in range(2, 5000)]
            for event, answer in zip(events, service.score_many(events)):
                if isinstance(answer, Problem):
                    print(event["id"], answer.error)
            service.label_many({"id": event["id"], "label": False} for event in events)
            print(service.summary().total.cost)

    >>> from costream.serve import Client
    >>> Client("http://127.0.0.1:8321", timeout=5)
    Client('http://127.0.0.1:8321')
    """

    def __init__(
        self, url: str, token: str | None = None, timeout: float = 10.0, retries: int = 8
    ) -> None:
        self._connection = Connection(url, token, timeout, retries)

    def __repr__(self) -> str:
        return f"Client({self._connection.url!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; a later request opens it again."""
        self._connection.close()

    def score(
        self,
        id: str,  # noqa: A002
        features: Mapping[str, Any],
        *,
        time: Time | None = None,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
        reasons: int | None = None,
    ) -> Answer:
        """Send an event and get the decision on it.

        Parameters
        ----------
        id : str
            The id of the event, of 1 to 200 bytes; its label comes with the same one.
        features : mapping of str to number, bool or str
            What is known about the event. NaN is sent as null, a value that is not known.
        time : datetime, str or float, default=None
            When the event happened: a datetime, ISO 8601, or seconds since 1970.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            What missing, wrongly flagging, rightly flagging or passing this event costs; None for the
            costs that the service was started with.
        reasons : int, default=None
            How many reasons to give; None for those of flags, as the service is set.

        Returns
        -------
        Answer
            The decision, with its score and probability.
        """
        costs = zip(COSTS, (fn_cost, fp_cost, tp_cost, tn_cost), strict=True)
        given = {"time": time, **dict(costs)}
        event: dict[str, Any] = {"id": id, "features": dict(features)}
        event |= {key: value for key, value in given.items() if value is not None}
        body = _encoded(event)
        return self._post(SCORE.path + _asking(reasons), body, Answer)

    def label(
        self,
        id: str,  # noqa: A002
        label: bool | float | str,
        *,
        time: Time | None = None,
    ) -> LabelAnswer:
        """Send the label of an event: what it turned out to be.

        Parameters
        ----------
        id : str
            The id of the event.
        label : bool, number or str
            1 and True are positive, 0, -1 and False negative, unless the service has other labels.
        time : datetime, str or float, default=None
            When this became known.

        Returns
        -------
        LabelAnswer
            What became of the label. One that was sent again may be a ``duplicate`` of itself.
        """
        given = {"id": id, "label": label}
        body = _encoded(given if time is None else {**given, "time": time})
        return self._post(LABEL.path, body, LabelAnswer)

    def score_many(
        self, events: Iterable[Event | Mapping[str, Any]], *, reasons: int | None = None
    ) -> list[Answer | Problem]:
        """Send many events, 1,000 at a time.

        Parameters
        ----------
        events : iterable of mapping
            Events with the keys ``id`` and ``features`` and, where they are known, ``time`` and the
            four costs, as in `score`.
        reasons : int, default=None
            How many reasons to give; None for those of flags, as the service is set.

        Returns
        -------
        list of Answer or Problem
            The decision on each event in their order, or why it was refused.
        """
        return self._post_many(SCORE_BATCH.path + _asking(reasons), "events", events, Answer)

    def label_many(self, labels: Iterable[Label | Mapping[str, Any]]) -> list[LabelAnswer | Problem]:
        """Send many labels, 1,000 at a time.

        Parameters
        ----------
        labels : iterable of mapping
            Labels with the keys ``id``, ``label`` and, where it is known, ``time``, as in `label`.

        Returns
        -------
        list of LabelAnswer or Problem
            What became of each label in their order, or why it was refused.
        """
        return self._post_many(LABEL_BATCH.path, "labels", labels, LabelAnswer)

    def event(self, id: str) -> dict[str, Any]:  # noqa: A002
        """Look an event up.

        Parameters
        ----------
        id : str
            The id of the event.

        Returns
        -------
        dict
            The event as it came, the answer that it got, and its labels.
        """
        return self._get(EVENT.at(id=id), dict[str, Any])

    def summary(self, by: Literal["day", "hour"] = "day") -> Summary:
        """Look up what decisions have cost, against flagging nothing and flagging everything.

        Parameters
        ----------
        by : {"day", "hour"}, default="day"
            How events are grouped by their time.

        Returns
        -------
        Summary
            The counts and costs of each day or hour, and of all of them.
        """
        return self._get(f"{SUMMARY.path}?by={quote(by)}", Summary)

    def is_ready(self) -> bool:
        """Ask whether the service is there and takes events.

        Returns
        -------
        bool
            False where nobody answers, and while a service starts or stops.
        """
        try:
            status, _, _ = self._connection.send("GET", READY.path, None)
        except (OSError, HTTPException):
            return False
        return status == 200

    # --- requests -----------------------------------------------------------------------------------

    def _get(self, path: str, kind: type[T]) -> T:
        return self._read(self._connection.ask("GET", path, None), kind)

    def _post(self, path: str, body: bytes, kind: type[T]) -> T:
        return self._read(self._connection.ask("POST", path, body), kind)

    def _read(self, body: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(body, type=kind)
        except msgspec.MsgspecError:
            raise ServiceError(
                f"what answers at {self._connection.url} is not a service of costream",
                "check the address, and that both are of the same version",
            ) from None

    def _post_many(self, path: str, key: str, rows: Iterable[Any], kind: type[T]) -> list[T | Problem]:
        """The answers to all rows; those that may go well later are sent again."""
        found: list[T | Problem] = []
        for batch in _batches(rows, found):
            waiting = batch
            for attempt in range(self._connection.retries + 1):
                texts = b",".join(row.text for row in waiting)
                answer = self._post(path, b'{"%s":[%s]}' % (key.encode(), texts), _Results)
                if len(answer.results) != len(waiting):
                    raise ServiceError(f"{len(answer.results)} answers came for {len(waiting)} rows")
                for row, text in zip(waiting, answer.results, strict=True):
                    found[row.place] = self._row(text, kind)
                waiting = [row for row in waiting if _is_busy(found[row.place])]
                if not waiting or attempt == self._connection.retries:
                    break
                self._connection.pause(wait_before(attempt, None))
        return found

    def _row(self, text: bytes, kind: type[T]) -> T | Problem:
        """An answer of a batch, or why there is none."""
        try:
            return msgspec.json.decode(text, type=kind)
        except msgspec.ValidationError:
            return self._read(text, Problem)


class _Results(msgspec.Struct):
    """The answer to a batch."""

    results: list[msgspec.Raw]


class _Row(NamedTuple):
    """A row of a batch as JSON, and its place among all rows."""

    place: int
    text: bytes


def _batches(rows: Iterable[Any], found: list[Any]) -> Iterator[list[_Row]]:
    """Rows in batches; what cannot be JSON gets its problem at once. ``found`` grows with them."""
    batch: list[_Row] = []
    size = 0
    for place, row in enumerate(rows):
        found.append(None)
        try:
            text = _encoded(row)
        except CostreamError as error:
            found[place] = Problem.of(error, _id_of(row))
            continue
        if batch and (len(batch) == ROWS or size + len(text) > BODY):
            yield batch
            batch, size = [], 0
        batch.append(_Row(place, text))
        size += len(text) + 1
    if batch:
        yield batch


def _id_of(row: Any) -> str | None:
    found = row.get("id") if isinstance(row, Mapping) else getattr(row, "id", None)
    return found if isinstance(found, str) else None


def _plain(thing: Any) -> Any:
    """What JSON has in place of a number of NumPy, or of a mapping that is not a dict."""
    if isinstance(thing, Mapping):
        return dict(thing)
    if hasattr(thing, "dtype") and hasattr(thing, "item") and not getattr(thing, "shape", None):
        return thing.item()
    raise TypeError(f"a value is of type {type(thing).__name__}, which JSON does not have")


_encoder = msgspec.json.Encoder(enc_hook=_plain)


def _encoded(row: Any) -> bytes:
    for name in COSTS:
        cost = row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)
        if cost is not None and not isfinite(cost):  # in JSON it would be null, for no own cost
            raise CostreamError(f"{name} is not finite: {cost}")
    try:
        return _encoder.encode(row)
    except (TypeError, ValueError, RecursionError) as error:
        raise CostreamError(f"this cannot be sent: {error}", "use text, numbers and booleans") from None


def _asking(reasons: int | None) -> str:
    return "" if reasons is None else f"?reasons={int(reasons)}"


def _is_busy(result: object) -> bool:
    return isinstance(result, Problem) and result.status in AGAIN
