"""What the command line detects in the columns of a table, and the options that overrule it."""

import json
import re

import pytest

from costream import Column, load
from helpers.commands import compiled_only, costream, fail, scored, succeed

pytestmark = compiled_only
QUICK = ("-l", "carow-diag")


def write(path, header, *rows, times=30):
    """A table whose last column is the label: the same rows again and again."""
    lines = [f"{row},{t % 2}" for t in range(times) for row in rows]
    path.write_text("\n".join([f"{header},label", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def mixed(tmp_path):
    """A table with columns of all kinds."""
    rows = [
        f"c{7919 * t % 999:03d},{t % 5}.5,{'FR' if t % 3 else 'DE'},{'true' if t % 4 else 'false'},"
        f"2024-01-{1 + t // 24:02d} {t % 24:02d}:00,s{t % 50},{'x' if t % 2 else 'y'}"
        for t in range(120)
    ]
    return write(tmp_path / "rows.csv", "customer,amount,country,vip,when,shop,note", *rows, times=1)


def train(path, *options):
    """The kinds of the columns of a model that was trained, and what was said."""
    model = path.with_name("m")
    done = costream("train", path, "-o", model, *QUICK, *options)
    assert done.returncode == 0, done.stderr
    return {one.name: one for one in load(model).schema.columns}, done.stderr


# --- what is said -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["train", "evaluate", "compare"])
def test_the_kinds_of_columns_are_said_in_one_line(mixed, command):
    words = {"train": ("-o", mixed.with_name("m")), "compare": ("--no-report",)}.get(command, ())
    said = costream(command, mixed, *QUICK, *words, "--ignore", "note").stderr
    (line,) = [line for line in said.splitlines() if line.startswith("columns: ")]
    assert line == (
        "columns: 1 number (amount), 2 text (country, shop), 1 yes/no (vip), 1 time (when), "
        "1 id left out (customer), 1 more left out (note)"
    )


def test_of_many_columns_the_first_four_are_named(tmp_path):
    path = write(tmp_path / "rows.csv", "a,b,c,d,e", "1,2,3,4,5", "5,4,3,2,1")
    assert "columns: 5 numbers (a, b, c, d, ...)\n" in train(path)[1]


def test_text_of_many_values_is_said_to_be_a_rate(mixed):
    said = train(mixed)[1]
    assert "shop: many values, so its running rate of positives is the feature\n" in said
    (line,) = [line for line in said.splitlines() if line.startswith("text: ")]
    assert line.startswith("text: country, note; ")


def test_marks_of_missing_numbers_are_no_text(tmp_path):
    path = write(tmp_path / "rows.csv", "amount", "1.5", "2.5", "")
    assert "text:" not in train(path)[1]


def test_libsvm_has_no_columns_to_speak_of(tmp_path):
    (tmp_path / "rows.libsvm").write_text("1 1:1\n-1 2:1\n" * 20)
    assert "columns:" not in costream("evaluate", tmp_path / "rows.libsvm", *QUICK).stderr


@pytest.fixture
def notes(tmp_path):
    """A table of messages."""
    rows = [f"the {one} train will leave at {at}" for at in range(20) for one in ("late", "fast")]
    return write(tmp_path / "rows.csv", "note", *rows, times=1)


def test_words_are_said_with_the_options_that_undo_them(notes):
    columns, said = train(notes)
    assert columns["note"] == Column("note", "text", words=True)
    assert "columns: 1 text of words (note)\n" in said
    assert "note is read as words" in said
    for option, kind in re.findall(r"(--\w+) note (\w+)", said):
        column, rest = train(notes, option, "note")
        assert (column["note"].words, "of words" in rest) == (False, False), (option, kind)
    assert re.findall(r"--\w+ note", said) == ["--text note", "--ignore note"]


def test_beside_other_columns_the_rates_of_words_are_the_features(notes):
    lines = notes.read_text().splitlines()
    changed = [f"amount,{lines[0]}", *(f"{t}.5,{line}" for t, line in enumerate(lines[1:]))]
    notes.write_text("\n".join(changed) + "\n")
    columns, said = train(notes)
    assert columns["note"] == Column("note", "text", target_encoding=True, words=True)
    assert "columns: 1 number (amount), 1 text of words (note)\n" in said
    assert "note: the running rates of positives of the words are the features\n" in said
    assert load(notes.with_name("m")).feature_names[:3] == ["amount", "note rate", "note highest rate"]


# --- the options --------------------------------------------------------------------------------


def test_number_reads_what_is_no_number_as_missing(tmp_path):
    path = write(tmp_path / "rows.csv", "amount", "1.5", "2.5", "much", "more", "less")
    assert train(path)[0]["amount"].kind == "text"
    assert train(path, "--number", "amount")[0]["amount"].kind == "number"


def test_text_makes_text_of_numbers(tmp_path):
    path = write(tmp_path / "rows.csv", "zip", "10115", "20095")
    assert train(path)[0]["zip"].kind == "number"
    assert train(path, "--text", "zip")[0]["zip"].kind == "text"


def test_words_makes_words_of_text(tmp_path):
    path = write(tmp_path / "rows.csv", "note", "late train", "fast train")
    assert not train(path)[0]["note"].words
    columns, said = train(path, "--words", "note")
    assert columns["note"] == Column("note", "text", words=True)
    assert "is read as words" not in said
    assert load(path.with_name("m")).feature_names == ["note=late", "note=train", "note=fast"]


def test_time_reads_digits_as_dates(tmp_path):
    path = write(tmp_path / "rows.csv", "day", "20240131", "20240201")
    assert train(path)[0]["day"].kind == "number"
    assert train(path, "--time", "day")[0]["day"].kind == "time"


def test_keep_keeps_what_looks_like_an_id(mixed):
    columns, said = train(mixed)
    assert columns["customer"].kind == "id"
    (option,) = re.findall(r"--keep \w+", said)
    columns, said = train(mixed, *option.split())
    assert columns["customer"].kind == "text"
    assert "left out" not in said


@pytest.mark.parametrize("sign", [",", "comma"])
def test_decimal(tmp_path, sign):
    path = write(tmp_path / "rows.csv", "amount", '"1,234"', '"2,345"')
    column = train(path)[0]["amount"]
    assert (column.decimal, column.thousands) == (".", ",")
    assert train(path, "--decimal", sign)[0]["amount"].decimal == ","


def test_the_option_that_an_ambiguous_number_names_works(tmp_path):
    path = write(tmp_path / "rows.csv", "amount", '"1,234"', '"2,345"')
    (sign,) = re.findall(r"--decimal '(.)'", train(path)[1])
    columns, said = train(path, "--decimal", sign)
    assert columns["amount"].decimal == sign
    assert "--decimal" not in said


@pytest.mark.parametrize(
    ("sign", "text", "kept"),
    [
        (",", '"1,234"', ","),
        ("comma", '"1,234"', ","),
        (".", '"1.234,5"', "."),
        ("space", "1 234", " "),
        ("'", "1'234", "'"),
        ("apostrophe", "1'234", "'"),
        ("none", "1234", ""),
    ],
)
def test_thousands(tmp_path, sign, text, kept):
    path = write(tmp_path / "rows.csv", "amount", text)
    assert train(path, "--thousands", sign)[0]["amount"].thousands == kept


def test_missing_words(tmp_path):
    path = write(tmp_path / "rows.csv", "country", "DE", "FR", "nowhere", "void")
    train(path, "--missing", "nowhere", "--missing", "void")
    model = load(tmp_path / "m")
    assert model.schema.missing == ("nowhere", "void")
    assert model.feature_names == ["country=DE", "country=FR"]


@pytest.mark.parametrize(("option", "first"), [("--day-first", True), ("--month-first", False)])
def test_day_or_month_first(tmp_path, option, first):
    path = write(tmp_path / "rows.csv", "when", "03/04/2024", "05/06/2024")
    assert train(path, option)[0]["when"].day_first is first


def test_the_option_that_an_ambiguous_date_names_works(tmp_path):
    path = write(tmp_path / "rows.csv", "when", "03/04/2024", "05/06/2024")
    (option,) = re.findall(r"--(?:day|month)-first", train(path)[1])
    columns, said = train(path, option)
    assert columns["when"].day_first is (option == "--day-first")
    assert "-first" not in said


def test_time_zone(tmp_path):
    path = write(tmp_path / "rows.csv", "when", "2024-01-01T23:00:00Z")
    said = {
        zone: train(path, "--time", "when", "--time-zone", zone)[1] for zone in ("UTC", "Europe/Berlin")
    }
    assert "times: 2024-01-01 23:00 to " in said["UTC"]
    assert "times: 2024-01-02 00:00 to " in said["Europe/Berlin"]


def test_hash_bits(tmp_path):
    path = write(tmp_path / "rows.csv", "country", "DE", "FR")
    assert "2 features of 16 hash slots" in train(path, "--hash-bits", "4")[1]


# --- bad values ---------------------------------------------------------------------------------

BAD = {
    "decimal": (("--decimal", ";"), r"--decimal cannot be ';'", ("--decimal", "point")),
    "thousands": (("--thousands", "_"), r"--thousands cannot be '_'", ("--thousands", "space")),
    "both": (
        ("--decimal", ",", "--thousands", "comma"),
        r"--decimal , and --thousands , exclude each other",
        ("--decimal", ","),
    ),
    "zone": (("--time-zone", "Mars"), "there is no time zone 'Mars'", ("--time-zone", "Europe/Berlin")),
    "kinds": (
        ("--text", "amount", "--number", "amount"),
        "--number amount and --text amount exclude each other",
        ("--number", "amount"),
    ),
    "words": (
        ("--text", "note", "--words", "note"),
        "--text note and --words note exclude each other",
        ("--words", "note"),
    ),
    "kept": (
        ("--keep", "customer", "--ignore", "customer"),
        "--keep customer and --ignore customer exclude each other",
        ("--ignore", "customer"),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_value_is_a_usage_error_whose_hint_works(mixed, case):
    bad, message, good = BAD[case]
    error = fail(2, "evaluate", mixed, *QUICK, *bad)
    assert message in error
    assert "\nhint: " in error
    succeed("evaluate", mixed, *QUICK, *good)


@pytest.mark.parametrize("option", ["--number", "--time", "--keep", "--text", "--words", "--ignore"])
def test_a_column_that_is_not_there_is_an_error_that_names_the_nearest(mixed, option):
    assert "did you mean amount?" in fail(1, "evaluate", mixed, *QUICK, option, "amuont")


# --- inspect and score --------------------------------------------------------------------------


def test_inspect_shows_the_columns(mixed):
    train(mixed, "--ignore", "note", "--missing", "void")
    model = mixed.with_name("m")
    found = json.loads(succeed("inspect", model, "--json"))
    kinds = {one["column"]: one["kind"] for one in found["schema"]}
    assert kinds == {
        "customer": "id",
        "amount": "number",
        "country": "text",
        "vip": "yes/no",
        "when": "time",
        "shop": "text",
        "note": "left out",
        "label": "label",
    }
    assert (found["missing_words"], found["time_zone"], found["hash_bits"]) == (["void"], "UTC", 18)
    lines = [re.split(r"\s{2,}", line) for line in succeed("inspect", model).splitlines()]
    at = lines.index(["column", "kind", "how it is read"])
    for line, one in zip(lines[at + 1 :], found["schema"], strict=False):
        assert line == [word for word in one.values() if word]


NOT_YET = "not yet: hour after 2 days, weekday after 2 weeks, day after 2 months, month after 2 years"


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ('"9.120,50"', "decimal commas and points between thousands"),
        ("1 234.5", "spaces between thousands"),
        ("31.12.2024", NOT_YET),
        ("31/12/2024", f"{NOT_YET}; the day first"),
        ("12/31/2024", f"{NOT_YET}; the month first"),
        ("true", "1 or 0"),
        ("FR", "a feature for each value"),
    ],
)
def test_inspect_tells_how_a_column_is_read(tmp_path, text, reading):
    train(write(tmp_path / "rows.csv", "a", text))
    found = json.loads(succeed("inspect", tmp_path / "m", "--json"))["schema"][0]
    assert found["reading"].split("; a=missing")[0] == reading


def test_inspect_of_libsvm_has_no_columns(tmp_path):
    (tmp_path / "rows.libsvm").write_text("1 1:1\n-1 2:1\n" * 20)
    succeed("train", tmp_path / "rows.libsvm", *QUICK, "-o", tmp_path / "m")
    assert json.loads(succeed("inspect", tmp_path / "m", "--json"))["schema"] == []
    assert "how it is read" not in succeed("inspect", tmp_path / "m")


def test_an_id_can_be_passed_through(mixed):
    train(mixed)
    found = scored(mixed, "-m", mixed.with_name("m"), "--id", "customer")
    assert found[1]["customer"] == f"c{7919 % 999:03d}"


def test_reasons_show_the_text_of_a_target_encoding(tmp_path):
    """A shop whose rows are all positive has a high rate, and the shop is the reason."""
    rows = [f"s{t % 40},{t % 3}" for t in range(800)]
    lines = [f"{row},{int(t % 40 < 10)}" for t, row in enumerate(rows)]
    (tmp_path / "rows.csv").write_text("\n".join(["shop,x,label", *lines]) + "\n")
    succeed("train", tmp_path / "rows.csv", "-o", tmp_path / "m")
    found = scored(tmp_path / "rows.csv", "-m", tmp_path / "m", "--explain", "1")
    assert re.fullmatch(r"shop=s0 \(\+\d+\.\d+\)", found[0]["reason_1"]), found[0]["reason_1"]


REASONED = [
    {
        "at": f"2024-03-{1 + t % 28:02d} {t % 24:02d}:15:00",
        "amount": None if t % 5 == 1 else 10.0 * (t % 9),
        "kind": "abc"[t * 7 % 3],
        "label": int(t % 9 > 6 or t % 24 < 3),
    }
    for t in range(600)
]


def reasoned(folder, name, text, *options):
    """All reasons of a file, by column, after training on a file of plain values."""
    plain = [json.dumps(row) for row in REASONED]
    (folder / "plain.jsonl").write_text("\n".join(plain) + "\n")
    succeed("train", folder / "plain.jsonl", "-o", folder / "m", "--time", "at")
    (folder / name).write_text(text)
    lines = succeed("score", folder / name, "-m", folder / "m", "--explain", 9, "--json", *options)
    rows = [json.loads(line)["reasons"] for line in lines.splitlines()]
    return [{one["feature"]: one for one in row} for row in rows]


def test_reasons_show_what_stands_in_the_file(tmp_path):
    """A flag and a pass have different reasons; together they show all columns."""
    cells = {"at": "2024-03-02 01:15:00", "amount": "80.0", "kind": '"a"'}
    header, row = ",".join(cells), ",".join(cells.values())
    costs = (("--fn-cost", 1e9, "--fp-cost", 1e-9), ("--fn-cost", 1e-9, "--fp-cost", 1e9))
    both = [reasoned(tmp_path, "new.csv", f"{header}\n{row}\n", *one)[0] for one in costs]
    found = both[0] | both[1]
    shown = {"at": "2024-03-02 01:15:00", "amount": 80.0, "kind": "a"}
    assert {name: one["value"] for name, one in found.items()} == shown
    assert all(one["effect"] > 0.0 for one in both[0].values())
    assert all(one["effect"] < 0.0 for one in both[1].values())
    assert found["at"]["usual"] is None


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("new.csv", "at,amount,kind\n2024-03-02 01:15:00,,a\n", ()),
        ("new.csv", "at,amount,kind\n2024-03-02 01:15:00,none,a\n", ("--missing", "none")),
        ("new.csv", "at,kind\n2024-03-02 01:15:00,a\n", ()),
        ("new.jsonl", '{"at": "2024-03-02 01:15:00", "amount": null, "kind": "a"}\n', ()),
    ],
    ids=["empty", "a word", "no column", "null"],
)
def test_a_reason_shows_a_missing_value_as_missing(tmp_path, name, text, options):
    costs = (("--fn-cost", 1e9, "--fp-cost", 1e-9), ("--fn-cost", 1e-9, "--fp-cost", 1e9))
    both = [reasoned(tmp_path, name, text, *options, *one)[0] for one in costs]
    assert (both[0] | both[1])["amount"]["value"] is None
    table = scored(tmp_path / name, "-m", tmp_path / "m", "--explain", 3, *options)
    cells = [table[0][f"reason_{k}"] for k in (1, 2, 3)]
    assert not [one for one in cells if one.startswith(("amount=0", "amount=nan", "amount= "))]


@pytest.mark.parametrize(
    ("options", "learnt", "written"),
    [
        (("--decimal", ","), ["1.5", "2.5"], ['"1,5"', '"2,5"']),
        (("--decimal", ","), ['"1,234.5"', '"1,000"'], ['"1234,5"', "1000"]),
        (("--thousands", "."), ["1234.5", "1000"], ['"1.234,5"', "1.000"]),
        (("--thousands", "space"), ["1234.5", "1000"], ["1 234.5", "1 000"]),
        (("--day-first",), ["12/31/2024", "12/30/2024"], ["31/12/2024", "30/12/2024"]),
    ],
)
def test_a_later_file_may_be_written_in_another_way(tmp_path, options, learnt, written):
    train(write(tmp_path / "rows.csv", "a", *learnt))
    other = write(tmp_path / "other.csv", "a", *written)
    words = ("-m", tmp_path / "m")
    assert scored(other, *words, *options) == scored(tmp_path / "rows.csv", *words)
