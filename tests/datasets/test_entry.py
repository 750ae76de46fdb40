"""The file of the catalogue is checked when it is read."""

import pytest

from costream import CostreamError
from costream.datasets.catalogue import CatalogueEntry, read_catalogue

RIGHT = """
[tiny]
title = "Tiny"
files = ["tiny.libsvm"]
home = "https://example.org/tiny"
rows = 4
features = 3
positives = 2
"""


@pytest.fixture
def catalogue(tmp_path):
    def write(text):
        path = tmp_path / "catalogue.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_an_entry_has_the_values_of_its_table_and_defaults_elsewhere(catalogue):
    assert read_catalogue(catalogue(RIGHT)) == {
        "tiny": CatalogueEntry(
            name="tiny",
            title="Tiny",
            files=("tiny.libsvm",),
            home="https://example.org/tiny",
            rows=4,
            features=3,
            positives=2,
        )
    }


WRONG = {
    "not TOML": (RIGHT + "title", "Expected '=' after a key"),
    "not a table": ("tiny = 1", "[tiny]: a table without a name in it is expected"),
    "a key that does not exist": (
        RIGHT + "colour = 1",
        "[tiny]: Object contains unknown field `colour`",
    ),
    "a key left out": (RIGHT.replace("rows = 4", ""), "[tiny]: Object missing required field `rows`"),
    "text for a number": (RIGHT.replace("4", '"4"'), "[tiny]: Expected `int`, got `str` - at `$.rows`"),
    "text for a list": (
        RIGHT + 'sources = "x"',
        "Expected `array`, got `str` - at `$.sources`",
    ),
    "numbers in a list": (
        RIGHT + "checksums = [1]",
        "Expected `str`, got `int` - at `$.checksums[0]`",
    ),
    "a layout that does not exist": (
        RIGHT + 'layout = "xml"',
        "Invalid enum value 'xml' - at `$.layout`",
    ),
    "no negatives": (RIGHT.replace("4", "2"), "positives must be less than rows"),
    "no checksum": (
        RIGHT + 'checksums = ["x"]',
        "matching regex '^[0-9a-f]{24}$' - at `$.checksums[0]`",
    ),
    "a substitute for nothing": (RIGHT + 'stands_for = "big"', "[tiny]: there is no data set 'big'"),
}


@pytest.mark.parametrize(("text", "complaint"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named(catalogue, text, complaint):
    path = catalogue(text)
    with pytest.raises(CostreamError) as found:
        read_catalogue(path)
    assert str(found.value).startswith(str(path))
    assert complaint in str(found.value)
