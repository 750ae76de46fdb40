"""Platt scaling on a stream: a Newton step of logistic regression for each row."""

import numpy as np


class Platt:
    """The log-odds are w.(z, 1), where z is the score over the mean size of scores so far."""

    def __init__(self, fade=0.9995, prior=1.0, least=0.01, limit=30.0, farthest=20.0):
        self.fade, self.prior = fade, prior
        self.least, self.limit, self.farthest = least, limit, farthest
        self.w, self.H = np.array([1.0, 0.0]), np.zeros((2, 2))
        self.first, self.every, self.rows = 2000, 4, 0
        self.mean_size = 0.0

    def row(self, score):
        size = self.mean_size  # of the first rows; then a mean in which old rows fade
        return np.array(
            [np.clip(score / size if size > 0 else score, -self.farthest, self.farthest), 1.0]
        )

    def log_odds(self, score):
        return float(np.clip(self.w @ self.row(score), -self.limit, self.limit))

    def learn(self, score, label, weight):
        if weight == 0:
            return
        self.rows += 1
        if self.rows > self.first and (self.rows - 1) % self.every:
            return
        x, p = self.row(score), 1.0 / (1.0 + np.exp(-self.log_odds(score)))
        self.H = self.fade * self.H + weight * p * (1 - p) * np.outer(x, x)
        H = self.H + self.prior * np.eye(2)
        w = self.w + weight * ((label > 0) - p) * np.linalg.solve(H, x)
        slope = np.clip(w[0], self.least, self.limit)
        w = np.array([slope, w[1] - (slope - w[0]) * H[0, 1] / H[1, 1]])  # the best offset for it
        self.w = np.array([w[0], np.clip(w[1], -self.limit, self.limit)])
        self.mean_size += max(1.0 / self.rows, 1.0 - self.fade) * (abs(score) - self.mean_size)
