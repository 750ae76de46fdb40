"""HTTP by httptools, the faster one, within limits."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .limits import MOST_AHEAD, PIECE, Connection, Stage


class LimitedHttpTools(Connection, HttpToolsProtocol):
    def data_received(self, data: bytes) -> None:
        if len(data) > PIECE:
            for at in range(0, len(data), PIECE):
                if not self.transport.is_closing():
                    self.data_received(data[at : at + PIECE])
            return
        super().data_received(data)
        if len(self.pipeline) > MOST_AHEAD:
            self.pipeline.clear()
            self.limits.refuse(self, "too-many-ahead")
            return
        cycle = self.cycle
        if (
            cycle is None
            or cycle.more_body
            or cycle.response_complete
            or cycle.scope is not self.scope  # that of the next request, whose head has begun
        ):
            self.limits.unfinished(self, len(data), len(self.headers or ()))
        elif self.since:
            self.since, self.size = 0.0, 0

    def stage(self) -> Stage:
        cycle = self.cycle
        if cycle is None or cycle.scope is not self.scope:
            return "head"
        if cycle.more_body:
            return "body"
        return "idle" if cycle.response_complete else "busy"
