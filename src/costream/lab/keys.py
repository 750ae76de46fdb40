"""Keys of results: other settings or other code, other keys.

All modules of ours that computing a result imports count, found by following their imports; docstrings
and comments do not. So results are computed again after any change that could make a difference. A key
depends on the version of Python, too, since it is made of compiled code.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

from .._sources import digest_of, files_behind


def key_of(what: Any, module: str) -> str:
    """Sixteen hex digits for what is computed (plain data) and for the code behind a module."""
    text = json.dumps([what, code_behind(module)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def code_behind(module: str) -> str:
    return digest_of(files_behind(module))
