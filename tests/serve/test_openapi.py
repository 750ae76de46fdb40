"""The service is what /openapi.json says: schemathesis sends what fits the document, and what not."""

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from costream.serve.http import live
from costream.serve.http.openapi import document
from costream.serve.http.routing import routes
from helpers.commands import compiled_only
from helpers.served import served

pytestmark = [compiled_only, pytest.mark.slow]
api = schemathesis.openapi.from_dict(document())
# A text may be no time, and a label unknown, which no schema can say: 422 answers such data, too.
BEYOND_SCHEMAS = [positive_data_acceptance]
QUICK = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(QUICK, max_examples=1500, derandomize=False)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A service whose streams end at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "LIFE", 0.0)
        with served(tmp_path_factory.mktemp("api") / "fraud") as url:
            yield url


@api.parametrize()
@QUICK
def test_the_service_is_as_its_document_says(case, url):
    case.call_and_validate(url, excluded_checks=BEYOND_SCHEMAS)


@pytest.mark.long
@api.parametrize()
@LONG
def test_the_service_is_as_its_document_says_with_many_requests(case, url):
    case.call_and_validate(url, excluded_checks=BEYOND_SCHEMAS)


def test_the_document_has_every_address_for_programs():
    paths = {one.place.template for one in routes()}
    for_people = {"/", "/updates", "/login", "/logout", "/static/{file}"}
    assert set(document()["paths"]) == paths - for_people


def test_the_document_is_the_one_that_is_served(url):
    assert httpx.get(f"{url}/openapi.json").json() == document()
