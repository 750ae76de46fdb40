"""What everyone has paid, and who leads, from the docstrings of `costream.learners.auto.decision`."""

import numpy as np

from costream.learners.auto import decision, stacking
from helpers import places

ALWAYS, NEVER = places.MEMBERS, places.MEMBERS + 1


class Ledger:
    """The costs of members and of the constant policies; costs fade by ``keep``."""

    def __init__(self, keep=1.0, prior=None):
        self.prior = prior  # the class rate that is assumed before there are labels of both classes
        self.keep, self.costs = keep, np.zeros(places.MEMBERS + 2)
        self.counts, self.class_cost = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
        self.spread = np.zeros(places.MEMBERS)
        self.best, self.leader, self.since, self.rows = 0, 0, 0, 0

    def paid_for(self, positive):
        """What rows of a class have cost: those who never get them right have paid for all."""
        return self.costs[NEVER if positive else ALWAYS]

    def mean_cost(self, positive, over):
        """What rows of a class have cost, over their number or over their class costs."""
        whole = over[positive]
        known = whole > decision.SMALLEST and self.paid_for(positive) > 0
        return self.paid_for(positive) / whole if known else 1.0

    def is_begun(self):
        return self.prior is None or min(self.counts.values()) > 0

    def prior_odds(self):
        """By a class rate, as if one positive row had been seen at it, and the negative ones since."""
        return -np.log(1 / self.prior - 1 + self.counts[False])

    def first_odds(self):
        if min(self.costs[ALWAYS], self.costs[NEVER]) <= 0:
            return 0.0
        return -np.log(max(self.mean_cost_ratio() / decision.MODERATE, 1.0))

    def mean_cost_ratio(self):
        mean = {one: self.mean_cost(one, self.counts) for one in (True, False)}
        return np.clip(mean[True] / mean[False], decision.CHEAPEST, decision.DEAREST)

    def margin(self, odds, cost_ratio):
        """Above 0 where flagging costs less; benefits turn it round, and 0 is an unknown ratio."""
        cost_ratio = cost_ratio if cost_ratio else self.mean_cost_ratio()
        return np.sign(cost_ratio) * (odds + np.log(abs(cost_ratio)))

    def relative_cost(self, y, class_cost):
        """What a row is learnt at."""
        ratio = self.mean_cost(True, self.class_cost) / self.mean_cost(False, self.class_cost)
        unit = (
            self.class_cost[False] / self.counts[False]
            if self.class_cost[False] > decision.SMALLEST
            else 1.0
        )
        return np.clip(
            class_cost / unit * (ratio if y > 0 else 1.0), decision.CHEAPEST, decision.DEAREST
        )

    def charge(self, scores, paused, margin, y, cost, class_cost, active):
        """``scores`` are those of the members that saw the row, of which the first ``active`` stay."""
        self.rows += 1
        self.costs *= self.keep
        for table in (self.counts, self.class_cost):
            for one in table:
                table[one] *= self.keep
        positive, cost = y > 0, min(cost, decision.DEAREST)
        self.counts[positive] += 1
        self.class_cost[positive] += min(class_cost, decision.DEAREST)
        flags = {k: score >= 0 if not paused[k] else margin >= 0 for k, score in enumerate(scores)}
        for k, flag in {**flags, ALWAYS: True, NEVER: False}.items():
            self.costs[k] += cost * (flag != positive)
        for k, score in enumerate(scores):
            if not paused[k]:
                size = min(abs(score), stacking.LARGEST_SCORE)
                self.spread[k] += (1 - decision.SPREAD_FADE) * (size - self.spread[k])
        self.choose([k for k in range(active) if not paused[k]])

    def choose(self, members):
        """The cheapest member and the leader; the first of equals."""
        self.best = min(members, key=lambda k: self.costs[k], default=0)
        leader = min([self.best, ALWAYS, NEVER], key=lambda k: self.costs[k])
        self.since = self.since if leader == self.leader else self.rows
        self.leader = leader
