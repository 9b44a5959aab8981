"""The errors and warnings of the package.

::

    ValueError
      SubwordError             anything this package refuses
        ModelFileError         a model file: .path, .line
        CorpusError            a text or count file: .path, .line, .byte
        SpecialTokenError      a special token that cannot be one
    UserWarning
      SubwordWarning           done, but perhaps not what was meant
        FallbackWarning        the native engine is missing; pure Python runs

Wrong types are plain ``TypeError``, missing files the usual ``OSError``, sums past
2**63 - 1 an ``OverflowError``.
"""

from __future__ import annotations

import sys
import warnings

_NOT_THE_USER = ("subword", "sklearn", "joblib")


class SubwordError(ValueError):
    """Base class of all errors raised by this package."""


class _FileError(SubwordError):
    """An error that knows the place in a file it comes from."""

    def __init__(self, reason: str, path: str | None = None, line: int | None = None) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        super().__init__(f"{self._place()}{reason}")

    def _place(self) -> str:
        parts = [str(self.path)] if self.path else []
        if self.line is not None:
            parts.append(f"line {self.line}")
        return ", ".join(parts) + ": " if parts else ""

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.reason, self.path, self.line))


class ModelFileError(_FileError):
    """A model file that cannot be read, or a model that a format cannot hold.

    Parameters
    ----------
    reason : str
        What is wrong and what was expected.
    path : str, optional
        The file.
    line : int, optional
        The line, counted from 1.

    Examples
    --------
    >>> print(ModelFileError("no header", "codes.txt", 1))
    codes.txt, line 1: no header

    """


class CorpusError(_FileError):
    """A text, table or count file that cannot be read.

    Parameters
    ----------
    reason : str
        What is wrong and what was expected.
    path : str, optional
        The file.
    line : int, optional
        The line, counted from 1.
    byte : int, optional
        The offset in bytes from the beginning of the (unpacked) file, counted from 0.

    Examples
    --------
    >>> print(CorpusError("invalid UTF-8", "corpus.txt", 3, 120))
    corpus.txt, line 3, byte 120: invalid UTF-8

    """

    def __init__(
        self,
        reason: str,
        path: str | None = None,
        line: int | None = None,
        byte: int | None = None,
    ) -> None:
        self.byte = byte
        super().__init__(reason, path, line)

    def _place(self) -> str:
        place = super()._place()
        if self.byte is None:
            return place
        return f"{place[:-2]}, byte {self.byte}: " if place else f"byte {self.byte}: "

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.reason, self.path, self.line, self.byte))


class SpecialTokenError(SubwordError):
    """A special token that is empty, given twice, or not known to the model."""


class SubwordWarning(UserWarning):
    """Something was done that may not be what was meant."""


class FallbackWarning(SubwordWarning):
    """The native engine is missing and the pure-Python engine runs instead."""


def tell(message: str, category: type[SubwordWarning] = SubwordWarning) -> None:
    """Warn at the line of the user's that led here, be it through pipelines and searches."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
