"""Negated words spelt in letters of their own, so that what is "not good" shares nothing with good.

Das & Chen (2001) and Pang, Lee & Vaithyanathan (2002) put ``NOT_`` before the words behind a
negation. Subwords undo that: ``NOT_good`` still ends in the pieces of ``good``. Here each letter is
replaced by another one, so the two words have no piece in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Self

import regex
from sklearn.base import BaseEstimator, TransformerMixin

from .documents import read_documents, tag_texts
from .options import check_whole

_WORDS = "not|no|never|nothing|nobody|none|nowhere|neither|nor|cannot|hardly|without"
_END = r"(?!\w)(?!['’]\w)"
_NEGATION = rf"(?:(?<!\w)(?<!\w['’])(?:{_WORDS})|n['’]t){_END}"
_OTHER_WORD = rf"(?!(?:{_WORDS}|\w*n['’]t){_END})\w+(?:['’]\w+)*"
_PAUSE = ".,;:!?()"
# Mathematical sans-serif letters: letters to every pattern, and in no text of this world.
_OWN_LETTERS = {
    ord(letter): 0x1D5BA + place
    for alphabet in ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for place, letter in enumerate(alphabet)
}


def mark_negated(text: str, scope: int = 4) -> str:
    """Spell the words behind an English negation in letters of their own.

    Parameters
    ----------
    text : str
        Any text.
    scope : int, default=4
        How many words behind a negation are meant, at most; a punctuation mark ends it before.

    Returns
    -------
    str
        As many characters, so that places in the one are places in the other.

    Examples
    --------
    >>> mark_negated("I did not like it, sadly.")
    'I did not 𝗅𝗂𝗄𝖾 𝗂𝗍, sadly.'

    """
    if not scope:
        return text
    return str(_scopes(scope).sub(lambda match: match[0].translate(_OWN_LETTERS), text))


@lru_cache
def _scopes(scope: int) -> regex.Pattern[str]:
    """Return the pattern of the words behind a negation; a match begins where they do."""
    words = rf"(?:[^\w{_PAUSE}]+{_OTHER_WORD}){{1,{scope}}}"
    return regex.compile(rf"{_NEGATION}\K{words}", regex.IGNORECASE)


class NegationMarker(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Mark negated words before a text classifier sees them, see `mark_negated`.

    Parameters
    ----------
    scope : int, default=4
        How many words behind a negation are meant, at most.

    Examples
    --------
    >>> NegationMarker(scope=1).fit_transform(["no newest widest"])
    ['no 𝗇𝖾𝗐𝖾𝗌𝗍 widest']

    """

    def __init__(self, scope: int = 4) -> None:
        self.scope = scope

    def fit(self, X: Iterable[str], y: Any = None) -> Self:
        """Learn nothing.

        Parameters
        ----------
        X : iterable of str
            Ignored.
        y : None
            Ignored.

        Returns
        -------
        self
            As it is.

        """
        check_whole("scope", self.scope, 0)
        return self

    def transform(self, X: Iterable[str]) -> Sequence[str]:
        """Return the texts with negated words marked.

        Parameters
        ----------
        X : iterable of str
            One text per document.

        Returns
        -------
        list of str
            As long as they were, text by text.

        """
        check_whole("scope", self.scope, 0)
        return [mark_negated(text, self.scope) for text in read_documents(X, missing=None)]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = tag_texts(super().__sklearn_tags__())
        tags.requires_fit = False
        return tags
