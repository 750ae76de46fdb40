"""Whole data sets: those of the paper and where to get them, a bundled one, and a generated one."""
