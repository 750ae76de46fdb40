"""PAUM, by its definition."""

from .base import Linear, oracle


@oracle("paum")
class PAUM(Linear):
    """Margin r and step eta. An explicit margin is the positives'; negatives have 1."""

    def __init__(self, d, eta=1.0, margin=None):
        super().__init__(d)
        self.eta, self.margin = eta, margin

    @property
    def knows_rho(self):
        return self.margin is None

    def update(self, x, y, r, score):
        if self.knows_rho:
            margin, weight = r, 1.0
        else:
            margin, weight = (self.margin if y > 0 else 1.0), r
        if y * score <= margin:  # closed
            self.mu += weight * self.eta * y * x
