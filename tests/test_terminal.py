"""Errors become one line and an exit code."""

from __future__ import annotations

import warnings

import pytest

from subword import SubwordError, SubwordWarning
from subword.terminal import guarded, is_terminal


def fail(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (SubwordError("no such\nthing"), 1, "app: error: no such thing\n"),
        (FileNotFoundError(2, "No such file", "x.txt"), 1, "app: error: x.txt: No such file\n"),
        (OverflowError("too much"), 1, "app: error: too much\n"),
        (MemoryError(), 1, "app: error: not enough memory\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_the_users_errors_are_one_line(capsys, error, code, message):
    assert guarded("app", lambda: fail(error)) == code
    assert capsys.readouterr().err == message


def test_our_own_faults_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        guarded("app", lambda: fail(ZeroDivisionError()))


def test_a_warning_is_told_once(capsys):
    def warn() -> int:
        for _ in range(3):
            warnings.warn("careful", SubwordWarning, stacklevel=1)
        return 0

    assert guarded("app", warn) == 0
    assert capsys.readouterr().err == "app: warning: careful\n"


def test_a_closed_stream_is_no_terminal():
    assert not is_terminal(None)
