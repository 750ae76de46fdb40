"""What a plain installation does: the commands of the README's first screen, on files of every format.

``python tests/helpers/plain_install.py`` runs them with the costream of that Python.
"""

import csv
import io
import json
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

COSTS = ("--fn-cost", "20", "--fp-cost", "1")
ROWS = [
    {
        "amount": n % 17 + 0.25,
        "country": ("FR", "DE, west", 'the "US"')[n % 3],
        "fraud": int(n % 17 > 13),
    }
    for n in range(400)
]


def costream(*arguments: object, stdin: bytes | None = None) -> bytes:
    """The standard output of a command that succeeds."""
    command = [sys.executable, "-m", "costream", *map(str, arguments)]
    run = subprocess.run(command, input=stdin, capture_output=True, check=False)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)}\n{run.stderr.decode()}")
    return run.stdout


def delimited(delimiter: str) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ROWS[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue().encode()


def compressed(data: bytes, kind: str) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, kind) as stream:
        stream.write(data)
    return out.getvalue().to_pybytes()


def write_files(folder: Path) -> list[Path]:
    """The rows in every format whose columns have names, and the text compressed in every way."""
    comma, table = delimited(","), pa.Table.from_pylist(ROWS)
    texts = {
        "rows.csv": comma,
        "rows.tsv": delimited("\t"),
        "rows.jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS).encode(),
        "rows.csv.gz": compressed(comma, "gzip"),
        "rows.csv.bz2": compressed(comma, "bz2"),
        "rows.csv.xz": lzma.compress(comma),
        "rows.csv.zst": compressed(comma, "zstd"),
    }
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    pa.parquet.write_table(table, folder / "rows.parquet")
    pa.feather.write_feather(table, folder / "rows.feather")
    with pa.ipc.new_file(folder / "rows.arrow", table.schema) as file:
        file.write_table(table)
    return sorted(folder.iterdir())


def check_formats(folder: Path) -> None:
    """Train, score, evaluate and inspect; all formats give the same scores."""
    files, model = write_files(folder), folder / "m.costream"
    table = folder / "rows.csv"
    learner = ("--label", "fraud", "-l", "carow-diag", *COSTS)
    costream("train", table, *learner, "-o", model)
    costream("evaluate", table, *learner)
    costream("inspect", model)
    expected = costream("score", table, "-m", model)
    assert expected.count(b"\n") >= len(ROWS)
    for file in files:
        assert costream("score", file, "-m", model) == expected, file.name
    assert costream("score", "-", "-m", model, stdin=table.read_bytes()) == expected, "standard input"
    (folder / "rows.libsvm").write_text("".join(f"{row['fraud']} 1:{row['amount']}\n" for row in ROWS))
    costream("evaluate", folder / "rows.libsvm", "-l", "carow-diag", *COSTS)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        check_formats(Path(scratch))
    costream("compare", "--no-report")
    print("the commands of the README work, and every format is read")
