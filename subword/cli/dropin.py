"""The commands of subword-nmt, with its flags: put ``subword`` where ``subword-nmt`` stood."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from .. import joint, trainer
from ..arguments import Commands
from ..counts import WordCounts
from ..errors import SubwordError
from ..formats import format_of, load, subword_nmt
from ..formats.texts import read_text, write_texts
from ..model import BPE
from ..segment import make_segmenter
from ..terminal import shows_progress
from .arguments import add_command, add_dropout
from .coding import read_vocabulary
from .inputs import check_files, file_paths, read_whole_lines
from .outputs import write_result, writer

_SEE = "As in subword-nmt; the README lists where the results differ."


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module's commands."""
    _add_learn_bpe(commands)
    _add_apply_bpe(commands)
    _add_get_vocab(commands)
    _add_learn_joint(commands)


def _add_learn_bpe(commands: Commands) -> None:
    parser = add_command(
        commands, learn_bpe,
        usage="[options]",
        help="learn codes (subword-nmt)",
        description=f"Learn merges and write them as codes. {_SEE}",
        examples="""
        subword learn-bpe -s 8000 < corpus.txt > codes.bpe
        subword learn-bpe -s 8000 --dict-input -i vocab.txt -o codes.bpe
        """,
    )  # fmt: skip
    _add_files(parser)
    _add_learning(parser)
    parser.add_argument(
        "--dict-input", action="store_true",
        help="the input is a dictionary: a word, a space and its count a line",
    )  # fmt: skip


def _add_apply_bpe(commands: Commands) -> None:
    parser = add_command(
        commands, apply_bpe,
        usage="-c CODES [options]",
        help="split words by codes (subword-nmt)",
        description=f"Split the words of each line into pieces: lo@@ west. {_SEE}",
        examples="""
        subword apply-bpe -c codes.bpe < corpus.txt > corpus.bpe
        subword apply-bpe -c codes.bpe --vocabulary vocab.de --vocabulary-threshold 50 -i dev.de
        subword apply-bpe -c codes.bpe --glossaries '<num>' 'https?://.*' -i dev.de -o dev.bpe
        """,
    )  # fmt: skip
    _add_files(parser)
    parser.add_argument(
        "-c", "--codes", dest="model", required=True, metavar="PATH",
        help="codes, or any other model",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--merges", type=int, default=-1, metavar="N", help="use the first N merges; -1: all"
    )
    parser.add_argument(
        "-s", "--separator", default="@@", metavar="TEXT",
        help="behind pieces that do not end a word",
    )  # fmt: skip
    parser.add_argument(
        "--vocabulary", metavar="PATH",
        help="pieces with counts, as of get-vocab; others are split further",
    )  # fmt: skip
    parser.add_argument(
        "--vocabulary-threshold", type=int, default=1, metavar="N",
        help="use only pieces counted so often",
    )  # fmt: skip
    parser.add_argument(
        "--glossaries", nargs="+", default=[], metavar="REGEX",
        help="patterns or words; what they match is not split",
    )  # fmt: skip
    add_dropout(parser)
    _add_workers(parser, "taken as in subword-nmt, and not needed here")


def _add_get_vocab(commands: Commands) -> None:
    parser = add_command(
        commands, get_vocab,
        usage="[options]",
        help="count words (subword-nmt)",
        description=f"Count the words of a text, the most frequent first. {_SEE}",
        examples="""
        subword get-vocab < corpus.bpe > vocab.txt
        subword apply-bpe -c codes.bpe < train.de | subword get-vocab > vocab.de
        """,
    )  # fmt: skip
    _add_files(parser)
    _add_workers(parser)


def _add_learn_joint(commands: Commands) -> None:
    parser = add_command(
        commands, learn_joint_bpe_and_vocab,
        usage="-i PATH ... -o CODES --write-vocabulary PATH ... [options]",
        help="learn codes for several texts, and the vocabulary of each (subword-nmt)",
        description="Learn merges from several texts together, split each by them, and count its "
        f"pieces. {_SEE}",
        examples="""
        subword learn-joint-bpe-and-vocab -i de en -o codes.bpe --write-vocabulary vocab.de vocab.en
        """,
    )  # fmt: skip
    parser.add_argument(
        "-i", "--input", dest="files", nargs="+", required=True, metavar="PATH", help="the texts"
    )
    parser.add_argument("-o", "--output", required=True, metavar="PATH", help="the codes")
    parser.add_argument(
        "--write-vocabulary", dest="vocabularies", nargs="+", required=True, metavar="PATH",
        help="where the vocabularies go, one for each text",
    )  # fmt: skip
    parser.add_argument(
        "--separator", default="@@", metavar="TEXT", help="behind pieces that do not end a word"
    )
    _add_learning(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-i", "--input", dest="files", nargs=1, default=["-"], metavar="PATH",
        help="the text, instead of stdin",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="PATH",
        help="write here instead of stdout; whole or not at all",
    )  # fmt: skip


def _add_learning(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-s", "--symbols", type=int, default=10_000, metavar="N", help="merges to learn"
    )
    parser.add_argument(
        "-t", "--total-symbols", action="store_true",
        help="less the number of characters, inside and at the end of words counted apart",
    )  # fmt: skip
    parser.add_argument(
        "--min-frequency",
        type=int,
        default=2,
        metavar="N",
        help="do not merge pairs that are rarer",
    )
    parser.add_argument("-b", "--byte", action="store_true", help="words are bytes")
    parser.add_argument("-v", "--verbose", action="store_true", help="show each merge on stderr")
    _add_workers(parser)


def _add_workers(
    parser: argparse.ArgumentParser,
    help: str = "threads, -1: as many as there are cores; the result does not depend on it",
) -> None:
    parser.allow_abbrev = True  # so has subword-nmt
    parser.add_argument("--num-workers", type=int, default=1, metavar="N", help=help)


# -- running ---------------------------------------------------------------------------------


def learn_bpe(args: argparse.Namespace) -> None:
    """Run ``subword learn-bpe``."""
    check_files(args)
    with file_paths(args) as (path,):
        counts = WordCounts.load(path) if args.dict_input else _count(path, args)
    bpe = trainer.train(counts, _merges([counts], args), **_learning(args))
    _show_merges(bpe, args)
    write_result(args.output, subword_nmt.write(bpe))


def learn_joint_bpe_and_vocab(args: argparse.Namespace) -> None:
    """Run ``subword learn-joint-bpe-and-vocab``."""
    if len(args.files) != len(args.vocabularies):
        args.refuse(
            f"{len(args.files)} texts need as many vocabularies, not {len(args.vocabularies)}"
        )
    check_files(args)
    results = (args.output, *args.vocabularies)
    uses = Counter(map(os.path.realpath, results))
    for path in results:
        if (times := uses[os.path.realpath(path)]) > 1:
            raise SubwordError(
                f"{path} would be written {times} times; name a file for each result"
            )
    if args.files.count("-") > 1:
        raise SubwordError("standard input, -, can be only one of the texts")
    with file_paths(args) as paths:
        counts = [_count(path, args) for path in paths]
    bpe, vocabularies = joint.train_joint(
        counts, _merges(counts, args), separator=args.separator, raw=True, **_learning(args)
    )
    _show_merges(bpe, args)
    write_texts(
        {args.output: subword_nmt.write(bpe)}
        | dict(zip(args.vocabularies, map(subword_nmt.write_vocabulary, vocabularies), strict=True))
    )


def get_vocab(args: argparse.Namespace) -> None:
    """Run ``subword get-vocab``."""
    check_files(args)
    with file_paths(args) as (path,):
        counts = WordCounts.from_files(path, errors="bytes", n_jobs=_threads(args))
    write_result(args.output, subword_nmt.write_vocabulary(counts))


def apply_bpe(args: argparse.Namespace) -> None:
    """Run ``subword apply-bpe``."""
    check_files(args)
    bpe = _load(args)
    segmenter = make_segmenter(
        bpe._coder, args.separator, args.glossaries, read_vocabulary(args), raw=True
    )
    dropout = bpe._encoder.dropout("", args.dropout, args.seed)  # the whole input is one text
    position = 0
    with writer(args.output) as write:
        for lines in read_whole_lines(args.files[0], "bytes" if bpe.level == "byte" else "strict"):
            write(segmenter.segment_utf8(lines, dropout, position))
            position += segmenter.count_words(lines) if dropout else 0


def _load(args: argparse.Namespace) -> BPE:
    """Load the codes, cut to their first merges."""
    if args.merges < -1:
        raise SubwordError(f"--merges must be a number of merges or -1, got {args.merges}")
    if args.merges == -1:
        return load(args.model)
    text = read_text(args.model)
    if format_of(text, args.model) == "subword_nmt":
        return subword_nmt.read(subword_nmt.first_merges(text, args.merges), args.model)
    return load(args.model).truncate(args.merges)


def _count(path: str, args: argparse.Namespace) -> WordCounts:
    errors = "bytes" if args.byte else "strict"
    return WordCounts.from_files(
        path, errors=errors, n_jobs=_threads(args), progress=shows_progress()
    )


def _threads(args: argparse.Namespace) -> int:
    return args.num_workers if args.num_workers > 0 else os.cpu_count() or 1


def _learning(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "level": "byte" if args.byte else "char",
        "end_of_word": "suffix",
        "min_frequency": args.min_frequency,
        "progress": shows_progress(),
    }


def _merges(sides: Iterable[WordCounts], args: argparse.Namespace) -> int:
    """Return how many merges to learn; --total-symbols counts the characters as well."""
    if not args.total_symbols:
        return int(args.symbols)
    inside, final = _characters(sides, args.byte)
    print(f"Number of word-internal characters: {inside}", file=sys.stderr)
    print(f"Number of word-final characters: {final}", file=sys.stderr)
    print(f"Reducing number of merge operations by {inside + final}", file=sys.stderr)
    if inside + final > args.symbols:
        raise SubwordError(
            f"--total-symbols: the text has {inside + final} characters, more than the "
            f"{args.symbols} symbols asked for; ask for more by -s"
        )
    return int(args.symbols) - inside - final


def _characters(sides: Iterable[WordCounts], byte: bool) -> tuple[int, int]:
    """Return how many characters, or bytes, stand inside words and at their ends."""
    inside: set[str | int] = set()
    final: set[str | int] = set()
    for word in _words(sides, byte):
        inside.update(word[:-1])
        final.add(word[-1])
    return len(inside), len(final)


def _words(sides: Iterable[WordCounts], byte: bool) -> Iterator[str | bytes]:
    for counts in sides:
        for word in counts:
            yield word.encode("utf-8", "surrogateescape") if byte else word


def _show_merges(bpe: BPE, args: argparse.Namespace) -> None:
    if args.verbose:
        for i, ((left, right), count) in enumerate(zip(bpe.merges, bpe.merge_counts, strict=True)):
            line = f"pair {i}: {left} {right} -> {left}{right} (frequency {count})"
            print(line, file=sys.stderr)
