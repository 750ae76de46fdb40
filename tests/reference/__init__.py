"""The paper in dense NumPy, line by line: the oracle of the test suite.

Every learner of "Adaptive Cost-Sensitive Online Classification" (Zhao et al., TKDE
2019), its rivals, and CAROW and its portfolio (docs/default.md), written to be read beside
the paper: slow, obvious, and independent of the compiled code that is tested against it.
"Alg. 2, line 5" below means that line of the paper.

Symbols: x is a row (dense, already normalised), y its label in {-1.0, +1.0}, p = mu.x
its score, v = x' Sigma x its variance, r > 0 its cost. Where a learner knows rho, r is
the class's rho times the weight of the row. Where it does not (`knows_rho` is False),
r is only the weight and scales the step of mu. sign(0) = +1; a loss is suffered where
it is > 0.
"""

from functools import partial

import numpy as np

# ---------------------------------------- data, costs, the protocol


def normalise(X):
    """Divide each row by its L2 norm; a zero row stays zero."""
    norm = np.sqrt((X * X).sum(axis=1, keepdims=True))
    return X / np.where(norm > 0, norm, 1.0)


def sign(p):
    return 1.0 if p >= 0 else -1.0


def known(y, alpha_p=0.5):
    """r of each row, for Sum: alpha_p T_n / (alpha_n T_p) for positives, else 1."""
    T_p, T_n = np.sum(y > 0), np.sum(y < 0)
    return np.where(y > 0, alpha_p * T_n / ((1 - alpha_p) * T_p), 1.0)


def laplace(y, alpha_p=0.5):
    """The same with (t_n + 1)/(t_p + 1), counted before the row, for T_n/T_p."""
    t_p = np.cumsum(y > 0) - (y > 0)
    t_n = np.cumsum(y < 0) - (y < 0)
    return np.where(y > 0, alpha_p / (1 - alpha_p) * (t_n + 1) / (t_p + 1), 1.0)


def run(oracle, X, y, r):
    """One pass: predict, then update. A row of cost 0 is scored, nothing more."""
    scores = np.zeros(len(y))
    for i in range(len(y)):
        scores[i] = oracle.score(X[i])
        if r[i] > 0:
            oracle.update(X[i], y[i], r[i], scores[i])
    return scores


def loss_i(y, p, r):
    """Loss I, max(0, r - y p): the cost is the margin. Returns (hinge, slope)."""
    return r - y * p, 1.0


def loss_ii(y, p, r):
    """Loss II, r max(0, 1 - y p): the cost is the slope. Returns (hinge, slope)."""
    return 1.0 - y * p, r


def widen(a, d):
    """Append zero columns up to a width of d."""
    return np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, d - a.shape[-1])])


# ---------------------------------------- first order


class Linear:
    """A weight vector mu, which starts at 0."""

    knows_rho = True

    def __init__(self, d):
        self.mu = np.zeros(d)

    def score(self, x):
        return float(self.mu @ x)

    def weights(self):
        return self.mu.copy()

    def grow(self, d):
        """Append features nobody has seen yet, up to a width of d."""
        self.mu = widen(self.mu, d)


class Perceptron(Linear):
    knows_rho = False

    def update(self, x, y, r, score):
        if sign(score) != y:
            self.mu += r * y * x


class ROMMA(Linear):
    knows_rho = False

    def update(self, x, y, r, score):
        xx, mm = x @ x, self.mu @ self.mu
        if sign(score) == y or xx == 0:
            return
        if mm == 0:  # the first step
            self.mu = r * y * x / xx
            return
        D = xx * mm - score * score
        if 1e-12 * xx * mm >= D:  # x is parallel to mu
            return
        a = (xx * mm - y * score) / D
        b = mm * (y - score) / D
        self.mu += r * (a * self.mu + b * x - self.mu)


class PAI(Linear):
    knows_rho = False

    def __init__(self, d, C=1.0):
        super().__init__(d)
        self.C = C

    def update(self, x, y, r, score):
        loss, xx = 1 - y * score, x @ x
        if loss > 0 and xx > 0:
            self.mu += r * min(self.C, loss / xx) * y * x


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


class CPAPB(Linear):
    def update(self, x, y, r, score):
        loss, xx = 1 - y * score, x @ x
        if loss > 0 and np.sqrt(r) - y * score > 0 and xx > 0:
            self.mu += (np.sqrt(r) - y * score) / xx * y * x


class COG(Linear):
    def __init__(self, d, loss, eta=1.0):
        super().__init__(d)
        self.loss, self.eta = loss, eta

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)
        if loss > 0:
            self.mu += self.eta * slope * y * x


# ---------------------------------------- second order, full


class Full(Linear):
    """A full covariance Sigma, which starts at I."""

    def __init__(self, d, gamma=1.0):
        super().__init__(d)
        self.gamma, self.Sigma = gamma, np.eye(d)

    def variance(self, x):
        return float(x @ self.Sigma @ x)

    def grow(self, d):
        old = len(self.mu)
        Sigma = np.eye(d)
        Sigma[:old, :old] = self.Sigma
        self.Sigma = Sigma
        super().grow(d)


class AROW(Full):
    knows_rho = False

    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            Sx = self.Sigma @ x
            beta = 1 / (x @ Sx + self.gamma)
            self.mu += r * loss * beta * y * Sx
            self.Sigma -= beta * np.outer(Sx, Sx)


class CAROW(Full):
    """AROW's objective weighted by the cost of the row: gamma/r for gamma."""

    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            Sx = self.Sigma @ x
            beta = 1 / (x @ Sx + self.gamma / r)
            self.mu += loss * beta * y * Sx
            self.Sigma -= beta * np.outer(Sx, Sx)


class ACOG(Full):
    """Algorithm 1. With new_sigma=False the mean moves by Sigma_t, as AROW's does."""

    def __init__(self, d, loss, eta=1.0, gamma=1.0, new_sigma=True):
        super().__init__(d, gamma)
        self.loss, self.eta, self.new_sigma = loss, eta, new_sigma

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)  # line 3
        if loss > 0:  # line 4
            old, Sx = self.Sigma, self.Sigma @ x
            self.Sigma = old - np.outer(Sx, Sx) / (self.gamma + x @ Sx)  # line 5
            g = -slope * y * x
            self.mu -= self.eta * (self.Sigma if self.new_sigma else old) @ g  # line 6


# ---------------------------------------- second order, diagonal


class Diagonal(Linear):
    """The diagonal of Sigma^-1, which starts at 1: one precision a coordinate."""

    def __init__(self, d, gamma=1.0):
        super().__init__(d)
        self.gamma, self.precision = gamma, np.ones(d)

    def variance(self, x):
        return float(np.sum(x * x / self.precision))

    def grow(self, d):
        self.precision = np.append(self.precision, np.ones(d - len(self.mu)))
        super().grow(d)


class ACOGDiagonal(Diagonal):
    """Algorithm 1, each coordinate by itself."""

    def __init__(self, d, loss, eta=1.0, gamma=1.0, new_sigma=True):
        super().__init__(d, gamma)
        self.loss, self.eta, self.new_sigma = loss, eta, new_sigma

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)
        if loss > 0:
            old = self.precision
            self.precision = old + x * x / self.gamma
            sigma = 1 / (self.precision if self.new_sigma else old)
            self.mu += self.eta * slope * y * sigma * x


class CAROWDiagonal(Diagonal):
    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            beta = 1 / (self.variance(x) + self.gamma / r)
            self.mu += loss * beta * y * x / self.precision
            self.precision = self.precision + r * x * x / self.gamma


# ---------------------------------------- second order, sketched

TINY = 1e-12  # below this |residual|^2 / |x|^2 a row is no new direction
REBASE = 1e3  # the largest entry of K the implicit sketch may reach


def orthonormalise(V):
    """Gram-Schmidt on the rows, in order, twice."""
    Q = np.zeros_like(V)
    for i, v in enumerate(V):
        v = v - Q.T @ (Q @ v)
        v = v / np.sqrt(v @ v)
        v = v - Q.T @ (Q @ v)
        Q[i] = v / np.sqrt(v @ v)
    return Q


def new_direction(V, x):
    """The normalised residual of x against V's orthonormal rows; None if tiny."""
    e = x - V.T @ (V @ x)
    e = e - V.T @ (V @ e)
    return e / np.sqrt(e @ e) if e @ e > TINY * (x @ x) else None


def decompose(F, K):
    """Algorithm 6: Q such that QZ is orthonormal; Gram-Schmidt under <a, b> = a'Kb.

    Line 3 is done twice; L is never used; the rows of F are independent (footnote 1).
    """
    Q = np.zeros_like(F)
    for i, f in enumerate(F):
        for _ in range(2):
            alpha = Q @ K @ f
            beta = f - Q.T @ alpha
            f = beta / np.sqrt(beta @ K @ beta)
        Q[i] = f
    return Q


class Sketch(Linear):
    """What SACOG and SSACOG share: the round t and the eigenvalues Lambda, first none.

    The sketch absorbs x in the rounds with (t - 1) mod k = 0, whatever the loss. While
    it has fewer than m rows, a row absorbed first adds its residual, with eigenvalue 0.
    """

    def __init__(self, d, loss, eta=1.0, gamma=1.0, m=5, k=1):
        super().__init__(d)
        self.loss, self.eta, self.gamma, self.m, self.k = loss, eta, gamma, m, k
        self.t, self.Lambda = 0, np.zeros(0)

    @property
    def h(self):
        """The diagonal of t Lambda H."""
        return self.t * self.Lambda / (1 + self.t * self.Lambda)

    def variance(self, x):
        Vx = self.vectors() @ x
        return float(x @ x - np.sum(self.h * Vx**2))

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)  # Alg. 2 and 4, line 3
        self.t += 1  # Alg. 3 and 5, line 1
        if (self.t - 1) % self.k == 0:
            rate = min(1.0, self.k / self.t)  # Gamma_t = rate I
            self.absorb(x / np.sqrt(self.gamma), rate)  # Alg. 2 and 4, lines 4, 5
        if loss > 0:  # Alg. 2 and 4, line 6
            self.step(-slope * y * x)


class SACOG(Sketch):
    """Algorithms 2 and 3."""

    def __init__(self, d, loss, **params):
        super().__init__(d, loss, **params)
        self.V = np.zeros((0, d))

    def vectors(self):
        return self.V

    def absorb(self, x, rate):
        if len(self.V) < self.m and (e := new_direction(self.V, x)) is not None:
            self.V = np.vstack([self.V, e])
            self.Lambda = np.append(self.Lambda, 0.0)
        Vx = self.V @ x
        self.Lambda = (1 - rate) * self.Lambda + rate * Vx**2  # Alg. 3, line 2
        self.V = orthonormalise(self.V + rate * np.outer(Vx, x))  # line 3

    def step(self, g):
        S = np.sqrt(self.t * self.Lambda)[:, None] * self.V  # Alg. 3, line 4
        H = np.diag(1 / (1 + self.t * self.Lambda))  # line 5
        self.mu -= self.eta * (g - S.T @ H @ S @ g)  # Alg. 2, line 7

    def grow(self, d):
        self.V = widen(self.V, d)
        super().grow(d)


class CAROWSketch(SACOG):
    """CAROW with Sigma x = x - V'hVx; t and the sketch move only where a row is learnt."""

    def __init__(self, d, gamma=1.0, m=5):
        super().__init__(d, loss_ii, gamma=gamma, m=m)

    @property
    def h(self):
        return self.t * self.Lambda / (self.gamma + self.t * self.Lambda)

    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            Sx = x - self.V.T @ (self.h * (self.V @ x))
            self.mu = self.mu + loss * y * Sx / (x @ Sx + self.gamma / r)
            self.t += 1
            self.absorb(np.sqrt(r) * x, 1 / self.t)


class SSACOG(Sketch):
    """Algorithms 4 to 6: V = FZ, mu = w + Z'b and K = ZZ', each moved along x only.

    Two corrections: w follows Z in every round in which Z moves, not only where a loss
    is suffered; and the sketch is re-based before K overflows.
    """

    def __init__(self, d, loss, **params):
        super().__init__(d, loss, **params)
        self.w, self.b = np.zeros(d), np.zeros(0)
        self.Z, self.F, self.K = np.zeros((0, d)), np.eye(0), np.eye(0)

    def vectors(self):
        return self.F @ self.Z

    def weights(self):
        return self.w + self.Z.T @ self.b  # Alg. 4, line 9

    def score(self, x):
        return float(self.w @ x + self.b @ (self.Z @ x))

    def rebase(self):
        """Fold Z'b into w, Z <- FZ, F = K = I, b = 0; mu does not change."""
        n = len(self.Z)
        self.w = self.weights()
        self.Z = self.F @ self.Z
        self.F, self.K, self.b = np.eye(n), np.eye(n), np.zeros(n)

    def absorb(self, x, rate):
        if len(self.Z) < self.m:
            self.rebase()
            if (e := new_direction(self.Z, x)) is not None:
                self.Z = np.vstack([self.Z, e])
                self.Lambda = np.append(self.Lambda, 0.0)
                n = len(self.Z)
                self.F, self.K, self.b = np.eye(n), np.eye(n), np.zeros(n)
        Zx = self.Z @ x
        Vx = self.F @ Zx
        self.Lambda = (1 - rate) * self.Lambda + rate * Vx**2  # Alg. 5, line 2
        delta = rate * Zx  # line 3, where Gamma_t is a multiple of I
        cross = np.outer(Zx, delta)
        self.K = self.K + cross + cross.T + (x @ x) * np.outer(delta, delta)  # line 4
        self.Z = self.Z + np.outer(delta, x)  # line 5
        self.w = self.w - x * (delta @ self.b)  # Alg. 4, line 7: in every round
        self.F = decompose(self.F, self.K)  # Alg. 5, lines 6, 7
        if np.max(np.abs(self.K), initial=0.0) > REBASE:
            self.rebase()

    def step(self, g):
        self.w = self.w - self.eta * g  # Alg. 4, line 7: the rest
        Vg = self.F @ (self.Z @ g)
        self.b = self.b + self.eta * self.F.T @ (self.h * Vg)  # line 8

    def grow(self, d):
        self.Z, self.w = widen(self.Z, d), widen(self.w, d)
        super().grow(d)


# ---------------------------------------- by name


def auto(d, **params):
    """The portfolio, which is made of the oracles above."""
    from reference.auto import Auto

    return Auto(d, **params)


LEARNERS = {
    "perceptron": Perceptron,
    "romma": ROMMA,
    "pa-i": PAI,
    "paum": PAUM,
    "cpa-pb": CPAPB,
    "arow": AROW,
    "cog-i": partial(COG, loss=loss_i),
    "cog-ii": partial(COG, loss=loss_ii),
    "acog-i": partial(ACOG, loss=loss_i),
    "acog-ii": partial(ACOG, loss=loss_ii),
    "acog-i-diag": partial(ACOGDiagonal, loss=loss_i),
    "acog-ii-diag": partial(ACOGDiagonal, loss=loss_ii),
    "sacog-i": partial(SACOG, loss=loss_i),
    "sacog-ii": partial(SACOG, loss=loss_ii),
    "ssacog-i": partial(SSACOG, loss=loss_i),
    "ssacog-ii": partial(SSACOG, loss=loss_ii),
    "carow": CAROW,
    "carow-diag": CAROWDiagonal,
    "carow-sketch": CAROWSketch,
    "auto": auto,
}


def make(name, d, **params):
    """The oracle called name over d features, e.g. make("acog-ii", 24, eta=0.1)."""
    return LEARNERS[name](d, **params)
