"""The command line: ``subword COMMAND``, also ``python -m subword``.

::

    arguments   options that several commands share, and how help looks
    inputs      lines and columns in
    outputs     results out
    learning    count, train
    coding      encode, decode, segment
    showing     vocab, info, trace
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from ..errors import SubwordError, SubwordWarning
from ..pretokenize import check_text
from . import coding, learning, showing
from .arguments import Help

DONE, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141  # the last two as shells do
_PATHS = ("files", "model", "output", "vocabulary")  # names of files may be any bytes
_EXAMPLES = """\
examples:
  subword train corpus.txt -n 8000 -o model.subword
  subword encode -m model.subword < corpus.txt > ids.txt
  subword decode -m model.subword < ids.txt
  subword trace -m model.subword lowest

Files may be packed (.gz, .xz, .bz2); - is standard input. `subword COMMAND --help` says more.
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
    with warnings.catch_warnings():
        warnings.simplefilter("always", SubwordWarning)
        warnings.showwarning = _show_warning
        try:
            return _run(sys.argv[1:] if argv is None else argv)
        except BrokenPipeError:
            _abandon_stdout()
            return BROKEN_PIPE
        except KeyboardInterrupt:
            return INTERRUPTED
        except (SubwordError, OSError, OverflowError, MemoryError) as error:
            _abandon_stdout()
            _tell("error", _message(error))
            return FAILED


def _run(argv: Sequence[str]) -> int:
    parser = build_parser()
    if not argv:
        parser.print_help(sys.stderr)
        return USAGE
    try:
        args = parser.parse_args(argv)
        _check_arguments(args)
        args.run(args)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()
    return DONE


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    from .. import __doc__ as summary
    from .. import __version__

    parser = argparse.ArgumentParser(
        "subword", description=summary, epilog=_EXAMPLES, formatter_class=Help, allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"subword {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for group in (learning, coding, showing):
        group.add_commands(commands)
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


def _message(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"not enough memory {error}".strip()
    if isinstance(error, OSError) and error.strerror:
        place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return place + error.strerror
    return str(error)


def _tell(kind: str, message: str) -> None:
    """Write one line to stderr, whatever the message holds."""
    print(f"subword: {kind}: {' '.join(message.splitlines())}", file=sys.stderr)


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int,
    file: TextIO | None = None, line: str | None = None,
) -> None:  # fmt: skip
    _tell("warning", str(message))


def _abandon_stdout() -> None:
    """Send what is still buffered nowhere; flushing it at exit would fail once more."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
        return
    with contextlib.suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
