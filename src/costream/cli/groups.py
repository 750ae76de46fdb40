"""Options that ``--help`` shows in groups, and commands that show them so."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

Declared = Callable[[Callable[..., Any]], Callable[..., Any]]


class GroupedOption(click.Option):
    """An option that belongs to a group of the help; its range stands in its text, if anywhere."""

    def __init__(self, *args: Any, group: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


def option(*names: str, group: str, **settings: Any) -> Declared:
    """Declare an option of a group."""
    return click.option(*names, cls=GroupedOption, group=group, **settings)


class GroupedCommand(click.Command):
    """A command whose help shows options by their groups, in the order in which they are declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        others = []
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx) if isinstance(one, click.Option) else None
            if record is None:
                continue
            if isinstance(one, GroupedOption):
                groups.setdefault(one.group, []).append(record)
            else:
                others.append(record)
        groups["Other options" if groups else "Options"] = others
        names = [name for records in groups.values() for name, _ in records]
        width = max((len(name) for name in names if len(name) <= 30), default=0)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in records])


class Commands(click.Group, GroupedCommand):
    """Commands that end well when nobody reads on; click itself would call that a failure."""

    command_class = GroupedCommand
    group_class = type  # the same as this one

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 0
