"""Pre-tokenizers of ``tokenizer.json``, both ways."""

from __future__ import annotations

import re
from itertools import product
from typing import NamedTuple

import regex

from ...errors import ModelFileError
from ...options import Options
from ...pretokenize import PATTERNS
from .normalizers import adds_space
from .steps import BYTES, INSTEAD, Fail, Json, read_steps

_MOST_GROUPS = 4


def pre_tokenizers(options: Options) -> list[Json]:
    """Return the steps that split a text; those that need no regular expression are the fastest."""
    name, is_byte = options.splitter.pretokenizer, options.level == "byte"
    if name == "gpt2" and is_byte:
        byte_level = {"type": "ByteLevel"} | BYTES | {"use_regex": True}
        return [byte_level | {"add_prefix_space": adds_space(options)}]
    steps = _known().get(name)
    if steps is None and not _means_the_same(name):
        raise ModelFileError(
            f"tokenizer.json cannot hold the pretokenizer {name!r}: its regular expressions are "
            f"not those of the regex package. {INSTEAD}"
        )
    if steps is None:
        steps = [_split(name, "Removed", invert=True)]
    return steps + [{"type": "ByteLevel"} | BYTES | {"use_regex": False}] * is_byte


def _known() -> dict[str, list[Json]]:
    """Return the steps of pre-tokenizers by their names or patterns."""
    return {
        "space": _cut_at(" \n\r"),
        # WhitespaceSplit lacks four separators of str.split
        "whitespace": [{"type": "WhitespaceSplit"}, *_cut_at("\x1c\x1d\x1e\x1f")],
        "words": [_split(PATTERNS["words"], "Removed", invert=True)],
        "clip": [_split(_CLIP_THERE, "Removed", invert=True)],
        "bert": [{"type": "BertPreTokenizer"}],
        "none": [],
        **{name: [_split(_as_oniguruma(name), "Isolated")] for name in ("gpt2", "cl100k", "o200k")},
        r"[^\s]+": [{"type": "WhitespaceSplit"}],
        r"(?:(?=[\w])[^\s])+|(?:(?=[^\w])[^\s])+": [{"type": "Whitespace"}],
        LLAMA3: [_split(LLAMA3, "Isolated")],
        QWEN2: [_split(QWEN2, "Isolated")],
    }


def _cut_at(characters: str) -> list[Json]:
    return [{"type": "CharDelimiterSplit", "delimiter": c} for c in characters]


def _split(pattern: str, behavior: str, invert: bool = False) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def _as_oniguruma(name: str) -> str:
    """Write a pattern without possessive repeats: ``{1,3}+`` means something else there, and ``$``.

    No repeat of these patterns could give anything back that helps, so nothing changes.
    """
    greedy = re.sub(r"([+*?]|\d\})\+", r"\1", PATTERNS[name])
    return greedy.replace("$", r"\z")


# Published patterns that leave nothing of a text out.
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace("{1,3}", "")


# Ignoring case there, "st" would also find the one character that is their ligature.
_CLIP_THERE = PATTERNS["clip"].replace("(?i)", "(?i:").replace("st", "(?i:s)(?i:t)") + ")"


class Words(NamedTuple):
    """How a file makes words.

    Attributes
    ----------
    pretokenizer : str
        A name or pattern of ours.
    is_byte : bool
        Whether words are spelt in bytes.
    leading_space, visible_space : bool
        Whether a text begins with a space, and whether that is spelt U+2581.
    first_only : bool
        Whether that space comes before the whole text only, not behind added tokens.

    """

    pretokenizer: str
    is_byte: bool
    leading_space: bool = False
    visible_space: bool = False
    first_only: bool = False


def read_pre_tokenizer(node: Json | None, visible_space: bool, fail: Fail) -> Words:
    """Return how a file makes words; fail for what has no equal here.

    Where normalizers have made every space visible, cutting at spaces does nothing.
    """
    steps = read_steps(node, "pretokenizers", fail)
    if visible_space:
        steps = [step for step in steps if step.get("pattern") != {"String": " "}]
    byte_levels = [step for step in steps if step["type"] == "ByteLevel"]
    if not byte_levels:
        if [step["type"] for step in steps] == ["Metaspace"]:
            return _metaspace(steps[0], fail)
        return Words(_pattern(steps, fail), is_byte=False)
    last = steps.pop()
    if len(byte_levels) > 1 or last["type"] != "ByteLevel":
        fail("ByteLevel is not the last of the pre_tokenizers, which has no equal here")
    leading = last.get("add_prefix_space") is not False
    if leading and steps:
        fail("add_prefix_space behind other pre_tokenizers has no equal here")
    if last.get("use_regex") is False:
        return Words(_pattern(steps, fail), True, leading)
    return Words(_then_gpt2(steps, fail), True, leading)


def _metaspace(step: Json, fail: Fail) -> Words:
    """Return the words of Metaspace: each begins with its space."""
    scheme = step.get("prepend_scheme", "always" if step.get("add_prefix_space") else "never")
    if step.get("replacement") != "\u2581" or scheme not in ("always", "first", "never"):
        fail(f"the pre_tokenizer {step!r:.200} has no equal here")
    pattern = "none" if step.get("split") is False else " [^ ]*|[^ ]+"
    return Words(pattern, False, scheme != "never", True, scheme == "first")


def _then_gpt2(steps: list[Json], fail: Fail) -> str:
    """Return the pattern of steps that GPT-2's follows."""
    if not steps:
        return "gpt2"
    if steps == [{"type": "Digits", "individual_digits": True}]:
        return r"\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"
    if _clip_like(steps):
        return steps[0]["pattern"]["Regex"].removeprefix(_CLIP_TOKENS)  # type: ignore[no-any-return]
    return fail("GPT-2's pattern behind other pre_tokenizers has no equal here")


# CLIP: the pattern finds its two special tokens, which are cut out before, and words that
# GPT-2's does not split any more.
_CLIP_TOKENS = r"<\|startoftext\|>|<\|endoftext\|>|"
_CLIP = _CLIP_TOKENS + r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def _clip_like(steps: list[Json]) -> bool:
    return steps == [_split(_CLIP, "Removed", invert=True)]


# -- pre-tokenizers that look at one character at a time -------------------------------------

_PUNCTUATION = r"\p{P}$+<=>^`|~"


class _Classes(NamedTuple):
    """Characters that are left out, that are words by themselves, and that only go together."""

    removed: str = ""
    isolated: str = ""
    groups: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: _Classes) -> _Classes:  # type: ignore[override]
        return _Classes(
            self.removed + other.removed,
            self.isolated + other.isolated,
            self.groups + other.groups,
        )

    def pattern(self) -> str:
        """Return the pattern of the words."""
        out, alone = self.removed, self.isolated
        apart = [f"(?![{out}])[{alone}]" if out else f"[{alone}]"] if alone else []
        rest = f"^{out}{alone}" if out + alone else r"\s\S"
        return "|".join(
            [*apart, *(_run(rest, parts) for parts in product(*dict.fromkeys(self.groups)))]
        )


def _run(rest: str, parts: tuple[str, ...]) -> str:
    """Return the pattern of a run of characters that are in all classes."""
    ahead = "".join(f"(?=[{part}])" for part in parts)
    return f"(?:{ahead}[{rest}])+" if ahead else f"[{rest}]+"


def _of_two(inside: str) -> _Classes:
    return _Classes(groups=((inside, f"^{inside}"),))


def _pattern(steps: list[Json], fail: Fail) -> str:
    """Return the pre-tokenizer that does the same as the steps."""
    named = next((name for name, there in _known().items() if steps == there), None)
    if named is not None:
        return named
    if steps == [_split(GPT2, "Isolated")]:
        return "gpt2"
    if len(steps) == 1 and steps[0]["type"] == "Split" and "Regex" in _split_pattern(steps[0]):
        return _regex(steps[0], fail)
    classes = _Classes()
    for step in steps:
        classes += _classes(step) or fail(
            f"the pre_tokenizer {step!r:.200} has no equal here"
            + ", not together with others" * (len(steps) > 1)
        )
    if len(set(classes.groups)) > _MOST_GROUPS:
        fail("too many pre_tokenizers that split by kinds of characters")
    bert = _Classes(r"\s", _PUNCTUATION)
    return "bert" if classes == bert else classes.pattern()


def _split_pattern(step: Json) -> Json:
    pattern = step.get("pattern")
    return pattern if isinstance(pattern, dict) else {}


def _classes(step: Json) -> _Classes | None:
    """Return the classes of a step; None if it is not of this kind."""
    match step:
        case {"type": "WhitespaceSplit"}:
            return _Classes(r"\s")
        case {"type": "Whitespace"}:
            return _Classes(r"\s") + _of_two(r"\w")
        case {"type": "BertPreTokenizer"}:
            return _Classes(r"\s", _PUNCTUATION)
        case {"type": "CharDelimiterSplit", "delimiter": str(character)} if len(character) == 1:
            return _Classes(regex.escape(character))
        case {"type": "Digits", "individual_digits": True}:
            return _Classes(isolated=r"\p{N}")
        case {"type": "Digits"}:
            return _of_two(r"\p{N}")
        case {"type": "Punctuation", "behavior": str(behavior)}:
            return _behaving(behavior, _PUNCTUATION)
        case {"type": "Split", "pattern": {"String": str(character)}, "behavior": str(behavior)}:
            plain = len(character) == 1 and not step.get("invert")
            return _behaving(behavior, regex.escape(character)) if plain else None
    return None


def _behaving(behavior: str, inside: str) -> _Classes | None:
    kinds = {
        "Removed": _Classes(inside), "Isolated": _Classes(isolated=inside),
        "Contiguous": _of_two(inside),
    }  # fmt: skip
    return kinds.get(behavior)


# -- pre-tokenizers with a regular expression of Oniguruma -----------------------------------

# What means the same to Oniguruma and to the regex package.
_ESCAPE = r"\\(?:[pP]\{\^?[A-Z][a-z]?\}|[sSdDrntf]|[^\w\s]|u[0-9a-fA-F]{4})"
_SAME = re.compile(
    rf"(?:{_ESCAPE}|\[\^?\]?(?:{_ESCAPE}|[^\\\[\]&])*\]"
    r"|\((?:\?(?:i?:|[!=])|(?![?*+]))|\)|\||[*+?][+?]?|\{\d+(?:,\d*)?\}(?![+*?])|[^\\\[\](){}|*+?^$])*"
)
# Where case is ignored there, several characters may be equal to one.
_FOLDED = re.compile(r"[^\0-\x7f]|\\u|ss|st|f[fil]", re.IGNORECASE)
_AHEAD = regex.compile(
    r"\(\?[=!](?P<inside>(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^()\\\[]|\((?&inside)\))*)\)"
)
_REPEATED = regex.compile(_AHEAD.pattern + "[*+?{]")  # an error there


def _means_the_same(pattern: str) -> bool:
    """Say whether a pattern finds the same words there and here, and none that are empty."""
    if not _SAME.fullmatch(pattern) or ("(?i" in pattern and _FOLDED.search(pattern)):
        return False
    if _REPEATED.search(pattern):
        return False
    try:
        regex.compile(pattern)
        return not regex.fullmatch(_AHEAD.sub("", pattern), "")
    except regex.error:
        return False


def _regex(step: Json, fail: Fail) -> str:
    """Return the pattern of the words that a Split makes."""
    there = step["pattern"]["Regex"]
    kind = step.get("behavior"), bool(step.get("invert"))
    if not isinstance(there, str) or not _means_the_same(there):
        fail(f"the regular expression {there!r:.120} may mean something else to the regex package")
    gaps = rf"(?:(?!{there})[\s\S])+"
    if kind[0] == "Isolated":
        return f"{there}|{gaps}"
    if kind == ("Removed", True):
        return f"(?:{there})" if re.fullmatch(r"[\w-]+", there) else there  # else taken for a name
    if kind == ("Removed", False):
        return f"(?:{there})(*SKIP)(*FAIL)|{gaps}"
    return fail(f"the behavior {kind[0]!r} of a Split has no equal here")
