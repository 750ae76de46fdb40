"""Errors that a newcomer meets: one sentence, and a hint that is right; nothing is printed before."""

import pytest

from helpers.commands import compiled_only, costream

pytestmark = compiled_only
TRAIN = ("train", "cards.csv", "--label", "fraud", "-o", "m")
CASES = {
    "a missing file": (
        (1, "train", "card.csv", "-o", "m"),
        "error: there is no file card.csv\nhint: did you mean cards.csv?\n",
    ),
    "a wrong label column": (
        (1, "train", "cards.csv", "--label", "frod", "-o", "m"),
        "error: cards.csv: there is no column frod (there are a, amount, fraud)\n"
        "hint: did you mean fraud?\n",
    ),
    "no label column": (
        (1, "train", "cards.csv", "-o", "m"),
        "error: cards.csv: no column is called label, target, class or y\n"
        "hint: name the column of the label: --label COLUMN, or label= in Python\n",
    ),
    "an unknown learner": (
        (2, *TRAIN, "-l", "carrow"),
        "error: unknown learner 'carrow'\nhint: did you mean 'carow'?\n",
    ),
    "a cost that is a column": (
        (2, *TRAIN, "--fn-cost", "amount", "--fp-cost", "5"),
        "error: --fn-cost takes a number, not 'amount'\n"
        "hint: for a column of costs use --fn-cost-column COLUMN\n",
    ),
    "no label in the data": (
        (1, "train", "unlabelled.csv", "--label", "fraud", "-o", "m"),
        "error: unlabelled.csv: no row at the start has a label\n"
        "hint: name the label column (--label); in LIBSVM text the label comes first in each line; "
        "if labels come later, name the positive ones (--positive)\n",
    ),
    "another format": (
        (1, *TRAIN, "--format", "parquet"),
        "error: cards.csv is not a Parquet file\nhint: leave out the format (--format) to detect it\n",
    ),
    "not a model": (
        (1, "inspect", "cards.csv"),
        "error: cards.csv is not a costream model\n"
        "hint: models are written by costream train and costream.save\n",
    ),
    "a misspelt option": (
        (2, "train", "cards.csv", "--labl", "fraud", "-o", "m"),
        "error: no such option '--labl'\nhint: did you mean --label?\n",
    ),
    "a misspelt command": (
        (2, "trian"),
        "error: no such command 'trian'\nhint: did you mean train?\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_error_comes_alone_with_a_hint(tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cards.csv").write_text("a,amount,fraud\n1,7,1\n2,5,0\n3,9,1\n4,2,0\n")
    (tmp_path / "unlabelled.csv").write_text("a,amount,fraud\n1,7,\n2,5,\n")
    (code, *words), expected = CASES[case]
    done = costream(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", expected)
    assert not (tmp_path / "m").exists()
