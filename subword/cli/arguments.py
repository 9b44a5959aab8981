"""Options that several commands share, and how help looks."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

from ..files import ERRORS
from ..normalize import STEPS
from ..pretokenize import PATTERNS

# argparse has no public name for what add_subparsers() and add_argument_group() return.
Commands = Any
Group = Any


class Help(argparse.HelpFormatter):
    """Keeps the line ends of examples and shows each default that says something."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("examples:") else super()._fill_text(text, width, indent)

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        plain = isinstance(action.default, (str, int, float)) and action.default is not False
        shown = action.option_strings and plain and action.default != argparse.SUPPRESS
        return f"{text} (default: %(default)s)" if shown else text


def add_command(
    commands: Commands,
    run: Callable[[argparse.Namespace], None],
    *,
    usage: str,
    help: str,
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    """Add the command named like the function that runs it."""
    name = run.__name__.replace("_", "-")
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=f"subword {name} {usage}",
        help=help,
        description=description,
        epilog="examples:\n" + re.sub(r"(?m)^\s*", "  ", examples.strip()),
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run, refuse=parser.error)
    return parser


def add_input(parser: argparse.ArgumentParser, *, columns: bool = True) -> Group:
    """Add FILES and how they are read."""
    group = parser.add_argument_group("input")
    group.add_argument("files", nargs="*", metavar="FILE", help="UTF-8; none, or -, for stdin")
    if columns:
        _add_columns(group)
    group.add_argument(
        "--errors", choices=[*ERRORS], default="strict",
        help="invalid UTF-8: refuse it, put U+FFFD there, or keep the bytes (byte level only)",
    )  # fmt: skip
    return group


def _add_columns(group: Group) -> None:
    group.add_argument(
        "--column", metavar="COLUMN",
        help="take the texts from this column of a table: a name, for which the first row is the "
        "header, or a number from 1",
    )  # fmt: skip
    group.add_argument(
        "--format", choices=["csv", "tsv", "jsonl"],
        help="of a table on stdin; files tell by their names (or their first lines)",
    )  # fmt: skip
    group.add_argument(
        "--header", action="store_true",
        help="the first row is a header though --column is a number",
    )  # fmt: skip


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add how texts become words."""
    group = parser.add_argument_group("words")
    group.add_argument(
        "--pretokenizer", metavar="NAME", action="append", default=[],
        help=f"{', '.join(PATTERNS)}, or a pattern of the regex package (default: space); repeat "
        "it to split the words once more",
    )  # fmt: skip
    group.add_argument("--lowercase", action="store_true", help="lower-case first")
    group.add_argument(
        "--normalization", choices=[*STEPS], action="append", default=[], metavar="STEP",
        help=f"normalise first: {', '.join(STEPS)}; repeat for several steps",
    )  # fmt: skip
    group.add_argument(
        "--special", action="append", default=[], metavar="TOKEN",
        help="a special token: cut out of the texts; repeat for more",
    )  # fmt: skip


def add_output(parser: argparse.ArgumentParser, *, json: str = "", result: str = "") -> Group:
    """Add -o, and --json where `json` says what it writes."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output", metavar="FILE",
        help=f"{result or 'write here'} instead of stdout; whole or not at all",
    )  # fmt: skip
    if json:
        group.add_argument("--json", action="store_true", help=json)
    return group


def add_model(parser: argparse.ArgumentParser) -> Group:
    """Add -m and -n."""
    group = parser.add_argument_group("model")
    group.add_argument(
        "-m", "--model", required=True, metavar="MODEL",
        help="a model of subword, or a file of another tool that subword.load reads",
    )  # fmt: skip
    group.add_argument(
        "-n", "--num-merges", type=int, metavar="N",
        help="use the first N merges only",
    )  # fmt: skip
    return group


def add_dropout(parser: argparse.ArgumentParser) -> None:
    """Add --dropout and --seed."""
    group = parser.add_argument_group("dropout, for training data")
    group.add_argument(
        "--dropout", type=float, default=0.0, metavar="P",
        help="share of merges to skip at random, 0 to 1",
    )  # fmt: skip
    group.add_argument("--seed", type=int, metavar="N", help="make it repeatable")
