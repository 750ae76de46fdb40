"""What ``costream score`` writes: formats, columns that are passed through, reasons, growing files."""

import csv
import json
import os
import signal
import subprocess
from dataclasses import asdict

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from costream import load
from helpers.commands import COSTREAM, compiled_only, fail, scored, succeed

pytestmark = compiled_only
OWN = ["score", "probability", "label", "decision", "expected_cost_flag", "expected_cost_pass"]
COSTS = ("--fn-cost", 9, "--fp-cost", 1)
ROWS = [
    {
        "id": f'n"{t}, {t}',
        "amount": t % 7 + 0.5,
        "shop": "abc"[t % 3],
        "note": "",
        "label": int(t % 4 == 0),
    }
    for t in range(60)
]


def write(path):
    """The rows in the format that the name tells."""
    if path.suffix in (".csv", ".tsv"):
        with open(path, "w", newline="", encoding="ascii") as file:
            writer = csv.DictWriter(file, ROWS[0], delimiter="," if path.suffix == ".csv" else "\t")
            writer.writeheader()
            writer.writerows(ROWS)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        save = parquet.write_table if path.suffix == ".parquet" else feather.write_feather
        save(pa.Table.from_pylist(ROWS), path)
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("score")
    rows = write(folder / "rows.csv")
    succeed("train", rows, "--ignore", "id", *COSTS, "-o", folder / "auto")
    succeed("train", rows, "--ignore", "id", *COSTS, "-o", folder / "carow", "-l", "carow-diag")
    return folder


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".arrow"])
def test_columns_are_passed_through_as_they_stand(trained, tmp_path, suffix):
    rows = write(tmp_path / f"rows{suffix}")
    options = (
        "-m",
        trained / "auto",
        "--id",
        "id",
        "--keep-columns",
        "amount,note",
        "--keep-columns",
        "label",
    )
    found = scored(rows, *options)
    assert list(found[0]) == ["id", "amount", "note", "input_label", *OWN]
    for got, row in zip(found, ROWS, strict=True):
        assert [got["id"], got["amount"]] == [row["id"], str(row["amount"])]
        assert [got["note"], got["input_label"]] == ["", str(row["label"])]
    plain = scored(trained / "rows.csv", "-m", trained / "auto")
    assert [[row[name] for name in OWN] for row in found] == [[*row.values()] for row in plain]


def test_the_same_rows_in_all_formats_of_the_output(trained, tmp_path):
    words = (trained / "rows.csv", "-m", trained / "auto", "--id", "id")
    rows = [json.loads(line) for line in succeed("score", *words, "--json").splitlines()]
    assert list(rows[0]) == ["id", *OWN]
    assert rows == [
        json.loads(line) for line in succeed("score", *words, "--output-format", "jsonl").splitlines()
    ]
    for name, delimiter in (("csv", ","), ("tsv", "\t")):
        succeed("score", *words, "--output-format", name, "-o", tmp_path / name)
        with open(tmp_path / name, newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file, delimiter=delimiter))
        assert table == [{key: str(value) for key, value in row.items()} for row in rows]


def test_reasons_are_those_of_the_library(trained):
    words = (trained / "rows.csv", "-m", trained / "auto", "--explain", 2)
    lines = [json.loads(line) for line in succeed("score", *words, "--json").splitlines()]
    table, model = scored(*words), load(trained / "auto")
    for row, line, cells in zip(ROWS, lines, table, strict=True):
        expected = model.explain_one({key: row[key] for key in ("amount", "shop")}, top=2)
        assert line["reasons"] == [asdict(one) for one in expected]
        texts = {"amount": f"{row['amount']:g}", "shop": row["shop"]}
        cell = [f"{one.feature}={texts[one.feature]} ({one.effect:+.2f})" for one in expected]
        assert [cells["reason_1"], cells["reason_2"]] == [*cell, "", ""][:2]


@pytest.mark.parametrize(
    ("code", "options", "message"),
    [
        (1, ("--id", "idd"), "did you mean id?"),
        (1, ("--keep-columns", "amount,nothing"), "there is no column nothing"),
        (2, ("--json", "--output-format", "csv"), "exclude each other"),
        (2, ("-o", "nowhere/out"), "there is no folder nowhere"),
        (2, ("-o", "rows.csv"), "rows.csv would be overwritten"),
        (2, ("-o", "auto"), "auto would be overwritten"),
    ],
)
def test_what_cannot_be_written(trained, code, options, message):
    before = (trained / "rows.csv").read_bytes()
    assert message in fail(code, "score", "rows.csv", "-m", "auto", *options, cwd=trained)
    assert (trained / "rows.csv").read_bytes() == before


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_file_is_followed_across_a_rotation(trained, tmp_path, which):
    """Each row is answered as it is written; a signal ends it, and what was learnt is saved."""
    model, path = tmp_path / "m", tmp_path / "rows.csv"
    model.write_bytes((trained / "auto").read_bytes())
    before = load(model).rows
    path.write_text("id,amount,shop,label\nfirst,1,a,0\n")
    with subprocess.Popen(
        [COSTREAM, "score", path, "-m", model, "--follow", "--learn", "--id", "id"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == ",".join(["id", *OWN]) + "\n"
        assert process.stdout.readline().startswith("first,")
        with open(path, "a") as file:
            file.write("second,2,b,1\n")
        assert process.stdout.readline().startswith("second,")
        os.rename(path, tmp_path / "rows.csv.1")
        path.write_text("id,amount,shop,label\nthird,3,c,0\n")
        assert process.stdout.readline().startswith("third,")
        process.send_signal(which)
        assert process.wait(60) == 128 + which
        assert "3 rows learnt" in process.stderr.read()
    assert load(model).rows == before + 3
