"""The mutants of the mutation tool: what is changed, what is left alone."""

import importlib.util
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "mutants.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("mutants", TOOL)
    module = sys.modules["mutants"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["mutants"]


def changes(tool, source):
    return [one.change for one in tool.mutants_of("m.py", source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["a < b => a <= b"]),
        ("x = a == b", ["a == b => a != b"]),
        ("x = a / b", ["a / b => a * b"]),
        ("x = a and not b", ["a and (not b) => a or not b", "not b => b"]),
        ("x = a + 1", ["a + 1 => a - 1", "a + 1 => a + 2", "a + 1 => a + 0"]),
        ("x = f(0.5)", ["f(0.5) => f(1.0)"]),
        ("x = True", ["x = True => x = False"]),
        ("x = max(a, b)", ["max => min"]),
        ("x = f(a, b, c)", ["f(a, b, c) => f(b, a, c)"]),
        ("x = f(a, key=b)", ["f(a, key=b) => f(a)"]),
        ("x = f'{a:.2f}'", ["x = f'{a:.2f}' => x = f'{a:.3f}'"]),
        ("if a.b: f()", ["a.b => not a.b", "f() => pass"]),
        ("total += x", ["total += x => total -= x", "total += x => pass"]),
    ],
)
def test_each_change_is_made_once(tool, source, expected):
    assert changes(tool, source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        "x: Annotated[int, 3]",
        "raise ValueError(f'{n + 1} rows')",
        "assert a < b",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    limit = 3",
        "@dataclass(frozen=True)\nclass A:\n    pass",
        "x = zip(a, strict=True)",
        "x = 'text' + more",
    ],
)
def test_what_cannot_change_a_result_is_left_alone(tool, source):
    assert [one for one in changes(tool, source) if not one.startswith("raise")] == []


def test_a_mutant_says_where_it_is_and_differs_in_one_place(tool):
    source = '"""Doc."""\n\nclass A:\n    def f(self, x):\n        return x\n\ny = 2\n'
    (returned, *_) = tool.mutants_of("m.py", source)
    assert returned.name == "m.py:5: A.f: return x => return None"
    same = tool.unchanged(source).removesuffix("_unused = None\n")
    assert returned.source == same.replace("return x", "return None")


def test_what_runs_at_import_is_known(tool):
    found = tool.mutants_of("m.py", "a = 1\n\ndef f(x=2):\n    return x - 3\n")
    assert {one.change.split(" =>")[0]: one.imported for one in found} == {
        "a = 1": True,
        "x=2": True,
        "return x - 3": False,
        "x - 3": False,
    }


def test_the_same_change_twice_in_a_function_is_numbered(tool):
    assert changes(tool, "x = a < b\ny = a < b") == ["a < b => a <= b", "a < b => a <= b #2"]
