"""Everything public has a numpydoc docstring that matches its signature."""

import inspect
import re

import pytest

import costream
from costream.files.blocks import Block
from costream.labels.labels import Labels
from costream.tables.arrays import Batch
from helpers.numpydoc import Docstring, gives_something, parameters

# Types that public calls return: users read their attributes, make none, and call no methods.
RETURNED = {"Explanation", "Standing", "Standings", "Batch", "Block", "Labels"}

PUBLIC = (costream, costream.costs, costream.learners, costream.metrics, costream.model)
OBJECTS = {name: getattr(package, name) for package in PUBLIC for name in package.__all__}
OBJECTS |= {"of River": costream.river.CostSensitiveClassifier}
OBJECTS |= {"of scikit-learn": costream.sklearn.CostSensitiveClassifier}
OBJECTS |= {cls.__name__: cls for cls in (Batch, Block, Labels)}
OBJECTS = {name: one for name, one in OBJECTS.items() if inspect.isclass(one) or callable(one)}
CLASSES = {name: one for name, one in OBJECTS.items() if inspect.isclass(one)}


def owner(name):
    return name.partition(".")[0]


def members(cls):
    """The public methods and properties that a class has from us, not from its host."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        member = getattr(member, "__func__", getattr(member, "fn", member))  # what decorators wrap
        ours = inspect.isfunction(member) and member.__module__.startswith("costream")
        if isinstance(member, property) or ours:
            yield name, documented(cls, name, member)


def documented(cls, name, member):
    """The method itself or, where it has no docstring, the one of a base class that it overrides."""
    others = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    others = [getattr(one, "__func__", one) for one in others]
    return next((one for one in [member, *others] if one.__doc__), member)


MEMBERS = {
    f"{owner}.{name}": member
    for owner, cls in CLASSES.items()
    for name, member in members(cls)
    if not name.startswith("_")
}
FUNCTIONS = {
    name: one
    for name, one in (OBJECTS | MEMBERS).items()
    if not isinstance(one, property) and not inspect.isclass(one) and owner(name) not in RETURNED
}


def each(objects):
    """One test for each object."""
    return pytest.mark.parametrize("name", list(objects))


@each(OBJECTS | MEMBERS)
def test_summary_is_one_line(name):
    summary = Docstring((OBJECTS | MEMBERS)[name].__doc__).summary
    assert summary.endswith("."), summary


@each(FUNCTIONS)
def test_parameters_are_those_of_the_signature(name):
    function = FUNCTIONS[name]
    assert Docstring(function.__doc__).names("Parameters") == parameters(function)


@each(FUNCTIONS)
def test_what_is_returned_is_described(name):
    function = FUNCTIONS[name]
    described = "Returns" in Docstring(function.__doc__).sections
    assert described == gives_something(function)


@each(CLASSES)
def test_class_describes_what_makes_it(name):
    section = "Attributes" if name in RETURNED else "Parameters"
    assert Docstring(CLASSES[name].__doc__).names(section) == parameters(CLASSES[name])


@each(CLASSES)
def test_class_has_an_example(name):
    assert ">>> " in Docstring(CLASSES[name].__doc__).sections["Examples"]


@pytest.mark.parametrize("name", [cls.__name__ for cls in costream.learners.LEARNERS.values()])
def test_learner_names_its_reference(name):
    assert re.search(r"[12]\d{3}", Docstring(CLASSES[name].__doc__).sections["References"])
