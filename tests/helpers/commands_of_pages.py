"""Pages of the docs: what they show below each command, and what the commands print."""

import os
import re
import subprocess
from pathlib import Path

from helpers.commands import COSTREAM

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks_of(name):
    """The blocks of shell and console of a page, with their kinds."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(r"^```(sh|console)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def shown_by(blocks):
    """What a page shows below each command."""
    return {
        part.partition("\n")[0]: part.partition("\n")[2].rstrip("\n")
        for kind, block in blocks
        if kind == "console"
        for part in block.removeprefix("$ ").split("\n$ ")
    }


def printed(script, folder, is_message):
    """What a command prints on standard output, and before it the messages that are to be shown."""
    path = f"{Path(COSTREAM).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-uc", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    messages = filter(is_message, done.stderr.splitlines())
    return "\n".join([*messages, *done.stdout.splitlines()])


def run_in_turn(blocks, folder, is_message):
    """Run all commands of a page; returns what each has printed."""
    found, shown = {}, shown_by(blocks)
    for kind, block in blocks:
        if kind == "sh":
            printed(block, folder, is_message)
        for command in [one for one in shown if kind == "console" and f"$ {one}\n" in block]:
            found[command] = printed(command, folder, is_message)
    return found
