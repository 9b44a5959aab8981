"""Live against `tokenizers` and `tiktoken`: what is exported gives the same ids there."""

from __future__ import annotations

import pytest
from conftest import SHARED
from foreign import corpus, differing, exported, lines, modes, small, vanishes

MODES = list(modes())


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """300 lines: English, multilingual, code, and a few odd ones."""
    if not (SHARED / "data").is_dir():
        return lines(300)
    names = ("english", "multilingual", "code")
    return [text for name in names for text in corpus(SHARED / "data", name, 90)] + lines(30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "options"), MODES, ids=["-".join(map(str, [f, *o.values()])) for f, o in MODES]
)
@pytest.mark.filterwarnings("ignore:pretokenizer .* drops spaces")
def test_every_mode_gives_the_same_ids_there(tmp_path, texts, format, options):
    pytest.importorskip("tiktoken" if format == "tiktoken" else "tokenizers")
    bpe = small(**options)
    theirs = exported(bpe, format, tmp_path)
    assert [*differing(bpe, theirs, texts, vanishes(options))] == []
