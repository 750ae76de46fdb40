"""The code that a result depends on, as a hash: other code, other keys.

The modules are found by following imports from the one that computes the result, those inside functions
too. Docstrings, comments and layout do not count. A module that loads others by name, as a registry
does, stands for its whole package; and a data file counts where a module beside it names it.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Collection, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = __name__.partition(".")[0]
BY_NAME = {"import_module", "iter_modules", "__import__"}


def key_of(what: Any, module: str) -> str:
    """Sixteen hex digits that stand for what is computed (plain data) and for the code that does it."""
    text = json.dumps([what, code_behind(module)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def code_behind(module: str) -> str:
    """The hash of all code of ours that a module depends on."""
    root = Path(str(resources.files(PACKAGE)))
    paths = {path.relative_to(root).as_posix() for path in root.rglob("*.*")}
    return combined(parts_behind(module, paths, lambda path: (root / path).read_bytes()))


def combined(parts: dict[str, str]) -> str:
    """One hash of the digests of all parts."""
    return hashlib.sha256(json.dumps(sorted(parts.items())).encode()).hexdigest()


def parts_behind(module: str, paths: Collection[str], read: Callable[[str], bytes]) -> dict[str, str]:
    """The digest of every file that a module depends on, its own among them, by path.

    ``paths`` are all files of the package. Its own ``__init__`` is left out: it hands out names on
    request, and computes nothing.
    """
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _path_of(name, paths)
        if path is None or path in found:
            continue
        source = _parsed(read(path))
        found[path] = source.digest
        package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
        waiting += [package, *_resolved(source.imports, package)]
        folder = path.rpartition("/")[0]
        beside = {one.removeprefix(f"{folder}/") for one in paths if one.startswith(f"{folder}/")}
        if source.loads_by_name:
            modules = (one.removesuffix(".py") for one in beside if one.endswith(".py"))
            waiting += [f"{package}.{one.replace('/', '.')}" for one in modules]
        for one in beside & source.words:
            found[f"{folder}/{one}"] = hashlib.sha256(read(f"{folder}/{one}")).hexdigest()
    return found


def _path_of(name: str, paths: Collection[str]) -> str | None:
    """The file of a module of ours; None for other modules, and for names that are no modules."""
    package, _, rest = name.partition(".")
    stem = rest.removesuffix(".__init__").replace(".", "/")
    files = (f"{stem}.py", f"{stem}/__init__.py") if package == PACKAGE and stem else ()
    return next((path for path in files if path in paths), None)


def _resolved(imports: Collection[Import], package: str) -> Iterator[str]:
    """The full names of imports in a module of a package: each may be a module, or something in one."""
    for level, base, names in imports:
        parents = package.split(".")[: len(package.split(".")) + 1 - level] if level else []
        start = ".".join([*parents, *([base] if base else [])])
        yield start
        yield from (f"{start}.{name}" for name in names)


class Import(NamedTuple):
    """An import: its leading dots, the module, and the names that are taken from it."""

    level: int
    base: str
    names: tuple[str, ...] = ()


class _Source(NamedTuple):
    """What counts of a module."""

    digest: str
    imports: frozenset[Import]
    words: frozenset[str]  # all strings in it
    loads_by_name: bool


@cache
def _parsed(text: bytes) -> _Source:
    tree = ast.parse(text)
    imports, words, used = set(), set(), set()
    for node in _nodes(tree):
        if isinstance(node, ast.Import):
            imports |= {Import(0, one.name) for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = tuple(one.name for one in node.names)
            imports.add(Import(node.level, node.module or "", names))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
        elif isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.Attribute):
            used.add(node.attr)
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return _Source(digest, frozenset(imports), frozenset(words), not used.isdisjoint(BY_NAME))


def _nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """All nodes; docstrings and what is there for type checkers alone are taken out of the tree."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [one for n, one in enumerate(node.body) if not (n == 0 and _is_text(one))]
            node.body = [one for one in node.body if not _is_for_checkers(one)]
        yield node
        waiting += ast.iter_child_nodes(node)


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_for_checkers(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )
