"""Which engine runs: the compiled one, or pure Python where that is missing or not wanted."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any

from ..errors import FallbackWarning, SubwordError, tell

ENGINES = ("auto", "native", "python")
# The pre-tokenizers that the engine knows by name; all others are split by `regex`.
SCANNERS = ("space", "whitespace", "words", "gpt2", "cl100k", "o200k", "none")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


@cache
def core() -> Any:
    """Return the compiled module; None where pure Python runs.

    The environment variable ``SUBWORD_ENGINE`` chooses: ``auto`` (the default) takes the compiled
    engine if it is there and warns once if not, ``native`` demands it, ``python`` leaves it aside.

    Raises
    ------
    SubwordError
        For another value, or when the compiled engine is demanded and missing.

    Examples
    --------
    >>> core() is None or core().unicode_version() > "15"
    True

    """
    wanted = os.environ.get("SUBWORD_ENGINE") or "auto"
    if wanted not in ENGINES:
        raise SubwordError(f"SUBWORD_ENGINE must be one of {', '.join(ENGINES)}; got {wanted!r}")
    if wanted == "python":
        return None
    try:
        from . import _core  # type: ignore[attr-defined]
    except ImportError as error:
        if wanted == "native":
            raise SubwordError(
                f"SUBWORD_ENGINE=native, but the compiled engine is missing ({error}); install a "
                "C++ compiler and run "
                "pip install --force-reinstall --no-deps --no-cache-dir subword"
            ) from error
        tell(
            f"the compiled engine is missing ({error}): pure Python runs, with the same results "
            "but 50 to 300 times slower; SUBWORD_ENGINE=python says that this is meant",
            FallbackWarning,
        )
        return None
    return _core


def as_utf8(text: str) -> str | bytes:
    """Return a text as the engine takes it: as bytes if some of them are no UTF-8 (PEP 383)."""
    is_utf8 = text.isascii() or not _ESCAPED_BYTE.search(text)
    return text if is_utf8 else text.encode("utf-8", "surrogateescape")


def is_utf8(data: bytes) -> bool:
    """Say whether bytes are UTF-8.

    >>> is_utf8("é".encode()), is_utf8(b"\\xe9")
    (True, False)
    """
    if engine := core():
        return bool(engine.validate_utf8(data) < 0)
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
