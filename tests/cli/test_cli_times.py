"""The times of rows: their period, and a warning if they are out of order."""

import pytest

from helpers.commands import compiled_only, costream

pytestmark = compiled_only
QUICK = ("-l", "carow-diag")
OUT_OF_ORDER = "is earlier than the row before it: the rows are not in the order of time"


@pytest.fixture
def write(tmp_path):
    """A function that writes a table with such times."""

    def table(*times, rows=40):
        lines = [f"{times[min(t, len(times) - 1)]},{t % 3},{t % 2}" for t in range(rows)]
        path = tmp_path / "rows.csv"
        path.write_text("\n".join(["when,x,label", *lines]) + "\n")
        return path

    return table


def stderr_of(command, path, *options):
    words = {"train": ("-o", path.with_name("m")), "compare": ("--no-report",)}.get(command, ())
    done = costream(command, path, *QUICK, *words, *options)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("command", ["train", "evaluate", "compare"])
def test_the_period_is_said(write, command):
    path = write("2024-01-03 10:00", "2024-02-01", "2024-06-30 23:59:59")
    assert "\ntimes: 2024-01-03 10:00 to 2024-06-30 23:59\n" in stderr_of(
        command, path, "--time", "when"
    )


@pytest.mark.parametrize("command", ["train", "evaluate", "compare"])
def test_the_first_row_out_of_order_is_named_once(write, command):
    path = write("2024-01-02", "2024-01-05", "2024-01-04", "2024-01-06", "2024-01-01")
    lines = [
        line for line in stderr_of(command, path, "--time", "when").splitlines() if OUT_OF_ORDER in line
    ]
    (line,) = lines
    assert line.startswith(f"warning: {path}, row 3 ")
