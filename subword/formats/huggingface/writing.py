"""Writing ``tokenizer.json``."""

from __future__ import annotations

import json

from ...alphabet import UNK, in_texts, spelling, unk_id
from ...errors import ModelFileError, tell
from ...model import BPE
from ...options import Options
from ...reference import Symbol
from ..gpt2 import check_order, spell
from .normalizers import normalizers
from .steps import BYTES, INSTEAD, Json, as_sequence
from .words import pre_tokenizers

_END = "</w>"
_FLAGS = {
    "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True
}  # fmt: skip


def write(bpe: BPE) -> str:
    """Return a model as the text of a ``tokenizer.json``; see the package for what differs there.

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
        tell(
            "characters that this model does not know will vanish in Hugging Face's tokenizers, "
            "which have no bytes that end a word; all other texts get the same ids. "
            "unknown='unk' or level='byte' keep them"
        )
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": _added_tokens(bpe),
        "normalizer": as_sequence("normalizers", normalizers(bpe.options)),
        "pre_tokenizer": as_sequence("pretokenizers", pre_tokenizers(bpe.options)),
        "post_processor": None,
        "decoder": as_sequence("decoders", _decoders(bpe.options)),
        "model": _model(bpe),
    }  # fmt: skip
    return json.dumps(tokenizer, ensure_ascii=False, indent=1) + "\n"


def _added_tokens(bpe: BPE) -> list[Json]:
    return [
        {"id": bpe.piece_to_id(token), "content": token} | _FLAGS for token in bpe.special_tokens
    ]


# -- vocabulary and merges -----------------------------------------------------------------


def _model(bpe: BPE) -> Json:
    names = _names(bpe)
    vocabulary = {name: i for i, name in enumerate(names)}
    _check_distinct(bpe, names, vocabulary)
    merges = dict.fromkeys((names[left], names[right]) for left, right, _ in bpe._table.tolist())
    return {
        "type": "BPE", "dropout": None,
        "unk_token": UNK if bpe.options.unknown != "bytes" else None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": _END if bpe.end_of_word else None,
        "fuse_unk": bpe.options.unknown == "unk_run",
        "byte_fallback": _falls_back(bpe.options),
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [*merges],
    }  # fmt: skip


def _names(bpe: BPE) -> list[str]:
    """Spell the symbols; holes are special tokens, ``<unk>``, and bytes that no text needs."""
    unk = unk_id(bpe._plain, bpe.options.unknown)
    names = [_name(symbol, bpe.options) for symbol in in_texts(bpe._plain, unk)]
    holes = iter(bpe.special_tokens)
    for i, name in enumerate(names):
        if not name:
            byte = bpe._plain[i][0]
            names[i] = UNK if i == unk else next(holes) if not byte else f"<0x{byte[0]:02X}>"
    return names


def _name(symbol: Symbol, options: Options) -> str:
    raw, is_final = symbol
    return (spell(raw) if options.level == "byte" else spelling((raw, False))) + _END * is_final


def _check_distinct(bpe: BPE, names: list[str], vocabulary: dict[str, int]) -> None:
    """Refuse symbols that differ here but would be spelt alike there."""
    for i, name in enumerate(names):
        if vocabulary[name] != i:
            raise ModelFileError(
                f"tokenizer.json cannot hold both {bpe._plain[i]!r} and "
                f"{bpe._plain[vocabulary[name]]!r}: both would be spelt {name!r}. {INSTEAD}"
            )
    for token in bpe.special_tokens:
        if vocabulary.get(token, bpe.piece_to_id(token)) != bpe.piece_to_id(token):
            raise ModelFileError(
                f"tokenizer.json cannot hold the special token {token!r}: a symbol is spelt so, "
                f"and one name has one id there. {INSTEAD}"
            )


def _falls_back(options: Options) -> bool:
    """Say whether unknown characters become their bytes, which only works without a suffix."""
    return options.level == "char" and options.end_of_word is None and options.unknown == "bytes"


# -- back to text --------------------------------------------------------------------------


def _decoders(options: Options) -> list[Json]:
    marked, is_byte = options.end_of_word is not None, options.level == "byte"
    words: list[Json] = [{"type": "BPEDecoder", "suffix": _END}]  # a space between words
    from_bytes: Json = {"type": "ByteLevel"} | BYTES | {"use_regex": False}
    if marked and is_byte:
        space = {"type": "Replace", "pattern": {"String": " "}, "content": spell(b" ")}
        return [*words, space, from_bytes]
    if marked:
        return words
    if is_byte:
        return [from_bytes]
    return [{"type": "ByteFallback"}] * _falls_back(options) + [{"type": "Fuse"}]
