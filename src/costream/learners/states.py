"""States of learners: what of them is kept, how they grow, and how much memory they may take."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import NotEnoughMemoryError
from ..kernels.records import State, with_fields
from .base import Learner


def arrays_of(learner: Learner, model: State) -> Mapping[str, Any]:
    """What a model has learnt: its arrays without the scratch."""
    fields_of = model._asdict().items()
    return {
        name: one
        for name, one in fields_of
        if isinstance(one, np.ndarray) and name not in learner.scratch
    }


def resized(learner: Learner, model: State, capacity: int, size: int, *, shared: bool = False) -> State:
    """The same model with space for ``capacity`` features, ``size`` of them in use.

    With ``shared`` it may use arrays of the old one, which is given up: a second thread may be writing
    into those that do not depend on the number of features.
    """
    fresh = learner.composed(*learner.composition(model), capacity)
    old, replaced = arrays_of(learner, model), {}
    for name, new in arrays_of(learner, fresh).items():
        before = old[name]
        if name == "size":
            new[0] = size
            continue
        if name in learner.elastic:
            shape = (len(before), *new.shape[1:])
            if shared and shape == before.shape:
                replaced[name] = before
                continue
            replaced[name] = new = np.zeros(shape, new.dtype)
        common = tuple(slice(min(a, b)) for a, b in zip(new.shape, before.shape, strict=True))
        new[common] = before[common]
    return with_fields(fresh, **replaced) if replaced else fresh


def memory() -> int:
    """The bytes of memory that this process may use, as far as the system reports it."""
    limits = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit:
            limits.append(int(limit.read()))
    except (OSError, ValueError):
        pass
    return min(limits, default=2**63)


def check_memory(learner: Learner, d: int, model: State | None = None) -> None:
    """Raise an error if a model of ``d`` features, or a new one, takes more than half of the memory."""
    need = learner.bytes_needed(d, model)
    if need > memory() // 2:
        raise NotEnoughMemoryError(
            f"{learner.name} with {d:,} features needs {need / 2**30:,.1f} GiB, more than half of "
            "the memory",
            "use a diagonal (carow-diag) or sketched (ssacog-ii) learner, max_features or hash_slots",
        )
