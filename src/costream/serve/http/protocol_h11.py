"""HTTP by h11, which is always there, within limits."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import PIECE, Limits, Stage


class LimitedH11(H11Protocol):
    """A connection that is ended where it takes too long or too much; see `Limits`."""

    limits: Limits
    since = unread_since = 0.0  # since when a request is not whole, or an answer not read
    size = 0  # bytes of the request that is not whole

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.limits.joined(self)

    def data_received(self, data: bytes) -> None:
        for at in range(0, len(data), PIECE):
            if self.transport.is_closing():
                return
            super().data_received(data[at : at + PIECE])
            if self.stage() == "busy":
                self.since, self.size = 0.0, 0
            else:
                self.limits.unfinished(self, min(PIECE, len(data) - at), 0)

    def stage(self) -> Stage:
        """What the connection waits for."""
        theirs = self.conn.their_state
        if theirs is h11.IDLE:
            return "head" if self.cycle is None or self.conn.trailing_data[0] else "idle"
        if theirs is h11.SEND_BODY:
            return "body"
        return "busy" if self.cycle is not None and not self.cycle.response_complete else "idle"

    def send_400_response(self, msg: str) -> None:
        del msg
        self.limits.refuse(self, "malformed", 400)
