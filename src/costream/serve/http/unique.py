"""Keys of JSON that are given twice, of which a decoder keeps the last in silence.

Each key is followed by a colon. Without escapes, the colons of a body are those after its keys and
those within its strings; the decoder has dropped what was given twice, with its colon. So if the body
has as many colons as what was decoded, no key was dropped. Where it has not, or where there are
escapes, the body is read once more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..messages import Event, Label


class _RepeatedError(Exception):
    """A key that an object has twice."""


def colons_of_event(event: Event) -> int:
    """The colons of an event as it is usually written, without objects among its features."""
    features, time = event.features, event.time
    count = 2 + len(features) + event.id.count(":")
    if time is not None:
        count += 1 + (time.count(":") if type(time) is str else 0)
    if event.fn_cost is not None:
        count += 1
    if event.fp_cost is not None:
        count += 1
    if event.tp_cost is not None:
        count += 1
    if event.tn_cost is not None:
        count += 1
    return count


def colons_of_label(label: Label) -> int:
    """The colons of a label."""
    given, time = label.label, label.time
    count = 2 + label.id.count(":") + (given.count(":") if type(given) is str else 0)
    if time is not None:
        count += 1 + (time.count(":") if type(time) is str else 0)
    return count


def colons_in_features(event: Event) -> int:
    """The colons within the names and texts of features."""
    found = "".join(event.features).count(":")
    for value in event.features.values():
        if type(value) is str:
            found += value.count(":")
    return found


def repeated_key(body: bytes, decoded: Any, colons_of: Callable[[Any], int]) -> str | None:
    """A key that an event or a label has twice, at any depth; None where there is none."""
    if b"\\" not in body:
        more = body.count(b":") - colons_of(decoded)
        if more == 0 or (type(decoded) is Event and more == colons_in_features(decoded)):
            return None
    return _read_again(body)


def _read_again(body: bytes) -> str | None:
    try:
        json.loads(body.decode(), object_pairs_hook=_pairs, parse_int=str, parse_float=str)
    except _RepeatedError as found:
        return str(found.args[0])
    return None


def _pairs(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object with a key that is there twice."""
    if len(dict(pairs)) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedError(key)
            seen.add(key)
