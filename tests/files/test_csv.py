"""CSV: what the text of a field means, and where lines and blocks end."""

import os
import threading

import pytest

from costream.files import csv
from costream.files import source as sources
from costream.files.csv import csv_blocks
from costream.files.source import Source
from costream.tables.layout import Layout
from costream.tables.naming import TextSlots
from helpers.tables import complaint, labels_of, reader, rows_of


@pytest.fixture
def read(tmp_path):
    return reader(tmp_path, "csv")


@pytest.mark.parametrize("start", ["1", "TRUE"])
def test_a_value_that_does_not_fit_is_missing_and_told_of(read, monkeypatch, start):
    monkeypatch.setattr(csv, "ROWS", 4)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 16)
    text = "k,amount\n" + "".join(f"{i},{start}\n" for i in range(1, 17)) + "17,x y\n18,u v\n"
    warned = {}
    rows = rows_of(read(text, warned=warned))
    assert rows[-3:] == [
        [("k", 16.0), ("amount", 1.0)],
        [("k", 17.0), ("amount=missing", 1.0)],
        [("k", 18.0), ("amount=missing", 1.0)],
    ]
    what = "a number" if start == "1" else "yes or no, true or false"
    assert warned["amount"].partition("payments.")[2] == (
        f"csv, row 17, column amount: 'x y' is not {what}; such values count as missing (--text amount "
        "reads the column as text, --ignore amount leaves it out; in Python: "
        'Schema({\'amount\': "text"}) or "left out")'
    )


@pytest.mark.parametrize("size", range(1, 40))
def test_quoted_newlines(read, monkeypatch, size):
    monkeypatch.setattr(csv, "ROWS", 1)
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    blocks = read('"a\nb",c\n1,"x\ny"\n2,"""\n"\n3,\n')
    assert rows_of(blocks) == [
        [("a\nb", 1.0), ("c=x\ny", 1.0)],
        [("a\nb", 2.0), ('c="', 1.0)],
        [("a\nb", 3.0)],
    ]


@pytest.mark.parametrize(
    "text", ["a,y\n5,1\n6,0\n", "\n\na,y\n\n5,1\n\n\n6,0", '"a","y"\n"5",1\n6,"0"\n']
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_ends_of_lines(read, text, end, bom):
    blocks = read(bom + text.replace("\n", end))
    assert rows_of(blocks) == [[("a", 5.0)], [("a", 6.0)]]
    assert labels_of(blocks) == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n\n3,4\n5\n", "csv, row 3: 1 fields instead of 2"),
        ("a,b\n1,2\n3,4,5\n", "csv, row 2: 3 fields instead of 2"),
        (b"a,b\n1,2\n3,\xe9\n", "csv, row 2: the text is not UTF-8"),
        (b"a,\xe9\n1,2\n", "csv: the header cannot be read"),
        ("a,b,a\n1,2,3\n", "csv: two columns are called a\n"),
        (",b\n0,2\n", "csv: column 1 has no name\n"),
        ('a,"b\n1,2\n', "csv: a double quote in the header is never closed"),
        (f'"{"a" * 140_000}"\n1\n', "csv: the header cannot be read"),
    ],
)
def test_bad_csv(read, text, message):
    assert complaint(read, text).startswith(message)


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16LE"),
        ("utf-16-be", "UTF-16BE"),
        ("utf-32", "UTF-32"),
    ],
)
def test_the_hint_names_the_encoding_of_the_file(read, encoding, named):
    text = "amount,ü\n1,2\n"
    message = complaint(read, text.encode(encoding))
    assert message.startswith(f"csv: the text is {named}, and not UTF-8\n")
    assert f"iconv -f {named} -t UTF-8" in message
    assert text.encode(encoding).decode(named) == text


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;", "sep=;;;"])
def test_a_first_line_that_tells_the_delimiter(read, first, end, bom):
    text = bom + end.join([first, "a,1;b,2;y", "2,5;3;1", ""])
    blocks = read(text)
    assert rows_of(blocks) == [[("a,1", 2.5), ("b,2", 3.0)]]
    assert labels_of(blocks) == [1]


def test_a_bad_row_of_a_later_block(read, monkeypatch):
    monkeypatch.setattr(csv, "ROWS", 1)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 16)
    text = "a,b\n" + "1,2\n" * 20 + "3\n"
    assert complaint(read, text).startswith("csv, row 21: 1 fields instead of 2")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_rows_of_a_pipe_come_as_they_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1 << 12)
    path = tmp_path / "live"
    os.mkfifo(path)
    go_on = threading.Event()

    def write():
        with open(path, "wb", 0) as pipe:
            pipe.write(b"a,y\n1,0\n")
            go_on.wait(10)
            pipe.write(b"2,1\n")

    writer = threading.Thread(target=write)
    writer.start()
    source = Source(path)
    blocks = csv_blocks(source, Layout(), TextSlots(18), print)
    assert rows_of([next(blocks)]) == [[("a", 1.0)]]
    go_on.set()
    assert rows_of(list(blocks)) == [[("a", 2.0)]]
    writer.join()
    source.close()
