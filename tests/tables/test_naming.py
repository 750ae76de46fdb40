"""What features are called."""

from costream.tables.naming import column_of


class Counted(set[str]):
    """A set of columns that counts how often it is asked."""

    asked = 0

    def __contains__(self, name: object) -> bool:
        self.asked += 1
        return super().__contains__(name)


def test_a_long_text_is_not_looked_up_at_each_of_its_spaces() -> None:
    columns = Counted({"note", "a longer name"})
    assert column_of("note=" + ". " * 100_000, columns) == "note"
    assert columns.asked < 20
