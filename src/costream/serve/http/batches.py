"""Batches of events and labels: each row has its own answer, or its own error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..endpoints import LABEL_BATCH, SCORE_BATCH
from ..engine.jobs import Scored
from ..messages import ID_BYTES, ROWS, Answer, BatchAnswer, Event, Label, LabelAnswer, Problem
from .guard import REFUSED, SEE, DeniedError
from .handlers import (
    TWICE,
    Json,
    audit,
    body_of,
    colons_in_features,
    colons_of_event,
    colons_of_label,
    decode_event,
    decode_label,
    decoded,
    no_parameters,
    reasons_of,
    recorded,
    repeated_key,
    service_of,
    shown,
    taken,
    wrong_id,
)
from .routing import handles

Decode = Callable[[Any], Any]
NOT_READ = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Batches(NamedTuple):
    """How batches of a kind are read: all rows at once, or one by one where some are wrong."""

    name: str
    one: Decode
    many: Decode
    raw: Decode
    colons_of: Callable[[Any], int]

    def read(self, body: bytes, most: int) -> list[Any]:
        """The rows of a batch, each of them or what is wrong with it."""
        try:
            rows: list[Any] = getattr(self.many(body), self.name)
        except NOT_READ:
            return self._singly(body, most)
        check_rows(rows, most, self.name)
        more = body.count(b":") - 1 - sum(map(self.colons_of, rows))
        if more and self.name == "events":  # those within features
            more -= sum(map(colons_in_features, rows))
        return self._singly(body, most) if more or b"\\" in body else rows

    def _singly(self, body: bytes, most: int) -> list[Any]:
        """The rows one by one; more than one colon beside them is that of a key given twice."""
        raw = getattr(decoded(self.raw, body), self.name)
        check_rows(raw, most, self.name)
        texts = [bytes(one) for one in raw]
        if body.count(b":") != 1 + sum(text.count(b":") for text in texts):
            raise DeniedError(422, TWICE.format(self.name), SEE)
        return [row_of(self.one, text, self.colons_of) for text in texts]


def _batches(name: str, kind: type, one: Decode, colons_of: Callable[[Any], int]) -> Batches:
    """The decoders of a batch: of rows that are all as they should be, and of rows as they came."""
    raw = Annotated[list[msgspec.Raw], msgspec.Meta(min_length=1, max_length=ROWS)]
    many, raws = (
        msgspec.json.Decoder(msgspec.defstruct("Many", [(name, of)], forbid_unknown_fields=True)).decode
        for of in (list[kind], raw)  # type: ignore[valid-type]
    )
    return Batches(name, one, many, raws, colons_of)


EVENTS = _batches("events", Event, decode_event, colons_of_event)
LABELS = _batches("labels", Label, decode_label, colons_of_label)


@handles(SCORE_BATCH)
async def score_batch(request: Request) -> Response:
    service, body = service_of(request), await body_of(request.scope, request.receive)
    reasons = reasons_of(request.scope)
    rows = EVENTS.read(body, service.settings.max_rows)
    events, places = good(rows)
    results = await taken(service.score(events, reasons)) if events else []
    return batch(rows, places, [of_batch(one) for one in results])


@handles(LABEL_BATCH)
async def label_batch(request: Request) -> Response:
    service, body = service_of(request), await body_of(request.scope, request.receive)
    no_parameters(request.scope)
    rows = LABELS.read(body, service.settings.max_rows)
    labels, places = good(rows)
    if len(labels) < len(rows):
        audit(request, [REFUSED] * (len(rows) - len(labels)))
    if not labels:
        return batch(rows, places, [])
    return batch(rows, places, (await recorded(request, labels)).results)


class _WithId(msgspec.Struct):
    id: str


def row_of(decode: Any, raw: bytes, colons_of: Callable[[Any], int]) -> Any:
    try:
        row = decode(raw)
        twice = repeated_key(raw, row, colons_of)
        if twice is None:
            return row
        return Problem(TWICE.format(shown(twice)), SEE, row.id)
    except msgspec.ValidationError as error:
        wrong, status = str(error), 422
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        wrong, status = f"the row is not JSON: {error}", 400
    except RecursionError:
        wrong, status = "the row is nested too deeply", 422
    try:
        known: str | None = msgspec.json.decode(raw, type=_WithId).id
    except NOT_READ:
        known = None
    return Problem(wrong, SEE, known, status)


def check_rows(rows: Sequence[Any], most: int, what: str) -> None:
    if not 1 <= len(rows) <= most:
        raise DeniedError(422, f"{len(rows):,} {what} in one request", f"send 1 to {most:,}")


def good(rows: list[Any]) -> tuple[list[Any], list[int]]:
    """The rows that the engine can be asked about, and where they stand; ids are checked here."""
    found, places = [], []
    for at, one in enumerate(rows):
        if not isinstance(one, Problem):
            why = wrong_id(one.id)
            if why is None:
                found.append(one)
                places.append(at)
            else:
                rows[at] = Problem(why, f"ids have 1 to {ID_BYTES} bytes of UTF-8", None)
    return found, places


def of_batch(result: Scored | Problem) -> Answer | Problem:
    if isinstance(result, Problem):
        return result
    if not result.replayed:
        return result.answer
    return BatchAnswer(**msgspec.structs.asdict(result.answer), replayed=True)


def batch(
    rows: list[Any], places: list[int], results: Sequence[Answer | LabelAnswer | Problem]
) -> Response:
    for at, result in zip(places, results, strict=True):
        rows[at] = result
    return Json({"results": [in_row(one) if isinstance(one, Problem) else one for one in rows]})


def in_row(problem: Problem) -> dict[str, Any]:
    given = {**msgspec.structs.asdict(problem), "hint": problem.hint or SEE}
    return {key: value for key, value in given.items() if value is not None}
