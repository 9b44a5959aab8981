"""Named normalisation steps, and where each character of the result comes from."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from .errors import SubwordError


class Step(NamedTuple):
    """A rewriting of text: what the pattern matches is replaced, all else stays.

    Attributes
    ----------
    pattern : str
        For the `regex` package: stretches that are rewritten independently of each other.
    new : str or function
        What stands in the place of such a stretch.
    whole : function, optional
        A quicker way to rewrite a whole text.

    """

    pattern: str
    new: str | Callable[[str], str]
    whole: Callable[[str], str] | None = None

    def rewrite(self, text: str) -> str:
        """Return the text rewritten."""
        if self.whole:
            return self.whole(text)
        new = self.new
        replaced: str = compiled(self.pattern).sub(
            new if isinstance(new, str) else lambda match: new(match[0]), text
        )
        return replaced

    def replace(self, stretch: str) -> str:
        """Return what stands in the place of a stretch."""
        return self.new if isinstance(self.new, str) else self.new(stretch)


@lru_cache(1 << 8)
def compiled(pattern: str) -> Any:
    """Return a pattern compiled; the `regex` package is loaded when it is first needed."""
    import regex

    return regex.compile(pattern)


def _unicode(form: str) -> Step:
    def rewrite(text: str) -> str:
        return unicodedata.normalize(form, text)  # type: ignore[arg-type]

    return Step(r"\X", rewrite, rewrite)


def _strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


def _lower_characters(text: str) -> str:
    return text.replace("Σ", "σ").lower()  # str.lower looks around itself at this one alone


# SentencePiece's rules before NFKC: controls go, other kinds of white space are a space
_NMT = {
    **dict.fromkeys([*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F]),
    **dict.fromkeys(
        [9, 0xA, 0xC, 0xD, 0x61C, 0x1680, 0x200B, 0x200C, 0x200E, 0x200F, 0x2028, 0x2029, 0x2581,
         0xFEFF, 0xFFFD], " "
    ),
}  # fmt: skip


def _nmt_nfkc(text: str) -> str:
    """Normalise as SentencePiece does by default, which leaves the fullwidth tilde alone."""
    return "\uff5e".join(map(_nfkc_in_place, text.translate(_NMT).split("\uff5e")))


def _nfkc_in_place(text: str) -> str:
    """Apply NFKC but leave marks in a wrong order."""
    cuts = [0, *_disorder(text), len(text)]
    return "".join(unicodedata.normalize("NFKC", text[start:end]) for start, end in pairwise(cuts))


def _disorder(text: str) -> Iterator[int]:
    """Yield the places of marks that belong before the one they follow."""
    for match in compiled(_MARKS).finditer(text):
        order = map(unicodedata.combining, match[0])
        yield from (match.start() + i for i, (a, b) in enumerate(pairwise(order), 1) if a > b > 0)


def _fold_characters(text: str) -> str:
    return text.lower() if text.isascii() else "".join(map(_fold, text))


@lru_cache(1 << 12)
def _fold(c: str) -> str:
    """Fold the case of a character as long as it stays one (Unicode's simple folding)."""
    return next((form for form in (c.casefold(), c.lower()) if len(form) == 1), c)


_MARKS = r"\p{M}{2,}"
_EACH = "(?s)."
LOWER = Step(_EACH, str.lower, str.lower)
STEPS = {
    "NFC": _unicode("NFC"),
    "NFD": _unicode("NFD"),
    "NFKC": _unicode("NFKC"),
    "NFKD": _unicode("NFKD"),
    "strip_accents": Step(r"\X", _strip_accents, _strip_accents),
    "strip_marks": Step(r"\p{M}", ""),
    "lower_characters": Step(_EACH, _lower_characters, _lower_characters),
    "squeeze": Step(r"\s+", " "),
    # BERT (Devlin et al. 2018): control characters go, white space is a space, ideographs are words
    "bert_clean": Step(
        r"(?V1)[\t\n\r\f\v\x85\p{Z}--[ ]]|[\p{Cc}\p{Cf}\p{Co}\ufffd]",
        lambda c: " " if compiled(r"[\t\n\r\p{Z}]").match(c) else "",
    ),
    "bert_ideographs": Step(
        "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
        "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]",
        lambda c: f" {c} ",
    ),
    # SentencePiece (Kudo & Richardson 2018) and what follows it
    "nmt_nfkc": Step(r"\X", _nmt_nfkc, _nmt_nfkc),
    "nfkc_in_place": Step(r"\X", _nfkc_in_place, _nfkc_in_place),
    "fold_characters": Step(_EACH, _fold_characters, _fold_characters),
    "ascii_squeeze": Step("[\t-\r \u2581]+", " "),
    "single_spaces": Step("\\A +|(?<= ) +|[ \u2581]+\\Z", ""),
    "prefix_space": Step(r"(?s)\A(?=.)", " "),
    "leading_space": Step(r"\A(?=[^ ])", " "),
    "lower_block_space": Step("\u2581", " "),
}


def check_normalization(normalization: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the step names as a tuple.

    Raises
    ------
    SubwordError
        When a name is not known; the message lists the names.

    Examples
    --------
    >>> check_normalization("NFC"), check_normalization(None)
    (('NFC',), ())

    """
    names = (normalization,) if isinstance(normalization, str) else tuple(normalization or ())
    for name in names:
        if name not in STEPS:
            raise SubwordError(f"unknown normalization {name!r}; choose from {', '.join(STEPS)}")
    return names


def normalize(text: str, names: Sequence[str], lowercase: bool = False) -> str:
    """Apply the named steps in order, then lower-case.

    >>> normalize("Cafe\\u0301", ["NFC"], lowercase=True)
    'café'
    """
    for name in names:
        text = STEPS[name].rewrite(text)
    return text.lower() if lowercase else text


def align(text: str, names: Sequence[str], lowercase: bool) -> tuple[str, list[int], list[int]]:
    """Normalise and say for each character which slice of the original it stands for.

    Returns
    -------
    text : str
        What `normalize` returns.
    starts, ends : list of int
        Character i of it comes from ``original[starts[i]:ends[i]]``; what was put in has the
        place of the character behind it.

    Examples
    --------
    >>> align("ﬁx", ["NFKC"], False)
    ('fix', [0, 0, 1], [1, 1, 2])

    """
    starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
    for step in [STEPS[name] for name in names] + [LOWER] * lowercase:
        result = step.rewrite(text)
        if result != text:
            origin = _origins(text, result, step)
            starts, ends = [starts[a] for a, _ in origin], [ends[b - 1] for _, b in origin]
            text = result
    return text, starts, ends


def _origins(text: str, result: str, step: Step) -> list[tuple[int, int]]:
    """Return for each character of `result` the slice of `text` it was made from."""
    origins: list[tuple[int, int]] = []
    place = 0
    for match in compiled(step.pattern).finditer(text):
        start, end = match.span()
        origins += [(i, i + 1) for i in range(place, start)]
        size = len(step.replace(match[0]))
        same = size == end - start  # rewritten character by character, as far as one can tell
        stop = max(end, start + 1)
        origins += [(start + i, start + i + 1) if same else (start, stop) for i in range(size)]
        place = end
    origins += [(i, i + 1) for i in range(place, len(text))]
    if len(origins) != len(result):  # stretches that act on each other: only the whole is sure
        return [(0, len(text))] * len(result)
    return origins
