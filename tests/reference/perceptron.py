"""The Perceptron, by its definition."""

from .base import Linear, oracle, sign


@oracle("perceptron")
class Perceptron(Linear):
    knows_rho = False

    def update(self, x, y, r, score):
        if sign(score) != y:
            self.mu += r * y * x
