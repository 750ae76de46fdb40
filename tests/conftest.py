"""Settings that all tests share."""

import pytest
from hypothesis import settings

from helpers.streams import JIT_OFF

# Interpreted kernels are slow, so they see fewer examples.
settings.register_profile(
    "stable", deadline=None, derandomize=True, database=None, max_examples=4 if JIT_OFF else 12
)
settings.register_profile("thorough", deadline=None, database=None, max_examples=500)
settings.load_profile("stable")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With ``-n`` alone a file stays in one process, so that what its tests share is made once."""
    from xdist.scheduler import LoadFileScheduling

    if config.getvalue("dist") != "load":
        return None
    config.option.loadscopereorder = False  # the order is that of pytest_collection_modifyitems
    return LoadFileScheduling(config, log)


def pytest_collection_modifyitems(config, items):
    """Of several processes none shall begin a file of slow tests when the others are done."""
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)
