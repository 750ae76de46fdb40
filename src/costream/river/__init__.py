"""Classifiers and metrics for River."""
