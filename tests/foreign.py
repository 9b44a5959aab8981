"""What the tests of other tools' formats share: a small model, golden texts, damaged files."""

from __future__ import annotations

import base64
import gzip
import importlib
import json
import random
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import subword
from subword.coder import Coder, NativeCoder
from subword.model import Merges
from subword.native import core
from subword.pretokenize import PATTERNS
from subword.reference import MARKER, Merge

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


class Slowest:
    """The longest time that anything took."""

    seconds = 0.0

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self.seconds = max(self.seconds, time.perf_counter() - self._start)


def survive(
    path: Path, seed: int, rounds: int = 200, exact: bool = True, watch: Slowest | None = None,
    **options: str,
) -> int:  # fmt: skip
    """Damage a file in many ways; each loads to a model that works, or fails as it should.

    Returns how many were refused. With `exact`, what loads must give texts back.
    """
    good, rng, refused = path.read_bytes(), random.Random(seed), 0
    for _ in range(rounds):
        path.write_bytes(damaged(good, rng))
        with watch or Slowest():
            refused += not _survives(path, exact, options)
    path.write_bytes(good)
    return refused


def _survives(path: Path, exact: bool, options: dict[str, str]) -> bool:
    """Load a file and use the model; False if it is refused with a message."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", subword.SubwordWarning)
            bpe = subword.load(path, **options)
    except subword.SubwordError as error:
        return not str(error)  # a refusal without a word would be one that survives
    text = "low lower é 北"
    back = bpe.decode(bpe.encode(text, allowed_special="all"))
    assert back == text or not exact
    assert bpe.encode_with_offsets(text)[0] == bpe.encode(text)
    assert subword.loads(bpe.dumps()) == bpe
    return True


def specimens(folder: Path, shared: Path | None) -> Iterator[tuple[str, Path, dict[str, str]]]:
    """Yield a file of every format, made here or cut from the golden ones: name, path, options."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", subword.SubwordWarning)
        for format, options in HELD.items():
            path = folder / format / NAMES.get(format, "model")
            path.parent.mkdir()
            small(**options).export(path, format)
            for file in sorted(path.parent.iterdir()):
                yield f"{format} {file.name}", file, SAID.get(format, {})
        yield from _read_only(folder)
        if shared:
            yield from _golden(folder, shared)


def _read_only(folder: Path) -> Iterator[tuple[str, Path, dict[str, str]]]:
    """Yield a file of each format that is not written."""
    import test_sentencepiece
    import test_youtokentome

    for name, raw in {
        "sentencepiece": test_sentencepiece.model(),
        "youtokentome": test_youtokentome.FILE.encode(),
    }.items():
        path = folder / name
        path.write_bytes(raw)
        yield name, path, {}


SAID = {"tiktoken": {"pretokenizer": "gpt2"}}  # what a file does not say
GOLDEN = {
    "gpt2": ["gpt2/vocab.bpe.gz"], "clip": ["clip/bpe_simple_vocab_16e6.txt.gz"], "gpt1": ["gpt1/vocab_40000.bpe.gz"],
    "tiktoken": ["tiktoken/cl100k_base.tiktoken.gz", "tiktoken/o200k_base.tiktoken.gz"],
    "subword-nmt": ["subword-nmt/bpe.ref", "subword-nmt-0.3.8/codes.kat.gz"],
    "huggingface": ["clip/tokenizer.json.gz", "gpt1/vocab_40000.bpe.gz"],
}  # fmt: skip


def _golden(folder: Path, shared: Path) -> Iterator[tuple[str, Path, dict[str, str]]]:
    """Yield the golden models cut to 500 merges."""
    for format, names in GOLDEN.items():
        for name in names:
            bpe = cut(subword.load(shared / "golden" / name, **SAID.get(format, {})), 500)
            path = folder / f"golden-{format}-{name.split('/')[1]}" / NAMES.get(format, "model")
            path.parent.mkdir()
            bpe.export(path, format)
            for file in sorted(path.parent.iterdir()):
                yield f"{format} {name} {file.name}", file, SAID.get(format, {})


def cut(bpe: subword.BPE, num_merges: int) -> subword.BPE:
    """Return a model of the first merges without the symbols of the others; ids move up."""
    dropped = {merge.result for merge in bpe.merge_table()[num_merges:]}
    kept = [i for i in range(len(bpe._plain)) if i not in dropped]
    place = {old: new for new, old in enumerate(kept)}
    table = [
        Merge(place[left], place[right], place[result], 0, 0)
        for left, right, result in bpe._table[:num_merges].tolist()
    ]
    symbols = [bpe._plain[i] for i in kept]
    return subword.BPE(symbols, Merges.of(table), bpe.options, bpe.special_tokens)


def damaged(good: bytes, rng: random.Random) -> bytes:
    """Return a file with one thing changed: a bit, a stretch, a line, the end, a value in JSON."""
    if good[:1] == b"{" and rng.random() < 0.5:
        return json.dumps(_changed(json.loads(good), rng)).encode()
    start = rng.randrange(len(good))
    end = min(len(good), start + rng.randrange(1, 40))
    rows = good.split(b"\n")
    i, j = rng.randrange(len(rows)), rng.randrange(len(rows))
    rows[i], rows[j] = rows[j], rows[i]
    return rng.choice(
        [
            good[:start] + bytes([good[start] ^ 1 << rng.randrange(8)]) + good[start + 1 :],
            good[:start] + good[end:],
            good[:start] + good[start:end] * 2 + good[end:],
            good[:start] + rng.randbytes(rng.randrange(1, 9)) + good[start:],
            good[:start],
            good.replace(b"\n", b"\r\n"),
            b"\n".join(rows),
            b"\n".join([*rows, rows[i]]),
        ]
    )


# -- other libraries, live -----------------------------------------------------------------

# Every mode that a library can read, as options of training.
SPLITTERS = ("space", "whitespace", "words", "gpt2", "cl100k", "o200k", "clip", "bert", "none")
KINDS: tuple[dict[str, object], ...] = (
    {"level": "byte", "end_of_word": None}, {"level": "byte", "end_of_word": "suffix"},
    {"level": "char", "end_of_word": "suffix", "unknown": "unk"},
    {"level": "char", "end_of_word": "suffix"},
    {"level": "char", "end_of_word": None, "unknown": "unk"}, {"level": "char", "end_of_word": None},
)  # fmt: skip
RULES: tuple[dict[str, object], ...] = (
    {"lowercase": True}, {"normalization": "NFC"}, {"normalization": "NFKD"}, {"normalization": "strip_accents"},
    {"normalization": ("NFD", "strip_marks", "squeeze"), "lowercase": True},
    {"normalization": ("bert_clean", "bert_ideographs", "lower_characters")},
    {"normalization": ("single_spaces", "lower_block_space", "prefix_space")},
    {"normalization": "leading_space"},
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


JUNK = [
    None, True, -1, 0, 5, 10**30, 1.5, "", "x", "<unk>", "\u2581", "\ud800", [], ["l"], {}, {"type": "NFC"},
    {"type": "Sequence"}, {"type": "Digits", "individual_digits": True}, {"type": "ByteLevel"},
    {"type": "Metaspace", "replacement": "\u2581"}, {"Regex": "(a+)+b"}, {"Regex": "("}, [["l", "o"]] * 2,
]  # fmt: skip


def _changed(node: Any, rng: random.Random) -> Any:
    """Return JSON with one value replaced, taken away, or doubled."""
    if not isinstance(node, (dict, list)) or not node or rng.random() < 0.1:
        return rng.choice(JUNK)
    keys = [*node] if isinstance(node, dict) else [*range(len(node))]
    key = rng.choice(keys)
    if isinstance(node[key], (dict, list)) and rng.random() < 0.8:
        return _with(node, key, _changed(node[key], rng))
    kind = rng.randrange(3)
    if kind == 0 and isinstance(node, list):
        return [*node, node[key]]
    if kind == 1:
        return {k: v for k, v in node.items() if k != key} if isinstance(node, dict) else node[:key]
    return _with(node, key, rng.choice(JUNK))


def _with(node: Any, key: Any, value: Any) -> Any:
    copy = dict(node) if isinstance(node, dict) else [*node]
    copy[key] = value
    return copy
