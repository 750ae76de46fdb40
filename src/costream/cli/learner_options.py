"""The options that name a learner and set its hyper-parameters; the registry tells what there is.

The registry loads NumPy, so it is asked when help is shown or a name is completed, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

DEFAULT_LEARNER = "auto"


class LearnerName(click.ParamType[str]):
    """The name of a learner, which is completed on the command line, and checked by whoever uses it."""

    name = "name"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from ..learners import LEARNERS

        return [CompletionItem(name) for name in LEARNERS if name.startswith(incomplete)]


class LazilyDocumented(click.Option):
    """An option whose help is made when it is shown."""

    def __init__(self, *args: Any, make_help: Callable[[], str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.make_help = make_help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.help = self.make_help()
        return super().get_help_record(ctx)


def _learners() -> str:
    from ..learners import LEARNERS

    return f"One of {', '.join(LEARNERS)}.  [{DEFAULT_LEARNER}]"


def _hyper_parameters() -> str:
    """All hyper-parameters, with their defaults; the table of the documentation says who has which."""
    from ..learners import LEARNERS

    found = {
        key: f"{key}: {known.help.rstrip('.')} [{getattr(learner(), key)}]"
        for learner in LEARNERS.values()
        for key, known in learner.hyper_parameters().items()
    }
    listed = "; ".join(found[key] for key in sorted(found, key=str.lower))
    return f"A hyper-parameter of the learner, such as eta=10; may be repeated. {listed}."


learner_option = click.option(
    "--learner", "-l", cls=LazilyDocumented, make_help=_learners, type=LearnerName(), metavar="NAME"
)


def several_learners(text: str) -> Callable[[Any], Any]:
    """The option of commands that take several learners."""
    return click.option(
        "--learner",
        "-l",
        "learners",
        multiple=True,
        type=LearnerName(),
        metavar="NAME",
        help=text,
    )


learners_option = several_learners("A learner to compare; may be repeated.  [all]")
set_option = click.option(
    "--set",
    "settings",
    cls=LazilyDocumented,
    make_help=_hyper_parameters,
    multiple=True,
    metavar="KEY=VALUE",
)
