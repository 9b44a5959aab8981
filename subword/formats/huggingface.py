"""Hugging Face's ``tokenizer.json``, written for the library `tokenizers` (0.20 or later).

Byte level spells bytes as GPT-2 does; ``end_of_word="suffix"`` becomes ``end_of_word_suffix``.
Given the same text the same ids come out there, but for four things of that library:

- special tokens are always honoured, as here with ``allowed_special="all"``;
- at character level with a suffix, characters that the model does not know vanish (here they
  become their bytes), because ``byte_fallback`` has no form that ends a word; writing such a
  model warns. With ``unknown="unk"``, and without a suffix, they are kept there too;
- `lowercase` makes a capital sigma that ends a word ``σ``, `str.lower` makes it ``ς``;
- its version of Unicode may be another.
"""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

from ..alphabet import UNK, spelling
from ..errors import ModelFileError, SubwordWarning
from ..model import BPE
from ..options import Options
from ..pretokenize import PATTERNS
from ..reference import Symbol
from .gpt2 import check_order, spell

_END = "</w>"
_FLAGS = {
    "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True
}  # fmt: skip
_BYTES = {"add_prefix_space": False, "trim_offsets": False}
_INSTEAD = "Use save(), our own format"

Json = dict[str, Any]


def write(bpe: BPE) -> str:
    """Return a model as the text of a ``tokenizer.json``; see the module for what differs there.

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: end_of_word="separate", a pre-tokenizer that its
        regular expressions do not have, two symbols that would be spelt alike.

    Warns
    -----
    SubwordWarning
        When characters that the model does not know will vanish there.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train(["low low"], level="byte", pretokenizer="gpt2")
    >>> json.loads(write(bpe))["model"]["merges"]
    [['o', 'w'], ['l', 'ow']]

    """
    if bpe.end_of_word == "separate":
        raise ModelFileError(
            "tokenizer.json cannot hold end_of_word='separate'. Use format='subword-nmt', or save()"
        )
    check_order(bpe)
    unknown_lost = bpe.level == "char" and bpe.options[1:4:2] == ("suffix", "bytes")
    if unknown_lost:
        warnings.warn(
            "characters that this model does not know will vanish in Hugging Face's tokenizers, "
            "which have no bytes that end a word; all other texts get the same ids. "
            "unknown='unk' or level='byte' keep them",
            SubwordWarning, stacklevel=4,
        )  # fmt: skip
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": _added_tokens(bpe),
        "normalizer": _sequence("normalizers", _normalizers(bpe.options)),
        "pre_tokenizer": _sequence("pretokenizers", _pre_tokenizers(bpe.options)),
        "post_processor": None,
        "decoder": _sequence("decoders", _decoders(bpe.options)),
        "model": _model(bpe),
    }  # fmt: skip
    return json.dumps(tokenizer, ensure_ascii=False, indent=1) + "\n"


def _sequence(plural: str, steps: list[Json]) -> Json | None:
    """Return no step as null, one as itself, several as a sequence."""
    if len(steps) < 2:
        return steps[0] if steps else None
    return {"type": "Sequence", plural: steps}


def _added_tokens(bpe: BPE) -> list[Json]:
    return [
        {"id": bpe.piece_to_id(token), "content": token} | _FLAGS for token in bpe.special_tokens
    ]


# -- vocabulary and merges -----------------------------------------------------------------


def _model(bpe: BPE) -> Json:
    has_unk = bpe.options.unknown == "unk"
    names = [_name(symbol, bpe.options) for symbol in bpe._plain]
    if has_unk:
        names[0] = UNK
    vocabulary = {name: i for i, name in enumerate(names)}
    _check_distinct(bpe, names, vocabulary)
    merges = dict.fromkeys((names[left], names[right]) for left, right, _ in bpe._table.tolist())
    return {
        "type": "BPE", "dropout": None,
        "unk_token": UNK if has_unk else None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": _END if bpe.end_of_word else None,
        "fuse_unk": False,
        "byte_fallback": _falls_back(bpe.options),
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [*merges],
    }  # fmt: skip


def _name(symbol: Symbol, options: Options) -> str:
    raw, is_final = symbol
    return (spell(raw) if options.level == "byte" else spelling((raw, False))) + _END * is_final


def _check_distinct(bpe: BPE, names: list[str], vocabulary: dict[str, int]) -> None:
    """Refuse symbols that differ here but would be spelt alike there."""
    for i, name in enumerate(names):
        if vocabulary[name] != i:
            raise ModelFileError(
                f"tokenizer.json cannot hold both {bpe._plain[i]!r} and "
                f"{bpe._plain[vocabulary[name]]!r}: both would be spelt {name!r}. {_INSTEAD}"
            )
    for token in bpe.special_tokens:
        if token in vocabulary:
            raise ModelFileError(
                f"tokenizer.json cannot hold the special token {token!r}: a symbol is spelt so, "
                f"and one name has one id there. {_INSTEAD}"
            )


def _falls_back(options: Options) -> bool:
    """Say whether unknown characters become their bytes, which only works without a suffix."""
    return options.level == "char" and options.end_of_word is None and options.unknown == "bytes"


# -- from text to words and back -----------------------------------------------------------


def _normalizers(options: Options) -> list[Json]:
    steps = {
        "strip_accents": [{"type": "NFD"}, _replace(r"\p{Mn}", "")],
        "squeeze": [_replace(r"\s+", " ")],
    }
    splitter = options.splitter
    found = [step for name in splitter.normalization for step in steps.get(name, [{"type": name}])]
    return found + [{"type": "Lowercase"}] * splitter.lowercase


def _replace(pattern: str, content: str) -> Json:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def _pre_tokenizers(options: Options) -> list[Json]:
    """Return the steps that split a text; those that need no regular expression are the fastest."""
    name = options.splitter.pretokenizer
    is_byte = options.level == "byte"
    if name == "gpt2" and is_byte:
        return [{"type": "ByteLevel"} | _BYTES | {"use_regex": True}]
    known = {
        "space": _cut_at(" \n\r"),
        # WhitespaceSplit lacks four separators of str.split
        "whitespace": [{"type": "WhitespaceSplit"}, *_cut_at("\x1c\x1d\x1e\x1f")],
        "words": [_split(PATTERNS["words"], "Removed", invert=True)],
        "none": [],
        **{name: [_split(_as_oniguruma(name), "Isolated")] for name in ("gpt2", "cl100k", "o200k")},
    }
    if name not in known:
        raise ModelFileError(
            f"tokenizer.json can hold the pretokenizers {', '.join(known)}, not {name!r}: its "
            f"regular expressions are not those of the regex package. {_INSTEAD}"
        )
    return known[name] + [{"type": "ByteLevel"} | _BYTES | {"use_regex": False}] * is_byte


def _cut_at(characters: str) -> list[Json]:
    return [{"type": "CharDelimiterSplit", "delimiter": c} for c in characters]


def _split(pattern: str, behavior: str, invert: bool = False) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def _as_oniguruma(name: str) -> str:
    """Write a pattern without possessive repeats: ``{1,3}+`` means something else there, and ``$``.

    No repeat of these patterns could give anything back that helps, so nothing changes.
    """
    greedy = re.sub(r"([+*?]|\d\})\+", r"\1", PATTERNS[name])
    return greedy.replace("$", r"\z")


def _decoders(options: Options) -> list[Json]:
    marked, is_byte = options.end_of_word is not None, options.level == "byte"
    words: list[Json] = [{"type": "BPEDecoder", "suffix": _END}]  # a space between words
    from_bytes: Json = {"type": "ByteLevel"} | _BYTES | {"use_regex": False}
    if marked and is_byte:
        space = {"type": "Replace", "pattern": {"String": " "}, "content": spell(b" ")}
        return [*words, space, from_bytes]
    if marked:
        return words
    if is_byte:
        return [from_bytes]
    return [{"type": "ByteFallback"}] * _falls_back(options) + [{"type": "Fuse"}]
