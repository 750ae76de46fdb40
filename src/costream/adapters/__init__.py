"""Adapters for scikit-learn and River; each passes the checks of its library."""
