"""The model: the online classifier, its inner interface, and its file."""
