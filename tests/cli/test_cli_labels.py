"""One model for the command line and for Python: its labels mean the same in both."""

import pytest

from costream import OnlineClassifier, load, save
from helpers.commands import compiled_only, costream, fail, scored, succeed
from helpers.streams import same_bits, stream

pytestmark = compiled_only
KINDS = ["ok", "fraud", "refund", "theft", "ok"]


def write_rows(path, rows=slice(None), **kinds):
    X, _ = stream(1, rows=100, width=3)
    labels = [kinds.get(kind, kind) for kind in KINDS * 20]
    lines = [f"{a!r},{b!r},{c!r},{kind}\n" for (a, b, c), kind in zip(X.tolist(), labels, strict=True)]
    path.write_text("a,b,c,label\n" + "".join(lines[rows]))
    return X[rows], labels[rows]


def dict_rows(X):
    return [dict(zip("abc", x, strict=True)) for x in X.tolist()]


@pytest.fixture
def trained(tmp_path):
    """A model of the first half of the rows, and the rest of them."""
    write_rows(tmp_path / "first.csv", slice(50))
    X, labels = write_rows(tmp_path / "second.csv", slice(50, None))
    done = costream(
        *("train", tmp_path / "first.csv", "-o", tmp_path / "m", "--learner", "carow-diag"),
        *("--positive", "fraud,theft"),
    )
    assert "label: label; positive: fraud, theft; negative: the rest" in done.stderr
    return tmp_path / "m", X, labels


def test_a_model_of_the_command_line_learns_the_same_labels_in_python(trained, tmp_path):
    path, X, labels = trained
    model = load(path)
    for x, label in zip(dict_rows(X), labels, strict=True):
        model.learn_one(x, label)
    assert {model.predict_one(x) for x in dict_rows(X)} == {"positive", "rest"}
    succeed("train", tmp_path / "second.csv", "--resume", path, "-o", tmp_path / "resumed")
    resumed = load(tmp_path / "resumed")
    assert same_bits(resumed.coef_, model.coef_)
    assert resumed.counts == model.counts == (40, 60)
    assert resumed.labels == model.labels


def test_a_model_that_went_on_in_python_works_on_the_command_line(trained, tmp_path):
    path, X, labels = trained
    model = load(path)
    model.learn_many(X, labels, names="abc")
    save(model, tmp_path / "python")
    expected = [model.predict_one(x) for x in dict_rows(X)]
    out = scored(tmp_path / "second.csv", "-m", tmp_path / "python")
    assert [line["label"] for line in out] == expected
    succeed("score", tmp_path / "second.csv", "-m", tmp_path / "python", "--learn")
    assert load(tmp_path / "python").counts == (60, 90)


def test_an_unknown_label_is_named_with_its_row(tmp_path):
    (tmp_path / "rows.csv").write_text("a,label\n1,good\n2,bad\n3,ugly\n")
    save(OnlineClassifier(classes=("good", "bad")), tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    message = fail(1, "train", tmp_path / "rows.csv", "--resume", tmp_path / "m", "-o", tmp_path / "m")
    assert "rows.csv, row 3: label ugly is neither good nor bad" in message
    assert (tmp_path / "m").read_bytes() == before
