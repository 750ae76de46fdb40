"""The data sets of the paper: what is known of them, where they are found, how they are checked."""

import bz2
import gzip
import lzma
import sys

import numpy as np
import pytest

from costream.datasets.catalogue import entries, fingerprint, load, locate
from costream.datasets.dataset import Dataset
from costream.tables.arrays import Batch
from helpers.commands import compiled_only
from helpers.tiny import CHECKSUM, INDEX, POSITIVE, START, TABLE, TEXT, VALUE, write

pytestmark = pytest.mark.usefixtures("cache")

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PRINTED = {  # Tables 1, 4 and 7 of the paper: examples, features, ratio
    1: {
        "covtype": (581012, 54, "1:1"),
        "german": (1000, 24, "1:2.3"),
        "a9a": (48842, 123, "1:3.2"),
        "ijcnn1": (141691, 22, "1:9.4"),
    },
    4: {
        "mushrooms": (8124, 112, "1:1.07"),
        "protein": (17766, 357, "1:1.7"),
        "usps": (7291, 256, "1:5.11"),
        "Sensorless": (58509, 48, "1:10"),
    },
    7: {
        "Australian": (690, 14, "1:1.25"),
        "Magic04": (19020, 10, "1:1.8"),
        "DNA": (2000, 180, "1:3.31"),
        "KDDCUP08": (102294, 117, "1:163.19"),
    },
}
EACH_PRINTED = pytest.mark.parametrize(
    ("title", "printed"), [item for table in PRINTED.values() for item in table.items()]
)
COMPRESS = {
    "": bytes,
    ".xz": lzma.compress,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstd.compress,
}


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    return path


# --- what is known -----------------------------------------------------------------------------------


@EACH_PRINTED
def test_features_and_ratio_are_as_printed(title, printed):
    entry = entries()[title.lower()]
    assert (entry.features, entry.ratio) == printed[1:]


@EACH_PRINTED
def test_counts_give_the_printed_ratio_or_the_note_says_so(title, printed):
    entry = entries()[title.lower()]
    ratio, found = printed[2], (entry.rows - entry.positives) / entry.positives
    unit = 10.0 ** -len(ratio.partition(".")[2])
    assert abs(found - float(ratio[2:])) < unit or f"1:{found:.2f}" in entry.note


SLOW = ("covtype", "covtype-4", "covtype-36", "usps", "sector")
AT_HAND = [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else ())
    for name, entry in entries().items()
    if entry.checksums
]


@compiled_only
@pytest.mark.parametrize("name", AT_HAND)
def test_data_at_hand_are_those_of_the_catalogue(name, real):
    data = load(name, real(f"{entries()[name].files[0]}.xz").parent, download=False)
    assert fingerprint(data) in entries()[name].checksums


# --- where files are ---------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_file_is_found_plain_or_compressed(folder, register, suffix):
    entry = register()
    file = write(folder / f"tiny.libsvm{suffix}", COMPRESS[suffix](TEXT))
    assert locate(entry, folder) == [file]
    assert fingerprint(load("tiny", folder)) == CHECKSUM


def test_parts_are_found_by_the_names_that_they_are_published_under(folder, register):
    entry = register(sources=("https://example.org/b.bz2", "https://example.org/a.t"))
    write(folder / "a.t.xz")
    assert locate(entry, folder) is None
    write(folder / "b")
    assert locate(entry, folder) == [folder / "b", folder / "a.t.xz"]


# --- fingerprints ------------------------------------------------------------------------------------


def tiny_data(start=START, index=INDEX, value=VALUE, positive=POSITIVE):
    rows = Batch(np.array(start, np.uint64), np.array(index, np.uint32), np.array(value), 0)
    return Dataset(rows, None, np.array(positive, np.bool_))


@pytest.mark.parametrize(
    "change",
    [
        {
            "start": (0, 3, 4, 6, 7),
            "index": (1, 2, 3, 2, 1, 3, 9),
            "value": (0.5, 0, -2, 4, 8, 1, -0.0),
        },
        {"index": (3, 1, 2, 3, 1), "value": (-2, 0.5, 4, 1, 8)},
    ],
    ids=["stray zeros", "another order in the rows"],
)
def test_the_fingerprint_stays_the_same(change):
    assert fingerprint(tiny_data(**change)) == CHECKSUM


# --- layouts -----------------------------------------------------------------------------------------


TABULAR = pytest.mark.usefixtures("tabular")


@pytest.fixture
def tabular(register):
    return register(layout="csv", positive="1,h", sources=("https://example.org/tiny.data",))


@TABULAR
def test_a_table_has_the_fingerprint_of_libsvm_text(folder):
    write(folder / "tiny.data.gz", gzip.compress(TABLE))
    assert fingerprint(load("tiny", folder)) == CHECKSUM
