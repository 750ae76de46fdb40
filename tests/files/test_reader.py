"""The format of a file is detected, and its blocks are read ahead in a thread."""

import contextlib
import gc
import os
import queue
import threading
from pathlib import Path

import numpy as np
import pytest

from costream import CostreamError
from costream.files.formats import SUFFIXES, guess_format
from costream.files.libsvm import libsvm_blocks
from costream.files.reader import Stream
from costream.files.source import Source
from helpers.streams import JIT_OFF

PATIENCE = 20.0  # seconds after which a test that hangs has failed
ROWS = 400_000  # of ten bytes or so
TEXT = b"1 1:0.5 3:2\n-1 2:1\n1 7:1e-3 1:4\n"
PIPES = pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="no pipes with a name")


def written(path, content):
    path.write_bytes(content)
    return path


def in_time(work):
    """What ``work`` returns, or a failure if it hangs."""
    results = queue.Queue()

    def run():
        try:
            results.put((work(), None))
        except BaseException as error:
            results.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    result, error = results.get(timeout=PATIENCE)
    if error is not None:
        raise error
    return result


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file of several blocks."""
    if JIT_OFF:
        pytest.skip("interpreted, a file of several blocks takes long")
    content = b"".join(b"%d %d:%d\n" % (t % 2, t % 50, t) for t in range(ROWS))
    return written(tmp_path_factory.mktemp("many") / "many.libsvm", content)


# --- formats -----------------------------------------------------------------------------------------


def guessed(path, content):
    with contextlib.closing(Source(written(path, content))) as source:
        return guess_format(source).name


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("style", [str.lower, str.upper])
def test_the_suffix_decides_the_format(tmp_path, suffix, style):
    assert guessed(tmp_path / style(f"rows{suffix}"), b"a,b\n1 1:2\n") == SUFFIXES[suffix].name


CONTENTS = {
    "libsvm": [
        TEXT,
        b"",
        b"\n\n",
        b"1:2 3:4\n",
        b"1:2\t3:4\n",
        b"# a, b, c\n\n1 1:2\n",
        b"1 1:2 # a,\tb\n",
        b"-1 \n",
        b"1\t" + b"\t".join(b"%d:0.123456789" % i for i in range(1, 3000)) + b"\n",
    ],
    "csv": [
        b"amount,label\n1,0\n",
        b"\n\namount,label\n1,0\n",
        b'"a b",c\n',
        b"a,b\tc,d\n",
        b"2024-01-01 12:30:00,5.5,1\n",
    ],
    "tsv": [b"amount\tlabel\n1\t0\n", b"a\tb,c\td\n"],
    "jsonl": [b'{"a": 1}\n', b'\n  {"a": 1, "b": [1, 2]}\n', b"{"],
    "parquet": [b"PAR1\x15\x04"],
    "arrow": [b"ARROW1\0\0", b"\xff\xff\xff\xff\x10\0\0\0"],
}
GUESSES = [(kind, content) for kind, contents in CONTENTS.items() for content in contents]


@pytest.mark.parametrize(("kind", "content"), GUESSES, ids=[ascii(one)[2:30] for _, one in GUESSES])
def test_without_a_known_suffix_the_content_decides_the_format(tmp_path, kind, content):
    assert guessed(tmp_path / "a9a.t", content) == kind


# --- streams -----------------------------------------------------------------------------------------


def readers():
    return [thread for thread in threading.enumerate() if thread.name == "costream reader"]


def test_a_stream_gives_every_row(many):
    with Stream(many) as stream:
        counts = [(block.rows.rows, int(np.nansum(block.label))) for block in stream]
    assert len(counts) > 3
    assert np.sum(counts, axis=0).tolist() == [ROWS, ROWS // 2]
    assert readers() == []


def test_blocks_stay_as_they_are_while_others_are_read_ahead(many):
    """The thread is let run on as far as it can before each block is looked at."""
    expected, found = [], []
    with contextlib.closing(Source(many)) as source:
        for block in libsvm_blocks(source):
            expected.append((block.rows.index.copy(), block.rows.value.copy(), block.label.copy()))
    with Stream(many) as stream:
        for block in stream:
            threading.Event().wait(0.05)
            found.append((block.rows.index.copy(), block.rows.value.copy(), block.label.copy()))
    for one, other in zip(found, expected, strict=True):
        assert all(map(np.array_equal, one, other))


@pytest.mark.parametrize("blocks", [1, 2])
def test_a_consumer_that_stops_early(many, blocks):
    def work():
        with Stream(many) as stream:
            for count, _ in enumerate(stream, 1):
                if count == blocks:
                    break
        return readers()

    assert in_time(work) == []


@pytest.mark.parametrize("content", [TEXT, TEXT + b"1 x:1\n", b""], ids=["fine", "bad", "empty"])
def test_a_stream_that_is_read_again_does_not_hang(tmp_path, content):
    def work():
        with Stream(written(tmp_path / "rows.libsvm", content)) as stream:
            for _ in range(2):
                with contextlib.suppress(CostreamError):
                    list(stream)

    in_time(work)


@PIPES
def test_a_live_pipe_gives_rows_as_they_come_and_can_be_left():
    out, into = os.pipe()
    with open(into, "wb", 0) as pipe:
        pipe.write(b"1 1:1\n0 1")
        stream = Stream(f"/dev/fd/{out}")
        blocks = iter(stream)
        assert in_time(lambda: next(blocks).label.tolist()) == [1.0]
        pipe.write(b":2\n")
        assert in_time(lambda: next(blocks).label.tolist()) == [0.0]
        in_time(stream.close)  # while the thread waits for more
        assert in_time(lambda: list(blocks)) == []
    os.close(out)


@pytest.mark.parametrize(
    ("name", "content"), [("rows.libsvm", TEXT), ("rows", b"\x1f\x8b")], ids=["columns", "damaged"]
)
def test_a_stream_that_is_refused_leaves_no_file_open(tmp_path, name, content):
    with pytest.raises(CostreamError):
        Stream(written(tmp_path / name, content), label="y")
    gc.collect()  # where a file left open is a warning, thus a failure
