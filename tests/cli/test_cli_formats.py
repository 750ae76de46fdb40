"""The same rows in every format give the same model, and damaged files an orderly end."""

import bz2
import csv
import gzip
import json
import lzma
import random
import subprocess
import sys
import time

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from costream.files.source import _zstd
from helpers.commands import COSTREAM, compiled_only, costream, fail, libsvm, succeed, weights
from helpers.streams import stream

pytestmark = compiled_only
FORMATS = ("libsvm", "csv", "tsv", "jsonl", "parquet", "arrow")
COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: _zstd().compress(data),
}


def write(path, X, y):
    """Rows in the format that the name tells; columns are named as LIBSVM text numbers them."""
    names = [str(j + 1) for j in range(X.shape[1])]
    kind = path.suffix[1:]
    if kind == "libsvm":
        path.write_text(libsvm(X, y), encoding="ascii")
    elif kind in ("csv", "tsv"):
        with open(path, "w", newline="", encoding="ascii") as file:
            writer = csv.writer(file, delimiter="," if kind == "csv" else "\t")
            writer.writerow([*names, "label"])
            writer.writerows([*map(repr, x), label] for x, label in zip(X.tolist(), y, strict=True))
    elif kind == "jsonl":
        with open(path, "w", encoding="ascii") as file:
            for t, (x, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
                row = dict(zip(names, x, strict=True))
                if t:  # the first row has all columns in their order
                    row = {name: value for name, value in row.items() if value}
                print(json.dumps({"label": label, **row}), file=file)
    else:
        table = pa.table({"label": y, **dict(zip(names, X.T, strict=True))})
        save = parquet.write_table if kind == "parquet" else feather.write_feather
        save(table, path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same rows in all formats, and a model of the first."""
    folder = tmp_path_factory.mktemp("formats")
    X, y = stream(3, rows=400, width=9)
    for kind in FORMATS:
        write(folder / f"rows.{kind}", X, y)
    succeed("train", folder / "rows.libsvm", "-o", folder / "libsvm.costream", "--learner", "acog-ii")
    return folder


@pytest.mark.parametrize("kind", FORMATS[1:])
def test_every_format_gives_the_same_model(folder, tmp_path, kind):
    succeed("train", folder / f"rows.{kind}", "-o", tmp_path / "m", "--learner", "acog-ii")
    assert weights(tmp_path / "m") == weights(folder / "libsvm.costream")


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_scores(folder, kind):
    scores = succeed("score", folder / f"rows.{kind}", "-m", folder / "libsvm.costream")
    assert scores == succeed("score", folder / "rows.libsvm", "-m", folder / "libsvm.costream")


@pytest.mark.parametrize(("kind", "compression"), [*zip(FORMATS, [*COMPRESS] * 2, strict=False)])
def test_compressed_rows_from_a_pipe(folder, tmp_path, kind, compression):
    """The name tells nothing here: the compression and the format are found from the bytes."""
    data = COMPRESS[compression]((folder / f"rows.{kind}").read_bytes())
    options = {"input": data, "text": False}
    succeed("train", "-", "-o", tmp_path / "m", "--learner", "acog-ii", **options)
    assert weights(tmp_path / "m") == weights(folder / "libsvm.costream")


# --- text columns, and what a model remembers of them ---------------------------------------------

PAYMENTS = [("amount", "country", "card", "fraud")] + [
    (f"{i % 7 / 7:.3f}", "DE" if i % 3 else "FR", f"c{i % 50}", "yes" if i % 9 == 0 else "no")
    for i in range(1, 400)
]


def write_payments(path, columns=4, rows=slice(None)):
    lines = [PAYMENTS[0], *PAYMENTS[1:][rows]]
    path.write_text("".join(",".join(line[:columns]) + "\n" for line in lines))
    return path


def test_a_file_of_other_features_is_warned_of(folder, tmp_path):
    done = costream("score", write_payments(tmp_path / "p.csv"), "-m", folder / "libsvm.costream")
    assert "features that the model does not have" in done.stderr


def test_a_pipe_is_read_as_a_file_is(tmp_path):
    """The rarer word changes within the first block: where a pipe is cut must not matter."""
    head, *lines = write_payments(tmp_path / "rows.csv").read_text().splitlines(keepends=True)
    once = "".join(lines)
    text = head + 20 * once.replace("yes", "bad") + 200 * once.replace("no", "bad").replace("yes", "no")
    command = ["train", "-", "--label", "fraud", "-o", tmp_path / "m"]
    with subprocess.Popen(
        [COSTREAM, *map(str, command)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for at in range(0, len(text), 50_000):
            process.stdin.write(text[at : at + 50_000])
            process.stdin.flush()
            time.sleep(0.02)
        process.stdin.close()
        heard = process.stderr.read()
    (tmp_path / "all.csv").write_text(text)
    done = costream("train", tmp_path / "all.csv", "--label", "fraud", "-o", tmp_path / "same")
    lines = [
        [line for line in text.splitlines() if "positive:" in line] for text in (heard, done.stderr)
    ]
    assert lines[0] == lines[1] != []


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("a,label\n1,0\nx,1\n" * 9, ("--label", "lable"), "did you mean label"),
        ("a,b\n1,0\n", (), "--label"),
        ("a,label\n1,0\n2\n", (), "row 2"),
        ("a,label\n1,\n2,\n", ("--positive", "1"), "no row has a label"),
        ("a,a,label\n1,0,1\n", (), "two columns"),
        ("a,label\ninf,0\n2,1\n", (), "row 1"),
        ("a,label\n1,0\n2,1\n", ("--fn-cost-column", "loss", "--fp-cost", "1"), "no column loss"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_complaints_about_a_table(tmp_path, text, options, complaint):
    (tmp_path / "rows.csv").write_text(text)
    assert complaint in fail(1, "train", tmp_path / "rows.csv", "-o", tmp_path / "m", *options)


# --- damage ---------------------------------------------------------------------------------------

# The command again and again in one process, which must survive; an exit code for each file.
DRIVER = """
import contextlib, io, sys
from costream.cli import main
for path in sys.argv[1:]:
    sys.argv = ["costream", "train", path, "-o", "m.costream"]
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            main()
    except SystemExit as end:
        code = end.code
    assert "Traceback" not in errors.getvalue()
    assert code == 0 or "error: " in errors.getvalue()
    print(code)
"""


def drive(paths, cwd):
    """The exit codes of `train` for many files."""
    command = [sys.executable, "-c", DRIVER, *map(str, paths)]
    run = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    return [int(line) for line in run.stdout.split()]


@pytest.mark.slow
@pytest.mark.parametrize("compression", COMPRESS)
def test_cut_and_mutated_compressed_files(folder, tmp_path, compression):
    rng = random.Random(compression)
    whole = COMPRESS[compression]((folder / "rows.csv").read_bytes())
    paths = []
    for at in range(60):
        data = bytearray(whole[: rng.randrange(6, len(whole))])
        if at % 2:
            data = bytearray(whole)
            data[rng.randrange(6, len(data))] ^= 1 << rng.randrange(8)
        paths.append(tmp_path / f"{at}.csv.{compression}")
        paths[-1].write_bytes(data)
    codes = drive(paths, tmp_path)
    assert codes[::2] == [1] * 30, "a cut file was taken for a whole one"
    assert set(codes) <= {0, 1}


@pytest.mark.parametrize("kind", ["libsvm", "csv", "jsonl", "parquet", "arrow", "gz", "zst", "bin"])
def test_binary_noise(tmp_path, kind):
    (tmp_path / f"noise.{kind}").write_bytes(random.Random(kind).randbytes(200_000))
    fail(1, "train", tmp_path / f"noise.{kind}", "-o", tmp_path / "m")
    assert not (tmp_path / "m").exists()
