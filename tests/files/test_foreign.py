"""Spreadsheets, pickles and archives get an error that says what they are."""

import io
import pickle
import zipfile

import pytest

from costream import CostreamError
from costream.files.reader import Stream


def archive(*names, mimetype=b""):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        if mimetype:
            made.writestr("mimetype", mimetype)
        for name in names:
            made.writestr(name, "x" * 100)
    return file.getvalue()


EXCEL = archive("[Content_Types].xml", "xl/workbook.xml")
ODS = archive("content.xml", mimetype=b"application/vnd.oasis.opendocument.spreadsheet")
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
PICKLES = [pickle.dumps({"x": [1, 2]}, protocol) for protocol in range(2, 6)]


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(CostreamError) as error:
        Stream(path)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.xlsx", EXCEL, "an Excel workbook"),
        ("a.csv", EXCEL, "an Excel workbook"),
        ("a.xlsx", EXCEL[:60], "an Excel workbook"),
        ("a.xls", OLD_EXCEL, "an Excel workbook"),
        ("a.ods", ODS, "an ODS spreadsheet"),
    ],
    ids=range(5),
)
def test_a_spreadsheet_is_to_be_saved_as_a_table(tmp_path, name, content, kind):
    path = tmp_path / name
    message = refused(path, content)
    assert message.startswith(f"{path} is {kind}, which is not read\nhint: save it as CSV or Parquet: ")
    new = tmp_path / ("a-table.csv" if name == "a.csv" else "a.csv")
    assert message.endswith(f"pandas.read_excel({str(path)!r}).to_csv({str(new)!r}, index=False)")


@pytest.mark.parametrize("content", PICKLES, ids=range(2, 6))
@pytest.mark.parametrize("name", ["a.pkl", "a.csv", "a.parquet", "a"])
def test_a_pickle_is_not_opened(tmp_path, name, content):
    message = refused(tmp_path / name, content)
    assert (
        " is a pickle, which is not read, since opening one can run any code\nhint: if you trust it, "
        in message
    )
    assert "pandas.read_pickle(" in message


@pytest.mark.parametrize("content", [archive("a.csv"), EXCEL[:60]], ids=["other files", "cut short"])
def test_another_archive_is_to_be_unzipped(tmp_path, content):
    message = refused(tmp_path / "a.zip", content)
    assert "is a zip archive" in message
    assert "hint: unzip it" in message
