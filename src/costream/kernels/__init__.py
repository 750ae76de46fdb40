"""All compiled code, and the records it works on. Nothing else in the package imports numba."""
