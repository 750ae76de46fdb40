"""A reader of numpydoc docstrings, as far as the tests hold the public API to them."""

import inspect
import re

SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)


class Docstring:
    """The summary and the sections of a docstring."""

    def __init__(self, text):
        parts = SECTION.split(inspect.cleandoc(text or ""))
        self.summary = parts[0].strip().partition("\n")[0]
        self.sections = dict(zip(parts[1::2], parts[2::2], strict=True))

    def names(self, section):
        """The names that a section describes, in their order; several may share a line."""
        lines = self.sections.get(section, "").splitlines()
        heads = [line.partition(" : ")[0] for line in lines if line and not line.startswith(" ")]
        return [name for head in heads for name in head.split(", ")]


def parameters(function):
    """The names of the parameters of a function or class, written as numpydoc does."""
    found = inspect.signature(function).parameters.values()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(one.kind, "") + one.name for one in found if one.name not in ("self", "cls")]


def gives_something(function):
    """Whether a function returns anything but None, by its annotation."""
    return inspect.signature(function).return_annotation not in (None, "None", inspect.Signature.empty)
