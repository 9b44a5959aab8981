"""Learning merges, from the file to the model."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from corpora import Corpus, Setup, documents, head
from counting import given, ready
from harness import Row, Side

NUMBER = "the number of merges only: with </w>, tokenizers learns others in each run"


def rows(setup: Setup) -> Iterator[Row]:
    """Yield the jobs."""
    if english := setup.english:
        yield against_tokenizers(english, "English", setup.merges, (8, 14))
        yield against_gigabpe(english, setup.merges)
        yield against_subword_nmt(english, setup.folder)
    if multilingual := setup.multilingual:
        yield against_tokenizers(multilingual, "multilingual", setup.merges, (8, 12))
    if english:
        yield from byte_level(english, setup.folder)
        yield one_word(english, setup.folder)


def against_tokenizers(corpus: Corpus, name: str, merges: int, goal: tuple[float, float]) -> Row:
    """Words by white space, ``</w>``."""
    ours = Side(
        "subword", partial(learn, num_merges=merges), partial(number, most=merges),
        partial(ready, corpus.path),
    )  # fmt: skip
    peer = Side(
        "tokenizers", partial(learn_tokenizers, vocab_size=corpus.symbols + merges),
        partial(number_tokenizers, most=merges), partial(given, corpus.path), needs="tokenizers",
    )  # fmt: skip
    title = f"{merges:,} merges, </w>, {name}"
    return Row(title, ours, peer, NUMBER, goal, size=corpus.size, peaks=True)


def against_gigabpe(corpus: Corpus, merges: int) -> Row:
    """The same; here the merges can be compared: its ties go to the smallest ids."""
    ours = Side(
        "subword", partial(learn, num_merges=merges, tie_break="smallest_id"), pairs,
        partial(ready, corpus.path),
    )  # fmt: skip
    peer = Side(
        "gigabpe", partial(learn_gigabpe, vocab_size=corpus.symbols + merges),
        partial(pairs_gigabpe, most=merges), partial(given, corpus.path), needs="gigabpe",
    )  # fmt: skip
    return Row(
        f"{merges:,} merges, </w>, English, smallest_id", ours, peer, "every merge, in order",
        goal=(1.8, 3.5), memory=(220, 150), size=corpus.size, peaks=True,
    )  # fmt: skip


def against_subword_nmt(corpus: Corpus, folder: Path, merges: int = 4000) -> Row:
    """The rules of subword-nmt, its codes byte by byte."""
    path = head(corpus, folder / "head.txt", 10_000_000)
    learn_ours = partial(learn, num_merges=merges, pretokenizer="space")
    learn_theirs = partial(learn_subword_nmt, num_merges=merges)
    ours = Side("subword", learn_ours, codes, partial(ready, path))
    peer = Side(
        "subword-nmt", learn_theirs, str.splitlines, partial(given, path), needs="subword-nmt"
    )
    size = path.stat().st_size
    return Row(
        f"{merges:,} merges, {size / 1e6:.0f} MB of English", ours, peer,
        "the codes, byte by byte", goal=(100, 300), size=size, peaks=True,
    )  # fmt: skip


def byte_level(corpus: Corpus, folder: Path, merges: int = 2000) -> Iterator[Row]:
    """Yield byte-level learning against the two that know it, for the result's sake."""
    path = head(corpus, folder / "small.txt", 2_000_000)
    learn_ours = partial(learn_bytes, num_merges=merges)
    ours = Side("subword", learn_ours, symbols, partial(ready_documents, path))
    for name, run in (("rustbpe", learn_rustbpe), ("bpeasy", learn_bpeasy)):
        peer = Side(
            name, partial(run, vocab_size=256 + merges), one_a_line, partial(documents, path),
            needs=name,
        )  # fmt: skip
        title = f"{merges:,} merges, byte level, gpt2, 2 MB"
        yield Row(title, ours, peer, "every symbol, in order", size=path.stat().st_size)


def one_word(corpus: Corpus, folder: Path, merges: int = 1000) -> Row:
    """A text that is never cut."""
    path = head(corpus, folder / "word.txt", 5_000_000)
    learn_ours = partial(learn_word, num_merges=merges)
    learn_theirs = partial(learn_rustbpe, vocab_size=256 + merges, pattern=r"(?s).+")
    ours = Side("subword", learn_ours, symbols, partial(ready_text, path))
    peer = Side("rustbpe", learn_theirs, one_a_line, partial(text, path), needs="rustbpe")
    size = path.stat().st_size
    return Row(
        f"{merges:,} merges, {size / 1e6:.0f} MB as one word", ours, peer,
        "every symbol, in order", seconds=(1.5, 0.5), size=size, peer_runs=1,
    )  # fmt: skip


# -- the sides


def learn(path: Path, **options: Any) -> Any:
    """Learn with ours from a file."""
    import subword

    return subword.train_files(path, **({"pretokenizer": "whitespace"} | options))


def learn_tokenizers(path: Path, vocab_size: int) -> Any:
    """Learn with Hugging Face's trainer."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=2, end_of_word_suffix="</w>", show_progress=False
    )
    tokenizer.train([str(path)], trainer)
    return tokenizer


def learn_gigabpe(path: Path, vocab_size: int) -> Any:
    """Learn with gigabpe."""
    import gigabpe

    return gigabpe.train_bpe(
        [str(path)], vocab_size, min_frequency=2, pretokenizer="whitespace", threads=1,
        end_of_word_suffix="</w>",
    )  # fmt: skip


def learn_subword_nmt(path: Path, num_merges: int) -> str:
    """Learn with subword-nmt."""
    from subword_nmt.learn_bpe import learn_bpe

    codes = io.StringIO()
    with open(path, encoding="utf-8") as stream:
        learn_bpe(stream, codes, num_merges)
    return codes.getvalue()


def ready_documents(path: Path) -> list[str]:
    """Load the package and the lines."""
    return documents(ready(path))


def text(path: Path) -> list[str]:
    """Return the text as a single document."""
    return [path.read_text(encoding="utf-8")]


def ready_text(path: Path) -> list[str]:
    """Load the package and the text."""
    return text(ready(path))


def learn_bytes(texts: list[str], num_merges: int, pretokenizer: str = "gpt2") -> Any:
    """Learn with ours at byte level."""
    import subword

    return subword.train(
        texts, num_merges, level="byte", end_of_word=None, pretokenizer=pretokenizer,
        tie_break="smallest_id", min_frequency=1,
    )  # fmt: skip


def learn_word(texts: list[str], num_merges: int) -> Any:
    """Learn with ours from a text that is one word."""
    return learn_bytes(texts, num_merges, pretokenizer="none")


def learn_rustbpe(texts: list[str], vocab_size: int, pattern: str = "") -> list[bytes]:
    """Learn with rustbpe."""
    import rustbpe

    from subword.pretokenize import PATTERNS

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(
        iter(texts), vocab_size=vocab_size, pattern=pattern or PATTERNS["gpt2"]
    )
    return [bytes(symbol) for symbol, _ in tokenizer.get_mergeable_ranks()]


def learn_bpeasy(texts: list[str], vocab_size: int) -> list[bytes]:
    """Learn with bpeasy."""
    import bpeasy

    from subword.pretokenize import PATTERNS

    ranks = bpeasy.train_bpe(iter(texts), PATTERNS["gpt2"], 128, vocab_size)
    return sorted(ranks, key=ranks.__getitem__)


# -- their answers


def number(bpe: Any, most: int) -> list[str]:
    """Return how many merges there are."""
    return reached(bpe.num_merges, most)


def number_tokenizers(tokenizer: Any, most: int) -> list[str]:
    """Return how many merges there are; its limit is one of ids, which some merges do not add."""
    return reached(len(json.loads(tokenizer.to_str())["model"]["merges"]), most)


def reached(merges: int, most: int) -> list[str]:
    """Say whether the limit was reached; how many merges a small text gives depends on ties."""
    return [str(most) if merges >= most else "all that the text gives"]


def pairs(bpe: Any) -> list[str]:
    """Return the merges."""
    return [f"{left} {right}" for left, right in bpe.merges]


def pairs_gigabpe(learnt: Any, most: int) -> list[str]:
    """Return the merges; its limit is one of ids, which some merges do not add."""
    return [f"{left} {right}" for left, right in learnt[1][:most]]


def codes(bpe: Any) -> list[str]:
    """Return the codes file."""
    from subword.formats import subword_nmt

    return subword_nmt.write(bpe).splitlines()


def symbols(bpe: Any) -> Iterator[str]:
    """Return the symbols by id."""
    return one_a_line([symbol for symbol, _ in bpe.symbols])


def one_a_line(found: list[bytes]) -> Iterator[str]:
    """Return bytes readably."""
    return map(repr, found)
