"""The steps of a part of ``tokenizer.json``: normalizers, pre-tokenizers, decoders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NoReturn

Json = dict[str, Any]
Fail = Callable[[str], NoReturn]

INSTEAD = "Use save(), our own format"
BYTES = {"add_prefix_space": False, "trim_offsets": False}
_MOST_STEPS, _DEEPEST = 64, 16


def as_sequence(plural: str, steps: list[Json]) -> Json | None:
    """Return no step as null, one as itself, several as a sequence."""
    if len(steps) < 2:
        return steps[0] if steps else None
    return {"type": "Sequence", plural: steps}


def read_steps(node: Json | None, plural: str, fail: Fail) -> list[Json]:
    """Return the steps of a sequence, without what does not change words."""
    steps = [*islice(_flat(node, plural, fail), _MOST_STEPS + 1)]
    if len(steps) > _MOST_STEPS:
        fail(f"more than {_MOST_STEPS} steps among the {plural}")
    return [{k: v for k, v in step.items() if k != "trim_offsets"} for step in steps]


def _flat(node: Json | None, plural: str, fail: Fail, depth: int = 0) -> Iterator[Json]:
    """Yield the steps of a sequence, however nested; none for null."""
    if node is None:
        return
    if depth > _DEEPEST:
        fail(f"{plural} nested too deeply")
    if not isinstance(node, dict) or not isinstance(node.get("type"), str):
        fail(f"expected an object with a type, got {node!r:.80}")
    if node["type"] != "Sequence":
        yield node
        return
    steps = node.get(plural)
    if not isinstance(steps, list):
        fail(f"a Sequence without its list of {plural}: {node!r:.80}")
    for step in steps:
        yield from _flat(step, plural, fail, depth + 1)
