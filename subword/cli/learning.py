"""``count`` and ``train``: from texts to word counts and models."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .. import trainer
from ..arguments import Commands, add_output
from ..counts import WordCounts
from ..formats import load
from ..model import BPE
from ..options import LEVELS, TIE_BREAKS, UNKNOWN
from ..terminal import shows_progress
from .arguments import add_command, add_input, add_words
from .inputs import check_files, file_paths, read_texts
from .outputs import as_json, write_result

# With --extend the model has these already.
_TOLD_BY_MODEL = (
    "pretokenizer", "lowercase", "normalization", "special", "vocab_size", "level", "end_of_word",
    "tie_break", "min_frequency", "unknown",
)  # fmt: skip


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module's commands."""
    _add_count(commands)
    _add_train(commands)


def _add_count(commands: Commands) -> None:
    parser = add_command(
        commands, count,
        usage="[options] [FILE ...]",
        help="count the words of texts",
        description="Count the words of texts. The result is a table, one word and its count a "
        "line, in order of first appearance; `subword train --counts` learns from it.",
        examples="""
        subword count corpus.txt -o counts.tsv
        subword count --pretokenizer words --lowercase --column text reviews.csv
        zcat corpus.txt.gz | subword count --min-count 2 | sort -t$'\\t' -k2,2nr | head
        """,
    )  # fmt: skip
    add_input(parser)
    add_words(parser)
    _add_jobs(parser)
    group = add_output(parser, json="an object with the rules, the totals and the counts")
    group.add_argument(
        "--min-count", type=int, metavar="N", default=1,
        help="leave out words that are rarer",
    )  # fmt: skip


def _add_train(commands: Commands) -> None:
    parser = add_command(
        commands, train,
        usage="[options] [FILE ...]",
        help="learn a model from texts or word counts",
        description="Learn byte-pair merges (Sennrich, Haddow & Birch 2016) from texts, or from "
        "the word counts of `subword count`.",
        examples="""
        subword train corpus.txt -n 8000 -o model.subword
        subword train --level byte --pretokenizer gpt2 --vocab-size 32000 *.txt -o model.subword
        subword train --column text --lowercase --pretokenizer words reviews.csv -o reviews.subword
        subword train --counts -n 500 counts.tsv -o small.subword
        subword train --extend small.subword -n 500 more.txt -o longer.subword
        """,
    )  # fmt: skip
    add_input(parser).add_argument(
        "--counts", action="store_true",
        help="the files are word counts, of `subword count` or dictionaries of subword-nmt",
    )  # fmt: skip
    add_words(parser)
    _add_learning(parser)
    told = {name: parser.get_default(name) for name in _TOLD_BY_MODEL}
    parser.set_defaults(told_by_model=told)
    _add_jobs(parser)
    add_output(parser, result="write the model here")


def _add_learning(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("learning")
    group.add_argument(
        "--extend", dest="model", metavar="MODEL",
        help="learn more merges behind those of this model, by its rules; no id of it moves",
    )  # fmt: skip
    size = group.add_mutually_exclusive_group()
    size.add_argument(
        "-n", "--num-merges", type=int, metavar="N",
        help=f"merges to learn (default: {trainer.DEFAULT_MERGES})",
    )  # fmt: skip
    size.add_argument(
        "--vocab-size", type=int, metavar="N",
        help="instead: how many ids there shall be, special tokens included",
    )  # fmt: skip
    group.add_argument(
        "--level", choices=LEVELS, default="char",
        help="words are first split into code points, or UTF-8 bytes",
    )  # fmt: skip
    group.add_argument(
        "--end-of-word", choices=["auto", "suffix", "separate", "none"], default="auto",
        help="the last symbol carries </w>, or </w> stands apart, or words are not marked; "
        "auto: suffix if the pre-tokenizer drops spaces, else none",
    )  # fmt: skip
    group.add_argument(
        "--tie-break", choices=TIE_BREAKS, default="largest",
        help="among equally frequent pairs: greatest as spelt (subword-nmt), greatest or "
        "smallest ids, or first met",
    )  # fmt: skip
    group.add_argument(
        "--min-frequency", type=int, metavar="N", default=2,
        help="do not merge pairs that are rarer",
    )  # fmt: skip
    group.add_argument(
        "--min-word-frequency", type=int, metavar="N", default=1,
        help="leave out words that are rarer",
    )  # fmt: skip
    group.add_argument(
        "--max-token-length", type=int, metavar="N",
        help="longest piece to make, in characters (bytes at byte level)",
    )  # fmt: skip
    group.add_argument(
        "--unknown", choices=UNKNOWN, default="bytes",
        help="what encoding makes of characters never seen: their bytes, <unk> for each, or one "
        "<unk> for such neighbours in a word",
    )  # fmt: skip


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("speed")
    group.add_argument(
        "--jobs", type=int, metavar="N", default=1,
        help="threads; the result does not depend on it",
    )  # fmt: skip


# -- running ---------------------------------------------------------------------------------


def count(args: argparse.Namespace) -> None:
    """Run ``subword count``."""
    check_files(args)
    counts = count_words(args, **_rules(args)).prune(args.min_count)
    write_result(args.output, as_json(_counts_as_data(counts)) if args.json else counts.dumps())


def train(args: argparse.Namespace) -> None:
    """Run ``subword train``."""
    check_files(args)
    old = _model_to_extend(args)
    rules = _rules(args) if old is None else _rules_of(old)
    counts = _load_counts(args) if args.counts else count_words(args, **rules)
    bpe = _learn(args, counts, rules) if old is None else _extend(args, counts, old)
    write_result(args.output, bpe.dumps())
    print(f"subword: {_summary(bpe, counts)}", file=sys.stderr)


def _learn(args: argparse.Namespace, counts: WordCounts, rules: dict[str, Any]) -> BPE:
    return trainer.train(
        counts, args.num_merges, vocab_size=args.vocab_size, level=args.level,
        end_of_word=None if args.end_of_word == "none" else args.end_of_word,
        tie_break=args.tie_break, min_frequency=args.min_frequency,
        min_word_frequency=args.min_word_frequency, max_token_length=args.max_token_length,
        unknown=args.unknown, n_jobs=args.jobs, progress=shows_progress(), **rules,
    )  # fmt: skip


def _model_to_extend(args: argparse.Namespace) -> BPE | None:
    if args.model is None:
        return None
    for name, default in args.told_by_model.items():
        if getattr(args, name) != default:
            args.refuse(f"--{name.replace('_', '-')}: --extend learns by the rules of the model")
    return load(args.model)


def _extend(args: argparse.Namespace, counts: WordCounts, old: BPE) -> BPE:
    size = trainer.DEFAULT_MERGES if args.num_merges is None else args.num_merges
    return old.extend(
        counts.prune(args.min_word_frequency), size, max_token_length=args.max_token_length,
        n_jobs=args.jobs, progress=shows_progress(),
    )  # fmt: skip


def _rules(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "pretokenizer": args.pretokenizer or "space",
        "lowercase": args.lowercase,
        "normalization": args.normalization,
        "special_tokens": args.special,
    }


def _rules_of(bpe: BPE) -> dict[str, Any]:
    return bpe.options.splitter.rules | {"special_tokens": bpe.special_tokens}


def count_words(args: argparse.Namespace, **rules: Any) -> WordCounts:
    """Count the words of the files, or of a column of them."""
    how = rules | {"n_jobs": args.jobs, "progress": shows_progress()}
    if args.column:
        return WordCounts.from_texts((text.source(args.errors) for text in read_texts(args)), **how)
    with file_paths(args) as paths:
        return WordCounts.from_files(paths, errors=args.errors, **how)


def _load_counts(args: argparse.Namespace) -> WordCounts:
    if args.column:
        args.refuse("--counts reads word counts, --column a table of texts: give one of them")
    with file_paths(args) as paths:
        first, *others = map(WordCounts.load, paths)
    for other in others:
        first += other
    return first


def _counts_as_data(counts: WordCounts) -> dict[str, Any]:
    return {
        **counts.splitter.rules,
        "distinct": len(counts),
        "total": counts.total(),
        "counts": dict(counts),
    }


def _summary(bpe: BPE, counts: WordCounts) -> str:
    marker = f"end of word: {bpe.end_of_word or 'not marked'}"
    return (
        f"{bpe.num_merges:,} merges from {len(counts):,} distinct words ({counts.total():,} in "
        f"all); {len(bpe):,} ids, {bpe.level} level, {marker}"
    )
