"""Rank files of tiktoken: a token in base64 and its rank a line, ``cl100k_base.tiktoken``.

The ranks are the ids. Merges are not stored: tiktoken joins the two neighbours that make the
token of lowest rank. That is the same as merging the two last parts of each token, in the order
of the ranks.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Sequence
from typing import NoReturn

from ..alphabet import readable
from ..errors import ModelFileError, tell
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Rules, Splitter
from ..reference import Merge, Ranks, encode
from .ranked import Ranked

_ROW = re.compile(r"([A-Za-z0-9+/]+={0,2}) ([0-9]{1,9})")
_BY_NAME = {"cl100k": "cl100k", "o200k": "o200k", "gpt2": "gpt2", "r50k": "gpt2"}
_BY_SIZE = {100256: "cl100k", 199998: "o200k", 50256: "gpt2"}


def recognises(text: str, path: str | None = None) -> bool:
    """Say whether most of the first lines are a token in base64 and a number."""
    lines = [line.strip() for line in text[:4000].split("\n")[:10] if line.strip()]
    rows = [row for row in map(_ROW.fullmatch, lines) if row and not len(row[1]) % 4]
    return len(rows) * 2 > len(lines)


# -- reading -------------------------------------------------------------------------------


def read(text: str, path: str | None = None, pretokenizer: Rules | None = None) -> BPE:
    """Read ranks and find the merges they stand for.

    Parameters
    ----------
    text : str
        The ranks.
    path : str, optional
        Where they are from; ``cl100k``, ``o200k``, ``gpt2`` or ``r50k`` in the name of the file
        says how texts become words, or else the number of ranks.
    pretokenizer : str, optional
        How texts become words, for all other files.

    Returns
    -------
    BPE
        Byte level without marker, ids equal to ranks. Special tokens are not in such files.

    Raises
    ------
    ModelFileError
        With path and line: no base64, a token or rank that stands twice, gaps, a token that is
        not made of two others.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train(["low low"], level="byte", pretokenizer="gpt2")
    >>> read(write(bpe), pretokenizer="gpt2").merges == bpe.merges
    True

    """
    tokens = _tokens(text, path)
    name = pretokenizer or _pretokenizer(path, len(tokens))
    merges = _merges(tokens, path)
    symbols = [(token, False) for token in tokens]
    return BPE(symbols, Merges.of(merges), Options("byte", None, Splitter(name)))


def _tokens(text: str, path: str | None) -> list[bytes]:
    """Return the tokens by rank."""
    ranks: dict[bytes, int] = {}
    owners: dict[int, int] = {}  # rank -> its line
    for line, row in enumerate(text.split("\n"), 1):
        if row.strip():
            token, rank = _row(row.rstrip("\r"), path, line)
            if ranks.setdefault(token, rank) != rank or owners.setdefault(rank, line) != line:
                raise ModelFileError(
                    f"a token or a rank that stands twice: {row!r:.80}", path, line
                )
    size = len(ranks)
    missing = next((rank for rank in range(size) if rank not in owners), None)
    if missing is not None:
        raise ModelFileError(
            f"rank {missing} is missing; {size} tokens must have the ranks from 0 to {size - 1}",
            path, owners[max(owners)],
        )  # fmt: skip
    for byte in range(256):
        if bytes([byte]) not in ranks:
            raise ModelFileError(
                f"byte 0x{byte:02X} has no rank: texts that hold it could not be encoded", path, 1
            )
    return sorted(ranks, key=ranks.__getitem__)


def _row(row: str, path: str | None, line: int) -> tuple[bytes, int]:
    found = _ROW.fullmatch(row)
    try:
        if found:
            return a2b_base64(found[1], strict_mode=True), int(found[2])
    except ValueError:
        pass
    raise ModelFileError(f"expected a token in base64 and its rank, got {row!r:.80}", path, line)


def _pretokenizer(path: str | None, size: int) -> str:
    name = os.path.basename(path or "")
    for known, pretokenizer in _BY_NAME.items():
        if known in name:
            return pretokenizer
    if size in _BY_SIZE:
        return _BY_SIZE[size]
    raise ModelFileError(
        "rank files do not say how a text becomes words, and neither the name nor the "
        f"{size} ranks of this one do (known are {', '.join(_BY_NAME)}). Say it: "
        "subword.load(path, pretokenizer='cl100k'), a name or a pattern",
        path,
    )


def _merges(tokens: Sequence[bytes], path: str | None = None) -> list[Merge]:
    """Return the merge that makes each token of several bytes."""
    ranked = Ranked({token: rank for rank, token in enumerate(tokens) if len(token) == 1})
    for rank, token in enumerate(tokens):
        if len(token) > 1 and not ranked.add(token, rank):
            _fail_unmade(token, rank, ranked, tokens, path)
    return ranked.merges()


def _fail_unmade(
    token: bytes, rank: int, ranked: Ranked[bytes], tokens: Sequence[bytes], path: str | None
) -> NoReturn:
    ranks: Ranks = {pair: (i, i) for pair, i in ranked.made.items()}
    parts = encode([ranked.ids[bytes([byte])] for byte in token[:400]], ranks)
    shown = " + ".join(repr(readable(tokens[part])) for part in parts[:8])
    raise ModelFileError(
        f"token {readable(token)!r:.60}, rank {rank}, is not made of two tokens of lower rank but "
        f"of {len(parts)} ({shown:.120}): no merges can be found that would give the same ids",
        path,
    )


# -- writing -------------------------------------------------------------------------------


def write(bpe: BPE) -> str:
    """Return the ranks of a model.

    Not in the file, and to be given to ``tiktoken.Encoding`` by hand: the pattern that makes
    words, and special tokens (a warning says which).

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: not byte level, marked ends of words,
        normalisation, or merges that do not follow from the ranks.

    Warns
    -----
    SubwordWarning
        When the model has special tokens.

    """
    splitter = bpe.options.splitter
    if bpe.level != "byte" or bpe.end_of_word is not None or splitter.rewrites:
        raise ModelFileError(
            "rank files of tiktoken hold byte-level models without end_of_word and without "
            f"normalisation; this one is {bpe.level} level with end_of_word={bpe.end_of_word!r} "
            f"and {splitter}. Use format='huggingface', or save(), our own format"
        )
    tokens = [raw for raw, _ in bpe._plain]
    _check(bpe, tokens)
    if bpe.special_tokens:
        ids = {token: bpe.piece_to_id(token) for token in bpe.special_tokens}
        tell(
            "rank files hold no special tokens; give them to tiktoken.Encoding as "
            f"special_tokens={ids!r:.400}"
        )
    rows = (f"{b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens))
    return "".join(rows)


def _check(bpe: BPE, tokens: Sequence[bytes]) -> None:
    """Refuse merges that tiktoken would not find in the ranks."""
    if {token for token in tokens if len(token) == 1} != {bytes([byte]) for byte in range(256)}:
        raise ModelFileError("not all 256 bytes have an id; use save(), our own format")
    found = [list(merge[:3]) for merge in _merges(tokens)]
    table = bpe._table.tolist()
    if found != table:
        wrong = next((a for a, b in zip(table, found, strict=False) if a != b), (table + found)[-1])
        raise ModelFileError(
            f"the merge that makes id {wrong[2]}, {bpe.vocab[wrong[2]]!r}, does not follow from "
            "the order of the ids, which is all that rank files hold. Use format='huggingface', "
            "or save(), our own format"
        )
