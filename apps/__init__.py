"""Applications on subword tokens; each runs as a module: ``python -m apps.sentiment``."""
