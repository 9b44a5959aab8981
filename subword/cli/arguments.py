"""Options that several commands share, beside those that the apps have, too."""

from __future__ import annotations

import argparse
import re

from .. import arguments
from ..arguments import Commands, Group, Run, add_errors, add_header
from ..normalize import STEPS
from ..pretokenize import PATTERNS


def add_command(
    commands: Commands, run: Run, *, usage: str, examples: str, **texts: str
) -> argparse.ArgumentParser:
    """Add the command named like the function that runs it."""
    name = run.__name__.replace("_", "-")
    epilog = "examples:\n" + re.sub(r"(?m)^\s*", "  ", examples.strip())
    return arguments.add_command(
        commands, name, run, usage=f"subword {name} {usage}", epilog=epilog, **texts
    )


def add_input(parser: argparse.ArgumentParser, *, columns: bool = True) -> Group:
    """Add FILES and how they are read."""
    group = parser.add_argument_group("input")
    group.add_argument("files", nargs="*", metavar="FILE", help="UTF-8; none, or -, for stdin")
    if columns:
        _add_columns(group)
    add_errors(group, keeps_bytes=True)
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
    add_header(group)


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
