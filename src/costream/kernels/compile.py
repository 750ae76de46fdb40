"""The decorators of compiled code, and the compile cache behind them.

An *entry* or a *door* is called from Python: it is compiled when first used and kept on disk. A *verb*
is called from those only, and is compiled into them. All keep IEEE arithmetic, so compiled and
interpreted runs (``NUMBA_DISABLE_JIT=1``) give the same bits.

Numba's own cache does not notice an edit in a file that the cached function merely calls, and raises
on a damaged entry. This one lives in a folder named after a hash of every source file here, checks
each entry against a SHA-256, and treats whatever it cannot read or write as "not cached".
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.serialize import dumps

Function = TypeVar("Function", bound=Callable[..., Any])

# No kernel makes an array, so none needs to count who holds one: `_nrt` is Numba's memory manager.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "_nrt": False}
DIGEST_BYTES = hashlib.sha256().digest_size
ANNOUNCE = False  # whether to say what is compiled even where nobody may be watching


class Ingredients(JITCodeLibrary):  # type: ignore[misc]  # pragma: no cover (compiled)
    """The code of a verb, as it is linked into others."""

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        self._finalized = True


class VerbCompiler(Compiler):  # type: ignore[misc]  # pragma: no cover (compiled)
    """Leaves it to the entries to optimise verbs, and makes no machine code that nobody calls.

    Numba would do both for every function, and again for all that it calls.
    """

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing_context, target_context, library, *rest)
        context = self.state.targetctx  # a copy for this function
        self.state.library = Ingredients(context.codegen(), "verb")
        # What Python would call: a builtin, says Numba. This one refuses whatever verbs take.
        context.get_executable = lambda *_: {}.update


INTO_OTHERS: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": VerbCompiler,
}


def verb(function: Function) -> Function:
    """Compile ``function`` into the entries that call it."""
    return numba.njit(**OPTIONS, **INTO_OTHERS)(function)  # type: ignore[no-any-return]


def entry(function: Function) -> Function:
    """Compile ``function`` on first use, keep its machine code on disk, and run without the GIL."""
    return _cached(function, nogil=True)


def door(function: Function) -> Function:
    """An entry that is over in a microsecond, and keeps the GIL."""
    return _cached(function, nogil=False)


def _cached(function: Function, nogil: bool) -> Function:
    compiled = numba.njit(**OPTIONS, nogil=nogil)(function)
    if hasattr(compiled, "py_func"):  # pragma: no cover (not so with NUMBA_DISABLE_JIT=1)
        compiled._cache = EntryCache(function)
        return compiled  # type: ignore[no-any-return]
    return np.errstate(over="ignore", under="ignore")(function)


@cache
def cache_folder() -> Path:
    """Where machine code is kept: one folder for each state of the sources."""
    base = os.environ.get("COSTREAM_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if not base:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
        elif sys.platform == "darwin":
            base = "~/Library/Caches"
        else:
            base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return Path(base).expanduser() / "costream" / digest.hexdigest()[:16]


class EntryCache(_Cache):  # type: ignore[misc]
    """One file for each function and signature: a checksum, then Numba's own pickle."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    def _file(self, signature: Any, codegen: Any) -> Path:
        key = hashlib.sha256(f"{signature} {codegen.magic_tuple()}".encode()).hexdigest()
        return cache_folder() / f"{self._name}-{key[:24]}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        file = self._file(sig, target_context.codegen())
        with contextlib.suppress(OSError):
            content = file.read_bytes()
            digest, payload = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
            if hashlib.sha256(payload).digest() == digest:
                # Numba's own cache would load all that Numba can compile (a fifth of a second,
                # scipy.linalg among it); to run what is compiled takes nothing of it.
                return CompileResult._rebuild(target_context, *pickle.loads(payload))
            file.unlink()
        self._announce(sig)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        payload = dumps(data._reduce())
        file = self._file(sig, data.codegen)
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=file.parent)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(hashlib.sha256(payload).digest() + payload)
                os.replace(draft, file)
            except OSError:
                os.unlink(draft)

    def _announce(self, signature: Any) -> None:
        if sys.stderr is not None and (ANNOUNCE or sys.stderr.isatty()):
            what = self._name.rsplit(".", 1)[-1].replace("_", " ")
            for argument in signature:
                if hasattr(argument, "instance_class"):
                    what += f" ({argument.instance_class.__name__})"
                    break
            with contextlib.suppress(OSError):
                print(f"costream: compiling {what}, once per machine ...", file=sys.stderr, flush=True)
