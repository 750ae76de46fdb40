"""The commands, their options and their help. The work itself is loaded when it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import UsageError
from .groups import Commands, a_path, add, options
from .options import (
    LearnerName,
    choice,
    collect_both,
    cost_options,
    file_argument,
    json_option,
    learner_option,
    learner_options,
    ratio_option,
    run_options,
    several_learners,
)
from .row_options import column_options, input_options
from .serve_options import replay, serve
from .terminal import start

NAMES = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print what makes a shell complete our commands."""
    if shell is None or ctx.resilient_parsing:
        return
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.command, {}, "costream", "_COSTREAM_COMPLETE").source())
    ctx.exit()


@click.group(cls=Commands, context_settings=NAMES, no_args_is_help=True)
@click.version_option(package_name="costream", message="%(prog)s %(version)s")
@click.option(
    "--completion",
    type=choice("bash", "zsh", "fish"),
    callback=_completion,
    is_eager=True,
    expose_value=False,
    help='Print a completion script; in bash: eval "$(costream --completion bash)"',
)
def app() -> None:
    """Learning from streams when mistakes have different costs.

    \b
    Examples:
      costream compare
      costream train payments.csv --label fraud --fn-cost 100 --fp-cost 5 -o fraud.costream
      costream score today.csv -m fraud.costream
    """


@app.command()
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@add(input_options, column_options, cost_options)
@several_learners("A learner to compare; may be repeated.  [all]")
@add(learner_options, ratio_option, run_options)
@options(
    "Output",
    """
--report HTML   Path of the HTML report.  [costream-report.html]
--no-report     Do not write the HTML report.
--json=as_json  Print a JSON array with one object per data set.
""",
    report={"default": Path("costream-report.html")},
)
@options(
    "Model",
    """
--baseline RULE...  Compare with a rule of your own: "COLUMN OP VALUE", where OP is >, >=, <, <=, == or
    !=, or a column of decisions, which is then not used as a feature; may be repeated.
""",
)
def compare(**given: Any) -> int:
    """Compare all learners and the two constant policies.

    The constant policies flag every row, or none. Prints a table with the best learner first and writes
    an HTML page with the online curves. Rows are read in the order of FILE, or shuffled with --runs.
    Without FILE it uses two built-in data sets: synthetic card payments with rare fraud, and the
    Wisconsin breast-cancer data.

    \b
    Examples:
      costream compare
      costream compare payments.csv --label fraud --fn-cost 100 --fp-cost 5
      costream compare payments.csv --label fraud --fn-cost-column amount --fp-cost 5 --runs 10
      costream compare payments.csv --label fraud --fn-cost 100 --fp-cost 5 --baseline "amount > 220"
    """
    start()
    from .compare import Compare

    return Compare(**collect_both(given)).run()


@app.command()
@file_argument
@add(input_options, column_options, cost_options, learner_option, learner_options)
@options("Model", "--passes N  Number of passes over FILE; auto takes one.  [1]", passes={"default": 1})
@options(
    "Output",
    """
--output -o MODEL  Path of the model file.
--resume MODEL     Continue training this model.
""",
    output={"required": True},
)
def train(**given: Any) -> int:
    """Learn from a file row by row and save the model.

    FILE is LIBSVM text, CSV, TSV, JSON lines, Parquet or Arrow, and may be compressed (.gz, .bz2, .xz
    or .zst); - is standard input. Each row is scored before it is learnt, and metrics of these scores
    are printed at each doubling of the number of rows. Ctrl-C saves what was learnt so far.

    \b
    Examples:
      costream train payments.csv.gz --label fraud --fn-cost 100 --fp-cost 5 -o fraud.costream
      costream train payments.csv --label fraud --fn-cost-column amount --fn-cost 50 --fp-cost 5 -o m
      costream train more.csv --resume fraud.costream -o fraud.costream
      zcat rows.gz | costream train - --learner acog-ii --set eta=10 -o rows.costream
    """
    start()
    from .train import Train

    return Train(**collect_both(given)).run()


@app.command()
@file_argument
@options(
    "Model",
    """
--model -m MODEL  Path of the model file.
--learn           Also learn from rows that have a label; save the model at the end.
""",
    model={"required": True},
)
@options(
    "Output",
    """
--id=id_column COLUMN          The column that identifies a row: copied to the output, and not used as a
    feature.
--keep-columns COLUMN[,...]...  Columns to copy to the output unchanged.
--explain K                    Add the K columns with the largest effect on the decision (auto only).
--top N                        Only the N rows of which flagging is expected to save most, largest
    first.
--per COLUMN                   Only the row that saves most for each value of a column, largest first.
--output -o OUT                Path of the output.  [standard output]
--output-format FORMAT         csv, tsv or jsonl.  [csv]
--json=as_json                 Short for --output-format jsonl.
""",
    explain={"type": click.IntRange(1)},
    output_format={"type": choice("csv", "tsv", "jsonl")},
)
@input_options
@options(
    "Input",
    """
--follow  Go on as FILE grows, and with the new file when it is rotated, until Ctrl-C or SIGTERM.
""",
)
@add(column_options, cost_options)
def score(**given: Any) -> int:
    """Print a score, a probability and a decision for each row.

    The output is CSV with a header: score, probability (that the row is positive), label (the predicted
    one), decision (flag or pass), and the expected cost of either decision. A row is flagged if its
    score is 0 or more. Costs are those of the model, as numbers or from its columns; cost options
    replace them for these rows. Each row is answered as soon as it arrives, but for --top and --per,
    which answer at the end.

    \b
    Examples:
      costream score today.csv -m fraud.costream --id payment --explain 3
      costream score today.csv -m fraud.costream --keep-columns shop,amount -o scores.csv
      costream score today.csv -m fraud.costream --fn-cost-column amount --fp-cost 5
      costream score today.csv -m fraud.costream --id payment --top 100 --per customer
      costream score payments.jsonl -m fraud.costream --follow --learn --json
      tail -f rows.jsonl | costream score - -m fraud.costream --learn
    """
    given["explain"] = given["explain"] or 0
    start()
    from .score import Score

    return Score(**collect_both(given)).run()


@app.command()
@file_argument
@add(input_options, column_options, cost_options, learner_option, learner_options, ratio_option)
@options(
    "Model",
    """
--model -m MODEL  Evaluate this saved model; it is not changed.
--learn           With -m: let a copy of the model learn from each row.
""",
)
@add(run_options, json_option)
def evaluate(**given: Any) -> int:
    """Evaluate a learner prequentially, or a saved model.

    Each row of FILE is scored before it is learnt; the table shows what its decisions cost. Rows are
    read in the order of FILE, or shuffled with --runs. With -m, a saved model is evaluated without
    learning, or with --learn; costs given here then replace those of the model.

    \b
    Examples:
      costream evaluate payments.csv --label fraud --fn-cost 100 --fp-cost 5
      costream evaluate payments.csv --label fraud --fn-cost-column amount --fp-cost 5 --tp-cost 5
      costream evaluate rows.libsvm --learner acog-ii --set eta=10 --runs 20 --json
      costream evaluate may.csv -m fraud.costream
      costream evaluate may.csv -m fraud.costream --learn --fn-cost 200
    """
    start()
    from .evaluate import Evaluate, EvaluateModel

    model, learn = given.pop("model"), given.pop("learn")
    if model is not None:
        return EvaluateModel(model=model, learn=learn, **collect_both(given)).run()
    if learn:
        raise UsageError(
            "--learn is for a saved model: without one, evaluate always learns\nhint: add -m MODEL"
        )
    return Evaluate(**collect_both(given)).run()


@app.command()
@click.argument("model", metavar="MODEL", type=a_path)
@options(
    "",
    "--top N  Number of weights to show; 0 for all.  [20]",
    top={"type": click.IntRange(0), "default": 20},
)
@json_option
def inspect(**given: Any) -> int:
    """Show what a model has learnt.

    Prints its learner, its objective and where its costs come from, its row counts, what the columns
    of its table hold and how they are read, and its largest weights with their variances.

    \b
    Example:
      costream inspect fraud.costream --top 10
    """
    start()
    from .inspect import Inspect

    return Inspect(**given).run()


@app.command("compile")
@click.argument("learners", nargs=-1, type=LearnerName(), metavar="[LEARNER]...")
def compile_(learners: tuple[str, ...]) -> int:
    """Compile learners now, so that no later command waits for it.

    Machine code is kept in the compile cache: the user's folder for caches, or that of
    COSTREAM_CACHE_DIR. It is of use to this version of costream, Numba and Python on this kind of
    processor. Without LEARNER, the default is compiled.

    \b
    Examples:
      costream compile
      COSTREAM_CACHE_DIR=/var/cache/costream costream compile auto carow
    """
    from .compile import run

    return run(learners)


@app.command()
@click.argument("name", required=False, type=LearnerName(), metavar="[NAME]")
def learners(name: str | None) -> int:
    """List the learners, or the hyper-parameters of one.

    \b
    Examples:
      costream learners
      costream learners acog-ii
    """
    from .learners import run

    return run(name)


# --- the lab ----------------------------------------------------------------------------------------


@app.group(no_args_is_help=True)
def lab() -> None:
    """Run the experiments of the paper, or your own.

    \b
    Examples:
      costream lab list
      costream lab run all --quick
      costream lab run table2 figure1 --data ~/data
      costream lab run mine.toml
    """


data_option = options("", "--data DIR  Folder of data sets.  [COSTREAM_DATA]")
output_option = options(
    "",
    "--output -o DIR  Folder for results and the report.  [costream-lab]",
    output={"default": Path("costream-lab")},
)
quick_option = options(
    "", "--quick  Two runs on a sample of the rows, with fewer settings: much shorter."
)


@lab.command("list")
@data_option
def lab_list(**given: Any) -> int:
    """List the experiments of the paper and the data sets.

    \b
    Example:
      costream lab list --data ~/data
    """
    start()
    from .lab import LabOptions, list_experiments

    return list_experiments(LabOptions(**given))


@lab.command("run")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@quick_option
@options(
    "",
    """
--jobs -j N    Number of threads.  [number of cores]
--no-download  Use only data sets that are already on disk.
--no-report    Do not write the HTML report.
""",
)
@data_option
@output_option
def lab_run(names: tuple[str, ...], jobs: int | None, no_report: bool, **given: Any) -> int:
    """Run experiments of the paper, or your own.

    NAME is an experiment of the paper, all for all of them, or a TOML file. Each result is saved as
    soon as it is available, and nothing is computed twice: an interrupted run continues where it
    stopped. At the end an HTML page with all tables and figures is written.

    \b
    Examples:
      costream lab run all
      costream lab run table8 --quick
      costream lab run mine.toml --output results
    """
    start()
    from .lab import LabOptions, run_experiments

    return run_experiments(LabOptions(**given), names, jobs, no_report)


@lab.command("report")
@click.argument("names", metavar="[NAME...]", nargs=-1)
@quick_option
@options("", "--markdown FILE  Also write the tables as Markdown.", markdown={"type": a_path})
@data_option
@output_option
def lab_report(names: tuple[str, ...], markdown: Path | None, **given: Any) -> int:
    """Write the report from saved results.

    NAME selects experiments; without it the report has all of them.

    \b
    Examples:
      costream lab report
      costream lab report table2 --markdown table2.md
    """
    start()
    from .lab import LabOptions, report_experiments

    return report_experiments(LabOptions(**given), names, markdown)


app.add_command(replay)
app.add_command(serve)
