"""The names of features: how many a model takes, so that no caller can make it grow without end."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from ...errors import CostreamError
from ...model.core import Core
from ...tables.row import flat
from ..settings import Settings
from .fit import fields_of

logger = logging.getLogger("costream.serve")
NONE: list[str] = []
NUMBERS = frozenset({float, int, bool, type(None)})


class Names:
    """The names that events may have: those of the model, and a number of others, first come.

    A name counts from the moment on when an event with it is accepted, whether it is learnt or not. So
    does a text that is longer than a name may be, since a model keeps it as the name of a feature.
    """

    def __init__(self, core: Core, taken: Iterable[str], settings: Settings) -> None:
        taken = set(taken)
        schema = core.schema
        self.known = {field for name in core.names or () for field in fields_of(name)} | taken
        self.known.update(() if schema is None else (one.name for one in schema.columns))
        self._most, self._longest = settings.max_names, settings.max_name
        self._longest_text = settings.max_text
        # A model that hashes names, or has a limit of its own, does not grow with them.
        self._room = math.inf if core.has_limit else self._most - len(taken)
        self.taken = len(taken)
        self.left_out = 0  # since the start

    def new_of(self, features: dict[str, Any], brought: dict[str, None]) -> tuple[list[str], list[str]]:
        """The names of an event that are new and taken, and those that are not.

        ``brought`` has the names of other events of its group. A new name that is too long is an error.
        """
        known, plain = self.known, flat(features)
        unknown = {name: name for name in plain if name not in known and name not in brought}
        for name in unknown:
            if len(name) > self._longest or len(name.encode()) > self._longest:
                raise CostreamError(f"the name of a feature may have {self._longest} bytes")
        for field, value in plain.items():
            for text in self._long_texts(value):
                name = f"{field}={sha256(text).hexdigest()[:32]}"
                if name not in known and name not in brought:
                    unknown[name] = field
        new = list(unknown)
        room = max(0, int(min(self._room - len(brought), len(new))))
        return new[:room], list(dict.fromkeys(unknown[name] for name in new[room:]))

    def has_long_texts(self, features: Mapping[str, Any]) -> bool:
        """Whether flat features may have a text that counts as a name."""
        values, longest = features.values(), self._longest // 4  # a character has up to four bytes
        if NUMBERS.issuperset(map(type, values)):
            return False
        return any(type(one) is list or (type(one) is str and len(one) > longest) for one in values)

    def _long_texts(self, value: Any) -> Iterator[bytes]:
        """The texts of a value that count as names; one that is too long is an error."""
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, str) and 4 * len(one) > self._longest:
                text = one.encode(errors="replace")
                if len(text) > self._longest_text:
                    raise CostreamError(
                        f"a text may have {self._longest_text:,} bytes", "leave it out, or cut it"
                    )
                if len(text) > self._longest:
                    yield text

    def keep(self, new: Mapping[str, None], left_out: int) -> None:
        """Names that a group has brought are on disk."""
        self.known.update(new)
        self._room -= len(new)
        self.taken += len(new)
        if left_out and not self.left_out:
            logger.warning(
                "the model takes no more than %d new names of features (--max-names): "
                "others are left out of events, and counted in costream_names_left_out_total",
                self._most,
            )
        self.left_out += left_out


def without(features: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return pruned(features, set(names).__contains__)


def pruned(
    features: Mapping[str, Any], is_out: Callable[[str], bool], before: str = ""
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in features.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            found[key] = pruned(value, is_out, f"{name}.")
        elif not is_out(name):
            found[key] = value
    return found


def like(features: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """The features of an event that is sent again, as far as they were taken the first time."""
    names = set(flat(stored))
    return pruned(features, lambda name: name not in names)
