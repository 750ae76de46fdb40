"""Bearer tokens: who may do what. The directory keeps their hashes, never the tokens themselves."""

from __future__ import annotations

import hashlib
import math
import os
import re
import secrets
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import msgspec

from ..._files import write_atomically
from ...errors import CostreamError
from ..endpoints import TokenScope
from ..storage import access
from ..storage.directory import TOKENS, existing, sync_folder

SCOPES: tuple[str, ...] = get_args(TokenScope)
ADMIN = "admin"
PREFIX = "cst_"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Token(msgspec.Struct, frozen=True):
    """What is kept of a token."""

    name: str
    sha256: str
    scopes: list[TokenScope]
    created: str

    def allows(self, scope: str) -> bool:
        """Whether it has a scope; admin implies the others."""
        return scope in self.scopes or ADMIN in self.scopes


class _File(msgspec.Struct):
    tokens: list[Token]


def _digest(token: str) -> str:
    """What a token is looked up by.

    A look-up by digest takes the same time for 5 tokens and 5,000. How long it takes tells nothing of
    use: digests of wrong tokens are as good as random, and no part of a right one can be tried out.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Tokens:
    """The tokens of a directory, read again whenever their file changes.

    Whoever holds them sees a token that was added or removed by another process, after `delay` seconds
    at most. A file that cannot be read lets nobody in. They are true where there is a file of tokens,
    even an empty one: then requests need a token.
    """

    def __init__(self, path: Path, delay: float = 0.0) -> None:
        self.path, self.delay = path, delay
        self._looked = -math.inf
        self._stamp: tuple[int, int, int] | None = None
        self._tokens: dict[str, Token] = {}  # by digest

    @classmethod
    def of(cls, directory: Path, delay: float = 0.0) -> Tokens:
        return cls(directory / TOKENS, delay)

    def names(self) -> list[Token]:
        return list(self._read().values())

    def are_demanded(self) -> bool:
        """Whether requests need a token: there is a file of tokens, or the log says so."""
        return bool(self) or access.is_recorded(self.path.parent)

    def might_open(self) -> bool:
        """Whether there is a token, or a damaged file, which may have held some."""
        return bool(self._read()) or self._stamp == _DAMAGED

    def add(self, name: str, scopes: Iterable[str]) -> str:
        """Make a token; this is the only time that it is seen."""
        if not NAME.fullmatch(name):
            raise CostreamError(
                f"{name!r} cannot be the name of a token",
                "up to 64 letters, digits, points, dashes and underscores",
            )
        granted = [scope for scope in SCOPES if scope in set(scopes)]
        unknown = sorted(set(scopes) - set(SCOPES))
        if unknown or not granted:
            raise CostreamError(
                f"unknown scope {unknown[0]!r}" if unknown else "a token needs a scope",
                f"choose from {', '.join(SCOPES)}",
            )
        self._read(strict=True)  # a damaged file leaves everything as it is
        token = PREFIX + secrets.token_urlsafe(32)
        created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        kept = msgspec.convert(granted, list[TokenScope])
        with access.changing(self.path.parent) as db:
            there = list(self._read(strict=True).values())
            if any(one.name == name for one in there):
                raise CostreamError(
                    f"there is a token {name!r} already",
                    "choose another name, or remove that one first",
                )
            access.require_in(db)
            access.record(db, access.ADDED, name=name, scopes=granted)
            self._write([*there, Token(name, _digest(token), kept, created)])
        return token

    def remove(self, name: str) -> None:
        """Forget a token; it is refused from now on."""
        self._named(name)
        with access.changing(self.path.parent) as db:
            there = self._named(name)
            access.require_in(db)
            access.record(db, access.REMOVED, name=name)
            self._write([one for one in there if one.name != name])

    def _named(self, name: str) -> list[Token]:
        """The tokens there are, with one of this name among them."""
        there = list(self._read(strict=True).values())
        if not any(one.name == name for one in there):
            known = ", ".join(one.name for one in there) or "none"
            raise CostreamError(f"there is no token {name!r}", f"there are: {known}")
        return there

    def open_again(self) -> None:
        """Demand no token any more, from the next start of the service on."""
        with access.changing(existing(self.path.parent)) as db:
            there = self._read(strict=True).values()
            if there:
                raise CostreamError(
                    f"there are tokens: {', '.join(one.name for one in there)}",
                    "remove them first: costream serve token remove NAME --dir DIR",
                )
            if access.is_required(db):
                access.record(db, access.NOT_REQUIRED)
            self.path.unlink(missing_ok=True)

    def remember(self) -> None:
        """Have the log remember that there are tokens, so that nobody gets in should they be lost."""
        with access.changing(self.path.parent) as db:
            access.require_in(db)

    def find(self, token: str) -> Token | None:
        return self._read().get(_digest(token))

    def by_digest(self, digest: str) -> Token | None:
        return self._read().get(digest)

    def __bool__(self) -> bool:
        self._read()
        return self._stamp is not None

    def _read(self, strict: bool = False) -> dict[str, Token]:
        now = time.monotonic()
        if now < self._looked + self.delay and not strict:
            return self._tokens
        self._looked = now
        try:
            found = os.stat(self.path)
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            if stamp != self._stamp:
                self._keep(stamp, msgspec.json.decode(self.path.read_bytes(), type=_File).tokens)
        except FileNotFoundError:
            self._keep(None, [])
        except (msgspec.DecodeError, OSError) as error:
            self._keep(_DAMAGED, [])
            if strict:
                raise CostreamError(
                    f"{self.path} cannot be read: {type(error).__name__}",
                    "put it back from a backup, or remove it and make new tokens",
                ) from None
        return self._tokens

    def _keep(self, stamp: tuple[int, int, int] | None, tokens: list[Token]) -> None:
        self._stamp, self._tokens = stamp, {one.sha256: one for one in tokens}

    def _write(self, tokens: list[Token]) -> None:
        """Replace the file; only its owner may read it."""
        data = msgspec.json.format(msgspec.json.encode(_File(tokens)), indent=2)
        write_atomically(self.path, data + b"\n", 0o600)
        sync_folder(self.path.parent)
        self._stamp, self._looked = None, -math.inf


_DAMAGED = (-1, -1, -1)
