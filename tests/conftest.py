"""What several test files share."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest

import subword
from subword.cli import main

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


# -- the command line ------------------------------------------------------------------------


@pytest.fixture
def run(capsysbinary, monkeypatch):
    """Run a command that must succeed and return its stdout."""

    def run(*argv: str, stdin: bytes | str = b"") -> str:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        code = main(argv)
        out, err = capsysbinary.readouterr()
        assert code == 0, err
        return out.decode("utf-8", "surrogateescape")

    return run


@pytest.fixture
def fail(capsysbinary, monkeypatch):
    """Run a command that must fail without output and return its one line on stderr."""

    def fail(*argv: str, stdin: bytes = b"") -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(argv)
        out, err = capsysbinary.readouterr()
        assert code == 1
        assert out == b""
        assert err.count(b"\n") == 1
        assert err.startswith(b"subword: error: ")
        return err.decode().removeprefix("subword: error: ")

    return fail


def environment() -> dict[str, str]:
    """Return one in which $SUBWORD is this program and its engine the one that runs here."""
    return os.environ | {
        "SUBWORD": f"{sys.executable} -m subword",
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "SUBWORD_ENGINE": subword.info()["engine"],
    }


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "-c", command], cwd=cwd, env=environment(), capture_output=True, timeout=60
    )
