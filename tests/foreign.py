"""What the tests of other tools' formats share: small models, golden texts, live libraries."""

from __future__ import annotations

import base64
import gzip
import importlib
import json
import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import subword
from subword.coder import Coder, NativeCoder
from subword.native import core
from subword.pretokenize import PATTERNS
from subword.reference import MARKER

REVIEWS = Path(__file__).parents[1] / "data" / "reviews.tsv"
ODD = "aB \t\n\r\x1c\x1d\x1e\x1f\x85\u00a0\u2028\u3000'’sſLLve12٣4éẞ北😀\u0301/.!-_"


# A model that each format can hold.
HELD: dict[str, dict[str, object]] = {
    "subword-nmt": {"level": "char", "end_of_word": "suffix", "pretokenizer": "space"},
    "fastbpe": {"level": "char", "end_of_word": "suffix", "pretokenizer": "space"},
    "gpt2": {"special_tokens": ["<s>", "</s>"]},
    "tiktoken": {},
    "huggingface": {"special_tokens": ["<s>", "</s>"]},
    "minbpe": {"special_tokens": ["<s>", "</s>"]},
    "clip": {"end_of_word": "suffix", "pretokenizer": "clip", "lowercase": True, "normalization": ("NFC", "squeeze")},
    "gpt1": {"level": "char", "end_of_word": "suffix", "unknown": "unk", "pretokenizer": "bert",
             "normalization": ("bert_clean", "bert_ideographs", "strip_accents", "lower_characters")},
}  # fmt: skip
NAMES = {"gpt2": "vocab.json", "gpt1": "vocab_40000.bpe"}  # files that are found by their names


def small(**options) -> subword.BPE:
    """Learn 500 merges, at byte level unless told otherwise."""
    given = {"level": "byte", "end_of_word": None, "pretokenizer": "gpt2"} | options
    return subword.train(reviews()[:200], 500, **given)


def reviews() -> list[str]:
    return REVIEWS.read_text(encoding="utf-8").split("\n")


def lines(count: int = 300) -> list[str]:
    """Return lines of text, every third one of odd characters."""
    rng = random.Random(count)
    texts = reviews()[-count:]
    texts[::3] = ["".join(rng.choices(ODD, k=rng.randrange(1, 40))) for _ in texts[::3]]
    return texts


def references(shared: Path, key: str) -> tuple[list[str], list[list[int]]]:
    """Return texts and the ids that the tool itself gave them."""
    with gzip.open(
        shared / "golden" / "reference_encodings.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        rows = [json.loads(row) for row in file]
    return [row["text"] for row in rows], [row[key] for row in rows]


def check_encodings(bpe: subword.BPE, texts: list[str], expected: list[list[int]]) -> None:
    """Compare all ways to encode, and both engines on a part, with what is expected."""
    assert [bpe.encode(text) for text in texts] == expected
    ids, indptr = bpe.encode_batch(texts)
    assert [ids[start:end].tolist() for start, end in pairwise(indptr)] == expected
    assert [bpe.decode(row) for row in expected] == texts
    for coder in (Coder, NativeCoder) if core() else (Coder,):
        engine = coder(bpe._plain, bpe._table, bpe.options)
        assert [engine.encode(text) for text in texts[::4]] == expected[::4]


# -- other libraries, live -----------------------------------------------------------------

# Every mode that a library can read, as options of training.
SPLITTERS = ("space", "whitespace", "words", "gpt2", "cl100k", "o200k", "clip", "bert", "none")
KINDS: tuple[dict[str, object], ...] = (
    {"level": "byte", "end_of_word": None}, {"level": "byte", "end_of_word": "suffix"},
    {"level": "char", "end_of_word": "suffix", "unknown": "unk"},
    {"level": "char", "end_of_word": "suffix"},
    {"level": "char", "end_of_word": "suffix", "unknown": "unk_run"},
    {"level": "char", "end_of_word": None, "unknown": "unk_run"},
    {"level": "char", "end_of_word": None, "unknown": "unk"}, {"level": "char", "end_of_word": None},
)  # fmt: skip
RULES: tuple[dict[str, object], ...] = (
    {"lowercase": True}, {"normalization": "NFC"}, {"normalization": "NFKD"}, {"normalization": "strip_accents"},
    {"normalization": ("NFD", "strip_marks", "squeeze"), "lowercase": True},
    {"normalization": ("bert_clean", "bert_ideographs", "lower_characters")},
    {"normalization": ("single_spaces", "lower_block_space", "prefix_space")},
    {"normalization": "leading_space"},
    {"normalization": "leading_space", "level": "char", "pretokenizer": "none"},
    {"special_tokens": ["<s>", "</s>", "<s> a"]},
)  # fmt: skip
Encode = Callable[[str], list[int]]


def modes() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield formats and what to train for them."""
    for splitter in SPLITTERS:
        for kind in KINDS:
            yield "huggingface", kind | {"pretokenizer": splitter}
        yield "tiktoken", {"level": "byte", "end_of_word": None, "pretokenizer": splitter}
    for rules in RULES:
        yield "huggingface", {"level": "byte", "end_of_word": None, "pretokenizer": "gpt2"} | rules
    yield "gpt2", {"level": "byte", "end_of_word": None, "pretokenizer": "gpt2"}


def exported(bpe: subword.BPE, format: str, folder: Path) -> Encode:
    """Export a model and return what encodes with it in the other library."""
    path = folder / NAMES.get(format, "model")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", subword.SubwordWarning)
        bpe.export(path, format)
    return OPENERS[format](path, bpe)


def _tokenizers(path: Path, bpe: subword.BPE) -> Encode:
    tokenizers = importlib.import_module("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _byte_level(path: Path, bpe: subword.BPE) -> Encode:
    tokenizers = importlib.import_module("tokenizers")
    pair = str(path), str(path.with_name("merges.txt"))
    tokenizer = tokenizers.ByteLevelBPETokenizer.from_file(*pair)
    return lambda text: tokenizer.encode(text).ids


def _tiktoken(path: Path, bpe: subword.BPE) -> Encode:
    return tiktoken_encoding(path, bpe.pretokenizer).encode_ordinary


def tiktoken_encoding(path: Path, pretokenizer: str) -> Any:
    """Load ranks into tiktoken with the pattern of a pre-tokenizer of ours."""
    rows = subword.formats.texts.read_text(str(path)).splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, rows)}
    # \s there is that of regex; "whitespace" is by re, which has four separators more
    pattern = {"whitespace": r"[^\s\x1c-\x1f]+"}.get(pretokenizer, PATTERNS[pretokenizer])
    tiktoken = importlib.import_module("tiktoken")
    return tiktoken.Encoding("ours", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


OPENERS = {"huggingface": _tokenizers, "gpt2": _byte_level, "tiktoken": _tiktoken}


def differing(
    bpe: subword.BPE, theirs: Encode, texts: Iterable[str], unknown_vanish: bool = False,
    allowed: str | tuple[str, ...] = "all",
) -> Iterator[str]:  # fmt: skip
    """Yield texts that get other ids there; with `unknown_vanish`, of those all known here."""
    for text in texts:
        ids = bpe.encode(text, allowed_special=allowed)
        if theirs(text) != ids and not (unknown_vanish and not _all_known(bpe, ids)):
            yield text


def _all_known(bpe: subword.BPE, ids: list[int]) -> bool:
    """Say whether none of the pieces is a byte in the place of an unknown character."""
    return all(bpe.symbols[i] != MARKER and (i > 255 or i < 128) for i in ids)


def vanishes(options: dict[str, object]) -> bool:
    """Say whether unknown characters vanish in Hugging Face's tokenizers."""
    kind = [options.get(name, "") for name in ("level", "end_of_word", "unknown")]
    return kind == ["char", "suffix", ""]


def corpus(shared: Path, name: str, count: int) -> list[str]:
    """Return lines of English, of a hundred languages in turn, or of code."""
    files = {
        "english": ["corpora/en.txt.xz"], "code": ["corpora/code.txt.gz"],
        "multilingual": ["langid/train.tsv.xz", "corpora/multi_extra.tsv.xz"],
    }  # fmt: skip
    texts = []
    for file in files[name]:
        rows = subword.formats.texts.read_text(str(shared / file)).split("\n")
        texts += [row.rsplit("\t", 1)[-1] if file.endswith(".tsv.xz") else row for row in rows]
    return texts[:: max(1, len(texts) // count)][:count]
