"""COG, by its definition."""

from .base import Linear, loss_i, loss_ii, oracle


@oracle("cog-i", loss=loss_i)
@oracle("cog-ii", loss=loss_ii)
class COG(Linear):
    def __init__(self, d, loss, eta=1.0):
        super().__init__(d)
        self.loss, self.eta = loss, eta

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)
        if loss > 0:
            self.mu += self.eta * slope * y * x
