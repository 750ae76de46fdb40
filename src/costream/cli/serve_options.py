"""``costream serve`` as it is written: its options, its subcommands and their help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from . import UsageError, excluded
from .groups import Commands, GroupedCommand, a_path, add, options
from .options import (
    OUTCOMES,
    ModelOptions,
    choice,
    collect,
    cost_options,
    json_option,
    learner_option,
    learner_options,
    set_option,
    several_learners,
)
from .row_options import RowOptions, ignore_option
from .terminal import start

COST_COLUMNS = [f"{which}_cost_column" for which in OUTCOMES]
SETTINGS = (
    *("expire", "expire_as", "learn", "keep_unmatched", "reasons", "strict", "snapshot_labels"),
    *("max_pending", "max_names", "accept_loss"),
)
dir_option = options("Service", "--dir=directory DIR  The directory of the service.")
service_options = options(
    "Service",
    """
--model -m MODEL  The model that a new directory begins with.
--demo            Send simulated payments, with late labels.
--strict          Refuse events that do not fit what the model has learnt, instead of warning about
    them.
--reasons K       Maximum number of reasons for a flag, from 0 to 20.  [3]
""",
    reasons={"type": click.IntRange(0, 20)},
)
network_options = options(
    "Network",
    """
--host HOST                      Address to listen on; any but loopback needs a token.  [127.0.0.1]
--port PORT                      Port; 0 takes a free one.  [8321]
--require-token                  Refuse requests without a token, even in a directory that never had
    one.
--allow-host=allowed_hosts NAME...
    A host name that requests may use, such as that of a proxy; may be repeated.
--max-connections N              Maximum number of connections; one more closes an idle one.  [1000]
--access-log                     Log a line for each request to standard error.
--log-format                     Format of the log lines.  [text]
""",
    host={"default": "127.0.0.1"},
    port={"type": click.IntRange(0, 65535), "default": 8321},
    max_connections={"default": 1000},
    log_format={"type": choice("text", "json"), "default": "text"},
)
label_options = options(
    "Labels",
    """
--positive L[,L...]    The positive label or labels; all others are negative.  [1 and true]
--expire TIME          Time after which an event without a label counts as --as, such as 30d.  [never]
--as=expire_as         What an event without a label counts as.  [negative]
--learn                Learn a label when it comes, or when the --expire time is over.  [at-once]
--keep-unmatched TIME  Time that a label waits for its event before it is dropped.  [7d]
""",
    expire_as={"type": choice("negative", "positive"), "default": "negative"},
    learn={"type": choice("at-once", "at-window")},
)
storage_options = options(
    "Storage",
    """
--snapshot-every=snapshot_labels N
    Number of labels after which the model is written to disk.  [10000]
--max-pending N     Maximum number of events that wait for a label; more are refused.  [10000000]
--max-names N       Maximum number of new feature names; others are left out of events.  [100000]
--accept-loss       Start even if the log lacks acknowledged records, and record the loss.
""",
    max_names={"type": click.IntRange(0)},
)


@click.group(cls=Commands, invoke_without_command=True)
@add(dir_option, service_options, network_options, cost_options, label_options)
@add(learner_option, learner_options, ignore_option, storage_options)
@click.pass_context
def serve(ctx: click.Context, /, **given: Any) -> int:
    """Score events over HTTP, and learn from their labels.

    DIR keeps every event, every label and the model, which continues where it stopped. A new directory
    begins with the model given by -m, or with an empty one at the costs given. Every event and label is
    on disk before it is answered. On SIGTERM or Ctrl-C the service answers what it has accepted, saves
    the model and exits.

    \b
    Examples:
      costream serve --dir demo --demo
      costream serve --dir fraud --fn-cost 200 --fp-cost 5 --expire 30d
      costream serve --dir fraud -m fraud.costream --port 8400
      costream serve token add till --scope score --dir fraud
      costream serve backup fraud backups/fraud-monday
    """
    ctx.obj = given["directory"]
    if ctx.invoked_subcommand is not None:
        return 0
    start()
    from .serve import Serve

    model = collect(ModelOptions, given)
    costs = {key: given.pop(key) for key in COST_COLUMNS}
    rows = RowOptions(**costs, ignore=given["ignore"], defaults=model.numbers)
    model = replace(model, cost_columns=rows.cost_columns)
    directory = directory_of(ctx, given.pop("directory"))
    settings = {key: given.pop(key) for key in SETTINGS}
    return Serve(directory=directory, options=model, settings=settings, **given).run()


@serve.group(no_args_is_help=True)
def token() -> None:
    """Add, list and remove the tokens of a service.

    From the first token on every request needs one, even where all tokens were removed or lost, until
    `token open`. Scopes: score and label send events and labels, read is for the page, the summary,
    events and metrics, admin is for all of it.

    \b
    Examples:
      costream serve token add till --scope score --scope label --dir fraud
      costream serve token list --dir fraud
      costream serve token remove till --dir fraud
    """


@token.command("add")
@click.argument("name", metavar="NAME")
@options(
    "",
    "--scope=scopes  What the token allows; may be repeated.",
    scopes={"type": choice("score", "label", "read", "admin"), "multiple": True, "required": True},
)
@dir_option
@click.pass_context
def token_add(ctx: click.Context, directory: Path | None, name: str, scopes: tuple[str, ...]) -> int:
    """Make a token and print it; it is shown this once.

    \b
    Example:
      costream serve token add till --scope score --dir fraud
    """
    from .serve import add_token

    return add_token(directory_of(ctx, directory), name, scopes)


@token.command("list")
@dir_option
@click.pass_context
def token_list(ctx: click.Context, directory: Path | None) -> int:
    """List the tokens by name, with their scopes.

    \b
    Example:
      costream serve token list --dir fraud
    """
    from .serve import list_tokens

    return list_tokens(directory_of(ctx, directory))


@token.command("remove")
@click.argument("name", metavar="NAME")
@dir_option
@click.pass_context
def token_remove(ctx: click.Context, directory: Path | None, name: str) -> int:
    """Remove a token; a running service refuses it from then on.

    \b
    Example:
      costream serve token remove till --dir fraud
    """
    from .serve import remove_token

    return remove_token(directory_of(ctx, directory), name)


@token.command("open")
@dir_option
@click.pass_context
def token_open(ctx: click.Context, directory: Path | None) -> int:
    """Accept requests without a token again.

    This holds from the next start on, and there must be no token left.

    \b
    Example:
      costream serve token open --dir fraud
    """
    from .serve import open_directory

    return open_directory(directory_of(ctx, directory))


@serve.command("backup")
@click.argument("directory", type=a_path, metavar="DIR")
@click.argument("target", type=a_path, metavar="TO")
def serve_backup(directory: Path, target: Path) -> int:
    """Copy the log of a service while it runs.

    TO is a new directory. The copy is of one moment, and checked. It can be served, replayed and
    compacted like DIR.

    \b
    Example:
      costream serve backup fraud backups/fraud-monday
    """
    start()
    from .replay import run_backup

    return run_backup(directory, target)


@serve.command("compact")
@click.argument("directory", type=a_path, metavar="DIR")
@options("", "--keep TIME  Keep events received in this time, such as 90d.", keep={"required": True})
def serve_compact(directory: Path, keep: str) -> int:
    """Remove old events from the log of a stopped service.

    The model as it is becomes the base model, from which later labels are learnt. Older events are
    removed with their labels, unless they still wait for one; the total costs stay. Make a backup first
    if you may have to explain old decisions.

    \b
    Example:
      costream serve compact fraud --keep 90d
    """
    start()
    from .replay import run_compact

    return run_compact(directory, keep)


@serve.command("relearn")
@click.argument("directory", type=a_path, metavar="DIR")
@options("", "--accept-removed  Go on where compactions have removed labels: those are not learnt.")
def serve_relearn(directory: Path, accept_removed: bool) -> int:
    """Relearn all records of a stopped service with this release.

    A new model with the settings that the directory began with learns all labels in their order, and
    becomes the base model. After an upgrade that has a new revision of the learner, this brings what it
    does better; without it the service goes on with the revision that it has. Decisions stay as they
    were recorded. Make a backup first.

    \b
    Example:
      costream serve relearn fraud
    """
    start()
    from .replay import run_relearn

    return run_relearn(directory, accept_removed)


@serve.command("clock")
@click.argument("directory", type=a_path, metavar="DIR")
@options(
    "",
    """
--accept    The clock of the machine is right: events may expire by it.
--set-back  Records were made by a clock that was ahead: go on from now.
""",
)
def serve_clock(directory: Path, accept: bool, set_back: bool) -> int:
    """Compare the time of a service with the clock, or correct it.

    Time in DIR never goes back by itself: after records that were made by a clock that was ahead, it
    stands still until the clock has caught up. --set-back lets it go on from now; events that were
    received later than now count as received now, and nothing else changes. After a stop of more than a
    day nothing expires until the clock has been steady for ten minutes; --accept confirms it.
    Stop the service before either.

    \b
    Examples:
      costream serve clock fraud
      costream serve clock fraud --set-back
    """
    if accept and set_back:
        raise excluded("--accept", "--set-back", "see the times without them")
    from .replay import run_clock

    return run_clock(directory, accept, set_back)


@click.command(cls=GroupedCommand)
@click.argument("directory", type=a_path, metavar="DIR")
@several_learners("A learner to replay; may be repeated.  [that of the service]")
@set_option
@options("Model", "--check  Make every decision again, and compare it bit by bit.")
@json_option
def replay(**given: Any) -> int:
    """Compare learners on the recorded events of a service.

    Each learner begins with nothing, learns the labels when the service did, and decides on each event
    with what it knows then. Its total cost stands beside that of the service, over events that have a
    label. With --check the model of the service itself is made again from its records: decisions,
    probabilities, reasons and snapshots must be bit-identical. DIR may be in use.

    \b
    Examples:
      costream replay fraud -l carow -l perceptron
      costream replay fraud --check
    """
    start()
    from .replay import Replay

    return Replay(**given).run()


def directory_of(ctx: click.Context, given: Path | None) -> Path:
    """The directory of --dir, given to the subcommand or before it."""
    found = given or ctx.obj
    if not isinstance(found, Path):
        raise UsageError(
            "--dir is missing: a service keeps everything in a directory\n"
            f"hint: add --dir DIR, which may be a new one; see {ctx.command_path} --help"
        )
    return found
