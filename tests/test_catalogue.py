"""The data sets of the paper: what is known of them, where they are found, how they are downloaded."""

import bz2
import gzip
import hashlib
import http.server
import lzma
import os
import re
import socket
import struct
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commands import compiled_only, data_file
from costream import CostreamError
from costream.inputs import Batch
from costream.kernels.compile import cache_folder
from costream.streams import catalogue, download
from costream.streams.catalogue import CATALOGUE, Entry, Missing, fingerprint, load, locate, orders_path
from costream.streams.dataset import Dataset
from costream.streams.source import Source

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
TEXT = b"+1 1:0.5 3:-2\n-1 2:4\n+1 3:1 1:8\n-1\n"
OTHER = TEXT.replace(b"0.5", b"0.25")  # of the same counts
TABLE = b"0.5,0,-2,h\n0,4,0,g\n8,0,1,h\n\n0,0,0,g\n"
START, INDEX, VALUE, POSITIVE = (
    (0, 2, 3, 5, 5),
    (1, 3, 2, 1, 3),
    (0.5, -2.0, 4.0, 8.0, 1.0),
    (1, 0, 1, 0),
)
CONTENT = struct.pack("<5Q5I5d4B", *START, *INDEX, *VALUE, *POSITIVE)
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()[:24]
DATA = os.environ.get("COSTREAM_DATA", "")
PATIENCE = 20.0  # seconds after which a test that hangs has failed


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The folder of downloads, which is not there yet; nothing else is at hand."""
    cache_folder()  # that of compiled code stays where it is
    monkeypatch.setenv("COSTREAM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("COSTREAM_DATA", raising=False)
    return tmp_path / "cache" / "data"


@pytest.fixture
def real(monkeypatch):
    """A file of the paper's data, which is not found by itself."""

    def real(name):
        with monkeypatch.context() as patch:
            patch.setenv("COSTREAM_DATA", DATA)
            return data_file(name)

    return real


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    return path


@pytest.fixture
def register(monkeypatch):
    """Enter a tiny data set into the catalogue."""

    def register(**changes):
        known = {
            "name": "tiny",
            "title": "Tiny",
            "files": ("tiny.libsvm", "tiny.txt"),
            "home": "https://example.org/tiny",
            "rows": 4,
            "features": 3,
            "positives": 2,
            "checksums": (CHECKSUM,),
        }
        entry = Entry(**{**known, **changes})
        monkeypatch.setitem(CATALOGUE, entry.name, entry)
        return entry

    return register


class Server(http.server.ThreadingHTTPServer):
    """Gives out ``pages``: bytes, or a function that answers by itself."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked, self.over = {}, [], threading.Event()

    def address(self, name, page=None):
        if page is not None:
            self.pages[name] = page
        return f"http://127.0.0.1:{self.server_address[1]}/data/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.rpartition("/")[2]
        self.server.asked.append(name)
        page = self.server.pages.get(name)
        if page is None:
            self.send_error(404)
        elif callable(page):
            page(self)
        else:
            self.answer(page, len(page))

    def answer(self, content, length=None, **headers):
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.over.set()
        server.shutdown()
        thread.join()


def write(path, content=TEXT):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def complaint(*arguments, error=CostreamError, **options):
    with pytest.raises(CostreamError) as found:
        load(*arguments, **options)
    assert type(found.value) is error
    return str(found.value)


# --- what is known -----------------------------------------------------------------------------------


def test_the_data_sets_of_the_paper_are_there():
    found = {(entry.table, entry.title) for entry in CATALOGUE.values() if entry.table}
    assert found == {(table, title) for table, rows in PRINTED.items() for title in rows}


@EACH_PRINTED
def test_features_and_ratio_are_as_printed(title, printed):
    entry = CATALOGUE[title.lower()]
    assert (entry.features, entry.ratio) == printed[1:]


@EACH_PRINTED
def test_rows_are_as_printed_or_the_note_says_so(title, printed):
    entry = CATALOGUE[title.lower()]
    assert entry.rows == printed[0] or str(printed[0]) in entry.note


@EACH_PRINTED
def test_counts_give_the_printed_ratio_or_the_note_says_so(title, printed):
    entry = CATALOGUE[title.lower()]
    ratio, found = printed[2], (entry.rows - entry.positives) / entry.positives
    unit = 10.0 ** -len(ratio.partition(".")[2])
    assert abs(found - float(ratio[2:])) < unit or f"1:{found:.2f}" in entry.note


SUBSTITUTES = [entry.name for entry in CATALOGUE.values() if entry.stands_for]


def test_substitutes():
    assert set(SUBSTITUTES) == {"protein-val", "sensorless2200", "kdd99", "covtype-4", "covtype-36"}


@pytest.mark.parametrize("name", SUBSTITUTES)
def test_a_substitute_is_for_one_of_the_paper_and_is_not_in_it(name):
    entry = CATALOGUE[name]
    assert (entry.table, entry.ratio) == (None, "")
    assert CATALOGUE[entry.stands_for].table is not None


@pytest.mark.parametrize("name", SUBSTITUTES)
def test_the_note_of_a_substitute_tells_its_ratio(name):
    entry = CATALOGUE[name]
    told = re.search(r"1:([\d.]+)\b", entry.note)
    assert float(told[1]) == pytest.approx((entry.rows - entry.positives) / entry.positives, rel=5e-3)


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_entry_has_what_others_rely_on(name):
    entry = CATALOGUE[name]
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
    for name, entry in CATALOGUE.items()
    if entry.checksums
]


@compiled_only
@pytest.mark.parametrize("name", AT_HAND)
def test_data_at_hand_are_those_of_the_catalogue(name, real):
    data = load(name, real(f"{CATALOGUE[name].files[0]}.xz").parent, download=False)
    assert fingerprint(data) in CATALOGUE[name].checksums


def test_known_orders_of_german(real):
    file = real("german.perm20.txt.xz")
    assert orders_path(CATALOGUE["german"], file.parent) == file


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
    assert "there is no folder no/where\nhint: --data or else COSTREAM_DATA" in complaint("tiny")


def test_orders_are_found_plain_or_compressed(folder, cache, register):
    entry = register(orders="tiny.orders")
    assert orders_path(entry, folder) is None
    file = write(cache / "tiny.orders.gz")
    assert orders_path(entry, folder) == file
    file = write(folder / "tiny.orders")
    assert orders_path(entry, folder) == file


def test_no_orders(folder, register):
    assert orders_path(register(), folder) is None


def test_downloads_go_where_the_user_says(tmp_path):
    assert download.data_folder() == tmp_path / "cache" / "data"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="this system has its own place")
@pytest.mark.parametrize(
    ("home", "expected"), [("/x", "/x/costream/data"), ("", "~/.cache/costream/data")]
)
def test_downloads_go_into_the_cache_of_the_user(monkeypatch, home, expected):
    monkeypatch.delenv("COSTREAM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert download.data_folder() == Path(expected).expanduser()


# --- what is not there -------------------------------------------------------------------------------


def test_missing_data_say_where_they_were_looked_for_and_how_to_get_them(folder, cache, register):
    register(sources=("https://example.org/x.bz2", "https://example.org/y.bz2"))
    said = complaint("tiny", folder, download=False, error=Missing)
    assert said == (
        f"Tiny is not at hand: tiny.libsvm is not in {folder} and not in {cache}\n"
        "hint: let it be downloaded, or put https://example.org/x.bz2 and https://example.org/y.bz2 "
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


def test_nothing_is_downloaded_where_that_is_not_wanted(cache, register, server):
    register(sources=(server.address("tiny.libsvm", TEXT),))
    complaint("tiny", download=False, error=Missing)
    assert (server.asked, files_in(cache)) == ([], [])


@pytest.mark.parametrize(("name", "meant"), [("a9", "a9a"), ("Covtyp", "covtype"), ("kdd98", "kdd99")])
def test_a_name_that_is_almost_right(name, meant):
    assert complaint(name).endswith(f"hint: did you mean {meant!r}?")


def test_a_name_that_is_nothing_like_another():
    assert "'xyz' in the catalogue\nhint: known are covtype, german, a9a," in complaint("xyz")


def test_names_as_the_paper_prints_them():
    assert catalogue.entry("KDDCUP08") is CATALOGUE["kddcup08"]


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
    assert complaint("tiny", folder) == f"{file}, row 5: 3 numbers and a label are wanted"


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


# --- downloads ---------------------------------------------------------------------------------------


def test_a_download_is_kept_as_it_was_published(cache, register, server):
    content = bz2.compress(TEXT)
    register(sources=(server.address("rows.bz2", content),))
    assert fingerprint(load("tiny")) == CHECKSUM
    assert files_in(cache) == ["rows.bz2"]
    assert (cache / "rows.bz2").read_bytes() == content


def test_a_download_is_made_once(register, server):
    register(sources=(server.address("rows.bz2", bz2.compress(TEXT)),))
    load("tiny")
    assert fingerprint(load("tiny")) == CHECKSUM
    assert server.asked == ["rows.bz2"]


def test_a_file_in_the_folder_is_not_downloaded(folder, register, server):
    register(sources=(server.address("rows", TEXT),))
    write(folder / "tiny.libsvm")
    load("tiny", folder)
    assert server.asked == []


def test_parts_are_downloaded_in_order(cache, register, server):
    addresses = server.address("b", TEXT[:14]), server.address("a", TEXT[14:])
    register(sources=addresses)
    assert fingerprint(load("tiny")) == CHECKSUM
    assert (server.asked, files_in(cache)) == (["b", "a"], ["a", "b"])


@pytest.mark.parametrize("told", [True, False], ids=["length told", "length not told"])
def test_a_download_is_watched(register, server, told):
    content = TEXT + 200_000 * b"#" + b"\n"
    total = len(content) if told else None
    seen = []
    register(sources=(server.address("rows", lambda handler: handler.answer(content, total)),))
    load("tiny", watch=lambda *step: seen.append(step))
    done = [bytes_so_far for bytes_so_far, _ in seen]
    assert (done[-1], {total for _, total in seen}) == (len(content), {total})
    assert len(done) > 1
    assert done == sorted(done)


def test_the_table_of_uci_is_downloaded(register, server):
    register(layout="csv", positive="1,h", sources=(server.address("magic.data", TABLE),))
    assert fingerprint(load("tiny")) == CHECKSUM


def short(handler):
    handler.answer(TEXT[:20], len(TEXT))


def cut_chunks(handler):
    handler.answer(b"%x\r\n" % len(TEXT) + TEXT[:20], Transfer_Encoding="chunked")


def silent(handler):
    handler.server.over.wait(PATIENCE)


def stalled(handler):
    handler.answer(TEXT[:20], len(TEXT))
    handler.wfile.flush()
    handler.server.over.wait(PATIENCE)


def rude(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)


FAILURES = {
    "not there": (None, r"the server answers 404 \(Not Found\)"),
    "out of order": (lambda handler: handler.send_error(503), r"the server answers 503 \(.*\)"),
    "cut": (short, f"the connection broke after 20 of {len(TEXT)} bytes"),
    "cut within a chunk": (cut_chunks, "the connection broke"),
    "silent": (silent, "the server is silent for 0.2 seconds"),
    "stalled": (stalled, "the server is silent for 0.2 seconds"),
    "no answer": (rude, "Remote end closed connection without response"),
}


@pytest.fixture(params=FAILURES)
def failure(request, monkeypatch):
    monkeypatch.setattr(download, "PATIENCE", 0.2)
    return FAILURES[request.param]


def test_a_download_that_fails_is_missing_data(register, server, failure):
    page, reason = failure
    address = server.address("rows", page)
    register(sources=(address,))
    said = complaint("tiny", error=Missing)
    assert re.search(rf"Tiny is not at hand: .*, and {address} cannot be downloaded: {reason}\n", said)
    assert "hint: try again later, or put " in said


def test_a_download_that_fails_leaves_nothing(cache, register, server, failure):
    register(sources=(server.address("first", TEXT[:14]), server.address("rows", failure[0])))
    complaint("tiny", error=Missing)
    assert files_in(cache) == []


def test_no_server(register):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    register(sources=(f"http://127.0.0.1:{port}/rows",))
    assert "/rows cannot be downloaded: Connection refused\n" in complaint("tiny", error=Missing)


WRONG = {
    "other content": (OTHER, "rows is not Tiny: the counts are right, but the content is not"),
    "other counts": (TEXT[:14], "rows is not Tiny: 1 rows instead of 4, 1 positives instead of 2"),
    "a page": (b"<html>\n<p>moved: to</p>\n", "rows, line 2, column 1: '<p>moved:' is not index:value"),
    "nothing": (b"", "rows holds no rows"),
}


@pytest.fixture(params=WRONG)
def wrong(request):
    return WRONG[request.param]


def test_a_wrong_download_is_named_by_its_address(register, server, wrong):
    page, reason = wrong
    address = server.address("rows", page)
    register(sources=(address,))
    said = complaint("tiny")
    assert said.startswith(
        f"{address.removesuffix('rows')}{reason}\nhint: see https://example.org/tiny"
    )


def test_a_wrong_download_leaves_nothing(cache, register, server, wrong):
    register(sources=(server.address("rows", wrong[0]),))
    complaint("tiny")
    assert files_in(cache) == []


def test_a_download_is_not_kept_before_it_is_checked(cache, register, server):
    seen = []
    register(sources=(server.address("rows", TEXT), server.address("more", b"#")))
    load(
        "tiny", watch=lambda *_: seen.append([name for name in files_in(cache) if name in "rows more"])
    )
    assert seen == [[], []]
    assert files_in(cache) == ["more", "rows"]


def test_a_download_that_is_interrupted_leaves_nothing(cache, register, server):
    def interrupt(*_):
        raise KeyboardInterrupt

    register(sources=(server.address("rows", TEXT),))
    with pytest.raises(KeyboardInterrupt):
        load("tiny", watch=interrupt)
    assert files_in(cache) == []


def test_a_folder_for_downloads_that_cannot_be_made(cache, register, server):
    register(sources=(server.address("rows", TEXT),))
    write(cache.parent, b"a file in its place")
    said = complaint("tiny")
    assert said.startswith(f"{cache} cannot be written: ")
    assert "\nhint: COSTREAM_CACHE_DIR names another folder" in said


@pytest.mark.skipif(sys.platform == "win32", reason="no limit for files")
def test_a_disk_that_is_full(cache, register, server):
    import resource

    register(sources=(server.address("rows", 3 * (1 << 20) * b"#"),))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        said = complaint("tiny")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "rows cannot be written: " in said
    assert files_in(cache) == []


def test_two_downloads_at_once(cache, register, server):
    both = threading.Barrier(2, timeout=PATIENCE)

    def answer(handler):
        both.wait()
        handler.answer(TEXT, len(TEXT))

    register(sources=(server.address("rows", answer),))
    with ThreadPoolExecutor(2) as pool:
        found = [future.result() for future in [pool.submit(load, "tiny") for _ in range(2)]]
    assert [fingerprint(data) for data in found] == [CHECKSUM, CHECKSUM]
    assert files_in(cache) == ["rows"]


# --- the real ones, from a server of our own ---------------------------------------------------------


def published(name, monkeypatch, *addresses):
    monkeypatch.setitem(CATALOGUE, name, replace(CATALOGUE[name], sources=addresses))


def content_of(path):
    source = Source(path)
    parts = []
    view = memoryview(bytearray(1 << 20))
    while count := source.readinto(view):
        parts.append(bytes(view[:count]))
    source.close()
    return b"".join(parts)


@compiled_only
def test_a9a_in_two_parts_with_a_stray_zero(server, monkeypatch, real):
    lines = content_of(real("a9a.libsvm.xz")).splitlines(keepends=True)
    lines[40_000] = lines[40_000].replace(b"\n", b" 123:0\n")
    parts = [b"".join(lines[:32561]), b"".join(lines[32561:])]
    published("a9a", monkeypatch, server.address("a9a", parts[0]), server.address("a9a.t", parts[1]))
    assert fingerprint(load("a9a")) in CATALOGUE["a9a"].checksums


def test_magic04_as_uci_publishes_it(server, monkeypatch, real):
    lines = content_of(real("magic04.libsvm.xz")).splitlines()
    rows = [line.split() for line in lines]
    table = [
        b",".join(
            [dict(word.split(b":") for word in row[1:]).get(b"%d" % j, b"0") for j in range(1, 11)]
        )
        + (b",h" if row[0] == b"+1" else b",g")
        for row in rows
    ]
    published("magic04", monkeypatch, server.address("magic04.data", b"\n".join(table) + b"\n"))
    assert fingerprint(load("magic04")) in CATALOGUE["magic04"].checksums
