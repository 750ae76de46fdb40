"""Numbers as people write them, and how a column of texts writes its numbers.

A writing is a decimal sign and a separator of thousands. ``1,234`` fits two of them: what the rest of
the column shows decides, else what the other columns show, else the comma separates thousands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

MISSING = frozenset(("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"))  # in every column
_WORDS = """
? ?? - -- --- \u2013 \u2014 \u2212 . .. ... * n/a na n.a. n.a n/d nan nat none null (null) nil <na>
unknown missing undefined (missing) (blank) (none) #n/a #na #null! #num! #value! #div/0! #ref! \\n
"""
# Besides, in columns of numbers and times only; words in lower case stand for any case.
MISSING_NUMBERS = MISSING | {*_WORDS.split(), "not available", "not applicable", "no data"}
DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'")
NAN = float("nan")
LONGEST = 100  # characters of a number that is more than a float literal

_ALIKE = str.maketrans(
    {**dict.fromkeys("\u00a0\u202f\u2007\u2009", " "), **dict.fromkeys("\u2019\u02bc", "'")}
    | dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-")
)
# Up to the first digit, a number, and the rest. "Rs.5" is five: the point goes with the letters.
_SHELL = re.compile(
    r"(\D*?)((?:(?<![^\W\d_])[.,])?\d(?:[\d.,' ]*\d)?(?:[eE][+-]?\d+)?[.,]?)(\D*)", re.DOTALL
)
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|BRL|MXN|"
    "ARS|CLP|COP|PEN|ZAR|ILS|AED|SAR|KRW|TWD|HKD|SGD|THB|IDR|MYR|PHP|VND|PKR|EGP|NGN|KES|MAD|eur|usd|gbp|chf"
)
_TOKEN = re.compile(
    rf"\s*([-+()%]|(?:US|CA|AU|HK|NZ|NT|MX|[RACS])?[$¢£¤¥฿₠-⃀]|(?:{_CODES})(?![^\W\d_])"
    r"|(?:[Ee]uros?|S?Fr\.?|Rs\.?|kr\.?|zł|Kč|Ft)(?![^\W\d_]))\s*"
)
_LAKHS = r"|[1-9]\d?(?:(,)\d\d)+,\d{3}(?:\.\d*)?"  # 12,34,567 as in India
_CORES = {
    decimal: re.compile(
        rf"(?:\d+(?:{sign}\d*)?|{sign}\d+)(?:[eE][+-]?\d+)?"
        rf"|[1-9]\d{{0,2}}([{other} '])\d{{3}}(?:\1\d{{3}})*(?:{sign}\d*)?" + more
    )
    for decimal, sign, other, more in ((".", r"\.", ",", _LAKHS), (",", ",", ".", "()"))
}
_ADDRESS = re.compile(r"(?:(?:1?\d?\d|2[0-4]\d|25[0-5])\.){3}(?:1?\d?\d|2[0-4]\d|25[0-5])")
_POINTS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")  # thousands, or a decimal point
_PLAIN = re.compile(r"[-+.eE0-9]+")  # what numbers of Python are made of


@dataclass(frozen=True)
class Numbers:
    """How well a column of texts reads as numbers, and how these are written.

    ``share`` is that of the rows which can be read among those which are not missing, 0 if all are.
    ``thousands`` is "" where no separator was seen. ``first_bad`` is the first value that cannot be
    read, ``example`` one that shows the writing, None for plain numbers. ``shows`` is the decimal sign
    if the other one reads fewer rows, else "". Then ``other`` is the column read with the other one,
    and ``ambiguous`` is whether it has other numbers.
    """

    share: float
    decimal: str = "."
    thousands: str = ""
    ambiguous: bool = False
    first_bad: str | None = None
    example: str | None = None
    shows: str = ""
    other: Numbers | None = None


def number_of(text: str, decimal: str, thousands: str, missing: frozenset[str]) -> float | None:
    """The number in a text: NaN where it is missing, None where it is not a number.

    Where no separator of thousands is known (""), any but the decimal sign is taken. The words of
    ``missing`` in lower case stand for any case.
    """
    bare = text.strip()
    if bare in missing:
        return NAN
    if decimal == "." or "." not in bare:
        number = _literal(bare)
        if number is not None:
            return number
    if len(bare) > LONGEST:
        return None
    if bare.lower() in missing:
        return NAN
    shell = _shell(bare)
    found = shell and _core(shell[1], decimal)
    if not shell or not found or (thousands and found[1] and found[1] != thousands):
        return None
    return shell[0] * float(found[0])


def as_numbers(
    values: Sequence[str],
    counts: Sequence[int],
    missing: frozenset[str],
    decimal: str | None = None,
    thousands: str | None = None,
) -> Numbers:
    """How well the distinct values of a column, with their numbers of rows, read as numbers.

    The writing that reads most rows is taken, of equal ones that with decimal points; ``decimal`` and
    ``thousands``, if given, are not up for choice.
    """
    if decimal is thousands is None and plain_numbers(values, missing) is not None:
        if not any("." in text for text in values):
            return Numbers(1.0, other=Numbers(1.0, ","))
        if any("." in text and not _POINTS.fullmatch(text) for text in values):
            return Numbers(1.0, shows=".")
    forms = [form for form in map(_Form, values, counts) if not form.is_missing(missing)]
    tried = [sign for sign in DECIMALS if decimal in (None, sign) and thousands != sign]
    fits = [_fit(forms, sign, thousands) for sign in tried]
    if not forms or not fits:
        return Numbers(0.0, decimal or ".", thousands or "", first_bad=forms[0].text if forms else None)
    best = max(fits, key=lambda fit: fit.rows)
    found = _numbers(forms, best)
    rival = next((fit for fit in fits if fit is not best), None)
    if rival is None or rival.rows < best.rows:
        return replace(found, shows=best.decimal)
    return replace(found, ambiguous=_differ(forms, best, rival), other=_numbers(forms, rival))


def resolve(columns: dict[str, Numbers]) -> dict[str, Numbers]:
    """The columns of a file, those that leave the decimal sign open as most of the others have it.

    ``ambiguous`` remains only where a comma is taken for thousands without a column that decides it.
    """
    votes = Counter(one.shows for one in columns.values() if one.share >= 0.9)
    points, commas = votes["."], votes[","]
    resolved = {}
    for name, one in columns.items():
        chosen = one.other if one.other is not None and commas > points else one
        unsure = one.ambiguous and points == commas and one.thousands == ","
        resolved[name] = replace(chosen, ambiguous=unsure, other=None)
    return resolved


def looks_written(text: str) -> bool:
    """Whether a text is digits and separators as numbers have them, even if it is not a number."""
    bare = text.strip()
    shell = _shell(bare) if len(bare) <= LONGEST else None
    return (
        shell is not None
        and not {".", ",", "'"}.isdisjoint(shell[1])
        and not _ADDRESS.fullmatch(shell[1])
    )


def plain_numbers(values: Sequence[Any], missing: frozenset[str]) -> list[float] | None:
    """The numbers of texts that are all written as Python writes them, none missing; None for others.

    This is `number_of` for decimal points, several times as fast.
    """
    try:
        if not values or not _PLAIN.fullmatch("".join(values)) or not missing.isdisjoint(values):
            return None
        return list(map(float, values))
    except (TypeError, ValueError):
        return None


def _literal(bare: str) -> float | None:
    """A float literal of Python, without underscores."""
    try:
        return float(bare) if "_" not in bare else None
    except ValueError:
        return None


def _shell(bare: str) -> tuple[float, str] | None:
    """The sign of a number, and its digits with separators, without money, per cent and brackets."""
    if not bare.isascii():
        bare = bare.translate(_ALIKE)
    parts = _SHELL.fullmatch(bare)
    if parts is None:
        return None
    before, core, after = parts.groups()
    if core[-1] in ".," and after[:1] == "-":  # 5.- and 5,-- are whole
        after = after.lstrip("-")
    sign = _sign(before, after)
    if not sign or ("+" in before and " " in core):  # +49 170 123 456
        return None
    return sign, core


@lru_cache(maxsize=1024)
def _sign(before: str, after: str) -> float:
    """-1 or 1 by what stands around a number, 0 if that makes it none."""
    left, right = _tokens(before), _tokens(after)
    if left is None or right is None or "+" in right or "(" in right or ")" in left:
        return 0.0
    marks = left + right
    signs = marks.count("-") + marks.count("+") + marks.count("(")
    units = sum(mark not in "-+()" for mark in marks)
    if signs > 1 or left.count("(") != right.count(")") or units > 2 or (units > 1 and "%" in marks):
        return 0.0
    return -1.0 if "-" in marks or "(" in marks else 1.0


def _tokens(text: str) -> list[str] | None:
    tokens, at = [], 0
    text = text.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        tokens.append(token[1])
        at = token.end()
    return tokens


def _core(core: str, decimal: str) -> tuple[str, str] | None:
    """A number with that decimal sign as a float literal, and its separator of thousands."""
    found = _CORES[decimal].fullmatch(core)
    if found is None or (decimal == "," and _ADDRESS.fullmatch(core)):
        return None
    separator = found[1] or found[2] or ""
    if separator:
        core = core.replace(separator, "")
    return core.replace(decimal, "."), separator


@dataclass(frozen=True)
class _Fit:
    """How many rows a writing reads."""

    decimal: str
    thousands: str
    rows: int


class _Form:
    """A value of a column, and its separator of thousands with each decimal sign, if it can be read."""

    __slots__ = ("bare", "count", "plain", "separators", "text")

    def __init__(self, text: str, count: int) -> None:
        self.text = text
        self.bare = bare = text.strip()
        self.count = int(count)
        self.plain = _literal(bare) is not None
        self.separators: dict[str, str] = {}
        if self.plain:
            self.separators["."] = ""
            if "." not in bare:
                self.separators[","] = ""
            elif _POINTS.fullmatch(bare):
                self.separators[","] = "."
        elif len(bare) <= LONGEST and (shell := _shell(bare)):
            for decimal in DECIMALS:
                if found := _core(shell[1], decimal):
                    self.separators[decimal] = found[1]

    def is_missing(self, missing: frozenset[str]) -> bool:
        if self.bare in missing:
            return True
        if self.plain:
            return self.bare.lstrip("+-").lower() == "nan"
        return len(self.bare) <= LONGEST and self.bare.lower() in missing

    def fits(self, fit: _Fit) -> bool:
        return self.separators.get(fit.decimal) in ("", fit.thousands)


def _fit(forms: list[_Form], decimal: str, thousands: str | None) -> _Fit:
    """The best writing with a decimal sign."""
    rows: Counter[str] = Counter()
    for form in forms:
        separator = form.separators.get(decimal)
        if separator is not None:
            rows[separator] += form.count
    plain = rows.pop("", 0)
    if thousands is None:
        thousands = max(rows, key=rows.__getitem__, default="")
    return _Fit(decimal, thousands, plain + rows[thousands])


def _numbers(forms: list[_Form], fit: _Fit) -> Numbers:
    """The values as numbers in one writing."""
    total = sum(form.count for form in forms)
    bad = next((form.text for form in forms if not form.fits(fit)), None)
    example = _example([form for form in forms if form.fits(fit)], fit)
    return Numbers(fit.rows / total if total else 0.0, fit.decimal, fit.thousands, False, bad, example)


def _differ(forms: list[_Form], one: _Fit, other: _Fit) -> bool:
    """Whether a value that both writings read has a sign that means thousands in one of them only."""
    return any(
        form.fits(one)
        and form.fits(other)
        and form.separators[one.decimal] != form.separators[other.decimal]
        for form in forms
    )


def _example(forms: list[_Form], fit: _Fit) -> str | None:
    """The first value that shows most of a writing: both signs, or one, or more than a plain number."""

    def shown(form: _Form) -> int:
        if form.plain and fit.decimal == ".":
            return 0
        grouped = bool(form.separators[fit.decimal])
        both = grouped and fit.decimal in form.bare
        return (not form.plain) + 2 * (grouped or "," in form.bare) + both

    best = max(forms, key=shown, default=None)
    return best.text if best is not None and shown(best) else None
