"""``costream learners``: the learners, and the hyper-parameters of one."""

from __future__ import annotations

from inspect import getdoc
from typing import Any

from ..learners import LEARNERS, make_learner
from ..report.tables import text_table
from .terminal import notify


def run(name: str | None) -> int:
    """Print all learners, or what one of them is and the hyper-parameters that it has."""
    if name is None:
        rows = [
            [one, ", ".join(LEARNERS[one].hyper_parameters()) or "none", _summary(one)]
            for one in LEARNERS
        ]
        print(text_table(("learner", "hyper-parameters", "what it is"), rows, left=3))
        notify("for the defaults and ranges of one: costream learners NAME")
        return 0
    learner = make_learner(name)
    print(f"{learner.name}: {_summary(learner.name)}\nreference: {learner.reference}")
    defaults = learner.get_params()
    rows = [
        [key, _value(defaults[key]), known.range, known.help.rstrip(".")]
        for key, known in learner.hyper_parameters().items()
    ]
    if rows:
        print("\n" + text_table(("hyper-parameter", "default", "values", "what it is"), rows, left=4))
    return 0


def _summary(name: str) -> str:
    return (getdoc(LEARNERS[name]) or "").partition("\n")[0].rstrip(".")


def _value(value: Any) -> str:
    """A default as --set takes it."""
    return ",".join(value) if isinstance(value, tuple) else str(value)
