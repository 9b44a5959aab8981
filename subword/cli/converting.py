"""``convert``: a model from one format to another, and the proof that nothing changed."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from .. import formats
from ..alphabet import visible
from ..arguments import Commands
from ..coder import Ints
from ..counts import WordCounts
from ..errors import ModelFileError, SubwordError
from ..files import packing_of
from ..formats import EXPORTS, load
from ..formats.gpt2 import file_of
from ..formats.texts import read_text
from ..model import BPE
from ..pretokenize import Rules
from .arguments import add_command
from .foreign import Encode, Foreign, Rows, foreign
from .inputs import Text, check_files, read_texts
from .outputs import as_npy, write_result

OWN = "subword"
# What the name of a file says of its format, without .gz and the like.
_NAMES = {
    r".*(vocab|encoder)\.json|.*merges\.txt|.*vocab\.bpe": "gpt2",
    r"encoder_bpe.*\.json|vocab_\d+\.bpe": "gpt1",
    r".*simple_vocab.*": "clip",
    r".*\.json": "huggingface",
    r".*\.tiktoken": "tiktoken",
    r".*\.subword": OWN,
    r".*\.fastbpe": "fastbpe",
    r".*\.(codes|bpe)|codes.*": "subword-nmt",
    r".*\.model": "minbpe",
}
_TEXTUAL = ("subword-nmt", "fastbpe")  # these hold no ids: the text form is compared
_BATCH = 4096  # lines
_SHOWN = 200  # characters of a line


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module's commands."""
    parser = add_command(
        commands, convert,
        usage="[options] A B [--verify FILE ...]",
        help="write a model in another format, or changed, and prove it on texts",
        description="Write the model A as B. The format is told by the name of B: *.subword; "
        "codes.*, *.codes or *.bpe (subword-nmt); *.fastbpe; *.tiktoken; *.model (minbpe); "
        "vocab.json or merges.txt, encoder.json or vocab.bpe, or an existing folder (GPT-2's pair "
        "of files); encoder_bpe_40000.json or vocab_40000.bpe (GPT-1's); *simple_vocab* (CLIP); "
        "any other *.json (Hugging Face); or by --to. .gz, .xz, .bz2 or .zst behind the name "
        "packs it. With --verify "
        "texts are encoded by A, by B read back, and by the libraries of both formats where they "
        "are installed; if a line differs, the first is shown and the exit code is 1.",
        examples="""
        subword convert codes.bpe model.subword
        subword convert model.subword tokenizer.json --verify corpus.txt
        subword convert cl100k_base.tiktoken gpt2/vocab.json --verify corpus.txt
        subword convert model.subword chat.subword --special '<user>' --special '<bot>'
        subword convert model.subword small.subword --prune 10 --by corpus.txt --new-ids ids.tsv
        """,
    )  # fmt: skip
    parser.add_argument("model", metavar="A", help="a model, of any format that is read")
    parser.add_argument("target", metavar="B", help="the file to write")
    parser.add_argument(
        "--to", metavar="FORMAT", choices=[OWN, *EXPORTS],
        help=f"the format of B, whatever its name: {', '.join([OWN, *EXPORTS])}",
    )  # fmt: skip
    parser.add_argument(
        "--pretokenizer", metavar="NAME",
        help="how texts become words, for a format of A that does not say it",
    )  # fmt: skip
    parser.add_argument(
        "--verify", dest="files", nargs="+", action="extend", default=[], metavar="FILE",
        help="texts to prove it on, one a line",
    )  # fmt: skip
    _add_changes(parser)


def _add_changes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("changes on the way")
    group.add_argument(
        "--prune", type=int, metavar="N",
        help="leave out pieces that merges make and that occur less than N times; the others "
        "move up",
    )  # fmt: skip
    group.add_argument(
        "--by", dest="prune_by", nargs="+", action="extend", default=[], metavar="FILE",
        help="the texts to prune by, one a line; without any, by those of the training",
    )  # fmt: skip
    group.add_argument(
        "--new-ids", metavar="FILE",
        help="write which ids pruning moves: old and new, -1 for none, a line; as an array of the "
        "new ones by the old ones if FILE ends in .npy",
    )  # fmt: skip
    group.add_argument(
        "--special", action="append", default=[], metavar="TOKEN",
        help="add a special token behind all other ids; repeat for more",
    )  # fmt: skip


def format_named(path: str) -> str | None:
    """Return what the name of a file says of its format.

    >>> format_named("gpt2/merges.txt"), format_named("low.codes.gz"), format_named("low")
    ('gpt2', 'subword-nmt', None)
    """
    if os.path.isdir(path):
        return "gpt2"
    name = os.path.basename(path).removesuffix(packing_of(path))
    return next((format for names, format in _NAMES.items() if re.fullmatch(names, name)), None)


# -- running ---------------------------------------------------------------------------------


def convert(args: argparse.Namespace) -> None:
    """Run ``subword convert``."""
    if args.prune is None and (args.prune_by or args.new_ids):
        args.refuse("--by and --new-ids are for --prune")
    if args.new_ids and os.path.realpath(args.new_ids) == os.path.realpath(args.target):
        args.refuse("--new-ids and B are one file: name a file for each result")
    args.output = None if os.path.isdir(args.target) else args.target
    check_files(args)
    format = args.to or _told(args.target)
    bpe = load(args.model, pretokenizer=args.pretokenizer)
    new_ids = None
    if args.prune is not None:
        bpe, new_ids = _pruned(args, bpe)
    if args.special:
        bpe = bpe.add_special_tokens(args.special)
    if format == OWN:
        bpe.save(args.target)
    else:
        bpe.export(args.target, format)
    if args.new_ids and new_ids is not None:
        _write_new_ids(args.new_ids, new_ids)
    write_result(None, f"{args.target}: {format}, {bpe.num_merges:,} merges, {len(bpe):,} ids\n")
    if args.files:
        _verify(args, bpe, format)


def _pruned(args: argparse.Namespace, bpe: BPE) -> tuple[BPE, Ints]:
    counts = None
    if args.prune_by:
        counts = WordCounts.from_files(args.prune_by, **bpe.options.splitter.rules)
    return bpe.prune(args.prune, counts)


def _write_new_ids(path: str, new_ids: Ints) -> None:
    rows = "".join(f"{old}\t{new}\n" for old, new in enumerate(new_ids.tolist()))
    is_array = ".npy" in Path(path).suffixes  # also packed
    write_result(path, as_npy(new_ids) if is_array else rows)


def _told(path: str) -> str:
    format = format_named(path)
    if format not in (OWN, *EXPORTS):
        raise SubwordError(
            f"the name {path!r} does not say which format to write; say it with --to "
            f"({', '.join([OWN, *EXPORTS])})"
        )
    return format


# -- proof -----------------------------------------------------------------------------------


class Check(NamedTuple):
    """Another encoder and what it gives, see `Foreign`."""

    name: str
    form: str
    encode: Encode


class Mismatch(NamedTuple):
    """A line that two encoders do not encode alike."""

    check: Check
    text: Text
    ours: Any
    theirs: Any


class Score:
    """How much of what a check gave agrees."""

    def __init__(self) -> None:
        self.items = self.lines = self.equal_items = self.equal_lines = 0

    def add(self, ours: Any, theirs: Any) -> bool:
        """Count one line; say whether it agrees."""
        equal = bool(ours == theirs)
        one, other = _items(ours), _items(theirs)
        self.lines += 1
        self.items += max(len(one), len(other))
        self.equal_lines += equal
        self.equal_items += len(one) if equal else _agreeing(one, other)
        return equal


def _items(row: Any) -> Sequence[Any]:
    return list(filter(None, row.split(" "))) if isinstance(row, str) else row


def _agreeing(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return how many of two rows agree at both ends.

    >>> _agreeing([1, 2, 3, 4], [1, 5, 4])
    2
    """
    shorter = min(len(one), len(other))
    start = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    left = shorter - start
    return start + next((i for i in range(left) if one[-1 - i] != other[-1 - i]), left)


def _verify(args: argparse.Namespace, bpe: BPE, format: str) -> None:
    checks, notes = _checks(args, bpe, format)
    scores = [Score() for _ in checks]
    first: Mismatch | None = None
    texts = read_texts(args)
    while batch := list(islice(texts, _BATCH)):
        lines = [text.text for text in batch]
        expected = {form: _rows(bpe, lines, form) for form in {check.form for check in checks}}
        for check, score in zip(checks, scores, strict=True):
            rows = zip(batch, expected[check.form], check.encode(lines), strict=True)
            for text, ours, theirs in rows:
                if not score.add(ours, theirs) and first is None:
                    first = Mismatch(check, text, ours, theirs)
    if not scores[0].lines:
        raise SubwordError("no line to verify on")
    report = [_line(check, score) for check, score in zip(checks, scores, strict=True)]
    write_result(None, "".join(f"{line}\n" for line in [*report, *notes]))
    if first:
        write_result(None, _difference(bpe, first))
        raise SubwordError(
            f"{args.target} is not the same as {args.model} on these texts; the first difference "
            f"is in {first.text.path}, line {first.text.line}"
        )


def _checks(args: argparse.Namespace, bpe: BPE, format: str) -> tuple[list[Check], list[str]]:
    """Return all that can be asked, and notes on what cannot."""
    back, notes = _read_back(args.target, bpe.pretokenizer)
    form = "text" if format in _TEXTUAL else "ids"
    checks = [Check(f"{args.target} read back", form, lambda lines: _rows(back, lines, form))]
    files: list[tuple[str, str | None]] = [(args.target, format)]
    if args.prune is None and not args.special:
        files.append((args.model, _format_within(args.model)))
    for path, named in files:
        library = foreign(path, named, bpe)
        if isinstance(library, Foreign):
            checks.append(Check(f"{path} in {library.name}", library.form, library.encode))
        elif library:
            notes.append(f"{path} not checked by its own library: {library}")
    return checks, notes


def _format_within(path: str) -> str:
    """Return the format of a model that was read, whatever its name."""
    name = file_of(path) if os.path.isdir(path) else path
    return formats.format_of(read_text(name), name).replace("_", "-")


def _read_back(path: str, pretokenizer: Rules) -> tuple[BPE, list[str]]:
    """Load what was written; with a note if it does not say how texts become words."""
    note = f"{path} does not say how texts become words: load it with {pretokenizer=}"
    try:
        back = load(path)
    except ModelFileError:
        return load(path, pretokenizer=pretokenizer), [note]
    if back.pretokenizer == pretokenizer:
        return back, []
    try:
        return load(path, pretokenizer=pretokenizer), [note]
    except SubwordError:  # it says so, in other words
        return back, []


def _rows(bpe: BPE, lines: Sequence[str], form: str) -> Rows:
    """Encode lines by a model of ours, in the form that a check gives."""
    if form == "text":
        return list(map(bpe.segment, lines))
    flat, ends = bpe.encode_batch(lines, allowed_special="all" if form == "all ids" else ())
    ids = flat.tolist()
    return [ids[start:end] for start, end in pairwise(ends.tolist())]


def _line(check: Check, score: Score) -> str:
    items = "ids" if check.form.endswith("ids") else "pieces"
    return (
        f"{check.name}: {score.equal_items:,} of {score.items:,} {items} agree, "
        f"{score.equal_lines:,} of {score.lines:,} lines"
    )


def _difference(bpe: BPE, found: Mismatch) -> str:
    check, text, ours, theirs = found
    return (
        f"first difference, {text.path}, line {text.line}, {check.name}:\n"
        f"  text  {visible(text.text):.{_SHOWN}}\n"
        f"  A     {_pieces(bpe, ours):.{_SHOWN}}\n"
        f"  there {_pieces(bpe, theirs):.{_SHOWN}}\n"
    )


def _pieces(bpe: BPE, row: Any) -> str:
    if isinstance(row, str):
        return row
    names = (bpe.vocab[i] if isinstance(i, int) and i < len(bpe) else str(i) for i in row)
    return " ".join(map(visible, names))
