"""The record of the portfolio."""

from __future__ import annotations

from typing import NamedTuple

from ...kernels.hinge import Hinge
from ...kernels.records import Floats, Integers, Slots
from .trees import Short, Singles


class Portfolio(NamedTuple):
    """Views, the members that learn them, and the council; `rule` says what stands where.

    ``mean`` and ``Sigma`` are those of the full members, ``mu`` and ``variance`` of the lanes of scaled
    and raw rows; the views that follow have theirs under their own names. The trees of the leaves are
    ``feature``, ``threshold`` and ``child`` of each node, those that are growing ``next_...``;
    ``sample`` are the rows that they grow on. ``stats`` is what is known of each feature, ``settings``
    of each member; ``costs`` are those of their mistakes. ``council`` are the weights of the members,
    ``council_root`` is the root of their covariance, ``spread`` the mean size of their scores,
    ``rests`` who takes a rest until when. The rest is scratch for one row, ``directions`` and ``keys``
    aside, which follow from the names of the features.
    """

    mean: Floats
    Sigma: Floats
    mu: Floats
    variance: Floats
    standardised_mu: Floats
    standardised_variance: Floats
    hats_mu: Floats
    hats_variance: Floats
    waves_mean: Floats
    waves_covariance: Floats
    leaves_mu: Floats
    leaves_variance: Floats
    leaves_value: Floats
    feature: Short
    threshold: Singles
    child: Short
    root: Integers
    next_mu: Floats
    next_variance: Floats
    next_value: Floats
    next_feature: Short
    next_threshold: Singles
    next_child: Short
    next_root: Integers
    sample: Singles
    sample_label: Short
    stats: Floats
    settings: Floats
    costs: Floats
    council: Floats
    council_root: Floats
    spread: Floats
    rests: Integers
    clock: Integers
    directions: Floats
    keys: Integers
    rows: Floats
    slots: Slots
    hat_slots: Slots
    hat_values: Floats
    waves: Floats
    single: Singles
    leaf: Short
    work: Floats
    now: Floats
    size: Integers
    hinge: Hinge
    keep: float
    period: float
