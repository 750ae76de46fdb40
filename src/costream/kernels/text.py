"""The scanner of LIBSVM text: lines of ``label index:value ...`` to rows, in one pass.

A number of up to 19 digits is read exactly: small ones by one division of exact floats, others by the
method of Eisel and Lemire (Lemire, "Number parsing at a gigabyte per second", 2021). The few that
remain are noted as *odd*, and Python reads them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import entry
from .records import Floats, Integers

Bytes = NDArray[np.uint8]
Word = np.uint64

NEWLINE, PLUS, MINUS, POINT, COLON = 10, 43, 45, 46, 58
OTHER, BLANK, END = range(3)  # kinds of characters: END is a newline or the # of a comment
KIND = np.zeros(256, np.uint8)
KIND[[9, 11, 12, 13, 32]] = BLANK
KIND[[NEWLINE, 35]] = END
LARGEST_INDEX = np.uint64(2**32 - 4)
MOST_DIGITS = 19  # that always fit into 64 bits
LONGEST_INDEX = np.uint64(10)
SAFE_DIGITS = np.uint64(15)  # of a number below 2^53
LARGEST_EXPONENT = 9999

# Why a scan has stopped.
DONE, BAD_LABEL, BAD_INDEX, LARGE_INDEX, BAD_VALUE = range(5)
FINE, ODD, BAD = range(3)
# Where the scan stands: rows, entries, odd numbers, the byte, the line, the reason, unsorted or not.
ROWS, ENTRIES, ODDS, PLACE, LINES, REASON, UNSORTED = range(7)

EXACT = np.array([10.0**e for e in range(23)])  # powers of ten that a float holds exactly
LARGEST_EXACT = np.uint64(2**53)
SMALLEST_POWER, LARGEST_POWER = -64, 64


def _powers() -> NDArray[np.uint64]:
    """The leading 128 bits of 5^q, as pairs of 64, for each q from SMALLEST_POWER up."""
    table = []
    for q in range(SMALLEST_POWER, LARGEST_POWER + 1):
        if q >= 0:
            power = 5**q
            power = power << 128 >> power.bit_length()
        else:
            power = (1 << 128 + (5**-q).bit_length()) // 5**-q + 1
            power >>= power.bit_length() - 128
        table.append((power >> 64, power & (2**64 - 1)))
    return np.array(table, np.uint64)


POWERS = _powers()
LOW = np.uint64(2**32 - 1)
HALF = np.uint64(32)
ONE = np.uint64(1)
TEN = np.uint64(10)
ZERO = np.uint8(48)


class Rows(NamedTuple):
    """What a scan fills; ``bits`` is ``value`` seen as integers."""

    label: Floats
    line: Integers
    start: NDArray[np.uint64]
    index: NDArray[np.uint32]  # type: ignore[assignment]
    value: Floats
    bits: NDArray[np.uint64]
    odd: Integers  # (entry or -1 - row, from, to) of what Python must read
    state: Integers


def is_digit(c: int) -> bool:
    return bool(np.uint8(c - ZERO) < 10)


def high_product(a: Word, b: Word) -> Word:
    """The upper 64 bits of a product."""
    a0, a1, b0, b1 = a & LOW, a >> HALF, b & LOW, b >> HALF
    middle = a1 * b0 + (a0 * b0 >> HALF)
    return a1 * b1 + (middle >> HALF) + (a0 * b1 + (middle & LOW) >> HALF)


def float_bits(w: Word, q: int) -> Word:
    """The bits of the float nearest to w 10^q (w > 0), or 0 if that needs more than 128 bits."""
    zeros = 0
    while w >> np.uint64(63) == 0:
        w = w << ONE
        zeros += 1
    high = high_product(w, POWERS[q - SMALLEST_POWER, 0])
    low = w * POWERS[q - SMALLEST_POWER, 0]
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more = high_product(w, POWERS[q - SMALLEST_POWER, 1])
        low = low + more
        if more > low:
            high += ONE
    if low == np.uint64(2**64 - 1):
        return np.uint64(0)
    upper = np.int64(high >> np.uint64(63))
    shift = np.uint64(upper + 9)
    mantissa = high >> shift
    exponent = (217706 * q >> 16) + 63 + upper - zeros + 1023
    if low <= ONE and -4 <= q <= 23 and mantissa & np.uint64(3) == ONE and mantissa << shift == high:
        mantissa = mantissa & ~ONE  # halfway between two floats: to the even one
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    if mantissa >> np.uint64(53) != 0:
        mantissa = mantissa >> ONE
        exponent += 1
    return (mantissa & np.uint64(2**52 - 1)) | np.uint64(exponent) << np.uint64(52)


def read_number(text: Bytes, p: int) -> tuple[int, Word, int, int]:
    """The number at ``p``: where it ends, its digits as an integer w, its exponent q, their count.

    The number is w 10^q without its sign; there are 0 digits if it is not a number.
    """
    if text[p] == MINUS or text[p] == PLUS:
        p += 1
    begin, w, q = p, np.uint64(0), 0
    while is_digit(text[p]):
        w = w * TEN + np.uint64(text[p] - ZERO)
        p += 1
    digits = p - begin
    if text[p] == POINT:
        p += 1
        begin = p
        while is_digit(text[p]):
            w = w * TEN + np.uint64(text[p] - ZERO)
            p += 1
        q = begin - p
        digits -= q
    if digits > 0 and text[p] | 32 == 101:  # e or E
        p += 1
        down = text[p] == MINUS
        if down or text[p] == PLUS:
            p += 1
        begin, exponent = p, 0
        while is_digit(text[p]):
            exponent = min(10 * exponent + int(text[p] - ZERO), LARGEST_EXPONENT)
            p += 1
        digits = digits if p > begin else 0
        q += -exponent if down else exponent
    return p, w, q, digits


def read_value(text: Bytes, p: Any, value: Floats, bits: NDArray[Word], k: Any) -> tuple[int, int]:
    """Read any number at ``p`` into ``value[k]``: where it ends, and if it is FINE, ODD or BAD.

    ``bits`` is ``value`` seen as integers.
    """
    end, w, q, digits = read_number(text, p)
    if digits == 0 or KIND[text[end]] == OTHER:
        return end, BAD
    value[k] = 0.0
    if digits <= MOST_DIGITS and w == 0:
        return end, FINE
    if digits <= MOST_DIGITS and w <= LARGEST_EXACT and -22 <= q <= 22:
        value[k] = np.float64(w) / EXACT[-q] if q < 0 else np.float64(w) * EXACT[q]
    elif digits <= MOST_DIGITS and SMALLEST_POWER <= q <= LARGEST_POWER:
        bits[k] = float_bits(w, q)
    if text[p] == MINUS:
        value[k] = -value[k]
    return end, FINE if value[k] != 0.0 else ODD


def label_end(text: Bytes, p: Any) -> Any:
    """Where a label of text ends; ``p`` if there is a feature instead."""
    end = p
    while KIND[text[end]] == OTHER:
        if text[end] == COLON:
            return p
        end += 1
    return end


def query_end(text: Bytes, p: Any) -> Any:
    """Where ``qid:...`` ends; ``p`` if there is none. The newline at the end stops the look."""
    end = p
    if text[p] == 113 and text[p + 1] == 105 and text[p + 2] == 100 and text[p + 3] == COLON:
        while KIND[text[end]] == OTHER:
            end += 1
    return end


def note_odd(rows: Rows, what: Any, begin: Word, end: Word) -> None:
    odds = rows.state[ODDS]
    rows.odd[odds, 0], rows.odd[odds, 1], rows.odd[odds, 2] = what, begin, end
    rows.state[ODDS] = odds + 1


@entry
def scan(text: Bytes, rows: Rows) -> None:
    """Read all lines; the last byte is a newline. Stops at the first thing that is wrong.

    Digits with a point are read on the spot; whatever else there is goes to `read_value`. Positions
    are unsigned, which saves a test for negative ones at every byte.
    """
    label, lines, start, index, value = rows.label, rows.line, rows.start, rows.index, rows.value
    size = np.uint64(text.shape[0])
    t, k, p = np.uint64(0), np.uint64(0), np.uint64(0)
    line, reason, unsorted = 0, DONE, False
    start[0] = 0
    rows.state[ODDS] = 0
    while p < size and reason == DONE:
        while KIND[text[p]] == BLANK:
            p += ONE
        if KIND[text[p]] == OTHER:
            lines[t] = line
            begin = p
            negative = text[p] == MINUS
            if negative or text[p] == PLUS:
                p += ONE
            w, digits_from = np.uint64(0), p
            while is_digit(text[p]):
                w = w * TEN + np.uint64(text[p] - ZERO)
                p += ONE
            if KIND[text[p]] != OTHER and digits_from < p <= digits_from + SAFE_DIGITS:
                label[t] = -np.float64(w) if negative else np.float64(w)
            else:
                end, kind = read_value(text, np.int64(begin), value, rows.bits, np.int64(k))
                p = np.uint64(end)
                label[t] = value[k]
                if kind != FINE:  # text; or no label, where the line begins with a feature
                    p = np.uint64(label_end(text, np.int64(begin)))
                    label[t] = np.nan
                    if p > begin:
                        note_odd(rows, -1 - np.int64(t), begin, p)
            above = np.uint64(0)  # the next index, if they are sorted, is not below
            while True:
                while KIND[text[p]] == BLANK:
                    p += ONE
                if KIND[text[p]] != OTHER:
                    t += ONE
                    start[t] = k
                    break
                begin = p
                j = np.uint64(0)
                while is_digit(text[p]):
                    j = j * TEN + np.uint64(text[p] - ZERO)
                    p += ONE
                if text[p] != COLON or p == begin:
                    end = query_end(text, np.int64(begin))
                    if end > np.int64(begin):
                        p = np.uint64(end)
                        continue
                    reason = BAD_INDEX
                    break
                if p > begin + LONGEST_INDEX or j > LARGEST_INDEX:
                    first = begin
                    while text[first] == ZERO:  # zeros in front do not count as its digits
                        first += ONE
                    if p > first + LONGEST_INDEX or j > LARGEST_INDEX:
                        p, reason = begin, LARGE_INDEX
                        break
                p += ONE
                begin = p
                negative = text[p] == MINUS
                if negative or text[p] == PLUS:
                    p += ONE
                digits_from, w, q = p, np.uint64(0), np.uint64(0)
                while is_digit(text[p]):
                    w = w * TEN + np.uint64(text[p] - ZERO)
                    p += ONE
                digits = p - digits_from
                if text[p] == POINT:
                    p += ONE
                    digits_from = p
                    while is_digit(text[p]):
                        w = w * TEN + np.uint64(text[p] - ZERO)
                        p += ONE
                    q = p - digits_from
                    digits += q
                unsorted |= bool(j < above)
                above = j + ONE
                index[k] = j
                if KIND[text[p]] != OTHER and digits - ONE < SAFE_DIGITS:  # 0 digits - 1 is large
                    number = np.float64(w)
                    if q != 0:
                        number /= EXACT[q]
                    value[k] = -number if negative else number
                    if w != 0:
                        k += ONE
                else:
                    end, kind = read_value(text, np.int64(begin), value, rows.bits, np.int64(k))
                    p = np.uint64(end)
                    if kind == BAD:
                        reason = BAD_VALUE
                        break
                    if kind == ODD:
                        note_odd(rows, np.int64(k), begin, p)
                    if kind == ODD or value[k] != 0.0:
                        k += ONE
        if reason == DONE:
            while text[p] != NEWLINE:
                p += ONE
            p += ONE
            line += 1
    state = rows.state
    state[ROWS], state[ENTRIES], state[PLACE], state[LINES] = t, k, p, line
    state[REASON], state[UNSORTED] = reason, unsorted
