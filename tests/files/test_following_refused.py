"""What cannot be followed is refused, with a hint that works."""

import gc
import gzip
import os
import threading

import pytest

from costream import CostreamError
from costream.files.following import Following
from costream.files.reader import Stream
from helpers.followed import PATIENCE, Followed

FIFOS = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")


def refused(path):
    """The error, raised before any waiting."""
    with pytest.raises(CostreamError) as caught:
        next(iter(Following(path, Stream)))
    gc.collect()  # where a file left open is a warning, thus a failure
    return str(caught.value)


def labels(path):
    """What is read without following."""
    with Stream(path) as stream:
        return [label for block in stream for label in block.label.tolist()]


@FIFOS
def test_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert refused(path).startswith(
        f"{path} cannot be followed: it is not a file\nhint: leave out --fol"
    )
    writer = threading.Thread(target=lambda: path.write_text("y,a\n1,0\n"), daemon=True)
    writer.start()
    assert labels(path) == [1.0]
    writer.join(PATIENCE)


ONCE = "hint: only LIBSVM, CSV, TSV and JSON lines can be followed; without --follow it is read once"


@pytest.mark.parametrize("name", ["rows.csv.gz", "rows.csv", "rows"])
def test_a_compressed_file(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"y,a\n1,0\n"))
    assert refused(path) == f"{path} is compressed and cannot be followed\n{ONCE}"
    assert labels(path) == [1.0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows", b"PAR1\x15\x04"),
        ("rows", b"\xff\xff\xff\xff\x10"),
        ("rows.parquet", b""),
        ("rows.arrow", b""),
    ],
)
def test_a_binary_file_is_refused_without_waiting_for_a_line(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CostreamError, match="is a Parquet or Arrow file and cannot be followed"):
        Followed(path).next()
