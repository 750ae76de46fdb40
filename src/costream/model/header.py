"""The header of a model file: whether this release reads it, and the settings that it says."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from ..costs.objective import CostColumn, Objective
from ..costs.objectives import OBJECTIVES
from ..errors import CostreamError
from ..labels.labels import Labels
from ..learners import make_learner
from ..tables.schema import Schema
from .classifier import OnlineClassifier, core_of

MAGIC = b"costream-model "
VERSION = 3
DIGEST_BYTES = 32


class Beginning(NamedTuple):
    """What a file says of its model, also where this release does not read the revision."""

    revision: int
    is_read: bool
    release: str  # which has written it
    rows: int  # that it has learnt
    fresh: OnlineClassifier  # an empty model of this release, with the same settings


def beginning_of(content: bytes) -> Beginning:
    """The settings of a model, as its file says them."""
    header: dict[str, Any] = json.loads(opened(content, "the model")[0])
    learner, features = header["learner"], header["features"]
    fresh = OnlineClassifier(
        make_learner(learner["name"], **learner["params"]),
        objective_of(header),
        fit_intercept=header["fit_intercept"],
        normalize=header["normalize"],
        max_features=features["max_features"],
        hash_slots=features["hash_slots"],
        schema=schema_of(header),
    )
    core_of(fresh).set_labels(Labels.restore(header["labels"]))
    rows = int(sum(header["counts"]))
    return Beginning(learner["revision"], is_read(header), header["costream"], rows, fresh)


def opened(content: bytes, path: str) -> tuple[bytes, memoryview]:
    """The header and the bytes of the arrays, once the file is known to be whole."""
    first, _, rest = content.partition(b"\n")
    version = first[len(MAGIC) :]
    if not first.startswith(MAGIC) or not version.isdigit():
        raise CostreamError(
            f"{path} is not a costream model", "models are written by costream train and costream.save"
        )
    if len(version) > 9 or int(version) > VERSION:
        raise CostreamError(
            f"{path} has model format {version[:9].decode()}, and this release reads {VERSION}",
            "install a newer costream",
        )
    if int(version) < VERSION:
        raise CostreamError(
            f"{path} has model format {int(version)}, from before the first release, "
            f"and this release reads {VERSION}",
            "learn the model again",
        )
    body, digest = content[:-DIGEST_BYTES], content[-DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise CostreamError(f"{path} is damaged or cut short", "restore it from a copy")
    length = int.from_bytes(rest[:8], "little")
    return rest[8 : 8 + length], memoryview(body)[len(first) + 9 + length :]


def is_read(header: dict[str, Any]) -> bool:
    """Whether this release knows the revision of the learner."""
    learner, revision = make_learner(header["learner"]["name"]), header["learner"]["revision"]
    check(type(revision) is int and revision >= 1, "revision")
    return learner.oldest <= revision <= learner.revision  # type: ignore[no-any-return]


def of_another_revision(header: dict[str, Any], path: str) -> CostreamError:
    """Which release reads the file."""
    release, learner = header["costream"], make_learner(header["learner"]["name"])
    revision = header["learner"]["revision"]
    known = (
        f"{learner.oldest} to {learner.revision}"
        if learner.oldest < learner.revision
        else learner.revision
    )
    newer = revision > learner.revision
    return CostreamError(
        f"{path} has revision {revision} of {learner.name}, which costream {release} reads, and this "
        f"release reads {known}",
        f"install costream {release}" + (" or a newer one" if newer else ", or learn the model again"),
    )


def schema_of(header: dict[str, Any]) -> Schema | None:
    """What columns hold."""
    return Schema.restore(header["schema"]) if "schema" in header else None


def objective_of(header: dict[str, Any]) -> Objective:
    name, params = header["objective"]["name"], header["objective"]["params"]
    params = {
        key: CostColumn(**value) if isinstance(value, dict) else value for key, value in params.items()
    }
    return OBJECTIVES[name](**params)


def check(fine: bool, what: str) -> None:
    """Raise an error unless what a header says can be right."""
    if not fine:
        raise ValueError(f"its {what} cannot be right")
