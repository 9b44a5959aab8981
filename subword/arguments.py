"""Arguments that the commands and the apps share, how help looks, and how a command runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from .errors import CorpusError, SubwordError
from .files import READ_PAST

# argparse has no public name for what add_subparsers() and add_argument_group() return.
Commands = Any
Group = Any
Run = Callable[[argparse.Namespace], None]


class Help(argparse.HelpFormatter):
    """Keeps paragraphs and the line ends of examples; shows each default that says something."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return text
        fill = super()._fill_text
        return "\n\n".join(fill(part, width, indent) for part in text.split("\n\n"))

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        plain = isinstance(action.default, (str, int, float)) and action.default is not False
        shown = action.option_strings and plain and action.default != argparse.SUPPRESS
        return f"{text} (default: %(default)s)" if shown else text


def make_parser(
    program: str, about: str | None, examples: str
) -> tuple[argparse.ArgumentParser, Commands]:
    """Return the parser of a program and what commands are added to."""
    from . import __version__

    parser = argparse.ArgumentParser(
        program, description=about, epilog=examples, formatter_class=Help, allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"subword {__version__}")
    return parser, parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, prog=program
    )


def add_command(
    commands: Commands, name: str, run: Run, help: str, **texts: str
) -> argparse.ArgumentParser:
    """Add a command and the function that runs it; `texts` are argparse's."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=help, formatter_class=Help, allow_abbrev=False,
        **{"description": f"{help[0].upper()}{help[1:]}.", **texts},
    )  # fmt: skip
    parser.set_defaults(run=run, refuse=parser.error)
    return parser


def add_header(group: Group) -> None:
    """Add whether tables have a header."""
    group.add_argument(
        "--header", action=argparse.BooleanOptionalAction,
        help="whether the first line names the columns; by default it does if the names looked for "
        "stand in it",
    )  # fmt: skip


def add_errors(group: Group, *, keeps_bytes: bool = False) -> None:
    """Add what becomes of bytes that are no UTF-8."""
    group.add_argument(
        "--errors", choices=["strict", "replace", *["bytes"] * keeps_bytes], default="strict",
        help="invalid UTF-8: refuse it, put U+FFFD there, or keep the bytes (byte level only)"
        if keeps_bytes else "invalid UTF-8: refuse it or put U+FFFD there",
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


def run(args: argparse.Namespace) -> None:
    """Run the command that the arguments name; errors advise its options."""
    try:
        args.run(args)
    except CorpusError as error:
        advice = ", or choose --errors replace" if hasattr(args, "errors") else ""
        raise SubwordError(str(error).replace(READ_PAST, advice)) from None
