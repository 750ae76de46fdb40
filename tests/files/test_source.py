"""Bytes of files and pipes, decompressed, whole or damaged; and their blocks of whole lines."""

import bz2
import contextlib
import gc
import gzip
import lzma
import os
import queue
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import CostreamError
from costream.files import source as sources
from costream.files.source import Source, line_blocks

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}
EACH = pytest.mark.parametrize("suffix", COMPRESS)
TEXT = b"".join(b"%d 1:%d\n" % (t % 2, t) for t in range(40))
PATIENCE = 20.0  # seconds after which a test that hangs has failed
PIPES = pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="no pipes with a name")


def read_all(source, at_once=1 << 16):
    view = memoryview(bytearray(at_once))
    parts = []
    while count := source.readinto(view):
        parts.append(bytes(view[:count]))
    return b"".join(parts)


def read(path, at_once=1 << 16):
    with contextlib.closing(Source(path)) as source:
        return read_all(source, at_once)


def written(path, content):
    path.write_bytes(content)
    return path


@contextlib.contextmanager
def pipe():
    """The name of a live pipe, and a file to write to it."""
    out, into = os.pipe()
    with open(into, "wb", 0) as file:
        yield f"/dev/fd/{out}", file
    os.close(out)


class InThread:
    """What an iterator gives, item by item, or a failure if it takes too long."""

    def __init__(self, make):
        self._items = queue.Queue()
        self._make = make
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        try:
            for item in self._make():
                self._items.put(item)
            self._items.put(StopIteration())
        except BaseException as error:
            self._items.put(error)

    def __next__(self):
        item = self._items.get(timeout=PATIENCE)
        if isinstance(item, BaseException):
            raise item
        return item

    def rest(self):
        items = []
        with contextlib.suppress(StopIteration):
            while True:
                items.append(next(self))
        return items


# --- files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [1, 7, 1 << 16])
@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_files_are_read_by_their_first_bytes(tmp_path, suffix, at_once):
    content = COMPRESS[suffix](TEXT) if suffix else TEXT
    assert read(written(tmp_path / "named as nothing", content), at_once) == TEXT


@EACH
@pytest.mark.parametrize("content", [b"1 1:1\n", b"\0", b"\x1f"], ids=["text", "NUL", "one byte"])
def test_a_suffix_that_is_not_true(tmp_path, suffix, content):
    file = written(tmp_path / f"rows.libsvm{suffix}", content)
    with pytest.raises(CostreamError, match=f"rows.libsvm{suffix} does not hold {suffix} data"):
        Source(file)


@EACH
def test_several_members_follow_each_other(tmp_path, suffix):
    members = b"".join(map(COMPRESS[suffix], (TEXT, b"", b"x\n", TEXT)))
    assert read(written(tmp_path / "rows", members)) == TEXT + b"x\n" + TEXT


@EACH
def test_a_file_cut_anywhere_is_damaged(tmp_path, suffix):
    content = COMPRESS[suffix](b"1 1:1\n0 2:1\n")
    for length in range(6, len(content)):
        file = written(tmp_path / "rows.libsvm", content[:length])
        with pytest.raises(CostreamError, match=f"rows.libsvm: the {suffix} data are damaged or cut"):
            read(file)


@EACH
def test_flipped_bytes_are_an_error_or_bytes(tmp_path, suffix):
    rng = random.Random(suffix)
    for turn in range(100):
        content = bytearray(COMPRESS[suffix](TEXT))
        content[turn % len(content)] ^= rng.randrange(1, 256)
        with contextlib.suppress(CostreamError):
            read(written(tmp_path / "rows", bytes(content)))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may read all")
def test_a_file_that_may_not_be_read(tmp_path):
    file = written(tmp_path / "rows", TEXT)
    file.chmod(0)
    with pytest.raises(CostreamError, match="rows cannot be read: "):
        Source(file)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that can be opened, not read")
def test_a_file_that_fails_when_it_is_read():
    with pytest.raises(CostreamError, match="/proc/self/mem cannot be read: "):
        read("/proc/self/mem")


# --- pipes -------------------------------------------------------------------------------------------

ECHO = """
import sys
from costream.files.source import Source, line_blocks
source = Source("-")
assert (source.name, source.live, source.size) == ("standard input", True, None)
for block in line_blocks(source, 64):
    sys.stdout.buffer.write(block)
assert source.position == int(sys.argv[1])
"""


@PIPES
@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_data_whose_first_byte_comes_alone(suffix):
    content = COMPRESS[suffix](TEXT)
    with pipe() as (path, into):
        into.write(content[:1])
        found = InThread(lambda: iter([read(path)]))
        threading.Event().wait(0.1)  # for the reader to find a single byte
        into.write(content[1:])
        into.close()
        assert next(found) == TEXT


def test_standard_input_that_does_not_block():
    """A pipe shared with others may be set so; nothing there is not the end."""
    command = [sys.executable, "-c", "import os; os.set_blocking(0, False)" + ECHO, "5"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        threading.Event().wait(1.0)  # for the reader to find nothing
        out, error = process.communicate(b"1 1:1", timeout=60)
    assert (process.returncode, error, out) == (0, b"", b"1 1:1\n")


@PIPES
def test_a_line_comes_out_of_a_live_pipe():
    with pipe() as (path, into):
        into.write(b"one\ntwo\nthr")
        source = Source(path)
        blocks = InThread(lambda: map(bytes, line_blocks(source, 1 << 16)))
        assert next(blocks) == b"one\ntwo\n"
        into.write(b"ee\n")
        assert next(blocks) == b"three\n"
        into.write(b"four")
        into.close()
        assert blocks.rest() == [b"four\n"]
        source.close()


@PIPES
def test_a_quoted_newline_of_a_live_pipe_waits_for_its_end():
    with pipe() as (path, into):
        into.write(b'a\n"b\n')
        source = Source(path)
        blocks = InThread(lambda: map(bytes, line_blocks(source, 1 << 16, quotes=True)))
        assert next(blocks) == b"a\n"
        into.write(b'c"\n')
        assert next(blocks) == b'"b\nc"\n'
        into.close()
        assert blocks.rest() == []
        source.close()


# --- blocks of lines ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("lines") / "lines"


def blocks_of(file, content, size, quotes=False):
    with contextlib.closing(Source(written(file, content))) as source:
        return [bytes(block) for block in line_blocks(source, size, quotes=quotes)]


@pytest.mark.parametrize("size", range(1, 40))
def test_no_block_ends_within_quotes(file, size):
    content = b'a,b\n1,"x\ny"\n2,"say ""\n"" loud"\n"\n\n\n",3\nlast,"z"\n' * 3
    blocks = blocks_of(file, content, size, quotes=True)
    assert b"".join(blocks).rstrip(b"\n") == content.rstrip(b"\n")
    assert all(block.count(b'"') % 2 == 0 for block in blocks)


def test_a_file_that_is_refused_is_closed(tmp_path):
    with pytest.raises(CostreamError):
        Source(written(tmp_path / "rows.gz", TEXT))
    gc.collect()  # where a file left open is a warning, thus a failure


@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_the_start_is_a_line_at_least_and_stays_to_be_read(tmp_path, suffix):
    content = COMPRESS[suffix](TEXT) if suffix else TEXT
    with contextlib.closing(Source(written(tmp_path / "rows", content))) as source:
        start = source.start()
        assert start == source.start()
        assert b"\n" in start
        assert TEXT.startswith(start)
        assert read_all(source, 3) == TEXT


@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_seekable_begins_at_the_beginning(tmp_path, suffix):
    content = COMPRESS[suffix](TEXT) if suffix else TEXT
    with contextlib.closing(Source(written(tmp_path / "rows", content))) as source:
        source.start()
        with contextlib.closing(source.seekable()) as file:
            file.seek(-5, os.SEEK_END)
            assert file.read() == TEXT[-5:]
            file.seek(0)
            assert file.read() == TEXT


PIECES = st.lists(st.sampled_from([b"a", b"bcd", b"\n", b"\n\n", b'"', b'""', b"\r\n", b"x" * 40]))


@given(pieces=PIECES, size=st.integers(1, 50), quotes=st.booleans())
def test_blocks_put_together_are_the_input(file, pieces, size, quotes):
    content = b"".join(pieces)
    ended = content if content.endswith(b"\n") or not content else content + b"\n"
    blocks = blocks_of(file, content, size, quotes)
    assert b"".join(blocks) == ended
    assert all(block.endswith(b"\n") for block in blocks)


@pytest.mark.parametrize(("quotes", "hint"), [(False, ""), (True, "never closed")], ids=["", "quotes"])
def test_a_line_without_end(file, monkeypatch, quotes, hint):
    monkeypatch.setattr(sources, "LONGEST_LINE", 1 << 20)
    content = 4096 * (1000 * b"x" + b"\n") if quotes else 4 * (1 << 20) * b"x"
    with pytest.raises(CostreamError, match=f"lines: a line is longer than 1 MiB(?s:.*){hint}"):
        blocks_of(file, b'"' + content if quotes else content, 1 << 10, quotes)
