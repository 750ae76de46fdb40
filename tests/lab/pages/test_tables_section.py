"""The sections of the page with tables: their heads, and the rows that differ from the paper."""

from __future__ import annotations

from costream.lab.paper.differences import Difference
from costream.lab.results import ANOTHER
from helpers.pages import VERDICTS, lines, page, table, tree, words

KNOWN = [Difference("A reason", "A text.", algorithms=("PAUM",))]


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
