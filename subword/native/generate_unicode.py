"""Write unicode_table.hpp: the character classes of the `regex` package as a two-stage table.

The scanners promise the words that `regex` finds, so the classes are asked of `regex` itself;
`unicodedata` of Python 3.11 follows an older Unicode and differs on thousands of code points.

    python -m subword.native.generate_unicode
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import metadata
from pathlib import Path

import regex

from ..errors import SubwordError

BLOCK = 128
CODE_POINTS = 0x110000
TARGET = Path(__file__).with_name("unicode_table.hpp")

# One bit per property; the order is that of `enum CharacterClass` below.
PROPERTIES = [
    ("kUpper", r"[\p{Lu}\p{Lt}]", "Lu, Lt"),
    ("kLower", r"\p{Ll}", "Ll"),
    ("kCaseless", r"[\p{Lm}\p{Lo}]", "Lm, Lo"),
    ("kMark", r"\p{M}", "M"),
    ("kNumber", r"\p{N}", "N"),
    ("kSpace", r"\s", r"\s of `regex`"),
    ("kPythonSpace", None, r"str.isspace: \s and U+001C..U+001F"),
]

HEADER = """\
// Written by generate_unicode.py from regex {regex_version}; do not edit.
//
// The class of code point c: kClassData[kClassBlock[c / {block}]][c % {block}], {size} bytes.
// The last block number serves kInvalid (utf8.hpp): a byte that is not UTF-8 has no class.
#pragma once

#include <cstdint>

namespace subword {{

constexpr char kUnicodeVersion[] = "{unicode_version}";

enum CharacterClass : uint8_t {{
{enum}
}};

constexpr uint8_t kClassBlock[{block_numbers}] = {{
{stage_one}
}};

constexpr uint8_t kClassData[{blocks}][{block}] = {{
{stage_two}
}};

}}  // namespace subword
"""


def character_classes() -> bytes:
    """Return the class bits of every code point."""
    characters = [chr(code) for code in range(CODE_POINTS)]
    classes = [bool(character.isspace()) << len(PROPERTIES) - 1 for character in characters]
    text = "".join(characters)
    for bit, (_, pattern, _) in enumerate(PROPERTIES[:-1]):
        for match in regex.finditer(pattern, text):
            classes[match.start()] |= 1 << bit
    return bytes(classes)


def two_stages(classes: bytes) -> tuple[list[int], list[bytes]]:
    """Split into blocks and number the distinct ones in order of appearance."""
    blocks: dict[bytes, int] = {}
    numbers = [
        blocks.setdefault(classes[start : start + BLOCK], len(blocks))
        for start in range(0, len(classes), BLOCK)
    ]
    return numbers, list(blocks)


def unicode_version() -> str:
    """Return the Unicode version of `regex`, which states it in its description only."""
    description = metadata("regex").get_payload()  # type: ignore[attr-defined]
    return str(regex.search(r"supports Unicode (\d+\.\d+\.\d+)", description)[1])


def lines(values: Iterable[int], indent: str = "    ", width: int = 116) -> str:
    """Return numbers, comma-separated, in lines of at most `width` characters."""
    out, line = [], indent
    for value in values:
        if len(line) + len(f"{value},") > width:
            out.append(line)
            line = indent
        line += f"{value},"
    return "\n".join([*out, line])


def row(block: bytes) -> str:
    """Return a block as a row of the table."""
    return "    {" + lines(block, indent="").replace("\n", "\n     ") + "},"


def main() -> None:
    """Write the table."""
    numbers, blocks = two_stages(character_classes())
    numbers.append(blocks.index(bytes(BLOCK)))
    if len(blocks) > 256:
        raise SubwordError("a block number no longer fits a byte: make BLOCK larger")
    enum = [
        f"    {name} = {1 << bit},  // {meaning}"
        for bit, (name, _, meaning) in enumerate(PROPERTIES)
    ]
    enum.append("    kLetter = kUpper | kLower | kCaseless,")
    TARGET.write_text(
        HEADER.format(
            regex_version=regex.__version__,
            unicode_version=unicode_version(),
            block=BLOCK,
            size=len(numbers) + len(blocks) * BLOCK,
            enum="\n".join(enum),
            block_numbers=len(numbers),
            stage_one=lines(numbers),
            blocks=len(blocks),
            stage_two="\n".join(map(row, blocks)),
        )
    )
    print(f"{TARGET}: {len(blocks)} blocks", file=sys.stderr)


if __name__ == "__main__":
    main()
