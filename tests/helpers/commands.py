"""The installed command, run as a person or a script would run it."""

import contextlib
import csv
import io
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from costream import load
from costream.cli import main
from costream.kernels import compile as compiler
from helpers.streams import JIT_OFF, stream

COSTREAM = str(Path(sys.executable).with_name("costream"))
# For commands, whole runs, and what takes a long stream to see: that interpreted kernels give the same
# bits, line by line, is seen on short streams.
compiled_only = pytest.mark.skipif(JIT_OFF, reason="tested as users have it: compiled")


def installed(*arguments, **options):
    """Run the command to its end; returns its exit code, standard output and standard error."""
    options = {"capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run([COSTREAM, *map(str, arguments)], check=False, **options)


costream = installed  # tests of commands may put `in_process` in its place


def in_process(*arguments, **options):
    """The same without starting Python, which takes longer than most commands; not for pipes."""
    if set(options) - {"cwd"}:
        return installed(*arguments, **options)
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.chdir(options.get("cwd", ".")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
        pytest.MonkeyPatch.context() as patch,
    ):
        warnings.simplefilter("default")
        patch.setattr(sys, "argv", ["costream", *map(str, arguments)])
        patch.setattr(compiler, "ANNOUNCE", None)
        try:
            main()
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def succeed(*arguments, **options):
    """The standard output of a command that must succeed."""
    done = costream(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def scored(*arguments, **options):
    """The rows that ``costream score`` prints, by the names of their columns."""
    return list(csv.DictReader(succeed("score", *arguments, **options).splitlines()))


def fail(code, *arguments, **options):
    """The complaint of a command that must fail in an orderly way: one sentence, and perhaps a hint."""
    done = costream(*arguments, **options)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    error = next(at for at, line in enumerate(lines) if line.startswith("error: "))
    assert all(line.startswith("hint: ") for line in lines[error + 1 :]), done.stderr
    return "\n".join(lines[error:])


def messages_in(text):
    """Standard error without the messages of a machine that compiles for the first time."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("costream: compiling"))


def weights(path):
    """The weight of each feature of a model, by name."""
    model = load(path)
    return {str(name): w for name, w in zip(model.feature_names, model.coef_, strict=True) if w}


def libsvm(X, y):
    """Rows as LIBSVM text."""
    lines = []
    for x, label in zip(X, y, strict=True):
        entries = [f"{j + 1}:{float(x[j])!r}" for j in np.flatnonzero(x)]
        lines.append(" ".join([str(label), *entries]) + "\n")
    return "".join(lines)


def write_libsvm(path, seed=0, rows=300, **options):
    X, y = stream(seed, rows=rows, **options)
    path.write_text(libsvm(X, y), encoding="ascii")
    return X, y


def train_libsvm(folder):
    """The path of a model of a small LIBSVM file, trained by the command."""
    write_libsvm(folder / "rows.libsvm")
    succeed("train", folder / "rows.libsvm", "-o", folder / "rows.costream")
    return folder / "rows.costream"


def data_file(name):
    """A file of the paper's data, or a skip that says so."""
    folder = os.environ.get("COSTREAM_DATA")
    if not folder or not Path(folder, name).is_file():
        pytest.skip(f"NOT RUN: COSTREAM_DATA has no {name}")
    return Path(folder, name)
