"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from uuid import uuid4

from .errors import CostreamError


def write_atomically(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file whole or not at all; ``mode`` says who may read it."""
    if not path.parent.is_dir():
        raise CostreamError(f"there is no folder for {path}", f"make {path.parent} first")
    path = Path(os.path.realpath(path))  # a link stays one
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        opener = None if mode is None else partial(os.open, mode=mode)
        with open(draft, "xb", opener=opener) as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is None and path.exists():
            draft.chmod(path.stat().st_mode)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
