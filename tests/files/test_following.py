"""Files are followed as they grow and are rotated, as ``costream score --follow`` does."""

import os
import signal
import subprocess
import sys

import pytest

from costream import CostreamError
from costream.files.following import Following, Growing
from costream.files.reader import Stream
from helpers.commands import compiled_only
from helpers.followed import PATIENCE, Followed, append, followed, some_time

LINES = {
    "libsvm": ("", "{} 1:1\n"),
    "csv": ("y,a\n", "{},1\n"),
    "tsv": ("y\ta\n", "{}\t1\n"),
    "jsonl": ("", '{{"y": {}, "a": 1}}\n'),
}

# --- growth ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [True, False], ids=["suffix", "no suffix"])
@pytest.mark.parametrize("kind", LINES)
def test_rows_come_as_they_are_written(tmp_path, kind, suffix):
    head, line = LINES[kind]
    path = tmp_path / (f"rows.{kind}" if suffix else "rows")
    path.write_text(head + line.format(1) + line.format(2))
    with followed(path) as rows:
        assert rows.next(2) == [(1, 1.0), (1, 2.0)]
        for label in (3, 4, 5):
            append(path, line.format(label))
            assert rows.next() == [(1, label)]
        assert rows.streams.get().format == kind


def test_half_a_line_waits_for_its_newline(file):
    with followed(file) as rows:
        rows.next()
        for part in ("1", "2", "3,", "0"):
            append(file, part)
            some_time()
        append(file, "\n4,0\n")
        assert rows.next(2) == [(1, 123.0), (1, 4.0)]


@pytest.mark.parametrize("name", ["rows", "rows.csv"])
def test_an_empty_file_waits_for_its_first_line(tmp_path, name):
    path = tmp_path / name
    path.touch()
    with followed(path, lambda source: Stream(source, label="id")) as rows:
        for part in ("a,", "id", "\n", "0,", "12"):
            append(path, part)
            some_time()
        append(path, "3\n")
        assert rows.next() == [(1, 123.0)]


# --- rotation ----------------------------------------------------------------------------------------


def test_a_file_that_was_renamed_is_read_to_its_end_and_the_new_one_from_its_start(file):
    with followed(file) as rows, open(file, "a") as old:
        rows.next()
        file.rename(file.with_suffix(".1"))
        old.write("2,0\n3,0\n4,0")  # no newline: what is left is the last line
        old.flush()
        some_time()
        file.write_text("b,y,a\n0,5,0\n0,6,0\n")
        assert rows.next(5) == [(1, 2.0), (1, 3.0), (1, 4.0), (2, 5.0), (2, 6.0)]
        append(file, "0,7,0\n")
        assert rows.next() == [(2, 7.0)]


def test_a_file_that_another_one_replaced(file, tmp_path):
    with followed(file) as rows:
        for number in range(2, 5):
            rows.next()
            other = tmp_path / "other"
            other.write_text(f"y,a\n{number},0\n")
            other.replace(file)
        assert rows.next() == [(4, 4.0)]


def test_a_truncated_file_is_read_from_its_start(file):
    with followed(file) as rows:
        rows.next()
        append(file, "2,0\n3,0")
        assert rows.next() == [(1, 2.0)]
        some_time()
        os.truncate(file, 0)
        assert rows.next() == [(1, 3.0)]
        append(file, "a,y\n0,4\n")
        assert rows.next() == [(2, 4.0)]
        append(file, "0,5\n")
        assert rows.next() == [(2, 5.0)]


def test_a_file_that_vanishes_and_comes_back_as_a_new_one(file):
    with followed(file) as rows, open(file, "a") as old:
        rows.next()
        file.unlink()
        some_time()
        old.write("2,0\n")
        old.flush()
        assert rows.next() == [(1, 2.0)]
        file.write_text("y,a\n3,0\n")
        assert rows.next() == [(2, 3.0)]


def test_a_new_file_without_rows_has_no_stream(tmp_path):
    """Its format is not known yet; LIBSVM text, as which nothing counts, has no columns."""
    path = tmp_path / "rows"
    path.write_text("id,a\n1,0\n")
    with followed(path, lambda source: Stream(source, label="id")) as rows:
        rows.next()
        for number in range(3):
            path.rename(tmp_path / f"old{number}")
            path.touch()
            some_time()
        append(path, "id,a\n2,0\n")
        assert rows.next() == [(2, 2.0)]


# --- stop --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["following", "stream"])
@pytest.mark.parametrize("how", ["stop", "close"])
def test_a_stop_at_the_end_of_the_file_ends_all(file, what, how):
    rows = Followed(file)
    rows.next()
    append(file, "2,0")  # half a line: no row, though the file ends here
    some_time()
    getattr(rows.following if what == "following" else rows.streams.queue[0], how)()
    rows.assert_ends()


def test_a_stream_that_is_left_early_is_the_last(file):
    opened = []
    for stream in Following(file, Stream):
        opened.append(stream)
        for _ in stream:
            break
    assert len(opened) == 1
    assert not stream._thread.is_alive()


def test_an_error_in_a_row_ends_the_following_and_its_thread(file):
    append(file, "2,0,0\n")
    rows = Followed(file)
    with pytest.raises(CostreamError, match=r"rows.csv, row \d: 3 fields instead of 2"):
        rows.next(2)
    rows._thread.join(PATIENCE)
    assert not rows.streams.get()._thread.is_alive()


INTERRUPTED = """
import signal
import sys
from costream.files.following import Following
from costream.files.reader import Stream

with Following(sys.argv[1], Stream) as following:
    signal.signal(signal.SIGINT, lambda *_: following.stop())
    print("ready", flush=True)
    for stream in following:
        for block in stream:
            print(block.label.tolist(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signals as they are here")
@pytest.mark.parametrize("content", ["", "y,a\n1,0\n2"], ids=["empty", "rows"])
def test_a_signal_handler_may_stop(file, content):
    file.write_text(content)
    command = [sys.executable, "-c", INTERRUPTED, str(file)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        if content:
            assert process.stdout.readline() == "[1.0]\n"
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, error) == (0, "", "")


@compiled_only  # interpreted, 40,000 rows take longer than anybody waits
def test_many_blocks_are_there_at_the_beginning(file):
    count = 40_000
    append(file, "".join(f"{label},{'0' * 90}\n" for label in range(2, count + 1)))
    with followed(file) as rows:
        assert rows.next(count) == [(1, float(label)) for label in range(1, count + 1)]
        append(file, "0,0\n")
        assert rows.next() == [(1, 0.0)]


def test_rows_written_just_before_the_rotation_is_seen_are_read(file, monkeypatch):
    def replaced(source):
        if source.position == len("y,a\n1,0\n"):
            append(file, "2,0\n")
        return True

    monkeypatch.setattr(Growing, "_replaced", replaced)
    with followed(file) as rows:
        assert rows.next(2) == [(1, 1.0), (1, 2.0)]


def test_a_file_that_vanishes_and_comes_back_as_it_was(file):
    with followed(file) as rows:
        rows.next()
        away = file.rename(file.with_suffix(".away"))
        append(away, "2,")
        some_time()
        away.rename(file)
        append(file, "0\n3,0\n")
        assert rows.next(2) == [(1, 2.0), (1, 3.0)]


def test_a_stop_between_two_blocks(file):
    following, seen = Following(file, Stream), 0
    for stream in following:
        for _ in stream:
            append(file, "2,0\n")
            some_time()
            following.stop()
            seen += 1
    assert seen == 1
    assert not stream._thread.is_alive()
