"""What a model is told before it learns; saved with it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from numbers import Real
from typing import Any, NamedTuple

from .errors import SubwordError
from .pretokenize import Splitter

LEVELS = ("char", "byte")
END_OF_WORD = ("suffix", "separate", None)
TIE_BREAKS = ("largest", "largest_id", "smallest_id", "first")
UNKNOWN = ("bytes", "unk", "unk_run")


class Options(NamedTuple):
    """How a model treats text and how it was learnt."""

    level: str = "char"
    end_of_word: str | None = "suffix"
    splitter: Splitter = Splitter()
    unknown: str = "bytes"
    tie_break: str = "largest"
    min_frequency: int = 2

    def check(self) -> Options:
        """Return the options if each has one of its values.

        Raises
        ------
        SubwordError
            With the name, the value and the choices.

        """
        check_choice("level", self.level, LEVELS)
        check_choice("end_of_word", self.end_of_word, END_OF_WORD)
        check_choice("unknown", self.unknown, UNKNOWN)
        check_choice("tie_break", self.tie_break, TIE_BREAKS)
        check_whole("min_frequency", self.min_frequency, 0)
        return self


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise `SubwordError` when a value is not among the choices."""
    if value not in choices:
        raise SubwordError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")


def check_whole(name: str, value: object, smallest: int) -> None:
    """Raise `SubwordError` when a value is not an integer from `smallest` to 2**63 - 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise SubwordError(f"{name} must be an integer, got {value!r}")
    if int(value) < smallest:
        raise SubwordError(f"{name} must be at least {smallest}, got {value!r}")
    if int(value) >= 2**63:
        raise SubwordError(f"{name} must be below 2**63, got {value!r}")


def check_positive(name: str, value: Any) -> None:
    """Raise `SubwordError` for what is no number above 0."""
    if not _is_number(value) or not 0 < value < inf:
        raise SubwordError(f"{name} must be a number above 0, got {value!r}")


def check_not_negative(name: str, value: Any) -> None:
    """Raise `SubwordError` for what is no number of at least 0."""
    if not _is_number(value) or not 0 <= value < inf:
        raise SubwordError(f"{name} must be a number of at least 0, got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Raise `SubwordError` for what is no number from 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise SubwordError(f"{name} must be a number from 0 to 1, got {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
