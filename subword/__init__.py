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
    from .langid import LanguageIdentifier
    from .nbsvm import NBLogCountRatio, NBSVMClassifier
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
    "SubwordTextClassifier",
    "SubwordTfidfVectorizer",
    "SubwordVectorizer",
    "SubwordWarning",
    "WordCounts",
    "__version__",
    "info",
    "load",
    "loads",
    "train",
    "train_files",
]

# apps/ and data/ are inside this package once installed; in a checkout they stand beside it.
_ABOVE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_ABOVE, "setup.cfg")):
    __path__.append(_ABOVE)

# scikit-learn takes a second to load, so its estimators come when asked for.
_ESTIMATORS = {
    "LanguageIdentifier": ".langid",
    "NBLogCountRatio": ".nbsvm",
    "NBSVMClassifier": ".nbsvm",
    "SubwordTextClassifier": ".classifier",
    "SubwordTfidfVectorizer": ".vectorizer",
    "SubwordVectorizer": ".vectorizer",
}


def __getattr__(name: str) -> Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ESTIMATORS[name], __name__), name)


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
