"""Normalizers of ``tokenizer.json``, both ways."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import ModelFileError
from ...options import Options
from .steps import INSTEAD, Fail, Json, read_steps


def _replace(pattern: str, content: str) -> Json:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def _bert(part: str) -> Json:
    parts = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    return {"type": "BertNormalizer"} | {name: name == part for name in parts}


NORMALIZERS: dict[str, list[Json]] = {
    **{form: [{"type": form}] for form in ("NFC", "NFD", "NFKC", "NFKD")},
    "strip_accents": [{"type": "NFD"}, _replace(r"\p{Mn}", "")],
    "strip_marks": [{"type": "StripAccents"}],
    # str.lower, which makes a capital sigma at the end of a word ς, as theirs does not
    "lowercase": [
        _replace(r"\p{Cased}\p{Case_Ignorable}*\KΣ(?!\p{Case_Ignorable}*\p{Cased})", "ς"),
        {"type": "Lowercase"},
    ],
    "lower_characters": [{"type": "Lowercase"}],
    "squeeze": [_replace(r"\s+", " ")],
    "bert_clean": [_bert("clean_text")],
    "bert_ideographs": [_bert("handle_chinese_chars")],
    "single_spaces": [_replace("\\A +|[ \u2581]+\\z", ""), _replace(" {2,}", " ")],
    "prefix_space": [{"type": "Prepend", "prepend": " "}],
    "leading_space": [_replace(r"\A(?=[^ ])", " ")],
    "lower_block_space": [
        {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
    ],
}
_BERT_STEPS = {
    "clean_text": "bert_clean", "handle_chinese_chars": "bert_ideographs",
    "strip_accents": "strip_accents", "lowercase": "lower_characters",
}  # fmt: skip
_VISIBLE_SPACE = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}


def normalizers(options: Options) -> list[Json]:
    """Return the steps that change a text before it is split."""
    splitter = options.splitter
    named = splitter.normalization[: -1 if adds_space(options) else None]  # ByteLevel does that
    names = [*named] + ["lowercase"] * splitter.lowercase
    unknown = next((name for name in names if name not in NORMALIZERS), None)
    if unknown:
        raise ModelFileError(f"tokenizer.json cannot hold normalization {unknown!r}. {INSTEAD}")
    return [step for name in names for step in NORMALIZERS[name]]


class Normalization(NamedTuple):
    """What the normalizers of a file are here.

    Attributes
    ----------
    names : list of str
        Steps by name.
    lowercase : bool
        Whether `str.lower` comes last.
    visible_space : bool
        Whether the vocabulary spells a space U+2581.

    """

    names: list[str]
    lowercase: bool
    visible_space: bool


def read_normalizer(node: Json | None, fail: Fail) -> Normalization:
    """Return the normalisation of a file; fail for what has no equal here."""
    steps = read_steps(node, "normalizers", fail)
    visible = _VISIBLE_SPACE in steps
    names: list[str] = []
    while steps:
        if steps[0]["type"] == "BertNormalizer":
            names += _bert_names(steps.pop(0))
            continue
        if visible and steps[0] == {"type": "Prepend", "prepend": "\u2581"}:
            steps[0] = NORMALIZERS["prefix_space"][0]
        if steps[0] == _VISIBLE_SPACE:  # a literal U+2581 is a space there too
            steps[0] = NORMALIZERS["lower_block_space"][0]
        found = [name for name, there in NORMALIZERS.items() if steps[: len(there)] == there]
        if not found:
            fail(f"the normalizer {steps[0]!r:.200} has no equal here")
        best = max(found, key=lambda name: len(NORMALIZERS[name]))
        names.append(best)
        del steps[: len(NORMALIZERS[best])]
    lowercase = names[-1:] == ["lowercase"]
    if "lowercase" in names[:-1]:
        fail("the normalizer lower-cases before other steps, which has no equal here")
    return Normalization(names[:-1] if lowercase else names, lowercase, visible)


def _bert_names(step: Json) -> list[str]:
    flags = dict(step)
    if flags.get("strip_accents") is None:
        flags["strip_accents"] = flags.get("lowercase")
    return [name for flag, name in _BERT_STEPS.items() if flags.get(flag)]


def adds_space(options: Options) -> bool:
    """Say whether ByteLevel has to put a space before the text."""
    splitter = options.splitter
    last = splitter.normalization[-1:] == ("leading_space",)
    return last and splitter.pretokenizer == "gpt2" and options.level == "byte"
