"""The data sets of the paper: what is known of them, where they are found, how they are checked."""

import bz2
import gzip
import hashlib
import lzma
import re
import struct
import sys

import numpy as np
import pytest

from costream.datasets import catalogue
from costream.datasets.catalogue import Missing, entries, fingerprint, load, locate, orders_path
from costream.datasets.dataset import Dataset
from costream.tables.arrays import Batch
from helpers.commands import compiled_only
from helpers.tiny import (
    CHECKSUM,
    INDEX,
    OTHER,
    POSITIVE,
    START,
    TABLE,
    TEXT,
    VALUE,
    complaint,
    write,
)

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


def test_the_data_sets_of_the_paper_are_there():
    found = {(entry.table, entry.title) for entry in entries().values() if entry.table}
    assert found == {(table, title) for table, rows in PRINTED.items() for title in rows}


@EACH_PRINTED
def test_features_and_ratio_are_as_printed(title, printed):
    entry = entries()[title.lower()]
    assert (entry.features, entry.ratio) == printed[1:]


@EACH_PRINTED
def test_rows_are_as_printed_or_the_note_says_so(title, printed):
    entry = entries()[title.lower()]
    assert entry.rows == printed[0] or str(printed[0]) in entry.note


@EACH_PRINTED
def test_counts_give_the_printed_ratio_or_the_note_says_so(title, printed):
    entry = entries()[title.lower()]
    ratio, found = printed[2], (entry.rows - entry.positives) / entry.positives
    unit = 10.0 ** -len(ratio.partition(".")[2])
    assert abs(found - float(ratio[2:])) < unit or f"1:{found:.2f}" in entry.note


SUBSTITUTES = [entry.name for entry in entries().values() if entry.stands_for]


def test_substitutes():
    assert set(SUBSTITUTES) == {"protein-val", "sensorless2200", "kdd99", "covtype-4", "covtype-36"}


@pytest.mark.parametrize("name", SUBSTITUTES)
def test_a_substitute_is_for_one_of_the_paper_and_is_not_in_it(name):
    entry = entries()[name]
    assert (entry.table, entry.ratio) == (None, "")
    assert entries()[entry.stands_for].table is not None


@pytest.mark.parametrize("name", SUBSTITUTES)
def test_the_note_of_a_substitute_tells_its_ratio(name):
    entry = entries()[name]
    ratio = re.search(r"1:([\d.]+)\b", entry.note)
    assert float(ratio[1]) == pytest.approx((entry.rows - entry.positives) / entry.positives, rel=5e-3)


@pytest.mark.parametrize("name", entries())
def test_an_entry_has_what_others_rely_on(name):
    entry = entries()[name]
    assert entry.name == name == name.lower()
    assert entry.files
    assert entry.layout in ("libsvm", "csv")
    assert 0 < entry.positives < entry.rows
    assert all(address.startswith("https://") for address in (entry.home, *entry.sources))
    assert all(re.fullmatch("[0-9a-f]{24}", checksum) for checksum in entry.checksums)
    assert entry.sources or entry.note  # or else nobody knows how to get it


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


def test_known_orders_of_german(real):
    file = real("german.perm20.txt.xz")
    assert orders_path(entries()["german"], file.parent) == file


# --- where files are ---------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_file_is_found_plain_or_compressed(folder, register, suffix):
    entry = register()
    file = write(folder / f"tiny.libsvm{suffix}", COMPRESS[suffix](TEXT))
    assert locate(entry, folder) == [file]
    assert fingerprint(load("tiny", folder)) == CHECKSUM


def test_a_file_by_its_other_name(folder, register):
    assert locate(register(), write(folder / "tiny.txt.gz").parent) == [folder / "tiny.txt.gz"]


def test_the_first_name_comes_first(folder, register):
    write(folder / "tiny.txt")
    assert locate(register(), write(folder / "tiny.libsvm").parent) == [folder / "tiny.libsvm"]


def test_parts_are_found_by_the_names_that_they_are_published_under(folder, register):
    entry = register(sources=("https://example.org/b.bz2", "https://example.org/a.t"))
    write(folder / "a.t.xz")
    assert locate(entry, folder) is None
    write(folder / "b")
    assert locate(entry, folder) == [folder / "b", folder / "a.t.xz"]


def test_a_folder_of_the_name_is_no_file(folder, register):
    (folder / "tiny.libsvm").mkdir()
    assert locate(register(), folder) is None


def test_the_named_folder_then_that_of_downloads(folder, cache, register):
    entry = register()
    file = write(cache / "tiny.libsvm")
    assert locate(entry, folder) == [file]
    file = write(folder / "tiny.libsvm")
    assert locate(entry, folder) == [file]


def test_costream_data_names_the_folder(folder, cache, register, monkeypatch):
    write(cache / "tiny.libsvm")
    monkeypatch.setenv("COSTREAM_DATA", str(folder))
    assert locate(register(), None) == [cache / "tiny.libsvm"]
    file = write(folder / "tiny.libsvm")
    assert locate(register(), None) == [file]


def test_a_named_folder_replaces_costream_data(folder, register, monkeypatch, tmp_path):
    monkeypatch.setenv("COSTREAM_DATA", str(write(tmp_path / "other" / "tiny.libsvm").parent))
    assert locate(register(), folder) is None


def test_a_folder_that_is_not_there(register, tmp_path):
    register()
    assert f"there is no folder {tmp_path / 'nowhere'}" in complaint("tiny", tmp_path / "nowhere")


def test_costream_data_that_is_not_there(register, monkeypatch):
    register()
    monkeypatch.setenv("COSTREAM_DATA", "no/where")
    assert (
        "there is no folder no/where\nhint: set the folder of data sets with --data or COSTREAM_DATA"
        in complaint("tiny")
    )


def test_orders_are_found_plain_or_compressed(folder, cache, register):
    entry = register(orders="tiny.orders")
    assert orders_path(entry, folder) is None
    file = write(cache / "tiny.orders.gz")
    assert orders_path(entry, folder) == file
    file = write(folder / "tiny.orders")
    assert orders_path(entry, folder) == file


def test_no_orders(folder, register):
    assert orders_path(register(), folder) is None


# --- what is not there -------------------------------------------------------------------------------


def test_missing_data_say_where_they_were_looked_for_and_how_to_get_them(folder, cache, register):
    register(sources=("https://example.org/x.bz2", "https://example.org/y.bz2"))
    said = complaint("tiny", folder, download=False, error=Missing)
    assert said == (
        f"Tiny is not at hand: tiny.libsvm is not in {folder} and not in {cache}\n"
        "hint: allow the download, or put https://example.org/x.bz2 and https://example.org/y.bz2 "
        f"into {folder}"
    )


def test_missing_data_that_cannot_be_downloaded(cache, register):
    register(note="after registration")
    said = complaint("tiny", error=Missing)
    assert said.endswith(
        f"hint: get it from https://example.org/tiny and put it into {cache} as tiny.libsvm "
        "(after registration)"
    )


def test_missing_data_that_others_can_stand_in_for(register):
    register(name="tinier", stands_for="tiny")
    register()
    assert complaint("tiny", error=Missing).endswith("; tinier can stand in for it")


def test_kddcup08_has_two_substitutes():
    said = complaint("kddcup08", error=Missing)
    assert said.endswith("; kdd99 or covtype-4 can stand in for it")


@pytest.mark.parametrize(("name", "meant"), [("a9", "a9a"), ("Covtyp", "covtype"), ("kdd98", "kdd99")])
def test_a_name_that_is_almost_right(name, meant):
    assert complaint(name).endswith(f"hint: did you mean {meant!r}?")


def test_a_name_that_is_nothing_like_another():
    assert "'xyz' in the catalogue\nhint: use one of covtype, german, a9a," in complaint("xyz")


def test_names_as_the_paper_prints_them():
    assert catalogue.entry("KDDCUP08") is entries()["kddcup08"]


# --- checks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ({"rows": 5000}, "4 rows instead of 5,000"),
        ({"features": 2}, "3 features instead of 2"),
        ({"positives": 1}, "2 positives instead of 1"),
        ({"rows": 3, "features": 4}, "4 rows instead of 3, 3 features instead of 4"),
    ],
)
def test_other_counts(folder, register, expected, said):
    register(**expected, exact=False)
    file = write(folder / "tiny.libsvm")
    assert f"{file} is not Tiny: {said}\nhint: " in complaint("tiny", folder)


def test_other_content(folder, register):
    register()
    file = write(folder / "tiny.libsvm", OTHER)
    assert f"{file} is not Tiny: the counts are right, but the content is not" in complaint(
        "tiny", folder
    )


@pytest.mark.parametrize(("checksums", "exact"), [((CHECKSUM,), False), ((), True)])
def test_content_that_cannot_be_compared_is_said(folder, register, checksums, exact):
    register(checksums=checksums, exact=exact)
    write(folder / "tiny.libsvm", OTHER)
    with pytest.warns(
        UserWarning, match=r"^Tiny has the right counts, but this copy .* not seen before"
    ):
        assert len(load("tiny", folder)) == 4


def test_content_that_is_known_but_need_not_be(folder, register):
    register(exact=False)
    write(folder / "tiny.libsvm")
    assert len(load("tiny", folder)) == 4  # and nothing is said


def test_damaged_data(folder, register):
    register()
    file = write(folder / "tiny.libsvm.xz", lzma.compress(TEXT)[:-20])
    assert f"{file}: the .xz data are damaged or cut short" in complaint("tiny", folder)


# --- fingerprints ------------------------------------------------------------------------------------


def tiny_data(start=START, index=INDEX, value=VALUE, positive=POSITIVE):
    rows = Batch(np.array(start, np.uint64), np.array(index, np.uint32), np.array(value), 0)
    return Dataset(rows, None, np.array(positive, np.bool_))


def test_the_fingerprint_is_that_of_starts_indices_values_and_flags():
    assert fingerprint(tiny_data()) == CHECKSUM


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


@pytest.mark.parametrize(
    "change",
    [
        {"start": (0, 2, 2, 5, 5)},
        {"index": (1, 3, 2, 2, 3)},
        {"value": (0.5, -2, 4, 8, np.nextafter(1.0, 2.0))},
        {"positive": (1, 0, 1, 1)},
    ],
    ids=["row", "index", "value", "label"],
)
def test_the_fingerprint_changes(change):
    assert fingerprint(tiny_data(**change)) != CHECKSUM


def test_the_fingerprint_of_empty_rows():
    empty = tiny_data((0, 0), (), (), (True,))
    assert fingerprint(empty) == hashlib.sha256(struct.pack("<2QB", 0, 0, 1)).hexdigest()[:24]


@pytest.mark.parametrize("cut", [0, 14, 21, len(TEXT)])
def test_parts_have_the_fingerprint_of_the_whole(folder, register, cut):
    register(sources=("https://example.org/a", "https://example.org/b"))
    write(folder / "a", TEXT[:cut])
    write(folder / "b", TEXT[cut:])
    assert fingerprint(load("tiny", folder)) == CHECKSUM


# --- layouts -----------------------------------------------------------------------------------------


TABULAR = pytest.mark.usefixtures("tabular")


@pytest.fixture
def tabular(register):
    return register(layout="csv", positive="1,h", sources=("https://example.org/tiny.data",))


@TABULAR
def test_a_table_has_the_fingerprint_of_libsvm_text(folder):
    write(folder / "tiny.data.gz", gzip.compress(TABLE))
    assert fingerprint(load("tiny", folder)) == CHECKSUM


@TABULAR
def test_libsvm_text_of_what_is_published_as_a_table(folder):
    write(folder / "tiny.libsvm.gz", gzip.compress(TEXT))
    assert fingerprint(load("tiny", folder)) == CHECKSUM


@TABULAR
@pytest.mark.parametrize("line", [b"1,2,h", b"1,2,3,4,h", b"1,2,x,h", b"1,nan,2,h", b"1,2,,h", b"7,h"])
def test_a_table_with_a_bad_line(folder, line):
    file = write(folder / "tiny.data", TABLE + line)
    assert complaint("tiny", folder) == f"{file}, row 5: 3 numbers and a label are expected"


@TABULAR
def test_a_table_without_rows(folder):
    write(folder / "tiny.data", b"\n")
    assert "0 rows instead of 4" in complaint("tiny", folder)


def test_columns_divided_by_their_largest_absolute_value(folder, register):
    register(max_abs=True, checksums=(), exact=False)
    write(folder / "tiny.libsvm")
    with pytest.warns(UserWarning, match="not seen before"):
        rows = load("tiny", folder).rows
    assert rows.value.tolist() == [0.0625, -1.0, 1.0, 1.0, 0.5]


def test_the_fingerprint_is_that_of_divided_columns(folder, register):
    divided = fingerprint(tiny_data(value=(0.0625, -1.0, 1.0, 1.0, 0.5)))
    register(max_abs=True, checksums=(divided,))
    write(folder / "tiny.libsvm")
    assert fingerprint(load("tiny", folder)) == divided
