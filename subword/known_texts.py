"""Texts that were fitted before: the engine keeps their words, so that another size costs less.

A search fits and transforms the same texts, its folds, for one size after another, and most of that
is finding words and looking them up. So whoever fits texts a second time has them remembered: as
numbers of words, of which the folds share those of each text. Nothing is kept of what is used once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from . import native
from .pretokenize import Splitter

_LEAST = 100  # texts; fewer are no search
_LISTS = 256  # whose fits are counted
_ONCE, _KNOWN, _REFUSED = range(3)

_stores: dict[object, Any] = {}  # of the engine, by what says how texts become words
_fitted: dict[object, int] = {}  # what is known of lists of texts, the longest unused first


def remember(texts: Sequence[str], splitter: Splitter) -> None:
    """Note that texts are fitted; when they were before, keep their words, if there is room.

    Parameters
    ----------
    texts : list of str
        The documents.
    splitter : Splitter
        How the engine splits them.

    """
    if len(texts) < _LEAST:
        return
    key = _rules(splitter), len(texts), hash(tuple(texts[:: len(texts) // _LEAST]))
    # Every step is safe among threads: a lock could be held where the process is forked.
    state = _fitted.pop(key, None)
    if state == _ONCE:
        state = _KNOWN if _add(texts, splitter) else _REFUSED
    _fitted[key] = _ONCE if state is None else state
    for old in [*_fitted][:-_LISTS]:
        _fitted.pop(old, None)


def known(texts: Sequence[str], splitter: Splitter) -> Any:
    """Return texts as the engine has them, if it knows them all; otherwise as they are."""
    store = _stores.get(_rules(splitter))
    if store and type(texts) is list:
        with contextlib.suppress(TypeError):  # bytes
            return store.find(texts) or texts
    return texts


def _rules(splitter: Splitter) -> tuple[object, bool]:
    return splitter.pretokenizer, splitter.lowercase


def _add(texts: Sequence[str], splitter: Splitter) -> bool:
    """Keep the words of texts; say whether that could be done."""
    rules = _rules(splitter)
    store = _stores.get(rules) or _stores.setdefault(rules, native.core().KnownTexts(*rules))
    with contextlib.suppress(TypeError, ValueError):  # bytes, or some that are no UTF-8
        return bool(store.add(texts))
    return False
