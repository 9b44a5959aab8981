"""The command line: ``subword COMMAND``, also ``python -m subword``.

::

    arguments   options that several commands share
    inputs      lines and columns in
    outputs     results out
    learning    count, train
    coding      encode, decode, segment
    dropin      learn-bpe, apply-bpe, get-vocab, learn-joint-bpe-and-vocab
    showing     vocab, info, trace
    comparing   compare, audit
    converting  convert
    foreign     the libraries that convert checks with
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from importlib import import_module

from ..arguments import make_parser, run
from ..errors import SubwordError
from ..pretokenize import check_text
from ..terminal import DONE, USAGE, guarded

# Where each command is. To run one, no other room is loaded.
_ROOMS = {
    "learning": ("count", "train"),
    "coding": ("encode", "decode", "segment"),
    "showing": ("vocab", "info", "trace"),
    "comparing": ("compare", "audit"),
    "converting": ("convert",),
    "dropin": ("learn-bpe", "apply-bpe", "get-vocab", "learn-joint-bpe-and-vocab"),
}

# Names of files may be any bytes.
_PATHS = ("files", "model", "other", "output", "target", "vocabulary", "vocabularies",
          "new_ids", "prune_by")  # fmt: skip
_EXAMPLES = """\
examples:
  subword train corpus.txt -n 8000 -o model.subword
  subword encode -m model.subword < corpus.txt > ids.txt
  subword decode -m model.subword < ids.txt
  subword trace -m model.subword lowest

Files may be packed (.gz, .xz, .bz2, .zst), results too; - is standard input.
`subword COMMAND --help` says more.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 user error, 2 wrong usage.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process if not given.

    Raises
    ------
    SystemExit
        By argparse, for ``--help`` (0) and wrong usage (2).

    Examples
    --------
    >>> main(["info", "no-such-model"])
    1

    """
    if argv is None:  # a process of its own: what is loaded stays, and need not be looked through
        gc.freeze()
        argv = sys.argv[1:]
    return guarded("subword", lambda: _run(argv))


def _run(argv: Sequence[str]) -> int:
    parser = build_parser(argv[0] if argv else None)
    if not argv:
        parser.print_help(sys.stderr)
        return USAGE
    try:
        args = parser.parse_args(argv)
        _check_arguments(args)
        run(args)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()
    return DONE


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands; if one is named, of those in its room."""
    from .. import __doc__ as summary

    parser, commands = make_parser("subword", summary, _EXAMPLES)
    room = [room for room, names in _ROOMS.items() if command in names]
    for name in room or _ROOMS:
        import_module(f".{name}", __name__).add_commands(commands)
    return parser


def _check_arguments(args: argparse.Namespace) -> None:
    """Refuse arguments that are not UTF-8, except as names of files."""
    for name, value in vars(args).items():
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and name not in _PATHS:
                try:
                    check_text(text)
                except SubwordError:
                    raise SubwordError(f"the argument {text!a} ({name}) is not UTF-8") from None
