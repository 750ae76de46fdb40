"""The commands of the lab, their options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .groups import Commands, a_path, options
from .terminal import start


@click.group(cls=Commands, no_args_is_help=True)
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
