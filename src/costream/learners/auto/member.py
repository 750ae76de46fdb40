"""A member of a portfolio: a learner of one view of the row."""

from __future__ import annotations

from dataclasses import dataclass

ANY = 2**62  # as many slots as there are


@dataclass(frozen=True)
class Member:
    """A learner of a portfolio: CAROW, with an eta ACOG-II, without a gamma neither.

    Members with the same ``unit`` are computed, and paused, together; one without a unit by itself.
    """

    kind: str
    gamma: float
    eta: float = 0.0
    widest: int = ANY  # slots that rows may have
    view: str = "linear"
    scale: float = 0.0  # of random Fourier features
    unit: str = ""

    @property
    def name(self) -> str:
        scale = f" {self.scale:g}" if self.scale else ""
        eta = f", eta {self.eta:g}" if self.eta else ""
        gamma = f", gamma {self.gamma:g}" if self.gamma else ""
        return self.kind + scale + eta + gamma
