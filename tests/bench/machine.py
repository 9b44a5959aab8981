"""What the figures were measured on and with."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from harness import installed

PEERS = (
    "subword-nmt", "tokenizers", "gigabpe", "gigatoken", "tiktoken", "sentencepiece", "rustbpe",
    "bpeasy", "regex", "numpy", "scipy", "scikit-learn", "skops",
)  # fmt: skip


def describe(core: int | None) -> dict[str, Any]:
    """Return machine and versions as plain data; peers that are not installed have None."""
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "pinned": core,
        "kernel": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "subword": installed("subword"),
        "versions": {name: installed(name) for name in PEERS},
    }


def processor() -> str:
    """Return the name of the processor."""
    path = Path("/proc/cpuinfo")
    rows = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return next(
        (row.partition(":")[2].strip() for row in rows if row.startswith("model name")),
        platform.processor() or platform.machine(),
    )


def engine() -> dict[str, Any]:
    """Return which engine of ours runs (call it apart: it loads the package)."""
    import subword

    return {"engine": subword.info()["engine"]}
