"""Diagonal and full geometry: ACOG (Algorithm 1), AROW and CAROW."""

from __future__ import annotations

from .records import Arow, ArowDiagonal, Chunk, Diagonal, Full
from .verbs import product, slope, squared_norm_over, subtract_outer


def update_diagonal(model: Diagonal, x: Chunk, t: int, score: float, loss: float) -> None:
    """Algorithm 1, lines 5-6, each coordinate by itself."""
    if loss > 0.0:
        step = model.eta * slope(model.hinge, x.cost[t]) * x.label[t]
        scale = x.scale[t]
        rate = 1.0 / model.gamma
        for k in range(x.start[t], x.start[t + 1]):
            j = x.index[k]
            value = x.value[k] * scale
            precision = model.precision[j]
            model.precision[j] = precision + value * value * rate
            if model.new_sigma:
                precision += value * value * rate
            model.mu[j] += step * value / precision


def variance_diagonal(model: Diagonal, x: Chunk, t: int) -> float:
    return squared_norm_over(model.precision, x, t)


def update_full(model: Full, x: Chunk, t: int, score: float, loss: float) -> None:
    """Algorithm 1, lines 5-6. Sigma_{t+1} x = Sigma_t x gamma/(gamma + v)."""
    if loss > 0.0:
        size = model.size[0]
        v = product(model.Sigma, size, x, t, model.Sx)
        if v > 0.0:  # else x is 0, or all that is left of Sigma x is rounding
            step = model.eta * slope(model.hinge, x.cost[t]) * x.label[t]
            if model.new_sigma:
                step *= model.gamma / (model.gamma + v)
            for i in range(size):
                model.mu[i] += step * model.Sx[i]
            subtract_outer(model.Sigma, size, model.Sx, 1.0 / (model.gamma + v))


def variance_full(model: Full, x: Chunk, t: int) -> float:
    scale = x.scale[t]
    total = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        for l in range(x.start[t], x.start[t + 1]):
            value = (x.value[k] * scale) * (x.value[l] * scale)
            total += value * model.Sigma[x.index[k], x.index[l]]
    return total


def update_arow(model: Arow, x: Chunk, t: int, score: float, loss: float) -> None:
    """beta = 1/(v + gamma); mu += (1 - y p) beta y Sigma x; Sigma -= beta (Sigma x)(Sigma x)'.

    CAROW weights the squared hinge by the cost: gamma/r in place of gamma.
    """
    if loss > 0.0:
        size = model.size[0]
        v = product(model.Sigma, size, x, t, model.Sx)
        if v > 0.0:  # as above
            if model.by_cost:
                beta = 1.0 / (v + model.gamma / x.cost[t])
                step = loss * beta * x.label[t]
            else:
                beta = 1.0 / (v + model.gamma)
                step = x.cost[t] * loss * beta * x.label[t]
            for i in range(size):
                model.mu[i] += step * model.Sx[i]
            subtract_outer(model.Sigma, size, model.Sx, beta)


def update_arow_diagonal(model: ArowDiagonal, x: Chunk, t: int, score: float, loss: float) -> None:
    """CAROW: the step with the old precision, then precision += r x^2/gamma."""
    if loss > 0.0:
        weight = x.cost[t] / model.gamma
        step = loss / (squared_norm_over(model.precision, x, t) + 1.0 / weight) * x.label[t]
        scale = x.scale[t]
        for k in range(x.start[t], x.start[t + 1]):
            j = x.index[k]
            value = x.value[k] * scale
            model.mu[j] += step * value / model.precision[j]
            model.precision[j] += weight * value * value
