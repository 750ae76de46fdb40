"""Compiles what Python calls, with all that it calls in turn, and keeps the machine code on disk.

An `entry` is called from Python: it is compiled when first used. Whatever it calls is plain Python that
is compiled into it: the primitives, and the rule of the record that it is given. All keep IEEE
arithmetic, so compiled and interpreted runs (``NUMBA_DISABLE_JIT=1``) are bit-identical.

Numba's own cache does not notice an edit in a file that the cached function merely calls, and raises
on a damaged entry. This one is keyed by a hash of ``kernels/`` and of the files of the rule, checks
each entry against a SHA-256, and treats whatever it cannot read or write as "not cached".
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import overload, register_jitable

from .._files import write_atomically
from .._sources import digest_of, files_of, functions_behind, is_ours
from .numba_internals import (
    WITHOUT_MEMORY_MANAGER,
    DispatcherCache,
    PrimitiveCompiler,
    pack,
    record_of,
    unpack,
)
from .rules import DISPATCHED, RULES

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, **WITHOUT_MEMORY_MANAGER}
INTO_OTHERS: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": PrimitiveCompiler,
}
HERE = Path(__file__).parent
DIGEST_BYTES = hashlib.sha256().digest_size
ANNOUNCE: Callable[[str], None] | None = None  # called with what is compiled; else terminals see it


def entry(function: Function, *, nogil: bool = True, record: type | None = None) -> Function:
    """Compile ``function`` on first use, keep its machine code on disk, and run without the GIL.

    ``record`` is the one that it builds, where that is not an argument.
    """
    compiled = numba.njit(**OPTIONS, nogil=nogil)(function)
    if hasattr(compiled, "py_func"):  # pragma: no cover (not so with NUMBA_DISABLE_JIT=1)
        compiled._cache = EntryCache(function, record)
        return compiled  # type: ignore[no-any-return]
    return np.errstate(over="ignore", under="ignore")(function)


# --- what entries call --------------------------------------------------------------------------------

_JITABLE: set[Any] = set(DISPATCHED)


def make_jitable(*functions: Callable[..., Any]) -> None:  # pragma: no cover (compiled)
    """Let compiled code call these functions of ours, and those that they call."""
    for function in functions_behind(functions) - _JITABLE:
        _JITABLE.add(function)
        # A call that hands over a whole model takes long: it has some fifty arrays.
        takes_model = "model" in signature(function).parameters
        register_jitable(**OPTIONS, **INTO_OTHERS, forceinline=takes_model)(function)


def _chooser(name: str) -> Callable[..., Any]:
    def choose(model: Any, *_: Any) -> Any:  # pragma: no cover (compiled)
        return getattr(RULES.get(getattr(model, "instance_class", type(None))), name, None)

    return choose


for _function in DISPATCHED:
    overload(_function, inline="never", strict=False, jit_options=INTO_OTHERS)(
        _chooser(_function.__name__)
    )


# --- the cache ----------------------------------------------------------------------------------------


def cache_base() -> Path:
    """The user's folder for caches, or the one that the environment names."""
    base = os.environ.get("COSTREAM_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if not base:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
        elif sys.platform == "darwin":
            base = "~/Library/Caches"
        else:
            base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(base).expanduser() / "costream"


@cache
def cache_folder() -> Path:
    """Where machine code is kept: one folder for each state of ``kernels/``."""
    files = sorted(HERE.glob("*.py"))
    code = remembered("kernels", files, lambda: digest_of(files))
    text = f"{numba.__version__} {sys.version} {code}"
    return cache_base() / hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def rule_digest(record: type | None) -> str:
    """A hash of the code of a rule: of its file, and of files of other rules that it uses.

    What it uses of ``kernels/`` counts in the folder.
    """
    if record not in RULES:
        return ""
    name = f"{record.__module__}.{record.__qualname__}"
    package = HERE.parent / name.split(".")[1]
    return remembered(name, sorted(package.rglob("*.py")), lambda: digest_of(rule_files(record)))


def rule_files(record: type) -> list[Path]:
    """The files that define a record and its rule, but for those of ``kernels/``."""
    home = Path(str(sys.modules[record.__module__].__file__))
    files = {home, *files_of(RULES[record].functions())}
    return sorted(file for file in files if file.parent != HERE)


def remembered(what: str, files: Iterable[Path], make: Callable[[], str]) -> str:
    """What ``make`` gives, kept on disk for these very bytes: parsing takes longer than reading."""
    digest = hashlib.sha256(what.encode())
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    note = cache_base() / "sources" / digest.hexdigest()[:32]
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = note.read_text(encoding="ascii")
        if len(text) == 2 * DIGEST_BYTES:
            return text
    made = make()
    write_whole(note, made.encode())
    return made


def write_whole(file: Path, content: bytes) -> None:
    """Write a file of the cache, or none: an unwritable cache is not an error."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, content)


class EntryCache(DispatcherCache):  # type: ignore[misc]
    """One file for each function and signature: a checksum, then the machine code."""

    def __init__(self, function: Callable[..., Any], record: type | None = None) -> None:
        self._function = function
        self._record = record
        self._name = f"{function.__module__}.{function.__qualname__}"

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    def _is_kept(self, signature: Any) -> bool:
        """Whether machine code is kept: not for a record of others, whose edits we do not see."""
        record = self._record or record_of(signature)
        return record is None or is_ours(record)

    def _file(self, signature: Any, codegen: Any) -> Path:
        rule = rule_digest(self._record or record_of(signature))
        of = "" if self._record is None else f"{self._record.__module__}.{self._record.__qualname__}"
        key = hashlib.sha256(f"{of} {signature} {codegen.magic_tuple()} {rule}".encode()).hexdigest()
        return cache_folder() / f"{self._name}-{key[:24]}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if self._is_kept(sig):
            file = self._file(sig, target_context.codegen())
            with contextlib.suppress(OSError):
                content = file.read_bytes()
                digest, payload = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
                if hashlib.sha256(payload).digest() == digest:
                    return unpack(target_context, payload)
                file.unlink()
        self._before_compiling(self._record or record_of(sig))
        return None

    def _before_compiling(self, record: type | None) -> None:
        rule = RULES[record].functions() if record in RULES else []
        make_jitable(self._function, *rule)
        self._announce(record)

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._is_kept(sig):
            return
        payload = pack(data)
        content = hashlib.sha256(payload).digest() + payload
        write_whole(self._file(sig, data.codegen), content)

    def _announce(self, record: type | None) -> None:
        what = self._name.rsplit(".", 1)[-1].replace("_", " ")
        of = f" ({record.__name__})" if record is not None else ""
        line = f"costream: compiling {what}{of}, once per machine ..."
        if ANNOUNCE is not None:
            ANNOUNCE(line)
        elif sys.stderr is not None and sys.stderr.isatty():
            with contextlib.suppress(OSError):
                print(line, file=sys.stderr, flush=True)
