"""Text of words: how it is cut into words, which columns are such, and what is learnt from them."""

import random
import warnings

import pytest

from costream import Column, OnlineClassifier, Schema, load, save
from costream.model.classifier import core_of
from costream.tables.infer import infer
from costream.tables.layout import Layout
from costream.tables.resolution import ResolvedSchema
from costream.tables.values import as_raw
from costream.tables.words import LONGEST, MOST, words_of

chance = random.Random(4)
COMMON = ["the", "to", "and", "of", "is", "you", "in", "it", "for", "we", "not", "your", "on", "was"]
RARE = [
    a + b + c for a in ("re", "con", "pro", "ex") for b in "abcdefgh" for c in ("tion", "ting", "ed")
]
NAMES = ["Anna", "John", "Maria", "Ahmed", "Li", "Olga", "Peter", "Fatima", "Jose", "Ingrid"]
STREETS = ["Main Street", "Oak Avenue", "Station Road", "Mill Lane", "Park Drive", "High Street"]
ROWS = 400


def sentence(words=10):
    found = chance.choices(COMMON, k=words // 2) + chance.choices(RARE, k=words - words // 2)
    return " ".join(chance.sample(found, len(found))).capitalize() + chance.choice(".!?")


def number(digits):
    return str(chance.randrange(10 ** (digits - 1), 10**digits))


def code(length):
    return "".join(chance.choices("0123456789abcdef", k=length))


# --- the words of a text ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Free entry! FREE prizes, free.", {"free": 3, "entry": 1, "prizes": 1}),
        ("don't \u2019quote\u2019 it\u2019s 'so'", {"don't": 1, "quote": 1, "it\u2019s": 1, "so": 1}),
        ("Straße STRASSE", {"strasse": 2}),
        ("cafe\u0301 caf\u00e9", {"caf\u00e9": 2}),
        (
            "error_code=404 on 2024-01-31",
            {"error_code": 1, "404": 1, "on": 1, "2024": 1, "01": 1, "31": 1},
        ),
        ("call 09061701461 or 12345", {"call": 1, "###########": 1, "or": 1, "#####": 1}),
        ("x" * 50, {"x" * LONGEST: 1}),
        ("... !?", {}),
        ("", {}),
    ],
)
def test_words_of_a_text(text, words):
    assert words_of(text) == words
    assert list(words_of(text)) == list(words)


# --- which columns are words ------------------------------------------------------------------------

ARE_WORDS = {
    "messages": lambda: sentence(chance.randrange(5, 20)),
    "short messages": lambda: sentence(chance.randrange(2, 9)),
    "titles": lambda: sentence(4).title(),
    "log lines": lambda: (
        f"WARN connection from 10.0.{number(2)}.{number(2)} refused after {number(3)} ms"
    ),
    "queries": lambda: f"SELECT name, age FROM {chance.choice(RARE)} WHERE id = {number(6)}",
    "addresses": lambda: f"{number(2)} {chance.choice(STREETS)}, {chance.choice(RARE)}, IL {number(5)}",
}
ARE_NOT_WORDS = {
    "names": lambda: f"{chance.choice(NAMES)}son{code(4)}, {chance.choice(NAMES)}",
    "identifiers": lambda: f"{code(8)}-{code(4)}-{code(4)}-{code(12)}",
    "random codes": lambda: f"{code(6)} {code(6)} {code(6)} {code(6)}",
    "bank accounts": lambda: (
        f"DE{number(2)} {number(4)} {number(4)} {number(4)} {number(4)} {number(2)}"
    ),
    "phone numbers": lambda: f"+49 {number(3)} {number(4)} {number(3)}",
    "web addresses": lambda: f"https://www.shop.example/{chance.choice(RARE)}/item?id={number(5)}",
    "mail addresses": lambda: f"{chance.choice(NAMES)}.{code(5)}@mail.example",
    "amounts": lambda: f"EUR {number(3)}.{number(2)}",
    "dates": lambda: f"{number(1)} March 20{number(2)}",
    "shops that come back": lambda: f"{chance.choice(STREETS)} coffee shop {chance.randrange(1, 20)}",
    "few values": lambda: chance.choice(["a man in the street", "a dog on the train", "it is late"]),
    "words alone": lambda: chance.choice(RARE) + code(3),
}


def inferred(make, name="note", overrides=None, rows=ROWS):
    found = infer(
        {name: as_raw([make() for _ in range(rows)], name)}, overrides or Schema(), {}, text_file=True
    )
    return found.columns[0], found.remarks


@pytest.mark.parametrize("what", ARE_WORDS)
def test_what_is_words(what):
    column, remarks = inferred(ARE_WORDS[what])
    assert column == Column("note", "text", words=True)
    assert len(remarks) == 1
    for part in ("note is read as words", "--text note", "--ignore note", "Schema({'note': \"text\"})"):
        assert part in remarks[0]


@pytest.mark.parametrize("what", ARE_NOT_WORDS)
def test_what_is_not_words(what):
    column, remarks = inferred(ARE_NOT_WORDS[what])
    assert not column.words
    assert not any("words" in one for one in remarks)


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("text", Column("note", "text", target_encoding=True, exact=True)),
        ("left out", Column("note", "left out")),
        ("words", Column("note", "text", words=True)),
    ],
)
def test_what_the_user_says_counts(kind, column):
    assert inferred(ARE_WORDS["messages"], overrides=Schema({"note": kind})) == (column, [])


def resolved(layout, **columns):
    sample = {name: as_raw(values, name) for name, values in columns.items()}
    found = ResolvedSchema(layout, list(columns))
    found.resolve(sample)
    return found.schema.by_name


MESSAGES = [sentence() for _ in range(100)]


@pytest.mark.parametrize(
    ("overrides", "others", "rate"),
    [
        (Schema(), {}, False),
        (Schema(), {"amount": [1.5] * 100}, True),
        (Schema(), {"subject": MESSAGES[::-1]}, False),
        (Schema({"note": "words"}), {"amount": [1.5] * 100}, True),
        (Schema([Column("note", "words")]), {"amount": [1.5] * 100}, False),
    ],
    ids=["alone", "a number", "more words", "only the kind is given", "all is given"],
)
def test_words_beside_other_columns_are_rates(overrides, others, rate):
    layout = Layout(schema=overrides)
    assert resolved(layout, note=MESSAGES, **others)["note"] == Column(
        "note", "text", target_encoding=rate, words=True
    )


# --- models -----------------------------------------------------------------------------------------

COUNTED = Schema([Column("note", "text", words=True)])


def model_of(schema=COUNTED):
    return OnlineClassifier("carow-diag", schema=schema, positive=1)


def test_each_word_is_a_feature_with_its_count():
    model = model_of()
    model.learn_one({"note": "Buy, buy now: missing"}, 1)
    assert model.feature_names == ["note=buy", "note=now", "note=missing"]
    assert core_of(model).row.read_dict({"note": "now or Now"}) == {"note=now": 2.0, "note=or": 1.0}


@pytest.mark.parametrize("rate", [False, True])
@pytest.mark.parametrize("words", [MOST, MOST + 1])
def test_a_text_of_too_many_words_is_cut_and_told_of_once(words, rate):
    schema = Schema([Column("note", "text", words=True, target_encoding=rate)])
    rows = [{"note": " ".join(f"w{at}" for at in range(words))}] * 2
    one, many = model_of(schema), model_of(schema)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = [one.learn_one(row, 1) for row in rows]
        assert many.prequential(rows, [1, 1]).tolist() == scores
    messages = {str(warning.message) for warning in caught}
    assert len(caught) == (2 if words > MOST else 0)  # of each model
    assert messages <= {"column note: only the first 1,000 words of a value are read, and one has more"}


@pytest.mark.parametrize("rate", [False, True])
def test_a_model_goes_on_after_it_was_saved(tmp_path, rate):
    schema = Schema([Column("note", "text", words=True, target_encoding=rate)])
    rows = [{"note": sentence()} for _ in range(60)]
    labels = [int("the" in row["note"]) for row in rows]
    whole, first = model_of(schema), model_of(schema)
    scores = whole.prequential(rows, labels)
    first.learn_many(rows[:30], labels[:30])
    save(first, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.schema == schema
    assert again.prequential(rows[30:], labels[30:]).tolist() == scores[30:].tolist()


# --- what is learnt ---------------------------------------------------------------------------------


def messages(rows, seed=3):
    """Messages of 8 to 15 words, some of which tell the class; one in ten is positive."""
    draw = random.Random(seed)
    usual, telling, calming = RARE[:-10], RARE[-10:-4], RARE[-4:]
    found = []
    for _ in range(rows):
        positive = draw.random() < 0.1
        words = draw.choices(usual, k=draw.randrange(8, 16))
        if draw.random() < (0.9 if positive else 0.02):
            words[0] = draw.choice(telling)
        if draw.random() < (0.02 if positive else 0.5):
            words[-1] = draw.choice(calming)
        found.append((" ".join(draw.sample(words, len(words))), int(positive)))
    return found
