"""The scanner of CSV text: numbers are read on the spot, text is noted and gathered.

Eight bytes are looked at in one go, as a word: how many digits it begins with, and what they are worth,
takes no loop and no branch that depends on them. Numbers of up to 19 digits are exact, as in
`kernels.text`; Python reads the others. A field in quotes is moved together where it stands, so that
whatever reads it sees no quotes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import entry
from .records import Floats, Integers
from .text import (
    BLANK,
    END,
    EXACT,
    LARGEST_EXACT,
    LARGEST_POWER,
    MINUS,
    MOST_DIGITS,
    NEWLINE,
    PLUS,
    POINT,
    SMALLEST_POWER,
    ZERO,
    Bytes,
    Word,
    float_bits,
    read_number,
)

RETURN, QUOTE = 13, 34
LONGEST_WORD = 7
FIELD_END = END  # the kind of delimiters and ends of lines
SKIP, NUMBER, TEXT = range(3)  # what becomes of a column
# The state of a scan: rows, numbers for Python, bytes of text, and what is wrong with the row after
# those: the number of its fields, or UNCLOSED quotes; 0 if nothing is.
ROWS, ODDS, BYTES, WRONG = range(4)
UNCLOSED = -1

NONE, ONE, EIGHT, FULL = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(64)
SAFE_DIGITS = np.uint64(MOST_DIGITS)
SAFE_ZEROS = 200  # digits of a number that is mostly zeros
TENS = np.array([10**n for n in range(9)], np.uint64)
LOWEST = np.uint64(255)
ONES = np.uint64(0x0101010101010101)
TOPS = np.uint64(0x8080808080808080)
ZEROS, SIXES, UPPER = ONES * np.uint64(48), ONES * np.uint64(6), ONES * np.uint64(0xF0)
PAIRS, FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
EIGHTS = np.uint64(0x00000000FFFFFFFF)
TEN, HUNDRED, MYRIAD = np.uint64(10), np.uint64(100), np.uint64(10_000)
ONE_BYTE, TWO_BYTES, FOUR_BYTES, SEVEN_BYTES = map(np.uint64, (8, 16, 32, 56))


class Scan(NamedTuple):
    """The input of a scan, and what it fills; ``bits`` is ``value`` seen as integers.

    After the text there are two words of newlines. Numbers stand row by row, places of text column
    by column. ``odd`` has (entry, from, to) of the numbers that Python must read.
    """

    text: Bytes
    kinds: Bytes  # of characters: BLANK, FIELD_END or something else
    task: Bytes  # SKIP, NUMBER or TEXT, for each column
    missing: NDArray[np.uint64]  # words of up to seven bytes for no number, with their size above
    value: Floats
    bits: NDArray[np.uint64]
    begin: NDArray[np.uint32]
    end: NDArray[np.uint32]
    odd: Integers
    invalid: Bytes  # for each column of numbers: whether there is something else in it
    state: Integers


def word_at(text: Bytes, p: Word) -> Word:
    """Eight bytes, the first one lowest: one load, once compiled."""
    word = np.uint64(text[p])
    word |= np.uint64(text[p + np.uint64(1)]) << np.uint64(8)
    word |= np.uint64(text[p + np.uint64(2)]) << np.uint64(16)
    word |= np.uint64(text[p + np.uint64(3)]) << np.uint64(24)
    word |= np.uint64(text[p + np.uint64(4)]) << np.uint64(32)
    word |= np.uint64(text[p + np.uint64(5)]) << np.uint64(40)
    word |= np.uint64(text[p + np.uint64(6)]) << np.uint64(48)
    word |= np.uint64(text[p + np.uint64(7)]) << np.uint64(56)
    return word


def put_word(data: Bytes, p: Word, word: Word) -> None:
    """Write eight bytes: one store, once compiled."""
    data[p] = word & LOWEST
    data[p + np.uint64(1)] = (word >> np.uint64(8)) & LOWEST
    data[p + np.uint64(2)] = (word >> np.uint64(16)) & LOWEST
    data[p + np.uint64(3)] = (word >> np.uint64(24)) & LOWEST
    data[p + np.uint64(4)] = (word >> np.uint64(32)) & LOWEST
    data[p + np.uint64(5)] = (word >> np.uint64(40)) & LOWEST
    data[p + np.uint64(6)] = (word >> np.uint64(48)) & LOWEST
    data[p + np.uint64(7)] = word >> np.uint64(56)


def bytes_before(marks: Word) -> Word:
    """How many bytes come before the first one with a mark, which is not at its lowest bit."""
    lowest = marks & (~marks + ONE)
    return (((lowest - ONE) & ONES) * ONES >> SEVEN_BYTES) - ONE


def digits_at(text: Bytes, p: Word) -> tuple[Word, Word]:
    """What the digits at ``p``, at most eight, are worth, and how many there are."""
    word = word_at(text, p) ^ ZEROS
    others = ((word + SIXES) | word) & UPPER
    count = EIGHT
    if others != NONE:
        count = bytes_before(others)
        if count == NONE:
            return NONE, NONE
        word = word << (FULL - count * EIGHT)
    word = (word * TEN + (word >> ONE_BYTE)) & PAIRS
    word = (word * HUNDRED + (word >> TWO_BYTES)) & FOURS
    return (word * MYRIAD + (word >> FOUR_BYTES)) & EIGHTS, count


def zero_bytes(word: Word) -> Word:
    """A mark at the top of the first byte that is 0, and perhaps of some after it."""
    return (word - ONES) & ~word & TOPS


def field_end(text: Bytes, p: Word, delimiter: Word) -> Word:
    """Where the delimiter or the end of the line is; ``delimiter`` is eight of them."""
    while True:
        word = word_at(text, p)
        marks = zero_bytes(word ^ delimiter)
        marks |= zero_bytes(word ^ (ONES * np.uint64(NEWLINE)))
        marks |= zero_bytes(word ^ (ONES * np.uint64(RETURN)))
        if marks != NONE:
            return p + bytes_before(marks)
        p += EIGHT


def unquote(scan: Scan, p: Word, length: Word) -> tuple[Word, Word]:
    """Take the quotes out of the field that begins at ``p``: where its text ends, and where the field.

    What follows the closing quote belongs to the field. A newline is put after the text.
    """
    text, kinds = scan.text, scan.kinds
    p += ONE
    end, within = p, True
    while p < length:
        if within and text[p] == QUOTE:
            p += ONE
            if text[p] != QUOTE:
                within = False
                continue
        elif not within and kinds[text[p]] == FIELD_END:
            break
        text[end] = text[p]
        end += ONE
        p += ONE
    if within:
        scan.state[WRONG] = UNCLOSED
    text[end] = NEWLINE
    return end, p


def significant(text: Bytes, p: int, digits: int) -> int:
    """How many of the digits at ``p`` count: not the zeros in front."""
    while digits > 0 and (text[p] == ZERO or text[p] == POINT):
        digits -= text[p] == ZERO
        p += 1
    return digits


def store(value: Floats, bits: NDArray[np.uint64], k: Word, w: Word, q: Any) -> bool:
    """Store w 10^q as number ``k``; False if that takes more than 128 bits."""
    if w <= LARGEST_EXACT and -22 <= q <= 22:
        value[k] = np.float64(w) / EXACT[-q] if q < 0 else np.float64(w) * EXACT[q]
        return True
    value[k] = 0.0
    if w != NONE and SMALLEST_POWER <= q <= LARGEST_POWER:
        bits[k] = float_bits(w, q)
    return bool(w == NONE or value[k] != 0.0)


def is_missing(scan: Scan, begin: Any, end: Any) -> bool:
    """Whether the word between is one of those that stand for no number."""
    size = end - begin
    if size > LONGEST_WORD:
        return False
    word = word_at(scan.text, np.uint64(begin)) & (~NONE >> np.uint64(64 - 8 * size))
    word |= np.uint64(size) << SEVEN_BYTES
    found = False
    for one in scan.missing:
        found |= bool(one == word)
    return found


def read_any(scan: Scan, p: Any, k: Word, column: Word) -> Any:
    """Read a field with whatever is in it as number ``k``: where it ends."""
    text, kinds = scan.text, scan.kinds
    while kinds[text[p]] == BLANK:
        p += 1
    scan.value[k] = np.nan
    if kinds[text[p]] == FIELD_END:
        return p
    end, w, q, digits = read_number(text, p)
    close = end
    while kinds[text[close]] == BLANK:
        close += 1
    if digits > 0 and kinds[text[close]] == FIELD_END:
        first = p + 1 if text[p] == MINUS or text[p] == PLUS else p
        small = digits <= SAFE_ZEROS and significant(text, first, digits) <= MOST_DIGITS
        if small and store(scan.value, scan.bits, k, w, q):
            scan.value[k] = -scan.value[k] if text[p] == MINUS else scan.value[k]
        else:
            odds = scan.state[ODDS]
            scan.odd[odds, 0], scan.odd[odds, 1], scan.odd[odds, 2] = k, p, end
            scan.state[ODDS] = odds + 1
        return close
    close = end = p
    while kinds[text[close]] != FIELD_END:
        close += 1
        if kinds[text[close - 1]] != BLANK:
            end = close
    if not is_missing(scan, p, end):
        scan.invalid[column] = 1
    return close


def plain_number(text: Bytes, p: Word) -> tuple[Word, Word, Word, Word]:
    """Digits with or without a point at ``p``: where they end, w, q and their count; w / 10^q."""
    w, begin, count = NONE, p, EIGHT
    while count == EIGHT:
        more, count = digits_at(text, p)
        w = w * TENS[count] + more
        p += count
    digits, q = p - begin, NONE
    if text[p] == POINT:
        p += ONE
        begin, count = p, EIGHT
        while count == EIGHT:
            more, count = digits_at(text, p)
            w = w * TENS[count] + more
            p += count
        q = p - begin
    return p, w, q, digits + q


def exponent_at(text: Bytes, p: Word) -> tuple[Word, Any]:
    """The exponent at ``p``, of one to three digits: where it ends, or ``p`` if there is none."""
    at = p + ONE
    down = text[at] == MINUS
    if down or text[at] == PLUS:
        at += ONE
    more, count = digits_at(text, at)
    if text[p] | 32 != 101 or count - ONE > np.uint64(2):  # e or E; 0 digits - 1 is large
        return p, 0
    return at + count, -np.int64(more) if down else np.int64(more)


@entry
def split(scan: Scan, size: int, delimiter: int, rows: int) -> None:
    """Read the fields of all lines in the first ``size`` bytes; stops at a row that is wrong.

    ``rows`` is the room for the places of a column of text. Lines end with a newline, a carriage return
    or both; blank ones are not rows.
    """
    text, kinds, task, value = scan.text, scan.kinds, scan.task, scan.value
    columns, length = np.uint64(task.shape[0]), np.uint64(size)
    room, delimiters = np.uint64(rows), ONES * np.uint64(delimiter)
    p, row, k, copied = NONE, NONE, NONE, NONE
    scan.state[WRONG] = 0
    scan.state[ODDS] = 0
    while p < length:
        if text[p] == NEWLINE or text[p] == RETURN:
            p += ONE
            continue
        column, first, place = NONE, k, row
        while True:
            quoted, end, after = text[p] == QUOTE, NONE, NONE
            if quoted:
                end, after = unquote(scan, p, length)
                p += ONE
            begin = p
            if task[column] == NUMBER:
                if kinds[text[p]] == FIELD_END:
                    value[k] = np.nan
                else:
                    negative = text[p] == MINUS
                    p, w, q, digits = plain_number(text, p + ONE if negative else p)
                    fits = digits - ONE < SAFE_DIGITS  # 0 digits - 1 is large
                    if fits and kinds[text[p]] == FIELD_END and w <= LARGEST_EXACT:
                        number = np.float64(np.int64(w))
                        if q != NONE:
                            number /= EXACT[q]
                        value[k] = -number if negative else number
                    else:
                        p, e = exponent_at(text, p)
                        fits = fits and kinds[text[p]] == FIELD_END
                        if fits and store(value, scan.bits, k, w, e - np.int64(q)):
                            value[k] = -value[k] if negative else value[k]
                        else:
                            p = np.uint64(read_any(scan, np.int64(begin), k, k - first))
                if quoted and p != end:  # a delimiter or a newline between the quotes
                    scan.invalid[k - first] = 1
                k += ONE
            else:
                p = end if quoted else field_end(text, p, delimiters)
                if task[column] == TEXT:
                    scan.begin[place] = begin
                    scan.end[place] = p
                    place += room
                    copied += p - begin
            p = after if quoted else p
            column += ONE
            if column == columns or text[p] != delimiter:
                break
            p += ONE
        while text[p] == delimiter:  # too many fields are counted
            p += ONE
            p = unquote(scan, p, length)[1] if text[p] == QUOTE else field_end(text, p, delimiters)
            column += ONE
        if column != columns and scan.state[WRONG] != UNCLOSED:
            scan.state[WRONG] = column
        if scan.state[WRONG] != 0:
            break
        p += ONE
        row += ONE
    scan.state[ROWS], scan.state[BYTES] = row, copied


@entry
def gather(scan: Scan, rows: int, room: int, offset: NDArray[np.int32], data: Bytes) -> None:
    """Copy the fields of text, column after column, and note where each begins and the last one ends.

    Eight bytes are copied at a time, so ``data`` has room for seven more.
    """
    text = scan.text
    to, k = NONE, NONE
    for column in range(offset.shape[0] // (rows + 1)):
        place = np.uint64(column) * np.uint64(room)
        for row in range(rows):
            at = place + np.uint64(row)
            offset[k] = to
            k += ONE
            p = np.uint64(scan.begin[at])
            last = to + np.uint64(scan.end[at]) - p
            while to < last:
                put_word(data, to, word_at(text, p))
                to += EIGHT
                p += EIGHT
            to = last
        offset[k] = to
        k += ONE
