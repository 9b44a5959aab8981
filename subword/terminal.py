"""Where a person or a pipe sits at the other end: messages of one line, exit codes."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from .errors import SubwordError, SubwordWarning

DONE, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141  # the last two as shells do


def guarded(program: str, action: Callable[[], int | None]) -> int:
    """Run an action; the user's errors and our warnings become one line on stderr.

    Parameters
    ----------
    program : str
        Stands before each message.
    action : callable
        What to do; it may return an exit code.

    Returns
    -------
    int
        The exit code: 0 done, 1 user error, 130 interrupted, 141 when the reader went away.

    Examples
    --------
    >>> guarded("subword", lambda: None)
    0

    """
    told: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in told:
            told.add(str(message))
            tell(program, "warning", [str(message)])

    with warnings.catch_warnings():
        warnings.simplefilter("always", SubwordWarning)
        warnings.showwarning = show
        try:
            return action() or DONE
        except BrokenPipeError:
            abandon_stdout()
            return BROKEN_PIPE
        except KeyboardInterrupt:
            return INTERRUPTED
        except (SubwordError, OSError, OverflowError, MemoryError) as error:
            abandon_stdout()
            tell(program, "error", [message_of(error)])
            return FAILED


def tell(program: str, kind: str, messages: Iterable[str]) -> None:
    """Write messages to stderr, one line each whatever they hold."""
    for message in messages:
        print(f"{program}: {kind}: {' '.join(message.splitlines())}", file=sys.stderr)


def message_of(error: Exception) -> str:
    """Say what went wrong, with the file if there is one.

    >>> message_of(FileNotFoundError(2, "No such file or directory", "corpus.txt"))
    'corpus.txt: No such file or directory'
    """
    if isinstance(error, MemoryError):
        return f"not enough memory {error}".strip()
    if isinstance(error, OSError) and error.strerror:
        place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return place + error.strerror
    return str(error)


def abandon_stdout() -> None:
    """Send what cannot be flushed nowhere; Python would try again at exit and fail once more."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
        return
    with contextlib.suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_live(stream: Any) -> bool:
    """Say whether somebody may wait at the other end for each line: anything but a file."""
    try:
        return not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # no file of the system
        return False


def is_terminal(stream: Any) -> bool:
    """Say whether a person sits at the other end."""
    return stream is not None and bool(stream.isatty())


def shows_progress() -> bool:
    """Say whether progress is shown: only at a terminal."""
    return is_terminal(sys.stderr)


def shows_colour() -> bool:
    """Say whether results are coloured: only at a terminal, and not if NO_COLOR is set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return is_terminal(sys.stdout) and not plain
