"""Everything public has a numpydoc docstring that matches its signature."""

import inspect
import re

import costream
from costream.files.blocks import Block
from costream.labels.labels import Labels
from costream.tables.arrays import Batch
from helpers.numpydoc import Docstring, gives_something, parameters

# Types that public calls return: users read their attributes, make none, and call no methods.
RETURNED = {"Explanation", "Standing", "Standings", "Batch", "Block", "Labels"}
LEARNERS = {cls.__name__ for cls in costream.learners.LEARNERS.values()}

PUBLIC = (costream, costream.costs, costream.learners, costream.metrics, costream.model)
OBJECTS = {name: getattr(package, name) for package in PUBLIC for name in package.__all__}
OBJECTS |= {"of River": costream.river.CostSensitiveClassifier}
OBJECTS |= {"of scikit-learn": costream.sklearn.CostSensitiveClassifier}
OBJECTS |= {cls.__name__: cls for cls in (Batch, Block, Labels)}


def members(cls):
    """The public methods and properties that a class has from us, not from its host."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        member = getattr(member, "__func__", getattr(member, "fn", member))  # what decorators wrap
        ours = inspect.isfunction(member) and member.__module__.startswith("costream")
        if not name.startswith("_") and (isinstance(member, property) or ours):
            yield name, documented(cls, name, member)


def documented(cls, name, member):
    """The method itself or, where it has no docstring, the one of a base class that it overrides."""
    others = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    others = [getattr(one, "__func__", one) for one in others]
    return next((one for one in [member, *others] if one.__doc__), member)


def faults_of_any(name, one):
    if not Docstring(one.__doc__).summary.endswith("."):
        yield f"{name}: the summary is no line that ends with a period"


def faults_of_function(name, function):
    doc = Docstring(function.__doc__)
    if doc.names("Parameters") != parameters(function):
        yield f"{name}: {doc.names('Parameters')} are described, not {parameters(function)}"
    if ("Returns" in doc.sections) != gives_something(function):
        yield f"{name}: what is returned is described, or not, against the annotation"


def faults_of_class(name, cls):
    doc = Docstring(cls.__doc__)
    section = "Attributes" if name in RETURNED else "Parameters"
    if doc.names(section) != parameters(cls):
        yield f"{name}: {section} are {doc.names(section)}, not {parameters(cls)}"
    if ">>> " not in doc.sections.get("Examples", ""):
        yield f"{name}: no example"
    if name in LEARNERS and not re.search(r"[12]\d{3}", doc.sections.get("References", "")):
        yield f"{name}: no reference with a year"


def faults():
    """All faults of all public docstrings, each a line."""
    for name, one in OBJECTS.items():
        if inspect.isclass(one):
            yield from faults_of_any(name, one)
            yield from faults_of_class(name, one)
            for key, member in members(one):
                yield from faults_of_any(f"{name}.{key}", member)
                if not isinstance(member, property) and name not in RETURNED:
                    yield from faults_of_function(f"{name}.{key}", member)
        elif callable(one):
            yield from faults_of_any(name, one)
            yield from faults_of_function(name, one)


def test_docstrings_match_their_signatures():
    assert list(faults()) == []
