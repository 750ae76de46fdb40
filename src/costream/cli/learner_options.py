"""The options that name a learner and set its hyper-parameters; `costream learners` lists them.

The registry loads NumPy, so it is asked when a name is completed or used, and not before.
"""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from .groups import Declared, option

DEFAULT_LEARNER = "auto"
LISTED = "`costream learners` lists them"


class LearnerName(click.ParamType[str]):
    """The name of a learner, which is completed on the command line, and checked by whoever uses it."""

    name = "name"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from ..learners import LEARNERS

        return [CompletionItem(name) for name in LEARNERS if name.startswith(incomplete)]


learner_option = option(
    "--learner",
    "-l",
    group="Model",
    type=LearnerName(),
    metavar="NAME",
    help=f"The learner; {LISTED}.  [{DEFAULT_LEARNER}]",
)


def several_learners(text: str) -> Declared:
    """The option of commands that take several learners."""
    return option(
        "--learner",
        "-l",
        "learners",
        group="Model",
        multiple=True,
        type=LearnerName(),
        metavar="NAME",
        help=text,
    )


learners_option = several_learners("A learner to compare; may be repeated.  [all]")
set_option = option(
    "--set",
    "settings",
    group="Model",
    multiple=True,
    metavar="KEY=VALUE",
    help=f"A hyper-parameter, such as eta=10; {LISTED}. May be repeated.",
)
