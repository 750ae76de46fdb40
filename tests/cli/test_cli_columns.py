"""What the command line detects in the columns of a table, and the options that overrule it."""

import json

import pytest

from costream import load
from helpers.commands import compiled_only, costream, fail, scored, succeed

pytestmark = compiled_only
QUICK = ("-l", "carow-diag")


def write(path, header, *rows, times=30):
    """A table whose last column is the label: the same rows again and again."""
    lines = [f"{row},{t % 2}" for t in range(times) for row in rows]
    path.write_text("\n".join([f"{header},label", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def mixed(tmp_path):
    """A table with columns of all kinds."""
    rows = [
        f"c{7919 * t % 999:03d},{t % 5}.5,{'FR' if t % 3 else 'DE'},{'true' if t % 4 else 'false'},"
        f"2024-01-{1 + t // 24:02d} {t % 24:02d}:00,s{t % 50},{'x' if t % 2 else 'y'}"
        for t in range(120)
    ]
    return write(tmp_path / "rows.csv", "customer,amount,country,vip,when,shop,note", *rows, times=1)


def train(path, *options):
    """The kinds of the columns of a model that was trained, and standard error."""
    model = path.with_name("m")
    done = costream("train", path, "-o", model, *QUICK, *options)
    assert done.returncode == 0, done.stderr
    return {one.name: one for one in load(model).schema.columns}, done.stderr


# --- messages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["train", "evaluate", "compare"])
def test_the_kinds_of_columns_are_said_in_one_line(mixed, command):
    words = {"train": ("-o", mixed.with_name("m")), "compare": ("--no-report",)}.get(command, ())
    text = costream(command, mixed, *QUICK, *words, "--ignore", "note").stderr
    (line,) = [line for line in text.splitlines() if line.startswith("columns: ")]
    assert line == (
        "columns: 1 number (amount), 2 text (country, shop), 1 yes/no (vip), 1 time (when), "
        "1 id left out (customer), 1 more left out (note)"
    )


# --- bad values ---------------------------------------------------------------------------------

BAD = {
    "decimal": (("--decimal", ";"), r"--decimal cannot be ';'", ("--decimal", "point")),
    "thousands": (("--thousands", "_"), r"--thousands cannot be '_'", ("--thousands", "space")),
    "zone": (("--time-zone", "Mars"), "there is no time zone 'Mars'", ("--time-zone", "Europe/Berlin")),
    "kinds": (
        ("--text", "amount", "--number", "amount"),
        "--number amount and --text amount exclude each other",
        ("--number", "amount"),
    ),
    "kept": (
        ("--keep", "customer", "--ignore", "customer"),
        "--keep customer and --ignore customer exclude each other",
        ("--ignore", "customer"),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_value_is_a_usage_error_whose_hint_works(mixed, case):
    bad, message, good = BAD[case]
    error = fail(2, "evaluate", mixed, *QUICK, *bad)
    assert message in error
    assert "\nhint: " in error
    succeed("evaluate", mixed, *QUICK, *good)


@pytest.mark.parametrize("option", ["--number", "--time", "--keep", "--text", "--words", "--ignore"])
def test_a_column_that_is_not_there_is_an_error_that_names_the_nearest(mixed, option):
    assert "did you mean amount?" in fail(1, "evaluate", mixed, *QUICK, option, "amuont")


# --- inspect and score --------------------------------------------------------------------------


REASONED = [
    {
        "at": f"2024-03-{1 + t % 28:02d} {t % 24:02d}:15:00",
        "amount": None if t % 5 == 1 else 10.0 * (t % 9),
        "kind": "abc"[t * 7 % 3],
        "label": int(t % 9 > 6 or t % 24 < 3),
    }
    for t in range(600)
]


def reasoned(folder, name, text, *options):
    """All reasons of a file, by column, after training on a file of plain values."""
    plain = [json.dumps(row) for row in REASONED]
    (folder / "plain.jsonl").write_text("\n".join(plain) + "\n")
    succeed("train", folder / "plain.jsonl", "-o", folder / "m", "--time", "at")
    (folder / name).write_text(text)
    lines = succeed("score", folder / name, "-m", folder / "m", "--explain", 9, "--json", *options)
    rows = [json.loads(line)["reasons"] for line in lines.splitlines()]
    return [{one["feature"]: one for one in row} for row in rows]


def test_reasons_show_what_stands_in_the_file(tmp_path):
    """A flag and a pass have different reasons; together they show all columns."""
    cells = {"at": "2024-03-02 01:15:00", "amount": "80.0", "kind": '"a"'}
    header, row = ",".join(cells), ",".join(cells.values())
    costs = (("--fn-cost", 1e9, "--fp-cost", 1e-9), ("--fn-cost", 1e-9, "--fp-cost", 1e9))
    both = [reasoned(tmp_path, "new.csv", f"{header}\n{row}\n", *one)[0] for one in costs]
    found = both[0] | both[1]
    shown = {"at": "2024-03-02 01:15:00", "amount": 80.0, "kind": "a"}
    assert {name: one["value"] for name, one in found.items()} == shown
    assert all(one["effect"] > 0.0 for one in both[0].values())
    assert all(one["effect"] < 0.0 for one in both[1].values())
    assert found["at"]["usual"] is None


@pytest.mark.parametrize(
    ("options", "learnt", "written"),
    [
        (("--decimal", ","), ["1.5", "2.5"], ['"1,5"', '"2,5"']),
        (("--decimal", ","), ['"1,234.5"', '"1,000"'], ['"1234,5"', "1000"]),
        (("--thousands", "."), ["1234.5", "1000"], ['"1.234,5"', "1.000"]),
        (("--thousands", "space"), ["1234.5", "1000"], ["1 234.5", "1 000"]),
        (("--day-first",), ["12/31/2024", "12/30/2024"], ["31/12/2024", "30/12/2024"]),
    ],
)
def test_a_later_file_may_be_written_in_another_way(tmp_path, options, learnt, written):
    train(write(tmp_path / "rows.csv", "a", *learnt))
    other = write(tmp_path / "other.csv", "a", *written)
    words = ("-m", tmp_path / "m")
    assert scored(other, *words, *options) == scored(tmp_path / "rows.csv", *words)
