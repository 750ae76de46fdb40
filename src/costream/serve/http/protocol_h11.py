"""HTTP by h11, which is always there, within limits."""

from __future__ import annotations

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import PIECE, Connection, Stage


class LimitedH11(Connection, H11Protocol):
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
        theirs = self.conn.their_state
        if theirs is h11.IDLE:
            return "head" if self.cycle is None or self.conn.trailing_data[0] else "idle"
        if theirs is h11.SEND_BODY:
            return "body"
        return "busy" if self.cycle is not None and not self.cycle.response_complete else "idle"
