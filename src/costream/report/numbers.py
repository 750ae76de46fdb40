"""Numbers as text, for pages and for a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

MINUS, DASH, TIMES = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"
PLUS_MINUS, NO_BREAK = "\N{PLUS-MINUS SIGN}", "\N{NO-BREAK SPACE}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGEST = 1e12  # larger numbers are written with an exponent
MOST_DECIMALS = 6


def number(value: float | None, form: int | str, *, plain: bool = False) -> str:
    """A number as text; one that is None or not finite is a dash.

    ``form`` is how many decimals, with commas between thousands, or a format such as ``".4g"``.
    ``plain`` is for a terminal: ASCII only, no real minus sign and no en dash.

    >>> number(-12345.678, 1), number(float("nan"), 2), number(-0.001, 1)
    ('−12,345.7', '–', '0.0')
    >>> number(-0.00012345, ".2g", plain=True), number(None, 1, plain=True)
    ('-0.00012', '-')
    """
    if value is None or not math.isfinite(value):
        return "-" if plain else DASH
    if isinstance(form, int):
        fixed = abs(value) < LARGEST and form <= MOST_DECIMALS
        form = f",.{form}f" if fixed else ".3g"
    text = format(value, form)
    if not text.strip("-0.,"):
        text = text.lstrip("-")  # no minus before zero
    return text if plain else text.replace("-", MINUS)


def percent(share: float, decimals: int = 1, unit: str = "", *, plain: bool = False) -> str:
    """A share of 1 in percent; ``unit`` follows it, but not a dash.

    >>> percent(0.1234), percent(-0.5, 0, " %"), percent(0.5, unit="%"), percent(math.nan, unit="%")
    ('12.3', '−50 %', '50.0%', '–')
    """
    return number(100 * share, decimals, plain=plain) + (unit if math.isfinite(share) else "")


def cost_text(cost: float, *, plain: bool = False) -> str:
    """A cost, with a decimal only while that matters.

    >>> cost_text(9999.94), cost_text(12345.6)
    ('9,999.9', '12,346')
    """
    return number(cost, 1 if abs(cost) < 10_000 else 0, plain=plain)


def seconds_text(seconds: float | None) -> str:
    """A time with two significant digits; a dash where it is not known.

    >>> [seconds_text(one) for one in (0.00043211, 0.5, 12.345, None)]
    ['0.00043', '0.50', '12', '–']
    """
    if seconds is None or not 0.0 < seconds < math.inf:
        return DASH
    return number(seconds, max(0, 1 - math.floor(math.log10(seconds))))


def short_number(value: float) -> str:
    """A number with three significant digits.

    >>> short_number(123456.0), short_number(0.012345), short_number(-1.5e-7)
    ('123,456', '0.0123', '−1.5e−7')
    """
    text = number(value, ",.0f" if 100.0 <= abs(value) < 1e6 else ".3g")
    return re.sub(rf"e([+{MINUS}])0?(\d)", lambda found: f"e{found[1].strip('+')}{found[2]}", text)


def power_of_ten(value: float) -> str:
    """A number as a multiple of a power of ten.

    >>> power_of_ten(0.001), power_of_ten(2.5e6), power_of_ten(0.0)
    ('10⁻³', '2.5×10⁶', '0')
    """
    factor, _, exponent = f"{value:.3e}".partition("e")
    power = "10" + str(int(exponent)).translate(SUPERSCRIPTS)
    factor = number(float(factor), "g")
    return "0" if factor == "0" else power if factor == "1" else f"{factor}{TIMES}{power}"


def superscripts(text: str) -> str:
    """A formula with its exponents raised.

    >>> superscripts("O(d^2)")
    'O(d²)'
    """
    return re.sub(r"\^(\d)", lambda found: found[1].translate(SUPERSCRIPTS), text)


def plus_minus(mean: str, std: str | None) -> str:
    """A mean and its standard deviation, if that is known.

    >>> plus_minus("1.5", "0.2"), plus_minus("1.5", None)
    ('1.5 ± 0.2', '1.5')
    """
    return mean if std is None else f"{mean} {PLUS_MINUS} {std}"


def decimals_of(values: Iterable[float], digits: int = 4) -> int:
    """The decimals that show the largest value with so many digits; none for whole numbers."""
    finite = [abs(value) for value in values if math.isfinite(value)]
    largest = max(finite, default=0.0)
    if largest == 0.0 or all(value < LARGEST and value == int(value) for value in finite):
        return 0
    return max(0, digits - 1 - math.floor(math.log10(largest)))


def value_text(value: object) -> str:
    """The value of a hyper-parameter.

    >>> value_text(0.00001), value_text(10.0), value_text("ratio")
    ('1e-5', '10', 'ratio')
    """
    return f"{value:g}".replace("e-0", "e-") if isinstance(value, float) else str(value)


def cell_text(value: object) -> str:
    """A value of a table as its user wrote it.

    >>> [cell_text(one) for one in (912.5, 950.0, "games", None, True, ["a", "b"])]
    ['912.5', '950', 'games', 'missing', 'true', 'a, b']
    """
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(cell_text, value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def settings_text(
    settings: Mapping[str, object], symbols: Mapping[str, str] | None = None, space: str = " "
) -> str:
    """The values of hyper-parameters after their names, or the symbols of these.

    >>> settings_text({"eta": 0.1, "margin": "ratio"}, {"eta": "η"})
    'η 0.1, margin ratio'
    """
    symbols = symbols or {}
    return ", ".join(
        f"{symbols.get(key, key)}{space}{value_text(value)}" for key, value in settings.items()
    )


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "run"), counted(5000, "run")
    ('1 run', '5,000 runs')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def finite(value: object) -> object:
    """What JSON can hold: None where a number is not finite, at any depth of lists and dicts."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
