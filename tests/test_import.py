"""Importing costream is cheap, and every public name is there."""

import subprocess
import sys

import pytest

import costream
from helpers.commands import compiled_only
from helpers.streams import JIT_OFF

HEAVY = ("numba", "sklearn", "scipy", "river", "pandas", "numpy")


def loaded_after(statement: str) -> set[str]:
    """The top-level modules that a new interpreter has loaded after a statement."""
    code = f"{statement}; import sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.fixture(scope="module")
def bare() -> set[str]:
    return loaded_after("pass")


def test_import_loads_nothing_heavy(bare):
    assert loaded_after("import costream") & set(HEAVY) - bare == set()


def test_objectives_and_errors_load_no_compiler(bare):
    found = loaded_after("from costream import Cost, WeightedAccuracy, CostreamError")
    assert found & {"numba", "sklearn", "scipy", "river", "pandas"} <= bare


def test_learners_and_their_rules_load_no_compiler(bare):
    assert "numba" not in loaded_after("import costream.learners") - bare


def test_the_core_loads_no_host(bare):
    found = loaded_after("from costream import OnlineClassifier, learners, load, save")
    assert found & {"sklearn", "river", "pandas"} <= bare


@pytest.mark.parametrize("name", costream.__all__)
def test_public_names_resolve(name):
    assert getattr(costream, name) is not None
    assert name in dir(costream)


EVERY_MODULE = """
import importlib, pkgutil, types
import costream
for one in pkgutil.walk_packages(costream.__path__, "costream."):
    if not one.name.endswith("__main__"):
        importlib.import_module(one.name)
packages = [costream.costs, costream.learners, costream.model, costream.river, costream.sklearn]
for package in [costream, *packages]:
    for name in package.__all__:
        one = getattr(package, name)
        module = isinstance(one, types.ModuleType)
        assert module == (name == "metrics"), (package, name, one)
assert callable(costream.evaluate) and callable(costream.compare)
"""


@compiled_only
@pytest.mark.slow
def test_no_module_takes_the_place_of_a_public_name():
    """Whoever imports ``costream.x.y`` sets y of ``costream.x``, even if that was a function."""
    pytest.importorskip("river")
    subprocess.run([sys.executable, "-c", EVERY_MODULE], check=True)


def test_the_top_has_about_fifteen_names():
    assert len(costream.__all__) <= 17


@pytest.mark.skipif(JIT_OFF, reason="interpreted, nothing is loaded from the cache")
def test_a_model_from_the_cache_loads_no_linear_algebra():
    """Numba would import scipy.linalg before it runs anything; it takes a fifth of a second."""
    first = (
        "from costream import OnlineClassifier; model = OnlineClassifier();"
        "model.learn_one({'a': 1.0}, 1); model.learn_many([[1.0, 2.0]], [0], names=['a', 'b'])"
    )
    loaded_after(first)  # compiled by now
    code = f"{first}; import sys; assert 'scipy.linalg' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
