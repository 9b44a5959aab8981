"""GPT-2's pair of files: a vocabulary by id and merges by rank, bytes spelt as what prints.

Hugging Face calls them ``vocab.json`` and ``merges.txt``, OpenAI ``encoder.json`` and
``vocab.bpe``; names may have something in front and ``.gz`` behind. Vocabulary entries that are
no bytes and that no merge makes, such as ``<|endoftext|>``, are special tokens.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator

from ..alphabet import HOLE, spelling
from ..errors import ModelFileError
from ..files import PACKINGS, packing_of
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Rules, Splitter
from ..reference import Merge, Symbol
from .texts import ModelText, parse_object, read_text

NAMES = (
    ("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"),
    ("encoder_bpe_40000.json", "vocab_40000.bpe"),
)  # fmt: skip
_PAIRS = " and ".join(map(" + ".join, NAMES))
_HEADER = "#version:"
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_REST = [byte for byte in range(256) if byte not in _PRINTABLE]
_SPELT = {byte: 256 + i for i, byte in enumerate(_REST)}
_UNSPELT = {256 + i: byte for i, byte in enumerate(_REST)} | dict.fromkeys(_REST, "\ufffd")

# -- the table of bytes --------------------------------------------------------------------


def spell(raw: bytes) -> str:
    """Spell each byte as a character that prints: itself, or one from U+0100 on.

    >>> spell(b" low\\n")
    'ĠlowĊ'
    """
    return raw.decode("latin-1").translate(_SPELT)


def unspell(text: str) -> bytes:
    """Read what `spell` wrote.

    Raises
    ------
    ValueError
        For a character that stands for no byte.

    """
    return text.translate(_UNSPELT).encode("latin-1")


BYTES = [spell(bytes([byte])) for byte in range(256)]

# -- two files -----------------------------------------------------------------------------


def pair_of(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the paths of vocabulary and merges, given either of them or their folder.

    Raises
    ------
    ModelFileError
        When the name is not one of the usual ones.

    Examples
    --------
    >>> pair_of("gpt2-merges.txt")
    ('gpt2-vocab.json', 'gpt2-merges.txt')

    """
    name = os.fspath(path)
    if os.path.isdir(name):
        return os.path.join(name, NAMES[0][0]), os.path.join(name, NAMES[0][1])
    packing = packing_of(name)
    plain = name.removesuffix(packing)
    for pair in NAMES:
        for ending in pair:
            if plain.endswith(ending):
                stem = plain.removesuffix(ending)
                return stem + pair[0] + packing, stem + pair[1] + packing
    raise ModelFileError(
        f"a model of GPT-2's kind is two files, found by their names: {_PAIRS}; name one of them, "
        "or a folder that exists",
        name,
    )


def file_of(path: str) -> str:
    """Return the path of one of the two files if they are in this folder, else the path itself."""
    if not os.path.isdir(path):
        return path
    usual = (name + packing for pair in NAMES for name in pair for packing in ("", *PACKINGS))
    inside = (os.path.join(path, name) for name in usual)
    return next(filter(os.path.isfile, inside), path)


def _other(path: str) -> str | None:
    """Return the path of the other file of the pair, packed or not; None if it is not there."""
    try:
        pair = pair_of(path)
    except ModelFileError:
        return None
    other = pair[not pair.index(path)]
    plain = other.removesuffix(packing_of(path))
    found = (
        name for name in (other, plain, *(plain + p for p in PACKINGS)) if os.path.isfile(name)
    )
    return next(found, None)


def is_json(text: str) -> bool:
    """Say whether a text begins like a JSON object."""
    return text.lstrip().startswith("{")


def recognises(text: str, path: str | None) -> bool:
    """Say whether this is one of the two files.

    Merges look like the codes of subword-nmt; but they have no ``</w>``, and the vocabulary lies
    beside them, or words begin with the space of the table.
    """
    if is_json(text):
        return True
    first = text.split("\n", 1)[0].split()
    if len(first) != 2 or re.search(r"</w>\r?$|</w> ", text, re.MULTILINE):
        return False
    return bool(re.search("^Ġ", text, re.MULTILINE) or (path and _other(path)))


def open_pair(text: str, path: str | None) -> tuple[ModelText, ModelText]:
    """Return vocabulary and merges, given the text of either."""
    if path is None:
        parse_object(text if is_json(text) else "{}", path)  # broken JSON is said to be that
        raise ModelFileError(
            "this is one of the two files of a model of GPT-2's kind; read both with subword.load"
            "(path)"
        )
    pair = pair_of(path)
    other = _other(path)
    if other is None:
        missing = pair[path == pair[0]]
        raise ModelFileError(
            f"the other half of the model is missing: looked for {missing}, plain or packed "
            f"({', '.join(PACKINGS)})",
            path,
        )
    files = ModelText(text, path), ModelText(read_text(other), other)
    return files if path == pair[0] else files[::-1]


# -- reading -------------------------------------------------------------------------------


def read(text: str, path: str | None = None, pretokenizer: Rules | None = None) -> BPE:
    """Read a pair of files, given the text and the path of one; the other lies beside it.

    Parameters
    ----------
    text : str
        The vocabulary or the merges.
    path : str
        Where the text is from.
    pretokenizer : str, optional
        How texts become words; the files do not say it. By default as in GPT-2.

    Returns
    -------
    BPE
        Byte level without marker, with the ids of the file.

    Raises
    ------
    ModelFileError
        With path and line: when the other file is missing, ids have gaps, merges are impossible
        or stand twice, or a byte is missing.

    """
    vocabulary, merges = open_pair(text, path)
    ids = read_ids(vocabulary)
    missing = next((byte for byte, token in enumerate(BYTES) if token not in ids), None)
    if missing is not None:
        vocabulary.fail(
            f"byte 0x{missing:02X}, spelt {BYTES[missing]!r}, is not in the vocabulary: texts that "
            "hold it could not be encoded. Train with all 256 bytes as initial alphabet",
            1,
        )
    table, made = read_merges(merges, ids, BYTES)
    tokens = sorted(ids, key=ids.__getitem__)
    specials = [token for token in tokens if token not in made]
    symbols = [(unspell(token), False) if token in made else HOLE for token in tokens]
    options = Options("byte", None, Splitter(pretokenizer or "gpt2"))
    try:
        return BPE(symbols, Merges.of(table), options, specials)
    except ValueError as error:  # a special token with a lone surrogate, or an empty one
        vocabulary.fail_at(specials[0], str(error))


def read_ids(file: ModelText) -> dict[str, int]:
    """Return a vocabulary if it has the ids from 0 on, one each."""
    ids = parse_object(file.text, file.path)
    owners: dict[int, str] = {}
    for token, i in ids.items():
        if type(i) is not int or not 0 <= i < len(ids):
            file.fail_at(
                token,
                f"expected an id below {len(ids)}, the number of tokens; {token!r} has {i!r:.60}",
            )
        if owners.setdefault(i, token) != token:
            file.fail_at(token, f"{token!r} and {owners[i]!r} both have the id {i}")
    return ids


def read_merges(
    file: ModelText, ids: dict[str, int], units: Iterable[str], unit: str = "byte"
) -> tuple[list[Merge], set[str]]:
    """Return the merges, and the tokens that are units or made by a merge."""
    made = set(units)
    ranks: dict[tuple[str, ...], int] = {}  # pair -> its line
    table = []
    for line, pair in _rows(file):
        joined = "".join(pair)
        if first := ranks.setdefault(pair, line) - line:
            file.fail(f"duplicate merge: it already stands in line {line + first}", line)
        for part in pair:
            if part not in made:
                hint = "; ends of words are not marked in models of GPT-2's kind"
                file.fail(
                    f"impossible merge: {part!r} is no {unit} and no earlier merge makes it"
                    f"{hint * (unit == 'byte' and part.endswith('</w>'))}",
                    line,
                )
        if joined not in ids:
            file.fail(f"impossible merge: its result {joined!r} is not in the vocabulary", line)
        made.add(joined)
        table.append(Merge(ids[pair[0]], ids[pair[1]], ids[joined], 0, 0))
    return table, made


def _rows(file: ModelText) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the merges with their lines."""
    lines = file.text.rstrip("\r\n ").split("\n")
    start = int(lines[0].startswith(_HEADER) or lines == [""])
    for number, line in enumerate(lines[start:], start + 1):
        pair = tuple(line.rstrip("\r").split(" "))
        if len(pair) != 2 or not all(pair):
            file.fail(f"expected two tokens with one space between, got {line!r:.80}", number)
        yield number, pair


# -- writing -------------------------------------------------------------------------------


def write(bpe: BPE) -> tuple[str, str]:
    """Return the vocabulary and the merges as texts.

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: not byte level, marked ends of words, other words
        than GPT-2's, normalisation, or a special token that is spelt like another.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train(["low low"], level="byte", pretokenizer="gpt2")
    >>> print(write(bpe)[1], end="")
    #version: 0.2
    o w
    l ow

    """
    _check(bpe)
    names = [spell(raw) for raw, _ in bpe._plain]
    tokens = {i: name for i, name in enumerate(names) if name}
    tokens |= {bpe.piece_to_id(token): token for token in bpe.special_tokens}
    vocabulary = {tokens[i]: i for i in range(len(bpe))}
    if len(vocabulary) < len(bpe):
        twice = next(token for token in bpe.special_tokens if token in names)
        raise ModelFileError(
            f"GPT-2's files cannot hold the special token {twice!r}: another token is spelt so. "
            "Use save(), our own format"
        )
    rows = dict.fromkeys(f"{names[left]} {names[right]}" for left, right, _ in bpe._table.tolist())
    return json.dumps(vocabulary), "\n".join([f"{_HEADER} 0.2", *rows]) + "\n"


def _check(bpe: BPE) -> None:
    """Refuse what the two files cannot hold."""
    if bpe.level != "byte" or bpe.end_of_word is not None:
        raise ModelFileError(
            "GPT-2's files hold byte-level models without end_of_word; this one is "
            f"{bpe.level} level with end_of_word={bpe.end_of_word!r}. Use format='huggingface', or "
            "save(), our own format"
        )
    splitter = bpe.options.splitter
    if splitter.pretokenizer != "gpt2" or splitter.rewrites:
        raise ModelFileError(
            "GPT-2's files do not say how a text becomes words, and all that read them take "
            f"pretokenizer='gpt2' without normalisation; this model has {splitter}. Use "
            "format='huggingface', or save(), our own format"
        )
    check_order(bpe)
    made = set(bpe._table[:, 2].tolist())
    base = (symbol for i, symbol in enumerate(bpe._plain) if i not in made)
    _check_made([symbol for symbol in base if symbol != HOLE])


def _check_made(base: list[Symbol]) -> None:
    """Refuse symbols that are no bytes though no merge makes them."""
    strange = next((symbol for symbol in base if len(symbol[0]) != 1), None)
    if strange is not None:
        raise ModelFileError(
            f"{spelling(strange)!r} is no byte and no merge makes it: in GPT-2's files it would be "
            "a special token. Train with unknown='bytes', or use save(), our own format"
        )


def check_order(bpe: BPE) -> None:
    """Refuse merges before those that make their parts: other tools apply them otherwise."""
    latest: dict[int, int] = {}
    table = bpe._table.tolist()
    for rank, merge in enumerate(table):
        latest[merge[2]] = rank
    for rank, merge in enumerate(table):
        if max(latest.get(part, -1) for part in merge[:2]) >= rank:
            raise ModelFileError(
                f"merge {rank}, {' + '.join(bpe.merges[rank])!r}, stands before one that makes a "
                "part of it; other tools would apply it otherwise. Use save(), our own format"
            )
