"""The house as it stands: how large rooms may be."""

from statistics import median

from helpers.copies import ROOT

PACKAGE = ROOT / "src" / "costream"
LONGEST, USUAL, LOOSE = 450, 150, 10  # lines of a module, of half of them; modules beside the packages


def lengths():
    files = PACKAGE.rglob("*.py")
    return {one.relative_to(PACKAGE): len(one.read_text("utf-8").splitlines()) for one in files}


def test_no_module_is_too_long():
    assert {file: lines for file, lines in lengths().items() if lines > LONGEST} == {}


def test_half_of_the_modules_are_short():
    assert median(lengths().values()) <= USUAL


def test_few_modules_lie_loose():
    assert len(list(PACKAGE.glob("*.py"))) <= LOOSE
