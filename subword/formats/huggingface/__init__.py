"""Hugging Face's ``tokenizer.json``: BPE models of the library `tokenizers` (0.20 or later).

Byte level spells bytes as GPT-2 does; ``end_of_word="suffix"`` becomes ``end_of_word_suffix``.
Given the same text the same ids come out on both sides, but for four things of that library:

- added tokens are always honoured, as here with ``allowed_special="all"``; some are looked for
  in the normalised text, and ``<unk>`` may be one, which here is never found in a text;
- what a post-processor adds is not added here, as there with ``add_special_tokens=False``;
- without ``<unk>``, characters that the model does not know vanish, but for models without a
  suffix that fall back on bytes. Here they always become their bytes; a warning says so;
- its version of Unicode may be another.

What else differs is refused: other kinds of models, dropout, a prefix inside words, and
normalizers and pre-tokenizers that have no equal here.
"""

from __future__ import annotations

import re

from .reading import read
from .writing import write

__all__ = ["read", "recognises", "write"]


def recognises(text: str) -> bool:
    """Say whether this is a JSON object that holds a model.

    >>> recognises('{"model": {"type": "BPE"}}'), recognises('{"model": 5}')
    (True, False)
    """
    return text.lstrip().startswith("{") and bool(re.search(r'"model"\s*:\s*\{', text))
