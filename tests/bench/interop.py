"""The whole of what the tests of formats do in part: golden ids, live ids, round trips, damage.

::

    python tests/bench/interop.py                    # 10,000 lines each, 500 damaged files each
    python tests/bench/interop.py live --lines 1000
    python tests/bench/interop.py trips
    python tests/bench/interop.py damage --rounds 100

Prints a row per comparison and ends with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import damage
import foreign

import subword
from subword.formats import EXPORTS
from subword.options import END_OF_WORD, UNKNOWN

SHARED = Path(__file__).parents[3] / "shared" / "data"
CORPORA = ("english", "multilingual", "code")
GOLDEN = {
    "gpt2": "gpt2/vocab.bpe.gz",
    "cl100k_base": "tiktoken/cl100k_base.tiktoken.gz",
    "o200k_base": "tiktoken/o200k_base.tiktoken.gz",
    "clip_hf": "clip/tokenizer.json.gz",
    "gpt1_hf": "gpt1/vocab_40000.bpe.gz",
}


class Found(NamedTuple):
    """One comparison: what, how many texts, how many of them differ, an example."""

    what: str
    texts: int
    wrong: int
    example: str = ""


def golden() -> Iterator[Found]:
    """Compare with the ids that the tools themselves gave."""
    for key, path in GOLDEN.items():
        bpe = subword.load(SHARED / "golden" / path)
        texts, expected = foreign.references(SHARED, key)
        known = dict(zip(texts, expected, strict=True))
        allowed = "all" if key == "clip_hf" else ()  # as these ids were made
        wrong = [*foreign.differing(bpe, known.__getitem__, texts, allowed=allowed)]
        yield Found(f"golden {key}", len(texts), len(wrong), repr(wrong[:1])[:80] * bool(wrong))


def live(lines: int) -> Iterator[Found]:
    """Compare golden models, and a model of each mode, with the libraries."""
    corpora = {name: foreign.corpus(SHARED, name, lines) for name in CORPORA}
    with tempfile.TemporaryDirectory() as folder:
        for key, theirs in golden_tools(Path(folder)):
            bpe = subword.load(SHARED / "golden" / GOLDEN[key])
            for name, texts in corpora.items():
                yield compare(f"{key}, {name}", bpe, theirs, texts)
        mixed = [text for texts in corpora.values() for text in texts]
        for format, options in foreign.modes():
            bpe = foreign.small(**options)
            theirs = foreign.exported(bpe, format, Path(folder))
            what = " ".join([format, *map(str, options.values())])
            yield compare(what, bpe, theirs, mixed, foreign.vanishes(options))


def golden_tools(folder: Path) -> Iterator[tuple[str, foreign.Encode]]:
    """Yield the golden models as the libraries read them."""
    import tokenizers
    from tokenizers import normalizers, pre_tokenizers

    for key in ("cl100k", "o200k"):
        path = SHARED / "golden" / GOLDEN[f"{key}_base"]
        yield f"{key}_base", foreign.tiktoken_encoding(path, key).encode_ordinary
    subword.load(SHARED / "golden" / GOLDEN["gpt2"]).export(folder, "gpt2")
    pair = str(folder / "vocab.json"), str(folder / "merges.txt")
    gpt2 = tokenizers.ByteLevelBPETokenizer.from_file(*pair)
    yield "gpt2", lambda text: gpt2.encode(text).ids
    text = subword.formats.texts.read_text(str(SHARED / "golden" / GOLDEN["clip_hf"]))
    clip = tokenizers.Tokenizer.from_str(text)
    yield "clip_hf", lambda text: clip.encode(text, add_special_tokens=False).ids
    names = (
        SHARED / "golden" / "gpt1" / "encoder_bpe_40000.json.gz",
        SHARED / "golden" / GOLDEN["gpt1_hf"],
    )
    vocabulary, merges = (subword.formats.texts.read_text(str(name)) for name in names)
    pairs = [tuple(row.split(" ")) for row in merges.split("\n")[1:] if row]
    model = tokenizers.models.BPE(
        vocab=json.loads(vocabulary), merges=pairs, unk_token="<unk>", end_of_word_suffix="</w>"
    )
    gpt1 = tokenizers.Tokenizer(model)
    gpt1.normalizer = normalizers.BertNormalizer(lowercase=True)
    gpt1.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    yield "gpt1_hf", lambda text: gpt1.encode(text).ids


def compare(
    what: str, bpe: subword.BPE, theirs: foreign.Encode, texts: list[str], vanish: bool = False
) -> Found:
    wrong = [*foreign.differing(bpe, theirs, texts, vanish)]
    return Found(what, len(texts), len(wrong), repr(wrong[0])[:80] if wrong else "")


def trips() -> Iterator[Found]:
    """Write a model of each mode in each format that can hold it, read that, and write it again."""
    texts = foreign.lines(60)
    held = {format: [0, 0] for format in [*EXPORTS, "subword"]}
    with tempfile.TemporaryDirectory() as folder:
        for options in every_mode():
            bpe = foreign.small(**options)
            for format, numbers in held.items():
                path = Path(folder, format, foreign.NAMES.get(format, "model"))
                path.parent.mkdir(exist_ok=True)
                same = comes_back(bpe, path, format, texts)
                numbers[0] += same is not None
                numbers[1] += same is False
    for format, (models, wrong) in held.items():
        yield Found(f"{format} files written, read and written again", models, wrong)


def every_mode() -> Iterator[dict[str, object]]:
    """Yield options of training: all splitters, levels, markers, kinds of <unk>, some with more."""
    more: tuple[dict[str, object], ...] = (
        {}, {"special_tokens": ["<s>", "</s>"]}, {"lowercase": True, "normalization": "NFC"},
    )  # fmt: skip
    kinds = [("byte", "bytes"), *(("char", unknown) for unknown in UNKNOWN)]
    rules = [*foreign.SPLITTERS, r"\w+|\W", ("whitespace", r"\p{N}|\P{N}+")]
    yield from foreign.HELD.values()
    for name, (level, unknown), end, others in product(rules, kinds, END_OF_WORD, more):
        yield {
            "pretokenizer": name,
            "level": level,
            "unknown": unknown,
            "end_of_word": end,
        } | others


def comes_back(bpe: subword.BPE, path: Path, format: str, texts: list[str]) -> bool | None:
    """Say whether files and ids are the same; None if the format refuses the model."""
    write = bpe.save if format == "subword" else lambda path: bpe.export(path, format)
    try:
        write(path)
    except subword.ModelFileError:
        return None
    first = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    says = format in ("subword", "huggingface", "minbpe", "clip", "gpt1")
    back = subword.load(path, pretokenizer=None if says else bpe.pretokenizer)
    back.save(path) if format == "subword" else back.export(path, format)
    again = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    for file in path.parent.iterdir():
        file.unlink()
    holds_ids = format not in ("subword-nmt", "fastbpe", "clip")  # CLIP numbers bytes anew
    return first == again and (not holds_ids or all(bpe.encode(t) == back.encode(t) for t in texts))


def damaged(rounds: int) -> Iterator[Found]:
    """Load damaged files of every format: models, or errors of our own, and never slowly."""
    with tempfile.TemporaryDirectory() as folder:
        for what, path, options in damage.specimens(Path(folder), SHARED):
            start, slowest = time.perf_counter(), damage.Slowest()
            try:
                refused = damage.survive(path, 7, rounds, exact=False, watch=slowest, **options)
                note = f"{refused} refused"
                wrong = 0
            except Exception as error:  # which is what is looked for
                note, wrong = repr(error)[:200], 1
            spent = time.perf_counter() - start
            yield Found(
                f"damaged {what}",
                rounds,
                wrong,
                f"{note}, slowest {slowest.seconds:.2f} s of {spent:.0f} s",
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "part", nargs="*", choices=["golden", "live", "trips", "damage", []], default=[]
    )
    parser.add_argument("--lines", type=int, default=10_000, help="of each corpus")
    parser.add_argument("--rounds", type=int, default=500, help="damaged files of each kind")
    args = parser.parse_args()
    warnings.simplefilter("ignore", subword.SubwordWarning)
    parts = {
        "golden": golden,
        "live": lambda: live(args.lines),
        "trips": trips,
        "damage": lambda: damaged(args.rounds),
    }
    total = 0
    for name in args.part or parts:
        for found in parts[name]():
            total += found.wrong
            print(
                f"{found.texts:7,} texts {found.wrong:6,} wrong  {found.what}  {found.example}",
                flush=True,
            )
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
