"""GPT-1's pair of files: characters with ``</w>`` at the ends of words.

OpenAI calls them ``encoder_bpe_40000.json`` and ``vocab_40000.bpe``, Hugging Face ``vocab.json``
and ``merges.txt``. Words are made as Hugging Face's tokenizers makes them, with BERT's cleaning,
splitting, lower-casing and without accents; OpenAI's own code did it with spaCy and ftfy.
"""

from __future__ import annotations

import json
import re

from ..alphabet import HOLE, UNK, unk_id
from ..errors import ModelFileError
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Rules, Splitter
from ..reference import Symbol
from .gpt2 import check_order, is_json, open_pair, read_ids, read_merges
from .subword_nmt import as_symbol, spell

_END = "</w>"
_HEADER = "#version: 0.2"
SPLITTER = Splitter(
    "bert", False, ("bert_clean", "bert_ideographs", "strip_accents", "lower_characters")
)


def recognises(text: str, path: str | None) -> bool:
    """Say whether this is the vocabulary, or the merges by their name."""
    if is_json(text):
        return f'{_END}"' in text and not re.search(r'"(?:Ġ|\\u0120)', text)  # a byte of GPT-2's
    return bool(path and re.search(r"vocab_40000\.bpe(\.\w+)?$", path))


def read(text: str, path: str | None = None, pretokenizer: Rules | None = None) -> BPE:
    """Read a pair of files, given the text and the path of one; the other lies beside it.

    Parameters
    ----------
    text : str
        The vocabulary or the merges.
    path : str
        Where the text is from.
    pretokenizer : str, optional
        How texts become words, without any change to the text; by default as said above.

    Returns
    -------
    BPE
        Character level with suffix, with the ids of the file. Of what no merge makes, single
        characters are characters, ``<unk>`` stands for unknown ones, all else is special.

    Raises
    ------
    ModelFileError
        With path and line: when the other file is missing, ids have gaps, merges are impossible
        or stand twice, or there is no ``<unk>``.

    """
    vocabulary, merges = open_pair(text, path)
    ids = read_ids(vocabulary)
    if UNK not in ids:
        vocabulary.fail(f"{UNK} is not in the vocabulary: unknown characters would have no id", 1)
    tokens = sorted(ids, key=ids.__getitem__)
    units = [token for token in tokens if len(token.removesuffix(_END) or token) == 1]
    table, made = read_merges(merges, ids, units, "character")
    if UNK in made:
        merges.fail(f"a merge makes {UNK}, which stands for unknown characters", 1)
    specials = [token for token in tokens if token not in made and token != UNK]
    holes = set(specials)
    splitter = Splitter(pretokenizer) if pretokenizer else SPLITTER
    try:
        symbols = [HOLE if token in holes else _symbol(token) for token in tokens]
        return BPE(symbols, Merges.of(table), Options("char", "suffix", splitter, "unk"), specials)
    except ValueError as error:  # a lone surrogate, an empty special token
        vocabulary.fail(f"a token that cannot be one: {error}", 1)


def _symbol(token: str) -> Symbol:
    token.encode()  # which finds lone surrogates
    return as_symbol(token, "suffix")


def _name(symbol: Symbol) -> str:
    raw, is_final = symbol
    text = raw.decode()
    if text.endswith(_END) and not is_final:
        raise ModelFileError(f"a literal {text!r} would end words. Use save(), our own format")
    return text + _END * is_final


def write(bpe: BPE) -> tuple[str, str]:
    """Return the vocabulary and the merges as texts.

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: not character level with suffix and ``<unk>``, or
        words that are made in another way than GPT-1's.

    """
    options = bpe.options
    if options[:4] != ("char", "suffix", SPLITTER, "unk"):
        raise ModelFileError(
            "GPT-1's files hold models of characters with end_of_word='suffix', unknown='unk', "
            f"pretokenizer='bert' and normalization={SPLITTER.normalization}; this one is "
            f"{bpe.level} level with end_of_word={bpe.end_of_word!r}, unknown="
            f"{options.unknown!r} and {options.splitter}. Use format='huggingface', or save()"
        )
    check_order(bpe)
    unk = unk_id(bpe._plain, "unk")
    names = {i: _name(symbol) for i, symbol in enumerate(bpe._plain)} | {unk: UNK}
    names |= {bpe.piece_to_id(token): token for token in bpe.special_tokens}
    vocabulary = {names[i]: i for i in range(len(bpe))}
    if len(vocabulary) < len(names):
        twice = next(name for i, name in names.items() if vocabulary[name] != i)
        raise ModelFileError(f"two pieces are spelt {twice!r} there. Use save(), our own format")
    pairs = ((bpe._plain[left], bpe._plain[right]) for left, right, _ in bpe._table.tolist())
    rows = dict.fromkeys(f"{spell(left)} {spell(right)}" for left, right in pairs)
    return json.dumps(vocabulary), "\n".join([_HEADER, *rows]) + "\n"
