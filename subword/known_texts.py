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
_SPLITTERS = 2  # that a search may change between
_ONCE, _TOO_MANY = 0, -1  # otherwise the generation of the store that knows the list

_stores: dict[object, Any] = {}  # of the engine, by what says how texts become words
_fitted: dict[object, int] = {}  # lists of texts, the longest unused first
# Of both every step is safe among threads: a lock could be held where the process is forked.


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
    state = _fitted.pop(key, None)
    _fitted[key] = _ONCE if state is None else _known_since(state, texts, splitter)
    _forget(_fitted, _LISTS)


def known(texts: Sequence[str], splitter: Splitter) -> Any:
    """Return texts as the engine has them, if it knows them all; otherwise as they are."""
    store = _stores.get(_rules(splitter))
    if store and type(texts) is list and len(texts) >= _LEAST:
        with contextlib.suppress(TypeError, MemoryError):  # bytes
            return store.find(texts) or texts
    return texts


def _known_since(state: int, texts: Sequence[str], splitter: Splitter) -> int:
    """Keep the words of texts that were fitted before, unless they are kept already."""
    rules = _rules(splitter)
    store = _stores.pop(rules, None) or native.core().KnownTexts(*rules)
    _stores[rules] = store
    _forget(_stores, _SPLITTERS)
    if state in (_TOO_MANY, store.generation):
        return state
    with contextlib.suppress(TypeError, ValueError, MemoryError):  # bytes, or no UTF-8
        added = store.add(texts)
        return _ONCE if added is None else int(store.generation) if added else _TOO_MANY
    return _TOO_MANY


def _forget(kept: dict[object, Any], most: int) -> None:
    for old in [*kept][:-most]:
        kept.pop(old, None)


def _rules(splitter: Splitter) -> tuple[object, bool]:
    return splitter.pretokenizer, splitter.lowercase
