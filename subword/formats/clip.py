"""CLIP's merges, ``bpe_simple_vocab_16e6.txt.gz``: bytes as GPT-2 spells them, with ``</w>``.

Ids are not in the file but follow from it: 256 bytes in the order of GPT-2's table, the same
ending a word, one per merge, ``<|startoftext|>``, ``<|endoftext|>``. CLIP takes the first 48,894
merges of the file and no more.

Texts are squeezed and lower-cased as there. Not done here is what its code does before: repairing
broken encodings with ftfy (but for NFC, which is a part of that) and undoing HTML's ``&amp;``.
"""

from __future__ import annotations

import re

from ..errors import ModelFileError, tell
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Rules, Splitter
from ..reference import Merge, Symbol
from .gpt2 import BYTES, check_order, spell, unspell
from .texts import ModelText

HEADER = '"bpe_simple_vocab_16e6.txt#version: 0.2'
MOST_MERGES = 48_894
SPECIALS = ("<|startoftext|>", "<|endoftext|>")
SPLITTER = Splitter("clip", True, ("NFC", "squeeze"))
_END = "</w>"
# GPT-2's order of the bytes: those that print, then the others
_UNITS = sorted(BYTES, key=lambda unit: (ord(unit) >= 0x100, ord(unit)))


def recognises(text: str, path: str | None = None) -> bool:
    """Say whether the header is CLIP's.

    >>> recognises(HEADER), recognises("#version: 0.2")
    (True, False)
    """
    return bool(re.match(r'"?[\w.]*bpe_simple_vocab[\w.]*#version', text))


def read(text: str, path: str | None = None, pretokenizer: Rules | None = None) -> BPE:
    """Read merges.

    Parameters
    ----------
    text : str
        A header, then a merge a line.
    path : str, optional
        Where it is from.
    pretokenizer : str, optional
        How texts become words, without any change to the text; by default as in CLIP.

    Raises
    ------
    ModelFileError
        With path and line: what is no merge, merges that are impossible or stand twice.

    """
    file = ModelText(text, path)
    ids = {unit: i for i, unit in enumerate([*_UNITS, *(unit + _END for unit in _UNITS)])}
    table: dict[tuple[int, int], Merge] = {}
    for number, line in enumerate(text.rstrip("\r\n ").split("\n")[1 : MOST_MERGES + 1], 2):
        parts = line.rstrip("\r").split(" ")
        if len(parts) != 2 or not all(part in ids for part in parts):
            file.fail(f"expected two tokens, bytes or made before; got {line!r:.80}", number)
        left, right = (ids[part] for part in parts)
        result = ids.setdefault("".join(parts), len(ids))
        if parts[0].endswith(_END) or (left, right) in table:
            file.fail(f"impossible merge, or one that stands twice: {line!r:.80}", number)
        table[left, right] = Merge(left, right, result, 0, 0)
    splitter = Splitter(pretokenizer) if pretokenizer else SPLITTER
    symbols = [_symbol(token) for token in ids]
    options = Options("byte", "suffix", splitter)
    return BPE(symbols, Merges.of([*table.values()]), options, SPECIALS)


def _symbol(token: str) -> Symbol:
    return unspell(token.removesuffix(_END)), token.endswith(_END)


def write(bpe: BPE) -> str:
    """Return the merges of a model with CLIP's header.

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: not byte level with suffix, words or special tokens
        other than CLIP's, too many merges.

    Warns
    -----
    SubwordWarning
        When CLIP will give the pieces other ids.

    """
    if bpe.options[:3] != ("byte", "suffix", SPLITTER):
        raise ModelFileError(
            "CLIP's file holds byte-level models with end_of_word='suffix' and words by "
            f"{SPLITTER}; this one is {bpe.level} level with end_of_word={bpe.end_of_word!r} and "
            f"{bpe.options.splitter}. Use format='huggingface', or save(), our own format"
        )
    if bpe.num_merges > MOST_MERGES or not set(bpe.special_tokens) <= set(SPECIALS):
        raise ModelFileError(
            f"CLIP takes {MOST_MERGES:,} merges and the special tokens {' '.join(SPECIALS)}; this "
            f"model has {bpe.num_merges:,} merges and {len(bpe.special_tokens)} special tokens. "
            "Use truncate(), or format='huggingface'"
        )
    check_order(bpe)
    names = [spell(raw) + _END * is_final for raw, is_final in bpe.symbols]
    rows = [f"{names[left]} {names[right]}" for left, right, _ in bpe._table.tolist()]
    text = "\n".join([HEADER, *dict.fromkeys(rows)]) + "\n"
    try:
        again = read(text)
    except ModelFileError as error:
        raise ModelFileError(
            f"pieces that are spelt alike in CLIP's file: {error.reason}. Use save()"
        ) from None
    if again.symbols[: len(bpe._plain)] != bpe._plain:
        tell(
            "CLIP numbers the bytes in an order of its own, so the ids there are others than in "
            "this model; subword.load(path) has those"
        )
    return text
