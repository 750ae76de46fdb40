"""The sections of the page with tables: their heads, and the rows that differ from the paper."""

from __future__ import annotations

from costream.lab.paper.differences import Difference
from costream.lab.results import ANOTHER
from helpers.pages import VERDICTS, lines, page, row, table, tree, words

KNOWN = [Difference("A reason", "A text.", algorithms=("PAUM",))]


def test_columns_are_grouped_by_whose_numbers_they_are() -> None:
    text = page(table(*VERDICTS.values()))
    (head,) = [
        one
        for one in tree(text).iterfind(".//table/thead")
        if words(one[-1][0]) == "algorithm" and len(one) == 2
    ]
    groups = [(words(cell), int(cell.get("colspan"))) for cell in head[0]]
    assert groups == [
        ("", 1),
        ("paper", 1),
        ("ours, nearest to the paper", 3),
        ("ours, tuned", 5),
        ("seconds", 2),
    ]


def test_rows_that_differ_are_counted_and_stand_with_their_reason() -> None:
    text = page(table(*VERDICTS.values()), known=KNOWN)
    titles = [words(one) for one in tree(text).iter("h3")]
    assert [one for one in titles if one.startswith("1 row")] == ["1 row apart", f"1 row {ANOTHER}"]
    apart = lines(text, "Rows that are apart")["Table 2"]
    assert apart[:3] == ["german", "sum", "PAUM"]
    assert apart[3:5] == ["60.000 ± 1.000", "70.000 ± 1.000"]
    assert apart[-1] == "A reason"
    another = lines(text, "Rows close at another setting")["Table 2"]
    assert (another[2], another[-1]) == ("PA-I", "not explained")


def test_it_is_said_where_no_row_is_apart() -> None:
    said = "Not one row is apart."
    assert said in page(table(VERDICTS["exact"]), known=KNOWN)
    assert said not in page(table(*VERDICTS.values()), known=KNOWN)


def test_a_table_that_is_not_in_the_paper_has_no_columns_for_it() -> None:
    text = page(table(row("a", 0.6), printed=""))
    (head,) = [one for one in tree(text).iterfind(".//table/thead") if words(one[-1][0]) == "algorithm"]
    assert [words(cell) for cell in head[-1]] == [
        *("algorithm", "tuned", "setting", "sens., %", "spec., %", "savings, %", "seconds")
    ]
