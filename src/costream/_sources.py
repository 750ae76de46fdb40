"""What the code of ours is: the functions that a function calls, the files that a file imports, hashes.

Docstrings and comments are left out of a hash, so that explaining code better makes nothing new.
Imports that type checkers alone see are not followed.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parent
CHECKING = ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def functions_behind(functions: Iterable[Callable[..., Any]]) -> set[FunctionType]:
    """Plain functions that some functions call, directly or not, and themselves.

    Those of this package and of the caller's own are followed, as a learner outside of this one needs.
    """
    found: set[FunctionType] = set()
    waiting = [one for one in functions if isinstance(one, FunctionType)]
    while waiting:
        function = waiting.pop()
        if function not in found:
            found.add(function)
            called = (function.__globals__.get(name) for name in function.__code__.co_names)
            packages = {PACKAGE, _package(function)}
            waiting += [
                one for one in called if isinstance(one, FunctionType) and _package(one) in packages
            ]
    return found


def is_ours(thing: FunctionType | type) -> bool:
    """Whether a function or class is defined in this package."""
    return _package(thing) == PACKAGE


def _package(thing: FunctionType | type) -> str:
    return thing.__module__.partition(".")[0]


def files_of(functions: Iterable[Callable[..., Any]]) -> list[Path]:
    """The files in which these functions, what they call and the constants they use are defined."""
    found = set()
    for function in functions_behind(functions):
        file = Path(function.__code__.co_filename)
        if file.is_file():  # not so for a function that was generated
            imported = imports_of(file)
            found |= {
                file,
                *(imported[name] for name in function.__code__.co_names if name in imported),
            }
    return sorted(found)


def files_behind(module: str, root: Path = ROOT) -> list[Path]:
    """Files of this package that a module needs to run, directly or not, its own among them.

    A module that loads others by name, as a registry does, needs its whole package. A file of data is
    needed where a module beside it names it. The package's own ``__init__`` is left out: it hands out
    names on request, and computes nothing.
    """
    found: set[Path] = {root / "__init__.py"}
    waiting = [file for file in [_file(module, root)] if file is not None]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        text, folder = file.read_bytes(), file.parent
        waiting += imports_of(file, root).values()
        inits = (one / "__init__.py" for one in file.parents if one.is_relative_to(root))
        waiting += [one for one in inits if one.is_file()]
        if _parsed(text).loads_by_name:
            waiting += folder.rglob("*.py")
        data = (one for one in folder.iterdir() if one.is_file() and one.suffix not in (".py", ".pyc"))
        found |= {one for one in data if one.name.encode() in text}
    return sorted(found - {root / "__init__.py"})


@cache
def imports_of(file: Path, root: Path = ROOT) -> dict[str, Path]:
    """The files of this package that a file imports, at its top or within functions, by local name."""
    here = [PACKAGE, *file.relative_to(root).parts[:-1]] if file.is_relative_to(root) else []
    found: dict[str, Path] = {}
    for one in _parsed(file.read_bytes()).imports:
        above = here[: len(here) - one.level + 1] if one.level else []
        module = ".".join([*above, *([one.module] if one.module else [])])
        path = (_file(f"{module}.{one.name}", root) if one.name else None) or _file(module, root)
        if path is not None:
            found[one.local] = path
    return found


def _file(module: str, root: Path) -> Path | None:
    """The file of a module of this package; None for what is none."""
    package, *parts = module.split(".")
    place = root.joinpath(*parts)
    choice = (place / "__init__.py", place.with_suffix(".py")) if package == PACKAGE else ()
    return next((path for path in choice if path.is_file()), None)


def hash_of(file: Path) -> bytes:
    """A hash of a file: of the code in it, without its docstrings and comments, or of its data."""
    text = file.read_bytes()
    return _parsed(text).digest if file.suffix == ".py" else hashlib.sha256(text).digest()


def digest_of(files: Iterable[Path]) -> str:
    """One hash of some files."""
    return hashlib.sha256(b"".join(map(hash_of, files))).hexdigest()


# --- one file -----------------------------------------------------------------------------------------


class _Import(NamedTuple):
    """An import: its leading dots, the module, the name in it ("" for all of it), the name it gets."""

    level: int
    module: str
    name: str
    local: str


class _Parsed(NamedTuple):
    """What counts of a file."""

    digest: bytes
    imports: list[_Import]
    loads_by_name: bool


@cache
def _parsed(text: bytes) -> _Parsed:
    tree = ast.parse(text)
    imports: list[_Import] = []
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            imports += [
                _Import(node.level, module, one.name, one.asname or one.name) for one in node.names
            ]
        elif isinstance(node, ast.Import):
            imports += [_Import(0, one.name, "", one.asname or one.name) for one in node.names]
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.copy_location(ast.Pass(), node.body[0])]
    digest = hashlib.sha256()
    _add(digest, compile(tree, "", "exec", dont_inherit=True))
    by_name = any(one.module == "pkgutil" or one.name == "import_module" for one in imports)
    return _Parsed(digest.digest(), imports, by_name)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """A module and all statements in it, but for those that type checkers alone see."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) in CHECKING:
            waiting += node.orelse
            continue
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, ())


def _add(digest: Any, code: CodeType) -> None:
    """Let all that decides what code does count, but not where its lines are."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    arguments = (code.co_argcount, code.co_kwonlyargcount, code.co_flags)
    shape = (code.co_name, arguments, code.co_exceptiontable)  # the last: where each try ends
    digest.update(repr((shape, names, code.co_code)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add(digest, constant)
        elif isinstance(constant, frozenset):  # its order differs from process to process
            digest.update(repr(sorted(map(repr, constant))).encode())
        else:
            digest.update(repr(constant).encode())
