"""The page in a real browser: what it shows, that it is live, and that what events say is text."""

import itertools

import pytest

from costream.serve import Client
from costream.serve.http.tokens import Tokens
from helpers.browsers import chromium, opened
from helpers.commands import compiled_only
from helpers.served import served

pytestmark = [compiled_only, pytest.mark.slow]
SCRIPT = "<script>window.harm = 1</script>"
IMAGE = '"\'><img src=x onerror="window.harm = 1">'
numbers = itertools.count()


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with five days of events, most of them labelled, and flags with reasons."""
    with (
        served(tmp_path_factory.mktemp("page") / "fraud", learner="auto") as url,
        Client(url) as client,
    ):
        for half in range(2):
            rows = [
                {
                    "id": f"e{half}-{t}",
                    "time": 1_790_000_000 + 86_400 * (t % 5),
                    "features": {
                        "amount": 1.0 * t,
                        IMAGE: t % 3,
                        "shop": SCRIPT if t > 280 else "corner",
                    },
                }
                for t in range(300)
            ]
            client.score_many(rows)
            labels = [{"id": one["id"], "label": t > 280} for t, one in enumerate(rows)]
            client.label_many(labels[: 300 - 40 * half])
        yield url, client


@pytest.fixture
def watched(browser, service):
    with opened(browser, service[0]) as watched:
        yield watched


def flag(client, name, **features):
    """An event that is flagged."""
    features = {"amount": 299.0, IMAGE: 2, "shop": SCRIPT, **features}
    answer = client.score(name, features, fn_cost=5000.0, fp_cost=0.01, reasons=20)
    assert answer.flag
    return answer


def live(page):
    """Wait until the page says that it is live."""
    page.locator("#state.live").wait_for()
    return page


def fact(page, name):
    """A figure of the line of facts."""
    return page.locator(f"#facts div:has(dt:text-is('{name}')) dd")


# --- what it loads and shows ------------------------------------------------------------------------


def test_the_page_has_no_errors(watched):
    live(watched.page)
    assert watched.errors == []


def test_the_charts_are_drawn(watched):
    live(watched.page)
    inked = watched.page.evaluate(
        """() => [...document.querySelectorAll(".uplot canvas")].map((one) => {
            const pixels = one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
            return pixels.some((value) => value > 0);
        })"""
    )
    assert inked == [True, True, True]


def test_the_figures_are_there_without_scripts(browser, service):
    with opened(browser, service[0], java_script_enabled=False) as watched:
        assert watched.page.locator(".costs dd").count() == 3
        assert watched.page.locator("#flags tbody tr").count() > 0
        assert "not live" in watched.page.locator("#state").inner_text()


# --- live -------------------------------------------------------------------------------------------


def test_events_and_labels_arrive_without_loading_again(watched, service):
    page, name = live(watched.page), f"live-{next(numbers)}"
    page.evaluate("window.still = true")
    events, learnt = (fact(page, one).inner_text() for one in ("events", "labels learnt"))
    flag(service[1], name)
    page.locator("#flags a", has_text=name).wait_for()
    service[1].label(name, True)
    row = page.locator("#flags tr", has_text=name)
    row.locator(".outcome", has_text="positive").wait_for()
    assert fact(page, "events").inner_text() != events
    assert fact(page, "labels learnt").inner_text() != learnt
    assert page.evaluate("window.still") is True
    assert watched.errors == []


# --- what events say is text ------------------------------------------------------------------------


def harmless(page):
    """Whether nothing of an event has become a part of the page."""
    return page.evaluate(
        "window.harm === undefined && !document.querySelector('main img, main script')"
    )


@pytest.mark.parametrize("text", [SCRIPT, IMAGE], ids=["script", "image"])
def test_an_id_is_shown_as_text_when_it_arrives_and_when_the_page_is_loaded(watched, service, text):
    page, name = live(watched.page), f"{text}{next(numbers)}"
    flag(service[1], name)
    for _ in range(2):
        shown = page.locator("#flags .id a").filter(has_text=name)
        shown.wait_for()
        assert shown.inner_text() == name
        assert harmless(page)
        page.reload()
        live(page)
    assert watched.errors == []


@pytest.mark.parametrize("text", [IMAGE, SCRIPT], ids=["name", "value"])
def test_a_feature_is_shown_as_text(watched, service, text):
    page, name = live(watched.page), f"feature-{next(numbers)}"
    assert text in [one for why in flag(service[1], name).reasons for one in (why.feature, why.value)]
    why = page.locator("#flags tr", has_text=name).locator(".why")
    why.wait_for()
    assert text in why.inner_text()
    assert harmless(page)


# --- an empty page, small and dark ones -------------------------------------------------------------


def test_an_empty_page_says_what_to_do_and_begins_with_the_first_event(browser, tmp_path):
    with served(tmp_path / "empty") as url, opened(browser, url) as watched, Client(url) as client:
        page = live(watched.page)
        assert page.locator("h1:visible").inner_text() == "No events yet"
        assert f"curl {url}/v1/score" in page.locator("#start").inner_text()
        assert not page.locator("#charts").is_visible()
        flag(client, "first")
        page.locator("#charts").wait_for()
        assert not page.locator("#start").is_visible()
        assert "No event has its label yet" in page.locator("h1:visible").inner_text()
        assert watched.errors == []


@pytest.mark.parametrize("width", [320, 390, 768, 1200])
def test_the_page_fits_into_its_width(browser, service, width):
    flag(service[1], f"{'long' * 40}-{next(numbers)}", **{"n" * 60: 1e300})
    with opened(browser, service[0], viewport={"width": width, "height": 800}) as watched:
        page = live(watched.page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#cost-chart canvas").bounding_box()["width"] <= width


# --- signing in -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """The address of a service that wants a token, and one."""
    folder = tmp_path_factory.mktemp("closed") / "fraud"
    token = Tokens.of(folder).add("reader", ["read"])
    with served(folder) as url:
        yield url, token


def sign_in(page, token):
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def test_a_token_signs_in_and_the_page_is_live(browser, closed):
    url, token = closed
    with opened(browser, url) as watched:
        assert watched.page.url == f"{url}/login"
        sign_in(watched.page, token)
        live(watched.page)
        assert watched.page.url == f"{url}/"
        assert watched.errors == []
        assert watched.page.evaluate("document.cookie") == ""
