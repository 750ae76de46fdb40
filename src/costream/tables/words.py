"""Text of words: which columns hold some, and the words of a value with their counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any
from unicodedata import normalize

from ..kernels.target_encoding import FIRST_LIST
from .naming import NONE, encoding_slot
from .schema import Column

WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
LETTERS = re.compile(r"[^\W\d_]{2}")
MOST = 1000  # words of a value that are read
LONGEST = 40  # characters of a word that are kept
CODE = 4  # digits up to which a number is a word of its own, such as 404 or 2024
SEVERAL = 3.0  # words a value, in the mean
PAIRS = 0.7  # of the values have at least two words
REPEATED = 0.3  # of the words stand in more than one value


def words_of(text: str) -> Counter[str]:
    """The words of a text and how often each occurs, in the order in which they come.

    They are in lower case. Of long numbers only the count of digits is kept.

    >>> words_of("Don't call 0906170: CALL me")
    Counter({'call': 2, "don't": 1, '#######': 1, 'me': 1})
    """
    return Counter(_word(one.group()) for one in islice(WORD.finditer(_folded(text)), MOST))


def _folded(text: str) -> str:
    return (text if text.isascii() else normalize("NFKC", text)).casefold()


def _word(word: str) -> str:
    if len(word) > CODE and word.isdecimal():
        return "#" * min(len(word), LONGEST)
    return word[:LONGEST]


def counted(value: Any, too_many: Callable[[], None]) -> Counter[str]:
    """The words of a value of a column: of a text, or of all texts of a list.

    ``too_many`` is called if it has more words than are read.
    """
    if isinstance(value, tuple | list):
        value = " ".join(one for one in value if one is not None)
    found = words_of(value)
    if found.total() == MOST and any(islice(WORD.finditer(_folded(value)), MOST, None)):
        too_many()
    return found


def too_many_message(column: str) -> str:
    return f"column {column}: only the first {MOST:,} words of a value are read, and one has more"


def are_words(values: Sequence[str]) -> bool:
    """Whether the distinct values of a column are made of words, of which the values share some.

    What has no letters is not a word here, nor is a part of something without spaces: an address of
    a web page is one word.
    """
    lengths = [sum(map(_has_letters, value.split())) for value in values]
    if not lengths or sum(lengths) < SEVERAL * len(lengths):
        return False
    if sum(length > 1 for length in lengths) < PAIRS * len(lengths):
        return False
    return _share_of_repeated(values) >= REPEATED


def _has_letters(part: str) -> bool:
    return LETTERS.search(part) is not None


def _share_of_repeated(values: Iterable[str]) -> float:
    """How many of the words with letters, each counted once a value, stand in more than one value."""
    in_values = Counter(
        word for value in values for word in words_of(value) if LETTERS.search(word) is not None
    )
    every = sum(in_values.values())
    return sum(n for n in in_values.values() if n > 1) / max(every, 1)


def list_words(column: Column, words: Counter[str], lists: list[int]) -> int:
    """Add the slots of words to ``lists``; returns what stands for them, `NONE` if there is none."""
    if not words:
        return NONE
    place = len(lists)
    lists += [len(words), *(encoding_slot(column.name, word) for word in words)]
    return FIRST_LIST + 2 * place
