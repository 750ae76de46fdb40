"""Names of features: text values are hashed into slots, and columns found again."""

import pytest

from costream.tables.naming import TextSlots, column_of


def test_slots_are_bounded_and_named_by_what_came_first():
    slots = TextSlots(3)
    names = {slots.name("c", str(value)) for value in range(1000)}
    assert len(names) == slots.used == 8
    assert "c=0" in names


@pytest.mark.parametrize("values", [0, 1, 30, 500, 1500, 3000])
def test_collisions_are_estimated(values):
    slots = TextSlots(10)
    for value in range(values):
        slots.name("card", f"{value * 7919}")
    shared = values - slots.used
    assert abs(slots.collisions() - shared) <= 0.1 * values


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
