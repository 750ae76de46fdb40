"""Bearer tokens: who may do what. The directory keeps their hashes, never the tokens themselves."""

from __future__ import annotations

import hashlib
import hmac
import math
import os
import re
import secrets
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

import msgspec

from ..errors import CostreamError
from .directory import TOKENS, sync_folder

TokenScope = Literal["score", "label", "read", "admin"]
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


class _File(msgspec.Struct):
    tokens: list[Token]


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Tokens:
    """The tokens of a directory, read again whenever their file changes.

    Whoever holds them sees a token that was added or removed by another process, after `delay` seconds
    at most. A file that cannot be read lets nobody in.
    """

    def __init__(self, path: Path, delay: float = 0.0) -> None:
        self.path, self._delay = path, delay
        self._looked = -math.inf
        self._stamp: tuple[int, int, int] | None = None
        self._tokens: list[Token] = []

    @classmethod
    def of(cls, directory: Path, delay: float = 0.0) -> Tokens:
        """The tokens of a directory of the service."""
        return cls(directory / TOKENS, delay)

    def names(self) -> list[Token]:
        """The tokens there are, in the order of their making."""
        return list(self._read())

    def add(self, name: str, scopes: Iterable[str]) -> str:
        """Make a token; this is the only time that it is seen."""
        if not NAME.fullmatch(name):
            raise CostreamError(
                f"{name!r} cannot be the name of a token",
                "up to 64 letters, digits, points, dashes and underscores",
            )
        wished = [scope for scope in SCOPES if scope in set(scopes)]
        unknown = sorted(set(scopes) - set(SCOPES))
        if unknown or not wished:
            raise CostreamError(
                f"unknown scope {unknown[0]!r}" if unknown else "a token needs a scope",
                f"choose from {', '.join(SCOPES)}",
            )
        there = self._read(strict=True)
        if any(one.name == name for one in there):
            raise CostreamError(
                f"there is a token {name!r} already", "choose another name, or remove that one first"
            )
        token = PREFIX + secrets.token_urlsafe(32)
        created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        kept = msgspec.convert(wished, list[TokenScope])
        self._write([*there, Token(name, _digest(token), kept, created)])
        return token

    def remove(self, name: str) -> None:
        """Forget a token; it is refused from now on."""
        there = self._read(strict=True)
        left = [one for one in there if one.name != name]
        if len(left) == len(there):
            known = ", ".join(one.name for one in there) or "none"
            raise CostreamError(f"there is no token {name!r}", f"there are: {known}")
        self._write(left)

    def find(self, token: str) -> Token | None:
        """The entry of a token, compared in constant time."""
        digest, found = _digest(token), None
        for one in self._read():
            if hmac.compare_digest(one.sha256, digest):
                found = one
        return found

    def scopes_of(self, token: str) -> frozenset[str] | None:
        """What a token allows; None for one that is not known."""
        found = self.find(token)
        return None if found is None else allowed(found.scopes)

    def __bool__(self) -> bool:
        return bool(self._read()) or self._stamp == _DAMAGED

    def _read(self, strict: bool = False) -> list[Token]:
        """The tokens of the file as it is now."""
        now = time.monotonic()
        if now < self._looked + self._delay and not strict:
            return self._tokens
        self._looked = now
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            self._keep(None, [])
            return []
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        if stamp != self._stamp:
            try:
                self._keep(stamp, msgspec.json.decode(self.path.read_bytes(), type=_File).tokens)
            except (msgspec.DecodeError, OSError) as error:
                self._keep(_DAMAGED, [])
                if strict:
                    raise CostreamError(
                        f"{self.path} cannot be read: {type(error).__name__}",
                        "put it back from a backup, or remove it and make new tokens",
                    ) from None
        return self._tokens

    def _keep(self, stamp: tuple[int, int, int] | None, tokens: list[Token]) -> None:
        self._stamp, self._tokens = stamp, tokens

    def _write(self, tokens: list[Token]) -> None:
        """Replace the file; only its owner may read it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        data = msgspec.json.format(msgspec.json.encode(_File(tokens)), indent=2)
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(data + b"\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self.path)
            sync_folder(self.path.parent)
        finally:
            new.unlink(missing_ok=True)
        self._stamp, self._looked = None, -math.inf


_DAMAGED = (-1, -1, -1)


def allowed(scopes: Iterable[str]) -> frozenset[str]:
    """All that these scopes allow: admin implies the others."""
    given = frozenset(scopes)
    return frozenset(SCOPES) if ADMIN in given else given
