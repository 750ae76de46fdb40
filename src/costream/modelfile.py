"""Save and load a model: one file, versioned, checksummed, written atomically, without pickle.

costream-model 1\\n      the version of the format
8 bytes                 the length of the header
header                  JSON: learner, objective, labels, features, counts, the table of arrays
arrays                  little-endian, in the order of the table
32 bytes                SHA-256 of all that stands before
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

import numpy as np

from .classifier import OnlineClassifier
from .errors import CostreamError
from .labels import Labels
from .learners import make_learner
from .objective import OBJECTIVES

MAGIC = b"costream-model "
VERSION = 1
DIGEST_BYTES = 32


def save(model: OnlineClassifier, path: str | os.PathLike[str]) -> None:
    """Write a model; the file is either the old one or the new one, never half of either."""
    state = model.__getstate__()
    encoder, pricing, learner = state["_encoder"], state["_pricing"], state["learner"]
    arrays = {
        name: field
        for name, field in state["_model"]._asdict().items()
        if isinstance(field, np.ndarray)
    }
    header = {
        "costream": installed_version("costream"),
        "learner": {"name": learner.name, "params": _plain(learner.get_params())},
        "objective": {"name": pricing.objective.name, "params": _plain(vars(pricing.objective))},
        "counts": [float(pricing.positives), float(pricing.negatives)],
        "labels": _plain(vars_of_labels(state["labels"])),
        "intercept": encoder.intercept,
        "normalize": encoder.normalize,
        "features": {
            "max_features": _plain(encoder.features.max_features),
            "hash_slots": _plain(encoder.features.hash_slots),
            "count": encoder.features.count,
            "names": None if encoder.features.names is None else _plain([*encoder.features.names]),
        },
        "notes": _plain(state["notes"]),
        "arrays": [[name, a.dtype.str, list(a.shape)] for name, a in arrays.items()],
    }
    text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
    parts = [MAGIC + f"{VERSION}\n".encode(), len(text).to_bytes(8, "little"), text]
    parts += [np.ascontiguousarray(a).tobytes() for a in arrays.values()]
    content = b"".join(parts)
    _write_atomically(Path(path), content + hashlib.sha256(content).digest())


def load(path: str | os.PathLike[str]) -> OnlineClassifier:
    """Read a model that goes on where it was saved, bit for bit."""
    content = Path(path).read_bytes()
    header, data = _open(content, path)
    try:
        return _restore(header, data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise CostreamError(f"{path} is not a model that this release can read: {error}") from None


def _open(content: bytes, path: Any) -> tuple[dict[str, Any], memoryview]:
    """The header and the bytes of the arrays, once the file is known to be whole."""
    first, _, rest = content.partition(b"\n")
    if not first.startswith(MAGIC) or not first[len(MAGIC) :].isdigit():
        raise CostreamError(f"{path} is not a costream model")
    version = int(first[len(MAGIC) :])
    if version > VERSION:
        raise CostreamError(
            f"{path} has model format {version}, and this release reads up to {VERSION}",
            "install a newer costream",
        )
    body, digest = content[:-DIGEST_BYTES], content[-DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise CostreamError(f"{path} is damaged or cut short", "restore it from a copy")
    length = int.from_bytes(rest[:8], "little")
    return json.loads(rest[8 : 8 + length]), memoryview(body)[len(first) + 9 + length :]


def _restore(header: dict[str, Any], data: memoryview) -> OnlineClassifier:
    features = header["features"]
    objective = OBJECTIVES[header["objective"]["name"]](**header["objective"]["params"])
    model = OnlineClassifier(
        make_learner(header["learner"]["name"], **header["learner"]["params"]),
        objective,
        intercept=header["intercept"],
        normalize=header["normalize"],
        max_features=features["max_features"],
        hash_slots=features["hash_slots"],
    )
    state = model.__getstate__()
    state["labels"] = Labels(**header["labels"])
    state["notes"] = header["notes"]
    state["_pricing"].positives, state["_pricing"].negatives = header["counts"]
    encoder = state["_encoder"]
    encoder.features = type(encoder.features)(**features)
    state["_model"] = _filled(model.learner.state(encoder.size), header["arrays"], data)
    model.__setstate__(state)
    return model


def _filled(fresh: Any, table: list[Any], data: memoryview) -> Any:
    """A state with the arrays of a file; they must be those of the learner."""
    expected = [
        [name, field.dtype.str, list(field.shape)]
        for name, field in fresh._asdict().items()
        if isinstance(field, np.ndarray)
    ]
    if table != expected:
        raise ValueError("its arrays are not those of its learner")
    arrays, place = {}, 0
    for name, dtype, shape in table:
        count = int(np.prod(shape))
        array = np.frombuffer(data, dtype, count, place).reshape(shape)
        arrays[name] = array.copy()
        place += array.nbytes
    return fresh._replace(**arrays)


def vars_of_labels(labels: Labels) -> dict[str, Any]:
    return {key: getattr(labels, key) for key in ("negative", "positive", "named")}


def _plain(value: Any) -> Any:
    """What JSON can hold, the same after a round trip; an error names what it cannot."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise CostreamError(
        f"{value!r} cannot be written into a model file",
        "use strings or numbers as labels and as names of features",
    )


def _write_atomically(path: Path, content: bytes) -> None:
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(draft, path.stat().st_mode if path.exists() else 0o644)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
