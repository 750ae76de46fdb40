"""A real browser: Debian's Chromium, driven by playwright, which watches what a page does."""

import contextlib
import shutil

import pytest

OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextlib.contextmanager
def chromium():
    """The browser; whoever has none skips the test."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("NOT RUN: there is no chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="NOT RUN: there is no playwright")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(OPTIONS))
        yield browser
        browser.close()


class Watched:
    """A page, with the errors in it, what it has asked for, and what it was sent."""

    def __init__(self, page):
        self.page = page
        self.errors, self.addresses, self.answers = [], [], []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._said)
        page.on("request", lambda request: self.addresses.append(request.url))
        page.on("response", lambda answer: self.answers.append(answer))

    def _said(self, message):
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def loaded_bytes(self):
        """The bytes of all that was loaded, but for streams, which have no end."""
        kinds = (one.headers.get("content-type", "") for one in self.answers)
        whole = zip(self.answers, kinds, strict=True)
        return sum(len(one.body()) for one, kind in whole if kind != "text/event-stream; charset=utf-8")


@contextlib.contextmanager
def opened(browser, url, **options):
    """A page of a browser that knows nothing of other pages."""
    context = browser.new_context(**options)
    context.set_default_timeout(20_000)
    watched = Watched(context.new_page())
    try:
        watched.page.goto(url)
        yield watched
    finally:
        context.close()
