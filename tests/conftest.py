"""What several test files share."""

from __future__ import annotations

import gzip
import lzma
import os
from pathlib import Path

import pytest

import subword

SHARED = Path(os.environ.get("SUBWORD_SHARED", Path(__file__).parents[2] / "shared"))
TOY = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@pytest.fixture
def toy() -> dict[str, int]:
    return dict(TOY)


@pytest.fixture(scope="session")
def bpe() -> subword.BPE:
    return subword.train(TOY)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data; tests that ask for it are skipped where it is not."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the shared measurement data is not here")
    return SHARED / "data"


def read(path: Path) -> str:
    """Read a file of the shared data as it is, line ends included."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8", newline="") as stream:
        return stream.read()
