"""``compare`` and ``audit``: two models side by side, and one looked through for faults."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from typing import Any

from ..alphabet import visible
from ..arguments import Commands, add_output
from ..compare import Difference, diff
from ..counts import WordCounts
from ..errors import SubwordError
from ..formats import load
from ..inspection import audit as look_through
from ..model import BPE
from ..native import as_utf8
from .arguments import add_command, add_input, add_model
from .coding import load_model
from .inputs import check_files, read_texts
from .learning import count_words
from .outputs import as_json, progress, write_result
from .showing import table

_BATCH = 1 << 22  # characters encoded at a time
_SHORTEST = 0.05  # seconds; what took less says nothing of a speed


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module's commands."""
    _add_compare(commands)
    _add_audit(commands)


def _add_compare(commands: Commands) -> None:
    parser = add_command(
        commands, compare,
        usage="[options] A B [FILE ...]",
        help="show where two models part, and what that does to texts",
        description="Show the first merge that two models do not share and why. With texts: the "
        "share of words that both split alike, examples of the others, the pieces per word "
        "(words by white space) and the speed of each, if there is enough to time. Models "
        "that split texts into words by different rules are compared on words by white space.",
        examples="""
        subword compare old.subword new.subword
        subword compare small.subword codes.bpe corpus.txt
        subword compare --json a.subword b.subword corpus.txt | jq .difference.corpus.share
        """,
    )  # fmt: skip
    parser.add_argument("model", metavar="A", help="a model, of any format that is read")
    parser.add_argument("other", metavar="B", help="another one")
    add_input(parser).description = "Without any, only merges are compared; name - for stdin."
    add_output(parser, json="an object with models and difference")


def _add_audit(commands: Commands) -> None:
    parser = add_command(
        commands, audit,
        usage="-m MODEL [options] [FILE ...]",
        help="look for pieces and merges of no use",
        description="Look for pieces that no text gives, that are not UTF-8 or stand twice, and "
        "for merges that never apply. With texts: also pieces that these use never or once. A "
        "few of each are shown, with --json all.",
        examples="""
        subword audit -m model.subword
        subword audit -m vocab.json --json corpus.txt | jq '.unused | length'
        """,
    )  # fmt: skip
    group = add_input(parser)
    group.description = "Without any, only the model itself; name - to read standard input."
    group.add_argument("--jobs", type=int, metavar="N", default=1, help="threads for counting")
    add_model(parser)
    add_output(parser, json="an object with all that was found")


# -- running ---------------------------------------------------------------------------------


class Meter:
    """How many pieces a model makes of texts, and in what time."""

    def __init__(self, path: str, bpe: BPE) -> None:
        self.path, self.bpe = path, bpe
        self.pieces, self.seconds = 0, 0.0
        bpe.encode("")  # makes the encoder, which is not to be timed

    def take(self, texts: list[str | bytes]) -> None:
        """Encode some texts."""
        start = time.perf_counter()
        ids, _ = self.bpe.encode_batch(texts)
        self.seconds += time.perf_counter() - start
        self.pieces += len(ids)


class Sizes:
    """How many words (by white space) and bytes texts have."""

    def __init__(self) -> None:
        self.words = self.bytes = 0

    def measured(self, texts: Iterable[str], meters: list[Meter]) -> Iterator[str | bytes]:
        """Pass texts on, through all meters on the way."""
        batch: list[str | bytes] = []
        size = 0
        for text in texts:
            raw = as_utf8(text)
            self.words += len(text.split())
            self.bytes += len(text.encode("utf-8", "surrogateescape"))
            batch.append(raw)
            size += len(text)
            if size >= _BATCH:
                _take(meters, batch)
                meters = meters[::-1]  # each goes first in turn: texts are cold then
                batch, size = [], 0
            yield raw
        _take(meters, batch)


def _take(meters: list[Meter], batch: list[str | bytes]) -> None:
    for meter in meters:
        meter.take(batch)


def compare(args: argparse.Namespace) -> None:
    """Run ``subword compare``."""
    check_files(args)
    meters = [Meter(path, load(path)) for path in (args.model, args.other)]
    if args.errors == "bytes" and any(meter.bpe.level != "byte" for meter in meters):
        raise SubwordError("--errors bytes needs two models of level byte")
    sizes = Sizes()
    counts = _count(args, meters, sizes) if args.files else None
    found = diff(meters[0].bpe, meters[1].bpe, counts)
    if args.json:
        models = {"models": _numbers(meters, sizes), "difference": found.as_dict()}
        write_result(args.output, as_json(models))
    else:
        write_result(args.output, _side_by_side(meters, sizes) + _told(found))


def _count(args: argparse.Namespace, meters: list[Meter], sizes: Sizes) -> WordCounts:
    one, other = (meter.bpe.options.splitter for meter in meters)
    rules = one.rules if one == other else {"pretokenizer": "whitespace"}
    texts = (text.text for text in progress(read_texts(args), args))
    return WordCounts.from_texts(sizes.measured(texts, meters), **rules)


def _numbers(meters: list[Meter], sizes: Sizes) -> list[dict[str, Any]]:
    is_timed = min(meter.seconds for meter in meters) >= _SHORTEST
    return [_numbers_of(meter, sizes, is_timed) for meter in meters]


def _numbers_of(meter: Meter, sizes: Sizes, is_timed: bool) -> dict[str, Any]:
    bpe = meter.bpe
    numbers: dict[str, Any] = {"model": meter.path, "merges": bpe.num_merges, "ids": len(bpe)}
    numbers |= {"level": bpe.level, "end_of_word": bpe.end_of_word}
    if sizes.words:
        numbers |= {"pieces": meter.pieces, "pieces_per_word": meter.pieces / sizes.words}
        if is_timed:
            numbers["megabytes_per_second"] = sizes.bytes / 1e6 / meter.seconds
    return numbers


def _side_by_side(meters: list[Meter], sizes: Sizes) -> str:
    columns = _numbers(meters, sizes)
    rows = [
        [name.replace("_", " "), *(_cell(name, column[name]) for column in columns)]
        for name in columns[0]
    ]
    return table(rows, "<>>")


def _cell(name: str, value: Any) -> str:
    if name == "model":
        return visible(value)
    if isinstance(value, float):
        return f"{value:.3f}" if name == "pieces_per_word" else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value or "none")


def _told(found: Difference) -> str:
    if not (found.corpus and found.corpus.words):
        return f"\n{found}\n"
    return f"\n{found}\n{1 - found.corpus.share:.2%} of the words are split alike\n"


def audit(args: argparse.Namespace) -> None:
    """Run ``subword audit``."""
    bpe = load_model(args)
    counts = count_words(args, **bpe.options.splitter.rules) if args.files else None
    found = look_through(bpe, counts)
    write_result(args.output, as_json(found.as_dict()) if args.json else f"{found}\n")
