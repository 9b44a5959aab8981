"""From text to words: normalise, lower-case, split. The pre-tokenizers by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .errors import SubwordError
from .normalize import align, check_normalization, compiled, normalize

# White space in words dropped: `space` and `whitespace` by the standard library, whose \S is the
# complement of str.split(); the rest by `regex`, whose \s lacks U+001C-001F.
PATTERNS = {
    "space": r"[^ \r\n]+",  # subword-nmt
    "whitespace": r"\S+",
    "words": r"\p{L}[\p{L}\p{M}]*(?:['’]\p{L}[\p{L}\p{M}]*)*|\p{N}+|[^\s\p{L}\p{N}]+",
    # As published in tiktoken 0.14; its cl100k differs from older ones on "\n  " at the end.
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    # OpenAI's CLIP and Hugging Face's BertPreTokenizer.
    "clip": r"(?i)<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d"
    r"|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+",
    "bert": r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+",
    "none": r"(?s).+",
}
_PROBE = " a\t b\n"  # a pre-tokenizer that gives this back in pieces keeps white space
_SPACE_KEPT_CUT = r"(?r)(?<=\S)(?= \S)|(?<=\S\n)(?=[^\s/])"  # o200k: "!\n/"
_SPACE_DROPPED_CUT = r"(?r)[ \n]"

Rules = str | tuple[str, ...]  # a name or a pattern, or several in a row


def check_pretokenizer(spec: str | Sequence[str]) -> Rules:
    """Return the name or pattern if it is one; several as a tuple.

    Raises
    ------
    SubwordError
        When one is neither a known name nor a pattern that compiles.

    Examples
    --------
    >>> check_pretokenizer("gpt2"), check_pretokenizer(["words", r"\\p{N}|\\P{N}+"])
    ('gpt2', ('words', '\\\\p{N}|\\\\P{N}+'))

    """
    if not isinstance(spec, (list, tuple)):
        return _check_rule(spec)
    if not spec:
        raise SubwordError("pretokenizer must be a name, a pattern, or several; got none")
    rules = tuple(map(_check_rule, spec))
    return rules if len(rules) > 1 else rules[0]


def _check_rule(spec: object) -> str:
    if not isinstance(spec, str):
        raise TypeError(f"pretokenizer must be a str, not {type(spec).__name__}")
    if spec in PATTERNS:
        return spec
    names = ", ".join(PATTERNS)
    if re.fullmatch(r"[\w-]*", spec):  # no pattern says so little: a slip of the pen
        raise SubwordError(
            f"unknown pretokenizer {spec!r}; choose from {names}, or give a regex pattern such as "
            r"'\w+'"
        )
    import regex

    try:
        regex.compile(spec)
    except regex.error as error:
        raise SubwordError(
            f"pretokenizer {spec!r} is not a pattern of the regex package ({error}) and not one "
            f"of {names}"
        ) from None
    return spec


@dataclass(frozen=True)
class Splitter:
    """How a text becomes words; equal rules compare equal.

    Parameters
    ----------
    pretokenizer : str or tuple of str
        A name (``space``, ``whitespace``, ``words``, ``gpt2``, ``cl100k``, ``o200k``, ``clip``,
        ``bert``, ``none``) or a pattern of the `regex` package. A pattern says what a word is:
        as with `regex.findall`, what it does not match is left out. Of several, each splits the
        words of the one before it, as if every word were a text.
    lowercase : bool
        Apply `str.lower` before splitting.
    normalization : str or tuple of str
        Named steps, applied first.
    timeout : float
        Seconds a custom pattern may take for a text, plus one second per million characters.

    Examples
    --------
    >>> Splitter("words", lowercase=True).words("Don't panic: 42!")
    ["don't", 'panic', ':', '42', '!']
    >>> Splitter(("space", r"\\d|\\D+")).words("route 66")
    ['route', '6', '6']

    """

    pretokenizer: Rules = "space"
    lowercase: bool = False
    normalization: tuple[str, ...] = ()
    timeout: float = field(default=10.0, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pretokenizer", check_pretokenizer(self.pretokenizer))
        object.__setattr__(self, "lowercase", bool(self.lowercase))
        object.__setattr__(self, "normalization", check_normalization(self.normalization))

    def __reduce__(self) -> tuple[object, ...]:
        """Leave the compiled pattern behind."""
        return (Splitter, (self.pretokenizer, self.lowercase, self.normalization, self.timeout))

    @cached_property
    def _patterns(self) -> list[Any]:
        rules = self.pretokenizer if isinstance(self.pretokenizer, tuple) else [self.pretokenizer]
        by_re = ("space", "whitespace")
        return [(re.compile if r in by_re else compiled)(PATTERNS.get(r, r)) for r in rules]

    @cached_property
    def keeps_space(self) -> bool:
        """Whether white space stays in the words, so that they join to the text again."""
        return "".join(self.split(_PROBE)) == _PROBE

    @property
    def rules(self) -> dict[str, Any]:
        """What it was made of, by name, for those that take the same."""
        return {
            "pretokenizer": self.pretokenizer,
            "lowercase": self.lowercase,
            "normalization": self.normalization,
        }

    @property
    def rewrites(self) -> bool:
        """Whether `prepare` may change a text."""
        return bool(self.lowercase or self.normalization)

    @property
    def only_lowers(self) -> bool:
        """Whether `prepare` is `str.lower`, as which the engine lower-cases."""
        return self.lowercase and not self.normalization

    @property
    def is_custom(self) -> bool:
        """Whether the pre-tokenizer is none of those with a name."""
        return self.pretokenizer not in PATTERNS

    def prepare(self, text: str) -> str:
        """Normalise and lower-case."""
        return normalize(text, self.normalization, self.lowercase)

    def split(self, prepared: str) -> list[str]:
        """Return the words of a prepared text."""
        if self.is_custom:
            return [prepared[start:end] for start, end in self.spans(prepared)]
        words: list[str] = self._patterns[0].findall(prepared)
        return words

    def words(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self.split(self.prepare(text))

    def spans(self, prepared: str) -> list[tuple[int, int]]:
        """Return where the words of a prepared text begin and end."""
        first, *others = self._patterns
        spans = self._matches(first, prepared)
        for pattern in others:
            spans = [
                (begin + start, begin + end)
                for begin, stop in spans
                for start, end in self._matches(pattern, prepared[begin:stop])
            ]
        return spans

    def _matches(self, pattern: Any, text: str) -> list[tuple[int, int]]:
        limit = self.timeout + len(text) / 1e6
        limited = self.is_custom and not isinstance(pattern, re.Pattern)
        try:
            matches = pattern.finditer(text, **({"timeout": limit} if limited else {}))
            return [match.span() for match in matches if match.end() > match.start()]
        except TimeoutError:
            raise SubwordError(
                f"the pretokenizer {pattern.pattern!r} took more than {limit:.0f} s for a text of "
                f"{len(text)} characters; write it without nested repeats"
            ) from None

    def align(self, text: str) -> tuple[str, list[int], list[int]]:
        """Prepare a text and say where in the original each character of it stands."""
        return align(text, self.normalization, self.lowercase)

    def last_cut(self, text: str) -> int:
        """Return the last place where `text` can be cut without changing its words; 0 if none."""
        if self.is_custom or self.pretokenizer == "none":
            return 0
        cut = _SPACE_KEPT_CUT if self.keeps_space else _SPACE_DROPPED_CUT
        found = compiled(cut).search(text)
        return found.start() if found else 0


def check_text(text: object, document: int | None = None, allow_bytes: bool = False) -> str:
    """Return a text as str; bytes that are not UTF-8 become lone surrogates (PEP 383).

    Raises
    ------
    TypeError
        When it is not a str (or bytes, where the model works on bytes).
    SubwordError
        When it holds a lone surrogate: no UTF-8 can spell it.

    Examples
    --------
    >>> check_text("low")
    'low'

    """
    place = "" if document is None else f"document {document}: "
    if isinstance(text, bytes) and allow_bytes:
        return text.decode("utf-8", "surrogateescape")
    if not isinstance(text, str):
        hint = "; decode it first, or use level='byte'" if isinstance(text, bytes) else ""
        raise TypeError(f"{place}expected a str, got {type(text).__name__} ({text!r:.40}){hint}")
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        raise SubwordError(
            f"{place}lone surrogate U+{ord(text[error.start]):04X} at character {error.start}; "
            "repair the text, for example with text.encode('utf-8', 'replace').decode()"
        ) from None
    return text


def check_texts(texts: Iterable[object], allow_bytes: bool = False) -> Iterator[str]:
    """Check texts one by one.

    Raises
    ------
    TypeError
        When a single str or bytes stands where several texts are expected.

    """
    if isinstance(texts, (str, bytes)):
        raise TypeError(
            f"expected an iterable of texts, got one {type(texts).__name__}; put it in a list: "
            "[text]"
        )
    return (check_text(text, i, allow_bytes) for i, text in enumerate(texts))
