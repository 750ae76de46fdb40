"""LIBSVM text: spellings of rows, bits of numbers, borders of blocks, and bad words."""

import contextlib
import lzma
import os
import random
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from costream import CostreamError
from costream.files.libsvm import libsvm_blocks
from costream.files.source import Source
from costream.labels.parsing import canonical
from helpers.streams import JIT_OFF

NUMBERS = 300 if JIT_OFF else 60_000
MUTATIONS = 20 if JIT_OFF else 1000
SIZES = [16, 17, 23, 32, 64, None]
LARGEST = 2**32 - 4
SMALL_FILES, LARGE_FILES = ("german", "australian_scale"), ("a9a", "usps.t", "mushrooms", "dna")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("libsvm") / "rows.libsvm"


def blocks_of(path, content, size=None):
    path.write_bytes(content)
    with contextlib.closing(Source(path)) as source:
        yield from libsvm_blocks(source, size)


def rows_of(path, content, size=None):
    """(label, indices, values) of every row."""
    found = []
    for block in blocks_of(path, content, size):
        start = block.rows.start.tolist()
        index, value = block.rows.index.tolist(), block.rows.value.tolist()
        for label, begin, end in zip(block.label.tolist(), start, start[1:], strict=False):
            found.append((label, index[begin:end], value[begin:end]))
    return found


def plain(rows):
    """Rows that can be compared: NaN is equal to itself, and values are compared by their bits."""
    return [(repr(canonical(label)), index, [v.hex() for v in value]) for label, index, value in rows]


def complaint(path, content, size=None):
    with pytest.raises(CostreamError) as caught:
        rows_of(path, content, size)
    return str(caught.value)


ROW = (1.0, [1, 7], [0.5, 2.0])
SPELLINGS = {
    "plain": b"1 1:0.5 7:2\n",
    "plus": b"+1 1:+0.5 7:+2\n",
    "no last newline": b"1 1:0.5 7:2",
    "CRLF": b"1 1:0.5 7:2\r\n",
    "tabs": b"1\t1:0.5\t7:2\n",
    "many blanks": b"   1 \t  1:0.5     7:2  \t \n",
    "comment behind": b"1 1:0.5 7:2#8:3 : nonsense # x\n",
    "comment lines": b"# 2 1:1\n  # x\n#\n1 1:0.5 7:2\n#",
    "blank lines": b"\n\r\n \t\n1 1:0.5 7:2\n\n\n",
    "query": b"1 qid:a:b 1:0.5 7:2\n",
    "query between": b"1 1:0.5 qid:3 7:2\n",
    "unsorted": b"1 7:2 1:0.5\n",
    "twice in a row": b"1 1:0.25 1:0.25 7:2\n",
    "label 1.": b"1. 1:0.5 7:2\n",
    "label 10E-1": b"10E-1 1:0.5 7:2\n",
    "long label": b"1." + 50 * b"0" + b" 1:0.5 7:2\n",
    "leading zeros": b"01 0000000001:000.5 07:2\n",
    "very many leading zeros": b"1 00000000000000000000001:0.5 7:2\n",
    "zeros": b"1 0:0 1:0.5 3:0.0 4:-0 5:0e5 6:0.000000000000000000 7:2 9:.0 10:0.\n",
    "long zeros": b"1 1:0.5 3:0.%b 7:2 8:-0.%be9 9:%b\n" % (3 * (30 * b"0",)),
    "zero by underflow": b"1 1:0.5 3:1e-400 7:2\n",
}


@pytest.mark.parametrize("content", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_of_one_row(path, content):
    assert rows_of(path, content) == [ROW]


ODD_ROWS = {
    "index 0": (b"1 0:3", (1.0, [0], [3.0])),
    "label and comment": (b"-1#", (-1.0, [], [])),
    "minus zero": (b"-0 1:2", (0.0, [1], [2.0])),
    "label 1.5": (b"1.5 2:1", (1.5, [2], [1.0])),
    "label of 20 digits": (b"12345678901234567890 2:1", (12345678901234567890.0, [2], [1.0])),
    "label of 17 digits": (b"-0.12345678901234567 2:1", (-0.12345678901234567, [2], [1.0])),
    "label of text": (b"fraud 2:1", ("fraud", [2], [1.0])),
    "label of noise": (b"\xff\xfe 2:1", ("\\xff\\xfe", [2], [1.0])),
    "label true": (b"TRUE 2:1", (True, [2], [1.0])),
    "label beyond floats": (b"1e999 2:1", ("1e999", [2], [1.0])),
    "largest index": (f"1 {LARGEST}:1".encode(), (1.0, [LARGEST], [1.0])),
    "three times": (b"1 2:1 3:4 2:2 2:-0.5", (1.0, [2, 3], [2.5, 4.0])),
}


@pytest.mark.parametrize(("content", "row"), ODD_ROWS.values(), ids=ODD_ROWS)
def test_odd_rows(path, content, row):
    assert rows_of(path, content) == [row]


# --- numbers -----------------------------------------------------------------------------------------


def assert_numbers(path, words):
    """Every word is read as Python reads it."""
    content = "".join(f"1 3:{word}\n" for word in words).encode()
    found = [value for _, _, value in rows_of(path, content)]
    pairs = zip(words, found, strict=True)
    wrong = [word for word, value in pairs if [v.hex() for v in value] != [float(word).hex()]]
    assert wrong[:5] == []


EDGES = {
    "exponents": "1e5 1E-5 1e+3 1e0 1e22 1e23 1e-22 1e-23 1e00005 3E+05",
    "points": ".5 5. -.5 +.5 5.e1 .5e1 +3 -3 0.1 00.10 0.000001",
    "powers": "1e-323 1e-308 1e-307 1e-65 1e-64 1e-63 1e63 1e64 1e65 1e300 1e308 -1e-64",
    "subnormal": "5e-324 4.9406564584124654e-324 2.2250738585072011e-308 3e-324 1e-310 -5e-324",
    "largest": "1.7976931348623157e308 1.7976931348623158e308 179769313486231570" + 291 * "0",
    "2^53": "9007199254740991 9007199254740992 9007199254740993 9007199254740995",
    "2^64": "18446744073709551615 18446744073709551616 9999999999999999999 10000000000000000000",
    "halfway": "4503599627370496.5 4503599627370497.5 2251799813685248.25 1125899906842624.125",
    "above halfway": "9007199254740993.0000000000000000000001 9007199254740992.99999999999999999999",
    "halfway, scaled": "90071992547409930e-1 900719925474099300e-2 9007199254740993e3",
    "carry": "519207641454045200e-2 4516318882690503733e28",
    "to the next power": "4503599627370495.75 450359962737049575e-2 18014398509481983e0",
    "many digits": f"3.{3 * '141592653589793238'} {40 * '1'} 0.{40 * '0'}123 {30 * '1'}e-60",
    "exponents that wait": f"1{400 * '0'}e-400 0.{400 * '0'}1e401 {20 * '1'}e-0000000300",
}


@pytest.mark.parametrize("words", EDGES.values(), ids=EDGES)
def test_numbers_at_the_edges(path, words):
    assert_numbers(path, words.split())


def test_many_numbers_around_the_middle_of_two_floats(path):
    """Of 19 digits, so that no shortcut is right by luck."""
    rng = random.Random(3)
    words = []
    while len(words) < NUMBERS:
        middle = (rng.randrange(2**53, 2**54) | 1) * 2 ** rng.randrange(0, 190)
        power = len(str(middle)) - 19
        near = middle // 10 ** max(power, 0) + rng.choice((-1, 0, 1))
        words += [f"{near}e{power}" if power > 0 else f"{near}"]
        words += [f"{rng.randrange(1, 10 ** rng.randrange(16, 20))}e{rng.randrange(-70, 70)}"]
    assert_numbers(path, words)


# --- the borders of blocks ---------------------------------------------------------------------------

BORDERS = (
    b"# a comment that is longer than a small block\n\n1 1:0.5 3:2 #x\r\n\nfraud 2:1e-3 1:4\n"
    b"-1\n3:12345678901234567890.5 4:5 # no label\n1 qid:7 "
    + b" ".join(b"%d:%d" % (i, i) for i in range(1, 60))
    + b"\n0 0:0\n1 5:1 5:1\n"
    + b"".join(b"%d %d:%d.5\n" % (t % 2, t, t) for t in range(50))
    + b"1 1:1"
)


ODD_FIRST = 4 * b"x 1:12345678901234567890\n" + 40 * b"2 3:4 5:6 # nothing odd\n"


@pytest.mark.parametrize("content", [BORDERS, ODD_FIRST], ids=["long lines", "odd words first"])
@pytest.mark.parametrize("size", SIZES)
def test_the_size_of_blocks_does_not_matter(path, size, content):
    assert plain(rows_of(path, content, size)) == plain(rows_of(path, content, 1 << 16))


def snapshot(block):
    parts = (block.rows.start, block.rows.index, block.rows.value, block.label)
    return [np.array(part) for part in parts], [block.where(t) for t in range(block.rows.rows)]


def test_a_block_lives_until_three_more_are_read(path):
    content = b"".join(b"%d %d:%d.25 9:1e30\n" % (t, t, t) for t in range(100, 160))
    kept = []
    for block in blocks_of(path, content, 32):
        kept.append((block, snapshot(block)))
        for old, (arrays, wheres) in kept[-4:]:
            now, places = snapshot(old)
            assert all(map(np.array_equal, now, arrays))
            assert places == wheres
    assert len(kept) > 20


# --- bad words ---------------------------------------------------------------------------------------

WRONG_AT = {  # lines by the column of what is wrong in them
    1: "x:1 2:3|:|+1:2",
    3: "1 x:1|1 :5|1 -1:2|1 +1:2|1 q|1 4294967293:1|1 4294967296:1|1 18446744073709551617:1",
    4: "1 1.5:2|1 1e0:2|1 1;2",
    5: "1 12x:3|1 12|1 12 3:1|1 12#3:1|1 1:|1 1:\r|1 1: 2:3|1 1::2|1 1:abc|1 1:nan|1 1:inf|1 1:e5|"
    "1\v1:x|1 1:1e999|1 1:-1e309|1 1:\0|1 1:#5|1 1:1" + 400 * "0",
    6: "1 1:2:3|1 1:2x|1 1:-Infinity|1 1:.|1 1:-|1 1:+-1|1 1:1_0|1 1:0x10|1 1:1,5",
    7: "1 1:1 qi:3|1 1:1e|1 1:1 4294967293:1",
    8: "1 1:1e+|1 1:1.2.3|1 1:1e-x",
    9: "1 1:2 1:1e309 # x|1 1:1\t2:y",
}
WRONG = [(line, column) for column, lines in WRONG_AT.items() for line in lines.split("|")]


@pytest.mark.parametrize(("line", "column"), WRONG, ids=[ascii(line)[1:25] for line, _ in WRONG])
def test_a_bad_word_is_named(path, line, column):
    message = complaint(path, f"#\n\n1 1:1\n{line}\n1 1:1\n".encode())
    before, after = re.search(r"\S*\Z", line[: column - 1]), re.match(r"\S*", line[column - 1 :])
    word = repr(before[0] + after[0])[:41]
    assert message.startswith(f"{path}, line 4, column {column}: {word}")


VALID = (
    b"1 1:0.5 3:2 #x\r\n\nfraud 2:1e-3 1:4\n-1\n3:1234567890123456789 4:5\n"
    b"1e-2 qid:7 9:-.5e+07 1:1 4294967292:123456789012345678901\n0"
)


def mutated(rng):
    content = bytearray(VALID)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(content))
        byte = rng.choice(b"\n\r\t #:-+.e019\0\xff") if rng.random() < 0.7 else rng.randrange(256)
        content[place : place + rng.choice((0, 1, 1, 9))] = bytes([byte])
    return bytes(content)


@pytest.mark.parametrize("size", [16, 40, 1 << 16])
def test_mutated_files_are_rows_or_an_error(path, size):
    """In a thread, so that what hangs is a failure: compiled code can not be interrupted."""
    rng = random.Random(size)
    failures = []

    def run():
        try:
            for _ in range(MUTATIONS):
                with contextlib.suppress(CostreamError):
                    rows_of(path, mutated(rng), size)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert failures == []


# --- beside scikit-learn -----------------------------------------------------------------------------


def assert_same_as_sklearn(source, file):
    X, y = load_svmlight_file(file, zero_based=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    blocks = [snapshot(block)[0] for block in libsvm_blocks(source, 1 << 16)]
    assert np.array_equal(np.concatenate([block[3] for block in blocks]), y)
    assert np.array_equal(np.concatenate([np.diff(block[0]) for block in blocks]), np.diff(X.indptr))
    assert np.array_equal(np.concatenate([block[1] for block in blocks]), X.indices)
    assert np.concatenate([block[2] for block in blocks]).tobytes() == X.data.tobytes()


def test_random_files_agree_with_sklearn(path):
    rng = random.Random(5)
    lines = []
    for _ in range(40 if JIT_OFF else 2000):
        words = [rng.choice(["1", "-1", "+1", "0", "2.5", "1e1"])]
        words += [f"qid:{rng.randrange(9)}"] * (rng.random() < 0.3)
        for index in sorted(rng.sample(range(300), rng.randrange(0, 12))):
            form = rng.choice(["{:.3f}", "{!r}", "{:g}", "{:.20f}", "{:.12e}"])
            words.append(f"{index}:" + form.format(rng.gauss(0, 10 ** rng.randrange(-3, 4))))
        lines.append(rng.choice([" ", " ", "  "]).join(words) + rng.choice(["", "", " # c 1:2", "\r"]))
        lines += [rng.choice(["", "# all"])] * (rng.random() < 0.1)
    path.write_text("\n".join(lines) + "\n", newline="")
    with contextlib.closing(Source(path)) as source:
        assert_same_as_sklearn(source, str(path))


@pytest.mark.parametrize("name", [*SMALL_FILES, *LARGE_FILES])
def test_real_files_agree_with_sklearn(name):
    if JIT_OFF and name in LARGE_FILES:
        pytest.skip(f"REAL FILE NOT READ: {name} takes long in interpreted code")
    file = Path(os.environ.get("COSTREAM_DATA", ""), f"{name}.libsvm.xz")
    if not file.is_file():
        pytest.skip(f"REAL FILE NOT READ: set COSTREAM_DATA to the folder with {file.name}")
    with contextlib.closing(Source(file)) as source, lzma.open(file) as stream:
        assert_same_as_sklearn(source, stream)
