"""Options as ``--help`` shows them, in groups, and commands that show them so."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]
Declared = Callable[[Command], Command]
a_path = click.Path(path_type=Path)
TYPES = {"N": click.IntRange(1), **dict.fromkeys(("DIR", "HTML", "MODEL", "OUT"), a_path)}


class GroupedOption(click.Option):
    """An option that belongs to a group of the help; its range stands in its text, if anywhere."""

    def __init__(self, *args: Any, group: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


def options(group: str, text: str, **settings: dict[str, Any]) -> Declared:
    """Declare the options of a group ("" for none), each as the help shows it.

    An option begins a line: its names, the word for its value, followed by points if it may be given
    several times, two spaces, and the help, which goes on in lines that begin with a space. In
    ``--json=as_json`` the argument has another name. Without a word and settings it is a flag. `TYPES`
    has the types of some words; ``settings`` are what else click takes, by the name of the argument.
    """
    found = []
    for one in re.split(r"\n(?=-)", text.strip()):
        head, _, help_text = one.partition("  ")
        names = head.split()
        word = "" if names[-1].startswith("-") else names.pop()
        names[0], _, argument = names[0].partition("=")
        key = argument or names[0].partition("/")[0].strip("-").replace("-", "_")
        words = re.sub(r"\s*\n\s+", " ", help_text.strip())
        given: dict[str, Any] = {"help": words.replace(". [", ".  [")}
        if word:
            metavar = word.removesuffix("...")
            given |= {"metavar": metavar, "multiple": metavar != word, "type": TYPES.get(metavar)}
        elif key not in settings:
            given["is_flag"] = True
        given |= settings.pop(key, {})
        given |= {"cls": GroupedOption, "group": group} if group else {}
        found.append(click.option(*names, *([argument] if argument else []), **given))
    assert not settings, f"{', '.join(settings)} are no options of {group}"
    return add(*found)


def add(*declared: Declared) -> Declared:
    """Give a command all of these options, in their order."""

    def decorate(command: Command) -> Command:
        for one in reversed(declared):
            command = one(command)
        return command

    return decorate


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
