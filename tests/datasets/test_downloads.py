"""Downloads: where they go, how they are checked, and that nothing is left of one that fails."""

import bz2
import http.server
import re
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from costream.datasets import download
from costream.datasets.catalogue import Missing, fingerprint, load
from helpers.tiny import CHECKSUM, OTHER, TEXT, complaint, files_in

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


def test_a_download_that_fails_is_missing_data_and_leaves_nothing(cache, register, server, failure):
    page, reason = failure
    address = server.address("rows", page)
    register(sources=(server.address("first", TEXT[:14]), address))
    message = complaint("tiny", error=Missing)
    assert re.search(
        rf"Tiny is not at hand: .*, and {address} cannot be downloaded: {reason}\n", message
    )
    assert "hint: try again later, or put " in message
    assert files_in(cache) == []


WRONG = {
    "other content": (OTHER, "rows is not Tiny: the counts are right, but the content is not"),
    "other counts": (TEXT[:14], "rows is not Tiny: 1 rows instead of 4, 1 positives instead of 2"),
    "a page": (b"<html>\n<p>moved: to</p>\n", "rows, line 2, column 1: '<p>moved:' is not index:value"),
    "nothing": (b"", "rows has no rows"),
}


@pytest.mark.parametrize(("page", "reason"), WRONG.values(), ids=WRONG)
def test_a_wrong_download_is_named_by_its_address_and_not_kept(cache, register, server, page, reason):
    address = server.address("rows", page)
    register(sources=(address,))
    message = complaint("tiny")
    assert message.startswith(
        f"{address.removesuffix('rows')}{reason}\nhint: see https://example.org/tiny"
    )
    assert files_in(cache) == []


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


def test_a_download_is_made_once(register, server):
    register(sources=(server.address("rows.bz2", bz2.compress(TEXT)),))
    load("tiny")
    assert fingerprint(load("tiny")) == CHECKSUM
    assert server.asked == ["rows.bz2"]


def test_a_download_is_not_kept_before_it_is_checked(cache, register, server):
    seen = []
    register(sources=(server.address("rows", TEXT), server.address("more", b"#")))
    load(
        "tiny",
        on_progress=lambda *_: seen.append([name for name in files_in(cache) if name in "rows more"]),
    )
    assert seen == [[], []]
    assert files_in(cache) == ["more", "rows"]


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
