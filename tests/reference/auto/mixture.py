"""Several portfolios and their mixture, from the docstrings of ``mixture`` and ``turns``."""

import numpy as np

from costream.kernels.elementary import LIMIT
from costream.learners.auto import growth, members, mixture, turns
from costream.learners.auto.views import VIEWS
from costream.model import knowledge

from .portfolio import Portfolio
from .views import Past

RESTS, LEARNS, TAKES_PART = "rests", "learns", "takes part"


class Mixer:
    """What portfolios have lost lately, the share of each, and who takes part."""

    def __init__(self, half_lives):
        n = len(half_lives)
        self.half_lives, self.losses, self.shares = half_lives, np.zeros(n), np.eye(n)[0]
        self.slopes, self.curvatures = np.ones(n), np.zeros(n)
        self.preference = np.where(np.arange(n) > 0, mixture.PREFERENCE, 0.0)
        self.phases, self.until, self.rest = [TAKES_PART] * n, [turns.FIRST] * n, [0] * n
        self.own, self.leading, self.since = [], 0, 0  # the losses of the mixture, and who leads

    def takes_part(self):
        return np.array([phase == TAKES_PART for phase in self.phases])

    # --- rows -------------------------------------------------------------------------------------

    def mixed(self, said):
        """The log-odds of the mixture; those of who rests may be anything."""
        apart = np.where(self.takes_part(), np.subtract(said, said[0]), 0.0)
        bounded = np.clip(apart, -mixture.FARTHEST, mixture.FARTHEST)
        return float(np.clip(said[0] + self.shares @ bounded, -LIMIT, LIMIT))

    def judge(self, said, y, seen):
        """Charge for a row; ``seen`` are the numbers of negative and positive rows before it."""
        self.judge_all([*said, self.mixed(said)], y, seen)

    def judge_all(self, said, y, seen):
        """The same where it is known what the mixture has said, too."""
        *said, mixed = said
        negatives, positives = seen[False] + 1, seen[True] + 1
        weight = min(negatives, positives) / (positives if y > 0 else negatives)
        odds, keep = np.subtract(said, np.log(positives / negatives)), 1 - mixture.FADE * weight
        charged = weight * self.loss(self.slopes * odds, y)
        self.losses = self.losses * keep + np.where(self.takes_part(), charged, 0.0)
        self.own.append(weight * self.loss(mixed - np.log(positives / negatives), y))
        self.calibrate(odds, y, weight, keep)
        self.share_out()

    @staticmethod
    def loss(odds, y):
        return np.log1p(np.exp(-y * np.clip(odds, -mixture.SURE, mixture.SURE)))

    def calibrate(self, odds, y, weight, keep):
        """A Newton step of each slope, on the log loss."""
        odds = np.clip(odds, -mixture.SURE, mixture.SURE)
        q, on = 1 / (1 + np.exp(-self.slopes * odds)), self.takes_part()
        curvatures = keep * self.curvatures + weight * q * (1 - q) * odds**2
        steps = weight * ((y > 0) - q) * odds / (mixture.FIRST_CURVATURE + curvatures)
        slopes = np.clip(self.slopes + steps, mixture.FLATTEST, 1.0)
        self.slopes = np.where(on, slopes, self.slopes)
        self.curvatures = np.where(on, curvatures, self.curvatures)

    def share_out(self):
        against = np.where(self.takes_part(), self.against(), np.inf)
        shares = np.exp(against.min() - against)
        self.shares = shares / shares.sum()

    def against(self):
        """What speaks against each one."""
        return mixture.RATE * self.losses + self.preference

    # --- turns ------------------------------------------------------------------------------------

    def take_turns(self, rows):
        """Who changes its phase after so many rows."""
        before = list(self.phases)
        if rows % turns.EVERY == 0:
            leading, alarmed = int(self.shares.argmax()), self.has_risen()
            if leading != self.leading:
                self.leading, self.since = leading, rows
            for k in range(1, len(before)):
                self.take_turn(k, rows, alarmed)
        return [k for k, old in enumerate(before) if old != self.phases[k]]

    def take_turn(self, k, rows, alarmed):
        due, phase = rows >= self.until[k], self.phases[k]
        if phase == RESTS and (due or alarmed):
            self.rest[k] = 0 if alarmed else self.rest[k]
            self.enter(k, LEARNS, rows + int(turns.CAUGHT_UP * self.half_lives[k]))
        elif phase == LEARNS and due:
            self.losses[k] = self.against()[self.takes_part()].min() / mixture.RATE
            trial = np.clip(self.half_lives[k], turns.SHORTEST_TRIAL, turns.LONGEST_TRIAL)
            self.enter(k, TAKES_PART, rows + trial)
        elif phase == TAKES_PART and self.leading > 0:
            self.rest[k] = 0
        elif phase == TAKES_PART and due and self.shares[k] < turns.LEAST_SHARE and not alarmed:
            self.rest[k] = np.clip(2 * self.rest[k], turns.SHORTEST, turns.LONGEST)
            self.shares[0] += self.shares[k]
            self.losses[k] = self.shares[k] = 0.0
            self.enter(k, RESTS, rows + self.rest[k])

    def enter(self, k, phase, until):
        self.phases[k], self.until[k] = phase, until

    def has_risen(self):
        """Whether the loss is many standard errors above what it was for long."""
        fast, slow, squares = self.trend()
        error = np.sqrt(max(squares - slow**2, 0.0) * mixture.SHORT_TERM / 2)
        return fast > slow + turns.RISE * error

    def trend(self):
        """Means of the losses of the mixture that fade: lately, for long, of squares."""
        own = np.array(self.own)
        return (
            faded_mean(own, mixture.SHORT_TERM),
            faded_mean(own, mixture.LONG_TERM),
            faded_mean(own**2, mixture.LONG_TERM),
        )


def faded_mean(numbers, rate):
    """A plain mean of as many as count in it, then one to which each adds a part."""
    plain, later = np.split(numbers, [round(1 / rate)])
    ages = np.arange(len(later))[::-1]
    return plain.mean() * (1 - rate) ** len(later) + rate * (1 - rate) ** ages @ later


class Mixture:
    """Portfolios that know the same of features; the first one never forgets."""

    knows_rho = True
    has_probabilities = True

    def __init__(self, d, views=VIEWS, names=None, prior=knowledge.PRIOR):
        paces, self.past = members.CURRENT.portfolios, Past(d)
        self.parts = [
            Portfolio(d, one.half_life, [v for v in views if v in one.views], names, self.past, prior)
            for one in paces
        ]
        self.credits = [{True: mixture.SAVED, False: mixture.SAVED} for _ in paces]
        self.first, second, *_ = self.parts
        if second.trees:  # all its space at once
            second.trees.sample.size = growth.sample_size(1, float(second.half_life))
        self.mixer, self.forgets = Mixer([one.half_life for one in paces]), set()

    # --- scores -----------------------------------------------------------------------------------

    def said(self, x):
        """The log-odds by each portfolio, also by those that rest."""
        return [part.log_odds(x) for part in self.parts]

    def log_odds(self, x):
        return self.mixer.mixed(self.said(x))

    def probability(self, x):
        return 1 / (1 + np.exp(-self.log_odds(x)))

    def score(self, x, cost_ratio=1.0):
        return self.first.ledger.margin(self.log_odds(x), cost_ratio)

    # --- learning ---------------------------------------------------------------------------------

    def update(self, x, y, r, score, cost_ratio=1.0, class_cost=None):
        cost_ratio = cost_ratio or self.first.ledger.mean_cost_ratio()
        self.mixer.judge(self.said(x), y, self.first.ledger.counts)
        learning = [k for k, phase in enumerate(self.mixer.phases) if phase != RESTS]
        for k, part in enumerate(self.parts):
            if k in learning:
                part.learn(x, y, r, cost_ratio, class_cost, self.weight(k, y))
            else:
                part.widen(x)
        self.past.add(x)
        for k, part in enumerate(self.parts):
            part.remember(x, y)
            ends = part.half_life and part.rounds % part.half_life == 0
            if k in learning and (ends or k in self.forgets):
                part.forget()
        self.forgets -= set(learning)
        self.take_turns()
        for part in self.parts:
            part.grow()

    def weight(self, k, y):
        """What a row counts for: the credit of its class, one at most."""
        counts, credit = self.parts[k].ledger.counts, self.credits[k]
        for one in credit:
            rate = (counts[one] + 1) / (counts[True] + counts[False] + 2)
            credit[one] = min(credit[one] + mixture.AT_MOST * rate, mixture.SAVED)
        weight = min(credit[y > 0], 1.0)
        credit[y > 0] -= weight
        return weight

    def take_turns(self):
        """Who rests grows no trees; who wakes is as unsure as at first after a row, and grows trees."""
        rows = self.first.rounds
        for k in self.mixer.take_turns(rows):
            trees, phase = self.parts[k].trees, self.mixer.phases[k]
            if phase == LEARNS:
                self.forgets.add(k)
            if trees and phase == RESTS:
                trees.grow_at = np.inf
            elif trees and phase == LEARNS:
                trees.grow_at = trees.take_at + 1 if trees.waiting else rows

    # --- what is known of it ----------------------------------------------------------------------

    @property
    def ledger(self):
        return self.first.ledger

    def weights(self):
        return self.first.weights()

    def variance(self, x):
        return self.first.variance(x)
