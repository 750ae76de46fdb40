"""Files of other programs that are not read: what they are, and how to go on."""

from __future__ import annotations

import os
import zipfile
from pathlib import PurePath

from ..errors import CostreamError

ZIP, OLE2 = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
PICKLES = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
FOREIGN_MAGIC = (ZIP, OLE2, *PICKLES)
PICKLE_SUFFIXES = (".pkl", ".pickle")
WORKBOOKS = {".xlsx": "an Excel workbook", ".xlsm": "an Excel workbook", ".ods": "an ODS spreadsheet"}


def refuse_foreign(name: str, suffix: str, head: bytes, path: str | os.PathLike[str] | None) -> None:
    """Raise an error for a spreadsheet, a pickle or an archive; ``path`` is None for a pipe."""
    if suffix in PICKLE_SUFFIXES or head.startswith(PICKLES):
        raise CostreamError(
            f"{name} is a pickle, which is not read, since opening one can run any code",
            f"if you trust it, {_how_to_save(path, 'read_pickle', '.parquet', 'to_parquet')}",
        )
    kind = None
    if head.startswith(OLE2):
        kind = "an Excel workbook"
    elif head.startswith(ZIP):
        kind = WORKBOOKS.get(suffix) or _kind_of_archive(path)
        if kind is None:
            raise CostreamError(
                f"{name} is a zip archive, as Excel workbooks are, which is not read",
                "unzip it, and name the file in it; save a workbook as CSV or Parquet",
            )
    if kind is not None:
        raise CostreamError(
            f"{name} is {kind}, which is not read", _how_to_save(path, "read_excel", ".csv", "to_csv")
        )


def _how_to_save(path: str | os.PathLike[str] | None, read: str, suffix: str, write: str) -> str:
    """How a file becomes one that is read."""
    if path is None:
        return "save it as CSV or Parquet"
    given = PurePath(path)
    bare = given.with_suffix("") if given.suffix in (".gz", ".bz2", ".xz", ".zst") else given
    new = bare.with_suffix(suffix)
    new = new.with_stem(f"{new.stem}-table") if new == given else new
    index = ", index=False" if write == "to_csv" else ""
    how = f"pandas.{read}({str(given)!r}).{write}({str(new)!r}{index})"
    return f"save it as CSV or Parquet: {how}"


def _kind_of_archive(path: str | os.PathLike[str] | None) -> str | None:
    """What a zip archive is by its content; None for nothing that we know."""
    if path is None:
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if any(name.startswith("xl/") for name in names):
                return WORKBOOKS[".xlsx"]
            if "mimetype" in names and b"spreadsheet" in archive.open("mimetype").read(100):
                return WORKBOOKS[".ods"]
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        pass
    return None
