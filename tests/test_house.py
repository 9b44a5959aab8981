"""The shape of the project: arrows of imports, public names, what loads what."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import subword

ROOT = Path(__file__).parents[1]
# Each room may import those before it; rooms in one row may not import each other.
ROWS = [
    ["errors"],
    ["reference", "files", "native", "terminal", "progress", "columns"],
    ["normalize", "alphabet", "packing", "arguments"],
    ["pretokenize"],
    ["options", "specials", "decoder"],
    ["coder", "tally", "glossary"],
    ["counts", "encoder", "segment"],
    ["model"],
    ["formats", "trace", "usage"],
    ["trainer"],
    ["surgery", "compare", "inspection", "joint", "lessons"],
    ["documents", "ngrams", "known_texts"],
    ["streams", "vocabulary", "labels", "words"],
    ["matrix", "learning"],
    ["hashed", "log_counts", "temperature", "negation"],
    ["vectorizer", "hashing", "nbsvm", "blocks", "langid"],
    ["views"],
    ["classifier"],
    ["testing"],
    ["tables"],
    ["reports"],
    ["cli"],
    ["apps"],
]
FLOOR = {room: row for row, rooms in enumerate(ROWS) for room in rooms}
# `files` packs and unpacks only what asks for it.
# `BPE.save`, `dumps`, `export`, `trace`, `explain`, `extend`, `add_special_tokens` and `prune` look
# upwards, inside the method (and `counts` is there for types).
LAZY = {
    "files": {"packing"},
    "model": {"formats", "files", "trace", "surgery"},
    "__init__": {"vectorizer"},
}


def sources() -> list[Path]:
    return [*(ROOT / "subword").rglob("*.py"), *(ROOT / "apps").glob("*.py")]


def room_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return "apps" if relative.parts[0] == "apps" else relative.parts[1].removesuffix(".py")


def imported(path: Path) -> dict[bool, set[str]]:
    """Return the rooms a file imports: {at the top: ..., inside functions or for types: ...}."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = set(ast.walk(ast.Module([n for n in tree.body if not is_lazy(n)], [])))
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            depth = len(path.relative_to(ROOT).parts) - 1
            if node.level == depth:
                names = [node.module] if node.module else [alias.name for alias in node.names]
            elif (node.module or "").startswith("subword"):
                names = (
                    [node.module.removeprefix("subword").lstrip(".")] if "." in node.module else []
                )
                names = names or [alias.name for alias in node.names]
            else:
                continue
            found[node in top] |= {name.split(".")[0] for name in names}
    return found


def is_lazy(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) or (
        isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    )


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    room = room_of(path)
    if room in ("__init__", "__main__"):
        return
    assert room in FLOOR, f"say in ROWS where {room} stands"
    imports = imported(path)
    for name in imports[True] & FLOOR.keys() - {room}:
        assert FLOOR[name] < FLOOR[room], f"{room} must not import {name}"
    upwards = {n for n in imports[False] & FLOOR.keys() - {room} if FLOOR[n] >= FLOOR[room]}
    assert upwards <= LAZY.get(room, set())


def test_public_names_are_complete():
    assert sorted(subword.__all__) == subword.__all__
    assert all(getattr(subword, name) is not None for name in subword.__all__)
    public = {n for n, v in vars(subword).items() if not n.startswith("_") and n != "annotations"}
    rooms = {path.stem for path in (ROOT / "subword").iterdir()}
    assert public - rooms - {"TYPE_CHECKING", "Any", "apps", "data", "os"} <= set(subword.__all__)
    assert set(dir(subword)) >= set(subword.__all__)
    with pytest.raises(AttributeError, match="no attribute 'word2vec'"):
        subword.word2vec


def loaded(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules, file=sys.stderr)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(shown.stderr.split())


def test_importing_loads_neither_sklearn_nor_matplotlib():
    assert not loaded("import subword") & {"sklearn", "scipy", "matplotlib"}


def test_a_command_loads_only_what_it_needs(tmp_path):
    codes = tmp_path / "codes"
    codes.write_text("#version: 0.2\nl o\n")
    run = (
        f"from subword import cli; cli.main(['apply-bpe', '-c', {str(codes)!r}, '-i', '/dev/null'])"
    )
    needless = {"regex", "hashlib", "tempfile", "gzip", "subword.packing", "subword.tables"}
    needless |= {"subword.formats.huggingface", "subword.formats.tiktoken", "subword.cli.learning"}
    assert not loaded(run) & needless


def test_nothing_asserts_or_exits_below_the_doors():
    for path in sources():
        if room_of(path) in ("cli", "apps", "__main__"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Assert), path
            assert not (isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.exit"), path


def test_the_readable_engine_stays_readable():
    lines = (ROOT / "subword" / "reference.py").read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 200
    modules = {name for path in [ROOT / "subword" / "reference.py"] for name in outside(path)}
    assert modules <= set(sys.stdlib_module_names)


def outside(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        n.module.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module
    }
