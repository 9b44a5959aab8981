"""Word-frequency, Sennrich-style byte-pair encoding for Python and scikit-learn."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .counts import WordCounts
from .errors import (
    CorpusError,
    FallbackWarning,
    ModelFileError,
    SpecialTokenError,
    SubwordError,
    SubwordWarning,
)
from .formats import load, loads
from .model import BPE
from .trainer import train, train_files

if TYPE_CHECKING:
    from .classifier import SubwordTextClassifier
    from .compare import diff
    from .hashing import SubwordHashingVectorizer
    from .inspection import audit
    from .joint import train_joint
    from .langid import LanguageIdentifier
    from .log_counts import NBLogCountRatio
    from .nbsvm import NBSVMClassifier
    from .vectorizer import SubwordTfidfVectorizer, SubwordVectorizer

__version__ = "0.1.0"
__all__ = [
    "BPE",
    "CorpusError",
    "FallbackWarning",
    "LanguageIdentifier",
    "ModelFileError",
    "NBLogCountRatio",
    "NBSVMClassifier",
    "SpecialTokenError",
    "SubwordError",
    "SubwordHashingVectorizer",
    "SubwordTextClassifier",
    "SubwordTfidfVectorizer",
    "SubwordVectorizer",
    "SubwordWarning",
    "WordCounts",
    "__version__",
    "audit",
    "diff",
    "info",
    "load",
    "loads",
    "train",
    "train_files",
    "train_joint",
]

# apps/ and data/ are inside this package once installed; in a checkout they stand beside it.
_ABOVE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_ABOVE, "setup.cfg")):
    __path__.append(_ABOVE)

# What takes time to load (scikit-learn a second), or few programs need, comes when asked for.
_LATER = {
    "LanguageIdentifier": ".langid",
    "NBLogCountRatio": ".log_counts",
    "NBSVMClassifier": ".nbsvm",
    "SubwordHashingVectorizer": ".hashing",
    "SubwordTextClassifier": ".classifier",
    "SubwordTfidfVectorizer": ".vectorizer",
    "SubwordVectorizer": ".vectorizer",
    "audit": ".inspection",
    "diff": ".compare",
    "train_joint": ".joint",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name], __name__), name)


def __dir__() -> list[str]:
    return __all__


def info() -> dict[str, Any]:
    """Return version, engine, Unicode version and number of threads.

    >>> info()["version"] == __version__
    True
    """
    import regex

    from .native import core

    engine, on_linux = core(), hasattr(os, "sched_getaffinity")
    return {
        "version": __version__,
        "engine": "native" if engine else "python",
        "unicode": engine.unicode_version() if engine else f"as in regex {regex.__version__}",
        "threads": len(os.sched_getaffinity(0)) if on_linux else os.cpu_count(),
    }
