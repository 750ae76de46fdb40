"""Models that have learnt from a few rows, and their scores."""

from costream import OnlineClassifier
from helpers.streams import dict_rows, stream

X, y = stream(seed=3, rows=40, width=6)
ROWS = dict_rows(X)


def learnt(learner="ssacog-ii", rows=20, classes=(-1, 1), **settings):
    """A model that has learnt from the first rows, by name."""
    model = OnlineClassifier(learner, classes=classes, **settings)
    for x, label in zip(ROWS[:rows], y[:rows], strict=True):
        model.learn_one(x, classes[int(label > 0)])
    return model


def scores(model):
    return [model.score_one(x) for x in ROWS]
