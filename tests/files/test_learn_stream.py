"""Python learns from files as ``costream train`` does, to the last bit of the model file."""

import pytest

from costream import Cost, CostreamError, OnlineClassifier, Stream, load, save
from costream.files import csv
from costream.files import source as sources
from helpers.commands import compiled_only, succeed

HEADER = "amount,country,zip,card,loss,fraud\n"
ROWS = [
    f"{i % 7 / 7:.3f},{'DE' if i % 3 else 'FR'},{10000 + i % 4},c{i},{i % 5 + 1},{'yno'[i % 3]}\n"
    for i in range(1, 301)
]
COLUMNS = {"label": "fraud", "ignore": ["card"], "text": ["zip"], "fn_cost_column": "loss"}
OPTIONS = (
    *("--label", "fraud", "--ignore", "card", "--text", "zip", "--fn-cost-column", "loss"),
    *("--fp-cost", 2, "--learner", "acog-ii-diag"),
)
pytestmark = pytest.mark.filterwarnings("ignore:.* leaks the label")


def write(path, rows=slice(None)):
    path.write_text(HEADER + "".join(ROWS[rows]))
    return path


def fresh():
    return OnlineClassifier("acog-ii-diag", Cost("loss", 2.0))


def saved(model, path):
    save(model, path)
    return path.read_bytes()


@compiled_only
def test_learn_stream_equals_train(tmp_path):
    file = write(tmp_path / "rows.csv")
    succeed("train", file, *OPTIONS, "--positive", "y,n", "-o", tmp_path / "m")
    model = fresh()
    with Stream(file, positive={"y", "n"}, **COLUMNS) as stream:
        assert model.learn_stream(stream) == 300
    assert model.labels == load(tmp_path / "m").labels
    assert saved(model, tmp_path / "python") == (tmp_path / "m").read_bytes()


@compiled_only
def test_learn_stream_goes_on_as_resume_does(tmp_path):
    first, second = write(tmp_path / "a.csv", slice(150)), write(tmp_path / "b.csv", slice(150, None))
    succeed("train", first, *OPTIONS, "--positive", "y", "-o", tmp_path / "m")
    succeed("train", second, "--resume", tmp_path / "m", "-o", tmp_path / "m")
    model = fresh()
    with Stream(first, positive="y", **COLUMNS) as stream:
        model.learn_stream(stream)
    with Stream.for_model(second, model) as stream:
        model.learn_stream(stream)
    assert saved(model, tmp_path / "python") == (tmp_path / "m").read_bytes()


def test_learn_stream_equals_learn_one(tmp_path):
    file = write(tmp_path / "rows.csv")
    model, rows = fresh(), fresh_of("y")
    with Stream(file, positive="y", **COLUMNS) as stream:
        model.learn_stream(stream)
    for line in ROWS:
        amount, country, code, _, loss, label = line.strip().split(",")
        x = {
            "amount": float(amount),
            "loss": float(loss),
            f"country={country}": 1.0,
            f"zip={code}": 1.0,
        }
        rows.learn_one(x, label)
    x = {"amount": 0.5, "loss": 3.0, "country=FR": 1.0, "zip=10001": 1.0}
    assert model.score_one(x) == rows.score_one(x)
    assert model.predict_one(x) == rows.predict_one(x)


def fresh_of(positive):
    return OnlineClassifier("acog-ii-diag", Cost("loss", 2.0), positive=positive)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(csv, "ROWS", 50)


@pytest.mark.usefixtures("small_blocks")
def test_a_bad_block_leaves_those_before_it(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text(HEADER + "".join(ROWS[:200]) + "inf,DE,1,c,1,y\n")
    model = fresh()
    with (
        Stream(file, positive="y", **COLUMNS) as stream,
        pytest.raises(CostreamError, match="row 201, column amount: the value is infinite"),
    ):
        model.learn_stream(stream)
    assert 0 < model.rows <= 200
    assert model.schema.named("label") == ("fraud",)
    assert model.labels.positive == ("y",)
