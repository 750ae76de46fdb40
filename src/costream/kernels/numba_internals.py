"""All that we use of Numba's private parts, so that a new release is checked in one place.

Documented parts (``njit``, ``overload``, ``register_jitable``, ``pipeline_class``) are imported where
they are used. Undocumented, and therefore behind the cap on Numba's version in pyproject.toml:

* ``_nrt=False`` compiles without Numba's memory manager. No kernel makes an array, so none needs to
  count who holds one: a third less to compile, and a sixth less time a row.
* ``_Cache`` is the interface of a dispatcher's cache; `EntryCache` in `kernels.compile` implements it.
* ``CompileResult._reduce`` and ``_rebuild`` turn a compiled function into something that can be
  pickled, and back; ``dumps`` is the pickler that knows Numba's types. Numba's own cache would load all
  that Numba can compile (a fifth of a second, scipy.linalg among it) before it runs what is compiled.
* `PrimitiveCompiler` leaves the functions that kernels call to the kernel that links them. Numba would
  optimise each one, make machine code of it, and do so again for all that it calls.
"""

from __future__ import annotations

import pickle
from typing import Any

from numba.core.caching import _Cache as DispatcherCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.serialize import dumps

WITHOUT_MEMORY_MANAGER: dict[str, Any] = {"_nrt": False}

__all__ = [
    "WITHOUT_MEMORY_MANAGER",
    "DispatcherCache",
    "PrimitiveCompiler",
    "pack",
    "record_of",
    "unpack",
]


class LinkedCode(JITCodeLibrary):  # type: ignore[misc]  # pragma: no cover (compiled)
    """The code of a function that is linked into others, and into nothing else."""

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        self._finalized = True


class PrimitiveCompiler(Compiler):  # type: ignore[misc]  # pragma: no cover (compiled)
    """Leaves it to the kernels to optimise what they call."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing_context, target_context, library, *rest)
        context = self.state.targetctx  # a copy for this function
        self.state.library = LinkedCode(context.codegen(), "primitive")
        # What Python would call: a builtin, says Numba. Nobody does.
        context.get_executable = lambda *_: {}.update


def pack(compiled: Any) -> bytes:
    return dumps(compiled._reduce())  # type: ignore[no-any-return]


def unpack(target_context: Any, content: bytes) -> Any:
    return CompileResult._rebuild(target_context, *pickle.loads(content))


def record_of(signature: Any) -> type | None:
    """The first named tuple among the arguments of a signature."""
    return next((one.instance_class for one in signature if hasattr(one, "instance_class")), None)
