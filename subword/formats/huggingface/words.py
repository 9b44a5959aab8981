"""Pre-tokenizers of ``tokenizer.json``, both ways."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, NamedTuple

import regex

from ...errors import ModelFileError
from ...options import Options
from ...pretokenize import PATTERNS, Rules
from .normalizers import adds_space
from .steps import BYTES, INSTEAD, Fail, Json, read_steps

_MOST_GROUPS = 4


def pre_tokenizers(options: Options) -> list[Json]:
    """Return the steps that split a text; those that need no regular expression are the fastest."""
    rules, is_byte = options.splitter.pretokenizer, options.level == "byte"
    names = [rules] if isinstance(rules, str) else [*rules]
    then_gpt2 = is_byte and names[-1] == "gpt2"
    byte_level = {"type": "ByteLevel"} | BYTES | {"use_regex": then_gpt2}
    if adds_space(options):
        byte_level |= {"add_prefix_space": True}
    steps = [step for name in names[: -1 if then_gpt2 else None] for step in _steps_of(name)]
    return steps + [byte_level] * is_byte


def _steps_of(name: str) -> list[Json]:
    steps = _known().get(name)
    if (gaps := _GAPS.fullmatch(name)) and _means_the_same(gaps[1]):
        return [_split(gaps[1], "Removed")]
    if steps is None and not _means_the_same(name):
        raise ModelFileError(
            f"tokenizer.json cannot hold the pretokenizer {name!r}: its regular expressions are "
            f"not those of the regex package. {INSTEAD}"
        )
    return [_split(name, "Removed", invert=True)] if steps is None else steps


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
    pretokenizer : str or tuple of str
        A name or pattern of ours, or several in a row.
    is_byte : bool
        Whether words are spelt in bytes.
    leading_space, visible_space : bool
        Whether a text begins with a space, and whether that is spelt U+2581.
    first_only : bool
        Whether that space comes before the whole text only, not behind added tokens.

    """

    pretokenizer: Rules
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
        fail(
            "ByteLevel is not the last of the pre_tokenizers: what follows may cut characters in "
            "two, which has no equal here"
        )
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


def _then_gpt2(steps: list[Json], fail: Fail) -> Rules:
    """Return the rules of steps that GPT-2's pattern follows."""
    if not steps:
        return "gpt2"
    if steps == [{"type": "Digits", "individual_digits": True}]:  # one pattern is faster than two
        return r"\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"
    if _clip_like(steps):
        return steps[0]["pattern"]["Regex"].removeprefix(_CLIP_TOKENS)  # type: ignore[no-any-return]
    before = _pattern(steps, fail)
    return (before, "gpt2") if isinstance(before, str) else (*before, "gpt2")


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


_BERT = _Classes(r"\s", _PUNCTUATION)


def _of_two(inside: str) -> _Classes:
    return _Classes(groups=((inside, f"^{inside}"),))


def _pattern(steps: list[Json], fail: Fail) -> Rules:
    """Return the pre-tokenizer that does the same as the steps: one rule if one will do."""
    named = next((name for name, there in _known().items() if steps == there), None)
    if named is not None:
        return named
    classes = _Classes()
    for one in map(_classes, steps):
        if one is None:
            return _in_a_row(steps, fail)
        classes += one
    if len(set(classes.groups)) > _MOST_GROUPS:
        fail("too many pre_tokenizers that split by kinds of characters")
    return "bert" if classes == _BERT else classes.pattern()


def _in_a_row(steps: list[Json], fail: Fail) -> Rules:
    """Return the rules of the steps, one after the other."""
    known = sorted(_known().items(), key=lambda row: -len(row[1]))[:-1]  # without that of no step
    rules: list[str] = []
    while steps:
        found = next((row for row in known if steps[: len(row[1])] == row[1]), None)
        name, there = found or (_rule(steps[0], fail), steps[:1])
        rules.append(name)
        steps = steps[len(there) :]
    return tuple(rules) if len(rules) > 1 else rules[0]


def _rule(step: Json, fail: Fail) -> str:
    if step == _split(GPT2, "Isolated"):
        return "gpt2"
    classes = _classes(step)
    if not classes and step["type"] != "Split":
        fail(f"the pre_tokenizer {step!r:.200} has no equal here")
    return classes.pattern() if classes else _regex(step, fail)


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
    rf"(?:{_ESCAPE}|\[\^?\]?(?:{_ESCAPE}|&(?!&)|[^\\\[\]&])*\]"
    r"|\((?:\?(?:i?:|[!=])|(?![?*+]))|\)|\||[*+?][+?]?|\{\d+(?:,\d*)?\}(?![+*?])|[^\\\[\](){}|*+?^$])*"
)
_LONGEST = 1 << 12  # characters of a pattern; published ones have some hundred
# Where case is ignored there, several characters may be equal to one.
_FOLDED = re.compile(r"[^\0-\x7f]|\\u|ss|st|f[fil]", re.IGNORECASE)
_AHEAD = regex.compile(
    r"\(\?[=!](?P<inside>(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^()\\\[]|\((?&inside)\))*)\)"
)
_REPEATED = regex.compile(_AHEAD.pattern + "[*+?{]")  # an error there
# What is spelt otherwise there: a class in a class adds to it, $ is the end of any line.
_INNER = re.compile(rf"(?<!\\)(\[\^?(?:{_ESCAPE}|[^\\\[\]&])+)\[([^\\\[\]&^-][^\\\[\]&-]*)\]")
_DOLLAR = re.compile(rf"({_ESCAPE}|\[\^?\]?(?:{_ESCAPE}|[^\\\]])*\])|\$")
_GAPS = re.compile(r"\(\?:(.+)\)\(\*SKIP\)\(\*FAIL\)\|\(\?:\(\?!\1\)\[\\s\\S\]\)\+", re.DOTALL)


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
    there = _expression(step.get("pattern"), fail)
    kind = step.get("behavior"), bool(step.get("invert"))
    gaps = rf"(?:(?!{there})[\s\S])+"
    if kind[0] == "Isolated":
        return f"{there}|{gaps}"
    if kind == ("Removed", True):
        return f"(?:{there})" if re.fullmatch(r"[\w-]+", there) else there  # else taken for a name
    without_invert = {
        "Removed": f"(?:{there})(*SKIP)(*FAIL)|{gaps}", "Contiguous": f"(?:{there})+|{gaps}",
        "MergedWithPrevious": f"(?:{gaps})?(?:{there})|{gaps}",
        "MergedWithNext": f"(?:{there})(?:{gaps})?|{gaps}",
    }  # fmt: skip
    if kind[1] or kind[0] not in without_invert:
        fail(f"the behavior {kind[0]!r} of a Split with invert={kind[1]} has no equal here")
    return without_invert[kind[0]]


def _expression(pattern: Any, fail: Fail) -> str:
    """Return the regular expression of a Split, or of the text that it looks for."""
    match pattern:
        case {"String": str(text)} if text:
            return str(regex.escape(text))
        case {"Regex": str(there)} if len(there) < _LONGEST:
            here = _DOLLAR.sub(lambda m: m[1] or r"(?![^\n])", _INNER.sub(r"\1\2", there))
            if _means_the_same(here):
                return here
    return fail(
        f"the pattern {pattern!r:.120} of a Split may mean something else to the regex package"
    )
