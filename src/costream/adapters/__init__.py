"""The faces that other libraries know; each passes its host's own checks."""
