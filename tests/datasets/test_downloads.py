"""Downloads: where they go, how they are checked, and that nothing is left of one that fails."""

import bz2
import http.server
import re
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from costream.datasets import download
from costream.datasets.catalogue import Missing, entries, fingerprint, load
from costream.files.source import Source
from helpers.commands import compiled_only
from helpers.tiny import (
    CHECKSUM,
    OTHER,
    TABLE,
    TEXT,
    complaint,
    files_in,
    write,
)

pytestmark = pytest.mark.usefixtures("cache")

PATIENCE = 20.0  # seconds after which a test that hangs has failed


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


# --- where they go ----------------------------------------------------------------------------------


def test_nothing_is_downloaded_where_that_is_not_wanted(cache, register, server):
    register(sources=(server.address("tiny.libsvm", TEXT),))
    complaint("tiny", download=False, error=Missing)
    assert (server.asked, files_in(cache)) == ([], [])


# --- what is kept -----------------------------------------------------------------------------------


def test_a_download_is_kept_as_it_was_published(cache, register, server):
    content = bz2.compress(TEXT)
    register(sources=(server.address("rows.bz2", content),))
    assert fingerprint(load("tiny")) == CHECKSUM
    assert files_in(cache) == ["rows.bz2"]
    assert (cache / "rows.bz2").read_bytes() == content


def test_parts_are_downloaded_in_order(cache, register, server):
    addresses = server.address("b", TEXT[:14]), server.address("a", TEXT[14:])
    register(sources=addresses)
    assert fingerprint(load("tiny")) == CHECKSUM
    assert (server.asked, files_in(cache)) == (["b", "a"], ["a", "b"])


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
    message = complaint("tiny", error=Missing)
    assert re.search(
        rf"Tiny is not at hand: .*, and {address} cannot be downloaded: {reason}\n", message
    )
    assert "hint: try again later, or put " in message


def test_a_download_that_fails_leaves_nothing(cache, register, server, failure):
    register(sources=(server.address("first", TEXT[:14]), server.address("rows", failure[0])))
    complaint("tiny", error=Missing)
    assert files_in(cache) == []


WRONG = {
    "other content": (OTHER, "rows is not Tiny: the counts are right, but the content is not"),
    "other counts": (TEXT[:14], "rows is not Tiny: 1 rows instead of 4, 1 positives instead of 2"),
    "a page": (b"<html>\n<p>moved: to</p>\n", "rows, line 2, column 1: '<p>moved:' is not index:value"),
    "nothing": (b"", "rows has no rows"),
}


@pytest.fixture(params=WRONG)
def wrong(request):
    return WRONG[request.param]


def test_a_wrong_download_is_named_by_its_address(register, server, wrong):
    page, reason = wrong
    address = server.address("rows", page)
    register(sources=(address,))
    message = complaint("tiny")
    assert message.startswith(
        f"{address.removesuffix('rows')}{reason}\nhint: see https://example.org/tiny"
    )


def test_a_download_that_is_interrupted_leaves_nothing(cache, register, server):
    def interrupt(*_):
        raise KeyboardInterrupt

    register(sources=(server.address("rows", TEXT),))
    with pytest.raises(KeyboardInterrupt):
        load("tiny", on_progress=interrupt)
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
    monkeypatch.setitem(entries(), name, replace(entries()[name], sources=addresses))


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
    assert fingerprint(load("a9a")) in entries()["a9a"].checksums


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


def test_a_download_is_made_once(register, server):
    register(sources=(server.address("rows.bz2", bz2.compress(TEXT)),))
    load("tiny")
    assert fingerprint(load("tiny")) == CHECKSUM
    assert server.asked == ["rows.bz2"]


def test_a_file_in_the_folder_is_not_downloaded(tmp_path, register, server):
    register(sources=(server.address("rows", TEXT),))
    write(tmp_path / "tiny.libsvm")
    load("tiny", tmp_path)
    assert server.asked == []


@pytest.mark.parametrize("known", [True, False], ids=["length known", "length unknown"])
def test_a_download_is_watched(register, server, known):
    content = TEXT + 200_000 * b"#" + b"\n"
    total = len(content) if known else None
    seen = []
    register(sources=(server.address("rows", lambda handler: handler.answer(content, total)),))
    load("tiny", on_progress=lambda *step: seen.append(step))
    done = [bytes_so_far for bytes_so_far, _ in seen]
    assert (done[-1], {total for _, total in seen}) == (len(content), {total})
    assert len(done) > 1
    assert done == sorted(done)


def test_the_table_of_uci_is_downloaded(register, server):
    register(layout="csv", positive="1,h", sources=(server.address("magic.data", TABLE),))
    assert fingerprint(load("tiny")) == CHECKSUM


def test_no_server(register):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    register(sources=(f"http://127.0.0.1:{port}/rows",))
    assert "/rows cannot be downloaded: Connection refused\n" in complaint("tiny", error=Missing)


def test_a_wrong_download_leaves_nothing(cache, register, server, wrong):
    register(sources=(server.address("rows", wrong[0]),))
    complaint("tiny")
    assert files_in(cache) == []


def test_a_download_is_not_kept_before_it_is_checked(cache, register, server):
    seen = []
    register(sources=(server.address("rows", TEXT), server.address("more", b"#")))
    load(
        "tiny",
        on_progress=lambda *_: seen.append([name for name in files_in(cache) if name in "rows more"]),
    )
    assert seen == [[], []]
    assert files_in(cache) == ["more", "rows"]


def test_a_folder_for_downloads_that_cannot_be_made(cache, register, server):
    register(sources=(server.address("rows", TEXT),))
    write(cache.parent, b"a file in its place")
    message = complaint("tiny")
    assert message.startswith(f"{cache} cannot be written: ")
    assert "\nhint: set another folder for downloads with COSTREAM_CACHE_DIR" in message


@pytest.mark.skipif(sys.platform == "win32", reason="no limit for files")
def test_a_disk_that_is_full(cache, register, server):
    import resource

    register(sources=(server.address("rows", 3 * (1 << 20) * b"#"),))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        message = complaint("tiny")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "rows cannot be written: " in message
    assert files_in(cache) == []


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
    assert fingerprint(load("magic04")) in entries()["magic04"].checksums
