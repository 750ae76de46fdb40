"""What code is: the files behind a module, and their hashes without docstrings and comments."""

import os
import subprocess
import sys

import pytest

from costream._sources import files_behind, hash_of


def found_in(folder, **files):
    """What is behind ``a`` in a package of these files: ``b__c`` is b/c.py, ``b__c_toml`` b/c.toml."""
    for name, text in files.items():
        stem, _, kind = name.replace("__", "/").partition("_")
        path = folder / f"{stem.replace('INIT', '__init__')}.{kind or 'py'}"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    return {file.relative_to(folder).as_posix() for file in files_behind("costream.a", folder)}


@pytest.mark.parametrize(
    "text",
    [
        "from . import b",
        "from .b import c",
        "import costream.b",
        "from costream import b",
        "from costream.b import *",
        "def f():\n    from . import b",
        "if True:\n    from . import b",
        "try:\n    pass\nexcept OSError:\n    from . import b",
    ],
)
def test_imports_are_followed_however_they_are_written(tmp_path, text):
    assert found_in(tmp_path, INIT="", a=text, b="import numpy", c="") == {"a.py", "b.py"}


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_imports_for_type_checkers_are_not_followed(tmp_path, test):
    assert found_in(tmp_path, a=f"if {test}:\n    from . import b", b="") == {"a.py"}


@pytest.mark.parametrize(
    "line", ["from pkgutil import iter_modules", "from importlib import import_module"]
)
def test_a_registry_stands_for_its_whole_package(tmp_path, line):
    found = found_in(tmp_path, a="from . import b", b__INIT=line, b__c__d="", e="")
    assert found == {"a.py", "b/__init__.py", "b/c/d.py"}


def hash_in(folder, text, name="a.py"):
    (folder / name).write_text(text)
    return hash_of(folder / name)


CODE = "def f(x):\n    return x + 1\n"
SAME = {
    "docstring of the module": '"""Says more."""\n' + CODE,
    "docstring of a function": CODE.replace("    return", "    'More.'\n    return"),
    "comment": "# Why.\n" + CODE,
    "layout": CODE.replace("x + 1", "(\n        x + 1\n    )"),
}


@pytest.mark.parametrize("what", SAME)
def test_documentation_and_layout_do_not_count(tmp_path, what):
    assert hash_in(tmp_path, SAME[what]) == hash_in(tmp_path, CODE)


@pytest.mark.parametrize("other", [CODE.replace("1", "2"), CODE + "y = 1\n", CODE.replace("+", "-")])
def test_code_counts(tmp_path, other):
    assert hash_in(tmp_path, other) != hash_in(tmp_path, CODE)


def test_a_hash_is_the_same_in_every_process(tmp_path):
    """The order of a set is not, where strings hash by chance."""
    (tmp_path / "a.py").write_text("def f(x):\n    return x in {'a', 'b', 'c', 'd', 'e'}\n")
    code = "import sys; from pathlib import Path; from costream._sources import hash_of; "
    code += "print(hash_of(Path(sys.argv[1])).hex())"
    command = [sys.executable, "-c", code, str(tmp_path / "a.py")]
    found = {
        subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(found) == 1
