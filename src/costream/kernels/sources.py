"""What the code of ours is: the functions that a function calls, the files that a file imports, hashes.

Docstrings and comments are left out of a hash, so that explaining code better makes nothing new.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parents[1]


def functions_behind(functions: Iterable[Callable[..., Any]]) -> set[FunctionType]:
    """Plain functions of this package that some functions call, directly or not, and themselves."""
    found: set[FunctionType] = set()
    waiting = [one for one in functions if isinstance(one, FunctionType)]
    while waiting:
        function = waiting.pop()
        if function not in found:
            found.add(function)
            called = (function.__globals__.get(name) for name in function.__code__.co_names)
            waiting += [one for one in called if isinstance(one, FunctionType) and _is_ours(one)]
    return found


def _is_ours(function: FunctionType) -> bool:
    return function.__module__.partition(".")[0] == PACKAGE


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


def files_behind(files: Iterable[Path]) -> list[Path]:
    """Files of this package that some files import, directly or not, and themselves."""
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += imports_of(file).values()
    return sorted(found)


@cache
def imports_of(file: Path) -> dict[str, Path]:
    """The files of this package that a file imports, at its top or within functions, by local name."""
    here = [PACKAGE, *file.relative_to(ROOT).parts[:-1]] if file.is_relative_to(ROOT) else []
    found: dict[str, Path] = {}
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for one in node.names:
                path = _file(f"{module}.{one.name}") or _file(module)
                if path is not None:
                    found[one.asname or one.name] = path
        elif isinstance(node, ast.Import):
            paths = {one.asname or one.name: _file(one.name) for one in node.names}
            found |= {name: path for name, path in paths.items() if path is not None}
    return found


def _file(module: str) -> Path | None:
    """The file of a module of this package; None for what is none."""
    package, *parts = module.split(".")
    place = ROOT.joinpath(*parts)
    choice = (place / "__init__.py", place.with_suffix(".py")) if package == PACKAGE else ()
    return next((path for path in choice if path.is_file()), None)


@cache
def hash_of(file: Path) -> bytes:
    """A hash of the code in a file, without its docstrings and comments."""
    tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.copy_location(ast.Pass(), node.body[0])]
    digest = hashlib.sha256()
    _add(digest, compile(tree, "", "exec", dont_inherit=True))
    return digest.digest()


def _add(digest: Any, code: CodeType) -> None:
    """Let all that decides what code does count, but not where its lines are."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    shape = (code.co_name, code.co_argcount, code.co_kwonlyargcount, code.co_flags)
    digest.update(repr((shape, names, code.co_code)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add(digest, constant)
        else:
            digest.update(repr(constant).encode())


def digest_of(files: Iterable[Path]) -> str:
    """One hash of the code in some files."""
    return hashlib.sha256(b"".join(map(hash_of, files))).hexdigest()
