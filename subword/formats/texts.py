"""The text of model files: unpacked, of a sane size, JSON checked."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, NamedTuple, NoReturn

from ..errors import ModelFileError
from ..files import open_binary, replacing, unpacking

LARGEST = 1 << 28  # bytes, unpacked; the largest vocabularies in use take a tenth of it
MOST_BYTES = 1 << 26  # of all tokens together, where a file has merges by id and may double them


def read_text(path: str) -> str:
    """Return the text of a model file without a BOM; bytes that are no UTF-8 as surrogates.

    Raises
    ------
    ModelFileError
        When it is larger than any model.
    CorpusError
        When a packed file is damaged.

    """
    with unpacking(path), open_binary(path) as stream:
        raw = stream.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise ModelFileError(f"more than {LARGEST >> 20} MB of text: no model is that large", path)
    return raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def write_texts(texts: Mapping[str | os.PathLike[str], str | bytes]) -> None:
    """Write files that belong together; all of them or none."""
    with ExitStack() as files:
        for path, text in texts.items():
            raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
            files.enter_context(replacing(path)).write(raw)


def parse_object(text: str, path: str | None) -> dict[str, Any]:
    """Return the object that a JSON text holds.

    Raises
    ------
    ModelFileError
        With the line of what is no JSON; for nesting without end, a key that stands twice, and
        whatever is no object.

    Examples
    --------
    >>> parse_object('{"low": 0}', None)
    {'low': 0}

    """
    try:
        parsed = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        reason = f"this is no model file: broken JSON ({error.msg}, column {error.colno})"
        raise ModelFileError(reason, path, error.lineno) from None
    except RecursionError:
        raise ModelFileError("JSON nested too deeply for a model file", path, 1) from None
    except ValueError as error:
        raise ModelFileError(f"JSON that cannot be used: {error}", path, 1) from None
    if not isinstance(parsed, dict):
        raise ModelFileError(f"expected a JSON object, got {text[:40]!r}", path, 1)
    return parsed


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {key!r:.60} stands twice")
    return found


class ModelText(NamedTuple):
    """The text of a model file that can say where something is wrong."""

    text: str
    path: str | None

    def fail(self, reason: str, line: int | None = None) -> NoReturn:
        """Raise `ModelFileError`."""
        raise ModelFileError(reason, self.path, line)

    def fail_at(self, token: str, reason: str) -> NoReturn:
        """Fail where a token stands in a JSON text."""
        places = (self.text.find(json.dumps(token, ensure_ascii=ascii)) for ascii in (True, False))
        self.fail(reason, self.text.count("\n", 0, max(0, *places)) + 1)
