"""One portfolio in dense NumPy.

Written from docs/default.md and the docstrings of ``costream.learners.auto``; constants and the table
of members are those of the code, all arithmetic is not.
"""

import numpy as np

from costream.learners.auto import growth
from costream.learners.auto import stacking as stacking_rules
from costream.learners.auto.members import TEAM
from costream.learners.auto.views import VIEWS, leaves
from helpers import places

from ..acog import ACOGDiagonal
from ..base import loss_ii
from ..carow import CAROW, CAROWDiagonal
from .decision import Ledger
from .forest import Forest, Sample
from .stacking import Stacker
from .views import Fourier, Past, key_of


class Member:
    """A learner, the kind of rows it wants, and how many slots wide they may be."""

    def __init__(self, member, d, fourier_of):
        self.widest, self.view, self.fourier_of = member.widest, member.view, fourier_of
        kind, _, rows = member.kind.partition(", ")
        self.rows, self.intercept = rows or kind, 1.0
        if self.view == "splines":
            self.learner, self.intercept = CAROWDiagonal(d * places.KNOTS, member.gamma), None
        elif self.view == "fourier":
            self.learner, self.intercept = CAROW(places.FEATURES, member.gamma), None
            self.scale = places.SCALES.index(member.scale)
        elif kind == "full":
            self.learner = CAROW(d + 1, member.gamma)
        elif kind == "diagonal":
            self.learner = CAROWDiagonal(d + 1, member.gamma)
        else:
            self.learner = ACOGDiagonal(d + 1, loss_ii, member.eta, member.gamma)
            self.intercept = 0.0 if rows == "raw" else 1.0

    def row(self, x, past, learning):
        if self.view == "fourier":
            return self.fourier_of.of(past.standardised(x))[self.scale]
        row = getattr(past, self.rows)(x, learning)
        return row if self.intercept is None else np.append(row, self.intercept)

    def forget(self):
        """Be as unsure as at first, of the same mean."""
        if isinstance(self.learner, CAROW):
            self.learner.Sigma = np.eye(len(self.learner.mu))
        else:
            self.learner.precision = np.ones(len(self.learner.mu))


class Trees:
    """The sample, the trees that score, and those that wait to be taken over."""

    def __init__(self, half_life, keys, size=leaves.FIRST):
        self.keys = [0, *keys]
        self.sample, self.half_life = Sample(size, half_life), half_life
        self.forest = self.waiting = None
        self.grow_at, self.take_at, self.grown = leaves.FIRST, np.inf, 0

    def event(self, rows, d, positive_cost):
        """After a row is learnt; ``d`` counts the intercept."""
        if rows >= self.take_at:
            self.forest, self.waiting, self.take_at = self.waiting, None, np.inf
        if rows >= self.grow_at:
            self.grow(rows, d, positive_cost)

    def grow(self, rows, d, positive_cost):
        step = min(rows, max(self.half_life or np.inf, leaves.FIRST))
        most = growth.sample_size(d, float(self.half_life or 0))
        final = self.half_life is None and rows >= most
        self.grow_at = np.inf if final else rows + int((leaves.TIMES - 1) * step)
        self.sample.size = max(self.sample.size, min(self.grow_at, most))
        if 0 < sum(self.sample.labels) < len(self.sample.labels):
            self.take_at, self.grown = rows + int(growth.DELAY * step), self.grown + 1
            X = np.array(self.sample.rows)[:, :d]
            seed = leaves.SEED + 1000 * self.grown
            self.waiting = Forest(X, self.sample.labels, positive_cost, seed, self.keys[:d])


class Portfolio:
    """Members, the stacker that decides, and the constant policies.

    Rows are raw: the portfolio makes its own of them. One that is given a ``past`` knows of features
    what others know, too; whoever has made that adds rows to it.
    """

    knows_rho = True
    has_probabilities = True

    def __init__(self, d, half_life=None, views=VIEWS, names=None, past=None, prior=None):
        names = range(d) if names is None else names
        fourier_of = Fourier([str(name) for name in names])
        self.members = [None if one.view == "leaves" else Member(one, d, fourier_of) for one in TEAM]
        self.paused = np.array([one.view not in views for one in TEAM])
        self.keep, self.half_life = 0.5 ** (1 / (half_life or np.inf)), half_life
        self.past = Past(d) if past is None else past
        self.stacker, self.ledger = Stacker(len(TEAM)), Ledger(self.keep, prior)
        self.trees = Trees(half_life, map(key_of, names)) if "leaves" in views else None
        self.slots, self.rounds, self.latest = 1, 0, (None, None, None)

    @staticmethod
    def active(slots):
        """How many members take part."""
        return sum(slots <= one.widest for one in TEAM)

    # --- scores -----------------------------------------------------------------------------------

    def scores(self, x):
        """The score of each member that takes part; of one row it is asked for several times."""
        if self.latest[:2] != (self.rounds, x.tobytes()):
            self.latest = self.rounds, x.tobytes(), self.find_scores(x)
        return self.latest[2]

    def find_scores(self, x):
        found = np.zeros(self.active(self.slots))
        for k, member in enumerate(self.members[: len(found)]):
            if member is not None and not self.paused[k]:
                found[k] = member.learner.score(member.row(x, self.past, learning=False))
        if self.trees and self.trees.forest and len(found) > places.LEAVES:
            found[places.LEAVES : places.BOOSTED + 1] = self.trees.forest.scores(self.known(x))
        return found

    def known(self, x):
        """The features of a row that have a slot."""
        return np.where(np.arange(len(x)) < self.slots - 1, x, 0.0)

    def log_odds(self, x):
        if not self.ledger.is_begun():
            return self.ledger.prior_odds()
        return self.stacker.log_odds(Stacker.row(self.scores(x)), self.ledger.first_odds())

    def probability(self, x):
        return 1 / (1 + np.exp(-self.log_odds(x)))

    def score(self, x, cost_ratio=1.0):
        return self.ledger.margin(self.log_odds(x), cost_ratio)

    # --- learning ---------------------------------------------------------------------------------

    def update(self, x, y, r, score, cost_ratio=1.0, class_cost=None):
        self.learn(x, y, r, cost_ratio, class_cost)
        self.past.add(x)
        self.remember(x, y)
        if self.half_life and self.rounds % self.half_life == 0:
            self.past.halve()
            self.forget()
        self.grow()

    def learn(self, x, y, r, cost_ratio=1.0, class_cost=None, weight=1.0):
        """Charge everyone; the stacker and all members learn the row by its weight."""
        class_cost, scores, odds = (
            r if class_cost is None else class_cost,
            self.scores(x),
            self.log_odds(x),
        )
        before, slots = len(scores), self.slots_with(x)
        active = self.active(slots)
        if self.rounds == 0:
            self.stacker.open(~self.paused & (np.arange(len(TEAM)) < active))
        margin = self.ledger.margin(odds, cost_ratio)
        self.ledger.charge(scores, self.paused, margin, y, r, class_cost, active)
        z = Stacker.row(scores)[: active + 1]
        if self.ledger.is_begun() or self.ledger.counts[False] > 0:
            self.stacker.learn(z, odds, y, min(stacking_rules.FADE, self.keep), weight)
        if self.rounds % stacking_rules.RESTRAINED == 0:
            self.stacker.restrain(active + 1)
        cost = self.ledger.relative_cost(y, class_cost) * weight
        self.learn_members(x, y, cost, scores, min(before, active), active)

    def slots_with(self, x):
        return max(self.slots, 2 + np.flatnonzero(x).max(initial=-1))

    def learn_members(self, x, y, r, scores, curves, active):
        """Curves learn the row as it was scored, linear members with its new features."""
        for k, member in enumerate(self.members[:active]):
            if member is not None and not self.paused[k]:
                linear = member.view == "linear"
                if linear or k < curves:
                    row = member.row(x, self.past, linear)
                    member.learner.update(row, y, r, member.learner.score(row))
        if self.trees and self.trees.forest and curves > places.LEAVES:
            self.trees.forest.update(self.known(x), y, r, scores[places.LEAVES : places.BOOSTED])

    def remember(self, x, y):
        """Count a row, learnt or not."""
        self.rounds, self.slots = self.rounds + 1, self.slots_with(x)
        if self.trees and self.slots <= places.DENSE_WIDEST:
            self.trees.sample.add(x, y > 0)

    def widen(self, x):
        """Who is too wide for a row that is not learnt does not lead."""
        slots = self.slots_with(x)
        if self.active(slots) < self.active(self.slots):
            self.ledger.rows += 1
            self.ledger.choose([k for k in range(self.active(slots)) if not self.paused[k]])

    def grow(self):
        """Grow trees or take them over, if it is time for that."""
        if self.trees:
            costs = (self.ledger.mean_cost(one, self.ledger.counts) for one in (True, False))
            positive, negative = costs
            self.trees.event(self.rounds, self.slots, positive / negative)

    def forget(self):
        """Let everyone be as unsure as at first."""
        for member in self.members:
            if member is not None:
                member.forget()
        if self.trees and self.trees.forest:
            for kind in self.trees.forest.kinds:
                kind.forget()

    # --- what is known of it ----------------------------------------------------------------------

    @property
    def best_linear(self):
        linear = [k for k, one in enumerate(TEAM) if one.view == "linear" and self.slots <= one.widest]
        return min(linear, key=lambda k: self.ledger.costs[k])

    def weights(self):
        """Those of the best linear member; the intercept is the last."""
        return self.members[self.best_linear].learner.weights()

    def variance(self, x):
        """That of the first full member, or of a lane of scaled rows where these are too wide."""
        member = self.members[places.FULL if self.slots <= places.FULL_WIDEST else 1]
        return member.learner.variance(member.row(x, self.past, learning=False))
