"""A tiny data set in the catalogue, with nothing else at hand."""

import hashlib
import os
import struct

import pytest

from costream import CostreamError
from costream.datasets.catalogue import CatalogueEntry, entries, load
from costream.kernels.compile import cache_folder
from helpers.commands import data_file

TEXT = b"+1 1:0.5 3:-2\n-1 2:4\n+1 3:1 1:8\n-1\n"
OTHER = TEXT.replace(b"0.5", b"0.25")  # of the same counts
TABLE = b"0.5,0,-2,h\n0,4,0,g\n8,0,1,h\n\n0,0,0,g\n"
START, INDEX, VALUE, POSITIVE = (
    (0, 2, 3, 5, 5),
    (1, 3, 2, 1, 3),
    (0.5, -2.0, 4.0, 8.0, 1.0),
    (1, 0, 1, 0),
)
CONTENT = struct.pack("<5Q5I5d4B", *START, *INDEX, *VALUE, *POSITIVE)
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()[:24]
DATA = os.environ.get("COSTREAM_DATA", "")


def nothing_at_hand(tmp_path, monkeypatch):
    """The folder of downloads, which is not there yet; no data are found elsewhere."""
    cache_folder()  # that of compiled code stays where it is
    monkeypatch.setenv("COSTREAM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("COSTREAM_DATA", raising=False)
    return tmp_path / "cache" / "data"


def real_file(monkeypatch, name):
    """A file of the paper's data, which is not found by itself."""
    with monkeypatch.context() as patch:
        patch.setenv("COSTREAM_DATA", DATA)
        return data_file(name)


def enter(monkeypatch, **changes):
    """Enter a tiny data set into the catalogue."""
    known = {
        "name": "tiny",
        "title": "Tiny",
        "files": ("tiny.libsvm", "tiny.txt"),
        "home": "https://example.org/tiny",
        "rows": 4,
        "features": 3,
        "positives": 2,
        "checksums": (CHECKSUM,),
    }
    entry = CatalogueEntry(**{**known, **changes})
    monkeypatch.setitem(entries(), entry.name, entry)
    return entry


def write(path, content=TEXT):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def complaint(*arguments, error=CostreamError, **options):
    with pytest.raises(CostreamError) as found:
        load(*arguments, **options)
    assert type(found.value) is error
    return str(found.value)
