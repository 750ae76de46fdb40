"""The lab: the paper's experiments, or a user's own, run and reported.

The way of an experiment, and the modules in order:

- ``reading`` makes an ``experiment`` of a TOML file; those of the paper are in ``paper``.
- ``plan`` makes trials of it, on the data sets that ``loader`` finds. A ``trial`` is one learner with
  one setting on one data set in one order.
- ``runner`` runs the trials, and ``store`` keeps their results under ``keys`` that stand for all that
  decides them. ``regret`` and ``timing`` measure what is not a trial.
- ``kinds`` has a file for each kind of experiment: how it is checked, run, and made into ``results``,
  in the words of ``texts``.
- ``lab`` runs experiments of all kinds, and ``pages`` shows what they found.
"""

from ..costs.objectives.weighted_accuracy import WeightedAccuracy as Sum  # the paper's name

__all__ = ["Sum"]
