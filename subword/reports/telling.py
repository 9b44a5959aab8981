"""The words that speak most for a label, whatever the model is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..pretokenize import Splitter
from .highlight import scores_of

_MOST_TEXTS, _MOST_CANDIDATES = 2_000, 10_000
_RARE, _FEW_TEXTS = 3, 100  # what fewer texts have is passed over, unless there are few in all


def telling_words(
    model: Any, texts: Sequence[str], most: int = 12
) -> dict[str, list[tuple[str, float]]]:
    """Ask a fitted model about the words and pairs of words of texts, each on its own.

    Parameters
    ----------
    model : classifier
        With `decision_function` and `classes_`.
    texts : sequence of str
        Where the words come from; of many every second one is looked at, or third, ...
    most : int
        How many for a label.

    Returns
    -------
    dict of str to list of (str, float)
        By label, words and what they add to its score by themselves times the logarithm of the
        number of texts that have them, so that what is rare does not crowd out what is met.

    Examples
    --------
    >>> from subword import SubwordTextClassifier
    >>> texts = ["so low", "the newest"] * 3
    >>> model = SubwordTextClassifier().fit(texts, ["down", "up"] * 3)
    >>> sorted(word for word, _ in telling_words(model, texts)["down"])
    ['low', 'so', 'so low']

    """
    counts: Counter[str] = Counter()
    splitter = Splitter("words", lowercase=True)
    for text in texts[:: 1 + len(texts) // _MOST_TEXTS]:
        words = splitter.words(text)
        pairs = (f"{a} {b}" for a, b in pairwise(words) if a[0].isalnum() and b[0].isalnum())
        counts.update({*words, *pairs})
    least = _RARE if len(texts) > _FEW_TEXTS else 1
    found = [(word, n) for word, n in counts.most_common(_MOST_CANDIDATES) if n >= least]
    if not found:
        return {}
    names, times = zip(*found, strict=True)
    values = scores_of(model, ["", *names])
    values = (values[1:] - values[0]) * np.log1p(times)[:, None]
    best = np.argsort(-values, axis=0, kind="stable")[:most]
    return {
        str(label): [(names[i], float(values[i, c])) for i in best[:, c] if values[i, c] > 0]
        for c, label in enumerate(model.classes_)
    }
