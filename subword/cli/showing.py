"""``vocab``, ``info`` and ``trace``: what a model holds and does, for people and as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from .. import info as about
from ..alphabet import visible
from ..arguments import Commands, add_output
from ..columns import aligned
from ..model import BPE
from ..trace import WordTrace
from ..usage import usage_of
from .arguments import add_command, add_input, add_model
from .coding import load_model
from .learning import count_words
from .outputs import as_json, write_result


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module's commands."""
    _add_vocab(commands)
    _add_info(commands)
    _add_trace(commands)


def _add_vocab(commands: Commands) -> None:
    parser = add_command(
        commands, vocab,
        usage="-m MODEL [options] [FILE ...]",
        help="list the pieces of a model, or their frequencies in texts",
        description="List the pieces of a model by id, with the count of the pair when the piece "
        "was made (- where it has none: characters, bytes, special tokens, pieces of other tools' "
        "models). With texts: the pieces with their "
        "frequencies in these, the most frequent first. Columns: id, piece, count; in a piece \\s "
        "is a space, \\n a line end, \\\\ a backslash.",
        examples="""
        subword vocab -m model.subword | tail
        subword vocab -m model.subword corpus.txt | head
        subword vocab -m model.subword --min-count 0 --json corpus.txt -o frequencies.json
        """,
    )  # fmt: skip
    group = add_input(parser)
    group.description = "Without any, the model's own list; name - to read standard input."
    group.add_argument("--jobs", type=int, metavar="N", default=1, help="threads for counting")
    add_model(parser)
    group = add_output(parser, json="a list of objects with id, piece and count")
    group.add_argument(
        "--min-count", type=int, metavar="N", default=1,
        help="with texts: leave out pieces that are rarer",
    )  # fmt: skip


def _add_info(commands: Commands) -> None:
    parser = add_command(
        commands, info,
        usage="[options] [MODEL]",
        help="say what is in a model, or what this installation is",
        description="Say what is in a model; without one, version, engine, Unicode version and "
        "number of threads of this installation.",
        examples="""
        subword info
        subword info model.subword
        subword info --json model.subword | jq .fingerprint
        """,
    )  # fmt: skip
    parser.add_argument(
        "model", nargs="?", metavar="MODEL",
        help="a model of subword, or a file of another tool that subword.load reads",
    )  # fmt: skip
    add_output(parser, json="an object")


def _add_trace(commands: Commands) -> None:
    parser = add_command(
        commands, trace,
        usage="-m MODEL [options] WORD [WORD ...]",
        help="show how words come to their pieces, merge by merge",
        description="Show the merges that make the pieces of words, in order: the rank of each, "
        "the count of the pair in training, and the word after it.",
        examples="""
        subword trace -m model.subword lowest newest
        subword trace -m model.subword --json 'the lowest' | jq -c '.[].pieces'
        """,
    )  # fmt: skip
    parser.add_argument("words", nargs="+", metavar="WORD", help="words or texts")
    add_model(parser)
    add_output(parser, json="a list of words with place, pieces and steps")


# -- running ---------------------------------------------------------------------------------


def vocab(args: argparse.Namespace) -> None:
    """Run ``subword vocab``."""
    bpe = load_model(args)
    rows = _frequencies(bpe, args) if args.files else _made(bpe)
    if args.json:
        data = [{"id": i, "piece": bpe.vocab[i], "count": count} for i, count in rows]
        write_result(args.output, as_json(data))
        return
    lines = (
        f"{i}\t{visible(bpe.vocab[i])}\t{'-' if count is None else count}\n" for i, count in rows
    )
    write_result(args.output, "".join(lines))


def _made(bpe: BPE) -> list[tuple[int, int | None]]:
    """Return for each id the count of its pair when it was made, as far as it is known."""
    counts = {merge.result: merge.count or None for merge in reversed(bpe.merge_table())}
    return [(i, counts.get(i)) for i in range(len(bpe))]


def _frequencies(bpe: BPE, args: argparse.Namespace) -> list[tuple[int, int]]:
    """Return ids with their frequencies in the texts, the most frequent first."""
    counts = count_words(args, **bpe.options.splitter.rules)
    found = usage_of(bpe, counts).frequencies(len(bpe)).tolist()
    ranked = sorted(enumerate(found), key=lambda row: (-row[1], row[0]))
    return [row for row in ranked if row[1] >= args.min_count]


def info(args: argparse.Namespace) -> None:
    """Run ``subword info``."""
    data = about() if args.model is None else _contents(load_model(args), args.model)
    if args.json:
        write_result(args.output, as_json(data))
        return
    width = max(map(len, data))
    lines = (f"{name.replace('_', ' '):{width}}  {_plain(value)}\n" for name, value in data.items())
    write_result(args.output, "".join(lines))


def _contents(bpe: BPE, path: str) -> dict[str, Any]:
    options = bpe.options
    return {
        "model": path,
        "merges": bpe.num_merges,
        "ids": len(bpe),
        "level": bpe.level,
        "end_of_word": bpe.end_of_word,
        **options.splitter.rules,
        "unknown": options.unknown,
        "tie_break": options.tie_break,
        "min_frequency": options.min_frequency,
        "special_tokens": bpe.special_tokens,
        "fingerprint": bpe.fingerprint,
    }


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(value) or "none"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:,}" if isinstance(value, int) else str(value)


def trace(args: argparse.Namespace) -> None:
    """Run ``subword trace``."""
    bpe = load_model(args)
    words = [word for text in args.words for word in bpe.explain(text)]
    if args.json:
        write_result(args.output, as_json([_as_data(word) for word in words]))
    else:
        write_result(args.output, "\n".join(map(_trace_table, words)))


def _as_data(word: WordTrace) -> dict[str, Any]:
    return word._asdict() | {"steps": [step._asdict() for step in word.steps]}


def _trace_table(word: WordTrace) -> str:
    states = _states(word)
    rows = [["rank", "", "", "", "count", "word"], ["", "", "", "", "", states[0]]]
    for step, state in zip(word.steps, states[1:], strict=True):
        count = f"{step.count:,}" if step.count else "-"
        pair = [visible(step.left), "+", visible(step.right)]
        rows.append([f"{step.rank:,}", *pair, count, state])
    merges = "1 merge" if len(word.steps) == 1 else f"{len(word.steps)} merges"
    title = f"{visible(word.word)}  ->  {_join(word.pieces)}  ({merges})\n"
    return title + (table(rows, "><<<><") if word.steps else "")


def _states(word: WordTrace) -> list[str]:
    """Return the word before the first merge and after each, by taking them back."""
    pieces = [*word.pieces]
    states = [_join(pieces)]
    for step in reversed(word.steps):
        pieces[step.position : step.position + 1] = [step.left, step.right]
        states.append(_join(pieces))
    return states[::-1]


def _join(pieces: Sequence[str]) -> str:
    return " ".join(map(visible, pieces))


def table(rows: Sequence[Sequence[str]], sides: str) -> str:
    """Align cells, to the left ``<`` or to the right ``>``.

    >>> print(table([["low", "5"], ["lower", "12"]], "<>"), end="")
      low     5
      lower  12
    """
    return "".join(f"  {line}\n" for line in aligned(rows, sides))
