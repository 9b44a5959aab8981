"""``encode``, ``decode`` and ``segment``: line by line through a model."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..alphabet import visible
from ..arguments import Commands, add_output
from ..counts import WordCounts
from ..errors import CorpusError, SubwordError
from ..formats import load
from ..model import BPE
from ..pretokenize import check_text
from ..terminal import is_terminal
from .arguments import add_command, add_dropout, add_input, add_model
from .inputs import Text, check_files, read_texts
from .outputs import as_npy, progress, write_result, writer


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module's commands."""
    _add_encode(commands)
    _add_decode(commands)
    _add_segment(commands)


def _add_encode(commands: Commands) -> None:
    parser = add_command(
        commands, encode,
        usage="-m MODEL [options] [FILE ...]",
        help="turn texts into ids",
        description="Turn texts into ids: one line out for each line in.",
        examples="""
        subword encode -m model.subword corpus.txt -o ids.txt
        echo 'lowest newest' | subword encode -m model.subword --pieces
        subword encode -m model.subword --column text reviews.csv --npy -o reviews.npz
        subword encode -m model.subword --offsets notes.txt | jq -c .offsets
        """,
    )  # fmt: skip
    add_input(parser)
    group = add_model(parser)
    group.add_argument(
        "--allowed-special", action="append", default=[], metavar="TOKEN",
        help="honour this special token in texts (all: every one); repeat for more. By default"
        " texts have none",
    )  # fmt: skip
    add_dropout(parser)
    kind = add_output(parser).add_mutually_exclusive_group()
    kind.add_argument(
        "--pieces", action="store_true",
        help="pieces instead of ids; in them \\s is a space, \\n a line end, \\\\ a backslash",
    )  # fmt: skip
    kind.add_argument(
        "--npy", action="store_true",
        help="numpy arrays: ids and indptr in one .npz (text i has ids[indptr[i]:indptr[i + "
        "1]]); the ids alone if FILE ends in .npy",
    )  # fmt: skip
    kind.add_argument(
        "--json", action="store_true",
        help="a JSON object a line, with ids and pieces",
    )  # fmt: skip
    kind.add_argument(
        "--offsets", action="store_true",
        help="the same with offsets: start and end of each piece in characters of the line",
    )  # fmt: skip


def _add_decode(commands: Commands) -> None:
    parser = add_command(
        commands, decode,
        usage="-m MODEL [options] [FILE ...]",
        help="turn ids back into texts",
        description="Turn lines of ids, with white space between, back into texts.",
        examples="""
        subword decode -m model.subword ids.txt -o corpus.txt
        subword encode -m model.subword < corpus.txt | subword decode -m model.subword
        """,
    )  # fmt: skip
    add_input(parser, columns=False)
    add_model(parser)
    add_output(parser, json="a JSON string a line, so that line ends in texts do no harm")


def _add_segment(commands: Commands) -> None:
    parser = add_command(
        commands, segment,
        usage="-m MODEL [options] [FILE ...]",
        help="split words, in the text form of subword-nmt",
        description="Split the words of each line into pieces, in the text form of subword-nmt: "
        "lo@@ west. The separator stands behind every piece that does not end a word.",
        examples="""
        subword segment -m codes.bpe corpus.txt -o corpus.bpe
        subword segment -m codes.bpe < corpus.txt | subword count -o vocab.tsv
        subword segment -m codes.bpe --vocabulary vocab.tsv --vocabulary-threshold 50 test.txt
        subword segment -m codes.bpe --glossaries '<num>' 'https?://.*' -- test.txt
        """,
    )  # fmt: skip
    add_input(parser)
    add_model(parser)
    group = parser.add_argument_group("segmentation")
    group.add_argument(
        "--separator", metavar="TEXT", default="@@",
        help="behind pieces that do not end a word",
    )  # fmt: skip
    group.add_argument(
        "--glossaries", nargs="+", action="extend", default=[], metavar="REGEX",
        help="patterns; what they match is not split. Put -- before the files",
    )  # fmt: skip
    group.add_argument(
        "--vocabulary", metavar="FILE",
        help="pieces with counts (of `subword count` on segmented text, or subword-nmt "
        "get-vocab); others are split further",
    )  # fmt: skip
    group.add_argument(
        "--vocabulary-threshold", type=int, metavar="N", default=1,
        help="use only pieces counted so often",
    )  # fmt: skip
    add_dropout(parser)
    add_output(parser)


# -- running ---------------------------------------------------------------------------------


def load_model(args: argparse.Namespace) -> BPE:
    """Check the files of a command and load its model, cut to -n merges."""
    check_files(args)
    bpe = load(args.model)
    fewer: int | None = getattr(args, "num_merges", None)
    return bpe if fewer is None else bpe.truncate(fewer)


def encode(args: argparse.Namespace) -> None:
    """Run ``subword encode``."""
    bpe = load_model(args)
    if args.errors == "bytes" and bpe.level != "byte":
        raise SubwordError("--errors bytes needs a model of level byte; this one is of level char")
    if args.npy:
        _write_arrays(args, bpe)
    else:
        _write_lines(args, _encoder(args, bpe))


def _dropout(args: argparse.Namespace) -> dict[str, Any]:
    return {"dropout": args.dropout, "seed": args.seed}


def _coding(args: argparse.Namespace) -> dict[str, Any]:
    allowed = "all" if "all" in args.allowed_special else args.allowed_special
    return {**_dropout(args), "allowed_special": allowed}


def _encoder(args: argparse.Namespace, bpe: BPE) -> Callable[[Text], str]:
    options = _coding(args)

    def ids(text: Text) -> str:
        return " ".join(map(str, bpe.encode(text.source(args.errors), **options)))

    def pieces(text: Text) -> str:
        return " ".join(map(visible, bpe.tokenize(text.source(args.errors), **options)))

    def record(text: Text) -> str:
        found, offsets = bpe.encode_with_offsets(text.source(args.errors), **options)
        data: dict[str, Any] = {"ids": found, "pieces": [bpe.vocab[i] for i in found]}
        return json.dumps(data | ({"offsets": offsets} if args.offsets else {}), ensure_ascii=False)

    if args.json or args.offsets:
        return record
    return pieces if args.pieces else ids


def _write_lines(args: argparse.Namespace, render: Callable[[Text], str | bytes]) -> None:
    with writer(args.output) as write:
        for text in progress(read_texts(args), args):
            line = render(text)
            raw = line.encode("utf-8", "surrogateescape") if isinstance(line, str) else line
            write(raw + text.end.encode())


def _write_arrays(args: argparse.Namespace, bpe: BPE) -> None:
    if args.output in (None, "-") and is_terminal(sys.stdout):
        args.refuse("--npy writes binary data, which a terminal cannot show: name a file with -o")
    texts = (text.source(args.errors) for text in progress(read_texts(args), args))
    ids, indptr = bpe.encode_batch(texts, **_coding(args))
    if ".npy" in Path(str(args.output)).suffixes:  # also packed
        write_result(args.output, as_npy(ids))
        return
    held = io.BytesIO()
    np.savez(held, ids=ids, indptr=indptr)
    write_result(args.output, held.getvalue())


def decode(args: argparse.Namespace) -> None:
    """Run ``subword decode``."""
    bpe = load_model(args)

    def text(line: Text) -> str | bytes:
        try:
            ids = [int(word) for word in line.text.split()]
            if args.json:
                return json.dumps(bpe.decode(ids), ensure_ascii=False)
            return bpe.decode_bytes(ids)
        except ValueError:
            wrong = next(word for word in line.text.split() if not _is_integer(word))
            reason = f"expected ids with spaces between, got {wrong!r:.60}"
        except IndexError as error:
            reason = str(error)
        raise CorpusError(reason, line.path, line.line)

    _write_lines(args, text)


def _is_integer(word: str) -> bool:
    try:
        int(word)
    except ValueError:
        return False
    return True


def segment(args: argparse.Namespace) -> None:
    """Run ``subword segment``."""
    bpe = load_model(args)
    segmenter = bpe.segmenter(args.separator, args.glossaries, read_vocabulary(args))

    def pieces(text: Text) -> str:
        line = text.text.replace("\n", " ")  # in a field of a table: it splits words as well
        return segmenter.segment(line, bpe._encoder.dropout(check_text(line), **_dropout(args)))

    _write_lines(args, pieces)


def read_vocabulary(args: argparse.Namespace) -> set[str] | None:
    """Return the pieces that --vocabulary and --vocabulary-threshold allow; None for all."""
    if args.vocabulary is None:
        if args.vocabulary_threshold > 1:
            args.refuse("--vocabulary-threshold needs --vocabulary")
        return None
    return set(WordCounts.load(args.vocabulary).prune(args.vocabulary_threshold))
