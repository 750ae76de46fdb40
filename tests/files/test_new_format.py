"""A format is one file and one line of the registry: it is then read everywhere."""

import json

import pytest

from helpers.copies import command, copied, run
from helpers.streams import JIT_OFF

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JIT_OFF, reason="the package is tested as users have it: compiled"),
]

READER = '''"""Columns of fixed width: as wide as their names in the first line with blanks."""
import re
from ..tables.resolution import ResolvedSchema
from ..tables.values import as_raw
from .columns import BlockReader
from .source import line_blocks

def read(source, layout, slots, warn):
    head, *lines = b"".join(map(bytes, line_blocks(source))).decode().splitlines()
    places = {one[0].strip(): slice(*one.span()) for one in re.finditer(r"\\S+\\s*", head)}
    resolved = ResolvedSchema.of(list(places), layout, source.name)
    columns = {
        name: as_raw([line[place].strip() or None for line in lines], name)
        for name, place in places.items()
    }
    reader = BlockReader(source.name, resolved, slots, warn)
    reader.resolve(columns, text_file=True)
    yield reader.block(len(lines), columns, columns.pop(resolved.label), {})
'''
LINE = '    Format("fixed", "fixed width", "fixed:read", (".fwf",)),\n'
ROWS = "amount country label\n" + "".join(
    f"{n % 7 + 0.5:<6} {'DE' if n % 2 else 'FR':<7} {n % 3 // 2}\n" for n in range(60)
)
PYTHON = """
from costream import OnlineClassifier, Stream
with Stream("rows.fwf") as stream:
    (block,) = stream
    print(stream.format, block.names, block.label.tolist()[:3])
model = OnlineClassifier("carow-diag")
print(model.learn_stream(Stream("rows.data", format="fixed")))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with one more format."""
    root = copied(tmp_path_factory.mktemp("copy"))
    files = root / "src" / "costream" / "files"
    (files / "fixed.py").write_text(READER, encoding="utf-8")
    registry = (files / "formats.py").read_text(encoding="utf-8")
    assert registry.count(")\nFORMATS = ") == 1
    changed = registry.replace(")\nFORMATS = ", f"{LINE})\nFORMATS = ")
    (files / "formats.py").write_text(changed, encoding="utf-8")
    for name in ("rows.fwf", "rows.data"):
        (root / name).write_text(ROWS, encoding="utf-8")
    return root


def test_python_reads_it_by_its_suffix_and_by_its_name(copy):
    first, second = run(copy, "-c", PYTHON).splitlines()
    assert first == "fixed ['amount', 'country=FR', 'country=DE'] [0.0, 0.0, 1.0]"
    assert second == "60"


def test_help_has_it(copy):
    assert ",fixed." in "".join(command(copy, "evaluate", "--help").split())


def test_the_command_line_evaluates_it(copy):
    found = json.loads(command(copy, "evaluate", "rows.fwf", "--runs", "2", "--json"))
    assert found["rows"] == 60
