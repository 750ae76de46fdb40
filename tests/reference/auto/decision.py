"""What everyone has paid, and who decides, from the docstrings of `costream.learners.auto.decision`."""

import numpy as np

from costream.learners.auto import council, decision, layout

ALWAYS, NEVER = layout.MEMBERS, layout.MEMBERS + 1


class Ledger:
    """The costs of members, of the constant policies and of the council; costs fade by ``keep``."""

    def __init__(self, keep=1.0):
        n = layout.MEMBERS + 2
        self.keep, self.costs, self.noises = keep, np.zeros(n), np.zeros(n)
        self.ours = self.largest = 0.0
        self.counts, self.flat = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
        self.spread = np.zeros(layout.MEMBERS)
        self.decider, self.best, self.leader, self.since, self.rows = None, 0, 0, 0, 0

    def paid_for(self, positive):
        """What rows of a class have cost: those who never get them right have paid for all."""
        return self.costs[NEVER if positive else ALWAYS]

    def mean_cost(self, positive, over):
        """What rows of a class have cost, over their number or over their flat costs."""
        whole = over[positive]
        known = whole > decision.SMALLEST and self.paid_for(positive) > 0
        return self.paid_for(positive) / whole if known else 1.0

    def first_odds(self):
        if min(self.costs[ALWAYS], self.costs[NEVER]) <= 0:
            return 0.0
        mean = {one: self.mean_cost(one, self.counts) for one in (True, False)}
        ratio = min(mean[True] / mean[False], decision.DEAREST)
        return -np.log(max(ratio / decision.MODERATE, 1.0))

    def flat_cost(self, y, flat):
        """What a row is learnt at."""
        ratio = self.mean_cost(True, self.flat) / self.mean_cost(False, self.flat)
        unit = self.flat[False] / self.counts[False] if self.flat[False] > decision.SMALLEST else 1.0
        return np.clip(flat / unit * (ratio if y > 0 else 1.0), decision.CHEAPEST, decision.DEAREST)

    def judge(self, scores, awake, margin, y, cost, flat, active):
        """``scores`` are those of the members that saw the row, of which the first ``active`` stay."""
        self.rows += 1
        for array in (self.costs, self.noises):
            array *= self.keep
        self.ours, self.largest = self.ours * self.keep, self.largest * self.keep
        for table in (self.counts, self.flat):
            for one in table:
                table[one] *= self.keep
        positive, cost = y > 0, min(cost, decision.DEAREST)
        self.counts[positive] += 1
        self.flat[positive] += min(flat, decision.DEAREST)
        self.largest = max(self.largest, cost)
        ours = margin >= 0
        self.ours += cost * (ours != positive)
        flags = {k: score >= 0 if awake[k] else ours for k, score in enumerate(scores)}
        for k, flag in {**flags, ALWAYS: True, NEVER: False}.items():
            self.costs[k] += cost * (flag != positive)
            self.noises[k] += cost**2 * (flag != ours)
        for k, score in enumerate(scores):
            if awake[k]:
                size = min(abs(score), council.LARGEST_SCORE)
                self.spread[k] += (1 - decision.SPREAD_FADE) * (size - self.spread[k])
        self.choose([k for k in range(active) if awake[k]])

    def choose(self, members):
        """The cheapest member, the leader, and who decides; the first of equals."""
        self.best = min(members, key=lambda k: self.costs[k], default=0)
        leader = min([self.best, ALWAYS, NEVER], key=lambda k: self.costs[k])
        self.since = self.since if leader == self.leader else self.rows
        self.leader = leader
        noise = np.sqrt(self.noises[leader] + self.largest**2)
        ahead = self.ours - self.costs[leader] > decision.NOISES * noise
        self.decider = leader if ahead else None

    def score(self, margin, scores):
        """The margin, or one in its order with the sign of the one who decides."""
        if self.decider is None:
            return margin
        flags = self.decider == ALWAYS or (self.decider != NEVER and scores[self.decider] >= 0)
        return squeezed(margin) if flags else -squeezed(-margin)


def squeezed(margin):
    """All margins in order, above 0."""
    return 1 + margin if margin >= 0 else 1 / (1 - margin)
