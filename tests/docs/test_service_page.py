"""What docs/service.md shows is what a service answers."""

import re
import shutil
import subprocess

import pytest

from costream import Cost
from helpers.commands import compiled_only
from helpers.commands_of_pages import DOCS
from helpers.served import served

PAGE = (DOCS / "service.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8321"
pytestmark = [compiled_only, pytest.mark.slow]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served(
        tmp_path_factory.mktemp("page") / "fraud", learner="auto", objective=Cost(200, 5)
    ) as at:
        yield at


@pytest.mark.skipif(shutil.which("curl") is None, reason="NOT RUN: there is no curl")
def test_requests_are_answered_as_shown(url):
    shown = re.findall(r"^```sh\n(curl .*?)^```\n```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    found = [
        subprocess.run(
            ["bash", "-c", command.replace(ADDRESS, url)], capture_output=True, text=True, check=True
        ).stdout
        for command, _ in shown
    ]
    assert found == [answer.rstrip("\n") for _, answer in shown]


def test_the_client_works_as_shown(url, capsys):
    [example] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    names = {}
    exec(example.replace(ADDRESS, url), names)
    assert {one.status for one in names["labels"]} == {"learnt"}
    assert float(capsys.readouterr().out.splitlines()[-1]) > 0.0
