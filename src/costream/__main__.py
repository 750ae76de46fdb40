"""``python -m costream`` is the command ``costream``."""

from .cli import main

main()
