"""Files of every format, and what may happen to them on the way."""

from __future__ import annotations

import json
import random
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foreign import HELD, NAMES, small

import subword
from subword.model import Merges
from subword.reference import Merge


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
