"""Damaged files of every format: a result or an error in one sentence, never a traceback."""

import random

import pytest

from helpers import commands
from helpers.commands import compiled_only, libsvm
from helpers.sources import FILES, Table, written
from helpers.streams import stream

pytestmark = [compiled_only, pytest.mark.slow]
FORMATS = (*FILES, "libsvm")
FEW = 300  # files with a few changed bytes, which often are still read to their end
MANY = 10  # files with so many of them that a million are changed in all
MILLION = 1_000_000
PIECES = (
    *b'"\n\r,;\t{[}]:\\ \x00\xff-+.',
    b"e999",
    b"nan",
    b"1e",
    b"null",
    b"\xef\xbb\xbf",
    b"\xe2\x82\xac",
)


def content(suffix, rows):
    """The bytes of a file with columns of all types."""
    if suffix == "libsvm":
        return libsvm(*stream(0, rows=rows)).encode()
    chance = random.Random(3)
    some = {
        "amount": ("float", [0.5, 12.25, None, -3.0]),
        "count": ("int", [1, 2, 3, None]),
        "open": ("bool", [True, False, None]),
        "shop": ("text", ["web", "Köln", "a,b", 'say "x"', None]),
        "price": ("text", ["1,234", "€ 5", "12 %", "?"]),
        "when": ("text", ["2024-01-31 23:59", "2024-02-29T12:00:00Z", "2023-12-24"]),
    }
    columns = {name: chance.choices(values, k=rows) for name, (_, values) in some.items()}
    types = {name: kind for name, (kind, _) in some.items()}
    return written(Table(columns, types, chance.choices((0, 1), k=rows)), suffix)


def torn(data, chance):
    """Bytes of which a few are changed, replaced by signs that mean something, or taken away."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 2, 4, 16))):
        at = chance.randrange(len(changed))
        piece = chance.choice(PIECES)
        other = [
            bytes([chance.randrange(256)]),
            bytes([piece]) if isinstance(piece, int) else piece,
            b"",
        ]
        changed[at : at + 1] = chance.choice(other)
    return bytes(changed[: chance.randrange(len(changed))] if chance.random() < 0.1 else changed)


def worn(data, chance, count, start):
    """Bytes of which many are others: letters and digits by letters and digits, or any by any."""
    changed, gentle = bytearray(data), chance.random() < 0.7
    for at in chance.choices(range(start, len(data)), k=count):
        if not gentle:
            changed[at] = chance.randrange(256)
        elif chr(changed[at]).isalnum():
            changed[at] = chance.choice(b"0123456789abcxyzNE")
    return bytes(changed)


def ends_in_order(path, data):
    """Whether a command reads a file, or says in one sentence why not."""
    path.write_bytes(data)
    done = commands.in_process("evaluate", path, "-l", "perceptron", "--positive", "1")
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    assert len(errors) == done.returncode, done.stderr
    return not done.returncode


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_few_bytes(suffix, tmp_path):
    chance, data = random.Random(suffix), content(suffix, 60)
    path = tmp_path / f"rows.{suffix}"
    read = [ends_in_order(path, torn(data, chance)) for _ in range(FEW)]
    assert any(read)
    assert not all(read)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_million_bytes(suffix, tmp_path):
    chance, data = random.Random(suffix), content(suffix, 3000)
    path = tmp_path / f"rows.{suffix}"
    start = 60 if suffix in ("csv", "tsv") else 0  # else no file would be read beyond its header
    for _ in range(MANY):
        ends_in_order(path, worn(data, chance, MILLION // MANY, start))
