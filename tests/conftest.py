"""Settings that all tests share."""

from hypothesis import settings

from helpers.streams import JIT_OFF

# Interpreted kernels are slow, so they see fewer examples.
settings.register_profile(
    "stable", deadline=None, derandomize=True, database=None, max_examples=4 if JIT_OFF else 12
)
settings.register_profile("thorough", deadline=None, database=None, max_examples=500)
settings.load_profile("stable")
