"""Save and load a model: one file, versioned, checksummed, written atomically, without pickle.

costream-model 3\\n      the version of the format
8 bytes                 the length of the header
header                  JSON: the release that wrote it, learner, objective, labels, features, counts,
                        and the table of arrays
arrays                  little-endian, in the order of the table
32 bytes                SHA-256 of all that stands before

A file says the revision of its learner, and what its model is made of where that is data: a later
revision reads it, and the model scores and learns as it did.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import math
import os
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import IO, Any

import numpy as np

from .._files import write_atomically
from ..costs.learning import RowCosts
from ..costs.objective import CostColumn, Objective
from ..errors import CostreamError
from ..kernels.platt import new_platt
from ..kernels.records import State, with_fields
from ..labels.labels import Labels
from ..learners import Learner, make_learner
from ..learners.making import of_revision
from ..learners.states import arrays_of, check_memory
from ..tables.coverage import Coverage
from ..tables.leakage import LOOKS, Leakage
from ..tables.naming import ENCODING_BITS
from .calibration import Calibration
from .classifier import OnlineClassifier, classifier_of, core_of
from .core import Core
from .encoder import Encoder
from .features import Features
from .header import MAGIC, VERSION, check, is_read, objective_of, of_another_revision, opened, schema_of
from .saving import SavedModel
from .target_encoding import TargetEncoding


def save(model: SavedModel, path: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write a model into a file, without pickle.

    A file that is named is replaced atomically: after a crash it is the old one or the new one.

    Parameters
    ----------
    model : OnlineClassifier, or CostSensitiveClassifier of costream.sklearn or costream.river
        The model; ``model.save(path)`` is the same.
    path : str, path-like or binary file object
        Where to write it.

    Raises
    ------
    CostreamError
        If the folder does not exist, or a label or a feature name is neither a string nor a number.

    See Also
    --------
    load : Read a model.
    dumps : The same as bytes.

    Examples
    --------
    >>> import tempfile, os
    >>> from costream import OnlineClassifier, load, save
    >>> model = OnlineClassifier("carow-diag")
    >>> _ = model.learn_one({"amount": 0.9}, 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.costream"))
    ...     again = load(os.path.join(folder, "model.costream"))
    >>> again.score_one({"amount": 0.5}) == model.score_one({"amount": 0.5})
    True
    """
    content = dumps(model)
    if isinstance(path, str | os.PathLike):
        write_atomically(Path(path), content)
        return
    try:
        path.write(content)
    except (TypeError, AttributeError, io.UnsupportedOperation):
        raise CostreamError(
            f"a model cannot be written to {path!r:.60}", 'use a path, or a file opened with "wb"'
        ) from None


def dumps(model: SavedModel) -> bytes:
    """Give a model as the bytes of its file, for a database or a message queue.

    Parameters
    ----------
    model : OnlineClassifier, or CostSensitiveClassifier of costream.sklearn or costream.river
        The model; ``model.dumps()`` is the same.

    Returns
    -------
    bytes
        What `save` would write.

    See Also
    --------
    loads : Read a model from bytes.

    Examples
    --------
    >>> from costream import OnlineClassifier, dumps, loads
    >>> model = OnlineClassifier("carow-diag")
    >>> _ = model.learn_one({"amount": 0.9}, 1)
    >>> loads(dumps(model)).score_one({"amount": 0.5}) == model.score_one({"amount": 0.5})
    True
    """
    if not isinstance(model, SavedModel):
        raise CostreamError(
            f"expected an OnlineClassifier, not a {type(model).__name__}",
            "models of costream can be saved, and no others",
        )
    return _content_of(model._to_saved())


def _content_of(model: OnlineClassifier) -> bytes:
    """The content of the file of a model."""
    core = core_of(model).parts()
    encoder, row_costs, learner = core["encoder"], core["row_costs"], core["learner"]
    calibration = core["calibration"]
    arrays = {
        name: one
        for name, one in arrays_of(learner, core["state"]).items()
        if one.size or name in learner.elastic  # those of views that a model does not have are empty
    }
    header = {
        "costream": installed_version("costream"),
        "learner": _learner_header(learner, core["state"]),
        "objective": {"name": row_costs.objective.name, "params": _sources(row_costs.objective)},
        "counts": [float(row_costs.positives), float(row_costs.negatives)],
        **({"recent": [*map(float, row_costs.recent)]} if row_costs.fades else {}),
        **({"typical_costs": row_costs.clipping.counts} if row_costs.clipping else {}),
        **({} if calibration is None else {"calibration": calibration.numbers.tolist()}),
        "labels": _plain(core["labels"].header()),
        "fit_intercept": encoder.fit_intercept,
        "normalize": encoder.normalize,
        "features": {
            "max_features": _plain(encoder.features.max_features),
            "hash_slots": _plain(encoder.features.hash_slots),
            "count": encoder.features.count,
            "names": None if encoder.features.names is None else _plain([*encoder.features.names]),
        },
        **({} if encoder.schema is None else {"schema": _plain(encoder.schema.header())}),
        **({"open_schema": True} if encoder.schema is not None and not encoder.is_resolved else {}),
        **({"by_type": True} if encoder.by_type else {}),
        **_encoding_header(encoder.target_encoding),
        **({"times": _plain(encoder.coverage.header())} if encoder.coverage else {}),
        "leakage": _plain(core["leakage"].header()),
        "notes": _plain(model.notes),
        "arrays": [[name, a.dtype.str, list(a.shape)] for name, a in arrays.items()],
    }
    text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
    parts = [MAGIC + f"{VERSION}\n".encode(), len(text).to_bytes(8, "little"), text]
    parts += [np.ascontiguousarray(a).tobytes() for a in arrays.values()]
    content = b"".join(parts)
    return content + hashlib.sha256(content).digest()


def load(path: str | os.PathLike[str] | IO[bytes]) -> OnlineClassifier:
    """Read a model; it goes on learning where it was saved, bit for bit.

    ``CostSensitiveClassifier.load(path)`` reads a file as an estimator of scikit-learn or of River.

    Parameters
    ----------
    path : str, path-like or binary file object
        A file that `save` or the command line has written.

    Returns
    -------
    OnlineClassifier
        The model; of an adapter, the model inside.

    Raises
    ------
    CostreamError
        If the file is damaged, or another release reads it.

    See Also
    --------
    save : Write a model, with an example.
    loads : Read a model from bytes.
    """
    if isinstance(path, str | os.PathLike):
        return _parsed(Path(path).read_bytes(), os.fspath(path))
    content = None
    with contextlib.suppress(io.UnsupportedOperation):  # a file that was opened for writing
        content = path.read() if hasattr(path, "read") else None
    if not isinstance(content, bytes):
        raise CostreamError(
            f"a model cannot be read from {path!r:.60}",
            'use a path, or a file opened with "rb"; loads is for bytes',
        )
    return _parsed(content, str(getattr(path, "name", "the file")))


def loads(content: bytes) -> OnlineClassifier:
    """Read a model from the bytes of its file.

    Parameters
    ----------
    content : bytes
        What `dumps` gave, or the content of a file.

    Returns
    -------
    OnlineClassifier
        The model, as `load` reads it.
    """
    if not isinstance(content, bytes | bytearray | memoryview):
        raise CostreamError(
            f"a model cannot be read from {content!r:.60}",
            "loads is for bytes; load is for a path or an open file",
        )
    return _parsed(bytes(content), "the content")


def _parsed(content: bytes, name: str) -> OnlineClassifier:
    header, data = opened(content, name)
    try:
        parsed = json.loads(header)
        if is_read(parsed):
            return _restore(parsed, data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise CostreamError(f"{name} is not a model that this release can read: {error}") from None
    raise of_another_revision(parsed, name)


def _learner_header(learner: Learner, state: State) -> dict[str, Any]:
    revision, composition = learner.composition(state)
    return {
        "name": learner.name,
        "revision": revision,
        "params": _plain(_params(learner)),
        **({} if composition is None else {"composition": _plain(composition)}),
    }


def _restore(header: dict[str, Any], data: memoryview) -> OnlineClassifier:
    features, labels = header["features"], Labels.restore(header["labels"])
    counts = header["counts"]
    check(set(features) == {"max_features", "hash_slots", "count", "names"}, "features")
    check(isinstance(header["fit_intercept"], bool), "fit_intercept")
    check(isinstance(header["normalize"], bool), "normalize")
    check(isinstance(header["notes"], dict), "notes")
    check(len(counts) == 2 and all(0.0 <= count < float("inf") for count in counts), "counts")
    objective = objective_of(header)
    made = header["learner"]
    learner = of_revision(make_learner(made["name"], **made["params"]), made["revision"])
    encoder = Encoder(
        Features(**features),
        header["normalize"],
        header["fit_intercept"],
        schema_of(header),
        _target_encoding(header),
        bool(header.get("by_type", False)),
        not header.get("open_schema", False),
        Coverage.restore(header.get("times", {})),
    )
    check(0 <= encoder.features.count <= encoder.features.limit, "count")
    smallest = learner.composed(made["revision"], made.get("composition"), 1)
    check_memory(learner, encoder.size, smallest)
    half_life = getattr(learner, "half_life", None)
    row_costs = RowCosts(objective, learner.cost_sensitive, counts[0], counts[1])
    row_costs.learner_half_life = half_life
    if "typical_costs" in header:
        row_costs.clip(header["typical_costs"])
    if row_costs.fades:
        row_costs.recent_positives, row_costs.recent_negatives = map(float, header["recent"])
    state = _filled(learner, encoder.size, header, data)
    calibration = _calibration(header)
    core = Core(learner, labels, encoder, row_costs, state, calibration, _leakage(header))
    return classifier_of(core, header["notes"])


def _encoding_header(encoding: TargetEncoding | None) -> dict[str, Any]:
    """A target encoding as lists, if there is one: only the slots in use."""
    if encoding is None:
        return {}
    return {"target_encoding": {name: array.tolist() for name, array in encoding.parts().items()}}


def _target_encoding(header: dict[str, Any]) -> TargetEncoding | None:
    if "target_encoding" not in header:
        return None
    kinds = {"slot": np.int64, "seen": np.float64, "positive": np.float64, "base": np.float64}
    given = header["target_encoding"]
    check(set(given) == set(kinds), "target_encoding")
    return TargetEncoding.restore(
        ENCODING_BITS, {name: np.array(given[name], kinds[name]) for name in kinds}
    )


def _sources(objective: Objective) -> dict[str, Any]:
    """The parameters of an objective; a column of costs as an object."""
    params = {
        key: dict(vars(value)) if isinstance(value, CostColumn) else value
        for key, value in vars(objective).items()
    }
    return _plain(params)  # type: ignore[no-any-return]


def _calibration(header: dict[str, Any]) -> Calibration | None:
    """Of a learner without probabilities."""
    if "calibration" not in header:
        return None
    numbers = np.array(header["calibration"], np.float64)
    check(numbers.shape == new_platt().shape and bool(np.isfinite(numbers).all()), "calibration")
    return Calibration(numbers)


def _leakage(header: dict[str, Any]) -> Leakage:
    """What columns leak the labels, as far as rows have been looked at."""
    given = header["leakage"]
    positive, other, found = given["positive"], given["other"], given["found"]
    check(all(type(one) is int and 0 <= one <= LOOKS[-1] for one in (positive, other)), "leakage")
    check(isinstance(found, dict) and all(isinstance(one, str) for one in found.values()), "leakage")
    return Leakage(positive, other, found)


def _filled(learner: Learner, size: int, header: dict[str, Any], data: memoryview) -> State:
    """A state with the arrays of a file; they must be those of the learner."""
    table, made = header["arrays"], header["learner"]
    fresh = learner.composed(made["revision"], made.get("composition"), size)
    named = {name for name, _, _ in table}
    fixed = {name: one for name, one in arrays_of(learner, fresh).items() if one.size or name in named}
    expected = {**fixed, **_elastic(learner, fresh, table, len(data))}
    check(table == [[n, a.dtype.str, list(a.shape)] for n, a in expected.items()], "table of arrays")
    check(sum(array.nbytes for array in expected.values()) == len(data), "length")
    arrays, place = {}, 0
    for name, like in expected.items():
        array = np.frombuffer(data, like.dtype, like.size, place).reshape(like.shape)
        arrays[name] = array.copy()
        place += array.nbytes
    filled = with_fields(fresh, **arrays)
    check(learner.composition(filled) == learner.composition(fresh), "composition")
    check(learner.is_consistent(filled), "state")
    return filled


def _elastic(learner: Learner, fresh: State, table: list[Any], length: int) -> dict[str, Any]:
    """Arrays of a learner that are as long as the table says, and no longer than the file."""
    lengths = {name: shape[0] for name, _, shape in table}
    found = {}
    for name in lengths.keys() & set(learner.elastic):
        like, rows = fresh._asdict()[name], lengths[name]
        check(isinstance(rows, int) and 0 <= rows * max(like[:1].nbytes, 1) <= length, "lengths")
        found[name] = np.empty((rows, *like.shape[1:]), like.dtype)
    return found


def _params(learner: Learner) -> dict[str, Any]:
    """The hyper-parameters, names as a list: JSON has no tuple."""
    params = learner.get_params()
    return {key: list(one) if isinstance(one, tuple) else one for key, one in params.items()}


def _plain(value: Any) -> Any:
    """What JSON can hold, the same after a round trip; an error names what it cannot."""
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) and value.encode(errors="replace").decode() == value:
        return value
    if value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise CostreamError(
        f"{value!r} cannot be saved in a model file",
        "use strings or numbers as labels and as names of features",
    )
