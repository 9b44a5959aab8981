"""Language identification from word-frequency dictionaries.

::

    identifier     `LanguageIdentifier`, the estimator
    features       the words of a text, and what is looked at in a word
    weights        naive Bayes: from dictionaries to weights
    table          the weights, packed
    scoring        texts to scores, with numpy or by the compiled engine
    calibration    scores to probabilities
    spans          which language where
    storage        the file of an identifier
    evaluation     how well it does: by language, length and confidence
"""

from .identifier import LanguageIdentifier
from .spans import LanguageSpan

__all__ = ["LanguageIdentifier", "LanguageSpan"]
