"""The commands predict and explain: what a model says of texts, and which words made it say so."""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..columns import one_line
from ..files import write_atomic
from ..progress import progress_bar
from ..terminal import shows_colour, shows_progress, tell
from .app import App
from .highlight import marks_of
from .html import explanations_as_html
from .measures import predict
from .models import load_model, version_note
from .report import Example, without_nan
from .skeleton import check_outputs, text_batches, write
from .text import explanation_as_text
from .train import learn_bundled

_LEGEND = "[+word] speaks for the label, [-word] against it; doubled: strongly\n\n"
_BATCH = 1000  # texts, between two steps of the progress bar


def label_texts(app: App, args: argparse.Namespace) -> None:
    """Label texts: for each a line with the label, its probability and the text."""
    check_outputs(args.output)
    model, batches = _ready(app, args)
    render = _as_json if args.json else _as_tsv
    head = [_header(model)] if args.scores and not args.json else []
    lines = (render(model, texts, args.scores) for texts in _steps(batches))
    write(_headed(head, lines), args.output)


def explain(app: App, args: argparse.Namespace) -> None:
    """Show texts with the words marked that speak for and against their label."""
    check_outputs(args.output, args.html)
    model, batches = _ready(app, args)
    found = _explanations(model, batches)
    if args.html:
        examples = list(found)
        write_atomic(args.html, explanations_as_html(app.name, examples))
        found = iter(examples)
    colour = args.output is None and shows_colour()
    legend = [] if colour or args.json else [_LEGEND]
    lines = (_explained(x) if args.json else explanation_as_text(x, colour) for x in found)
    write(_headed(legend, lines), args.output)


def _headed(head: list[str], lines: Iterator[str]) -> Iterator[str]:
    """Yield a head and the lines below it; nothing where the first of them cannot be made."""
    first = list(itertools.islice(lines, 1))
    yield from itertools.chain(head, first, lines)


def _ready(app: App, args: argparse.Namespace) -> tuple[Any, Iterator[list[str]]]:
    """Return the model, and the texts in batches."""
    if not args.model:
        batches = text_batches(args)
        return learn_bundled(app)[0], batches
    model, about = load_model(args.model, app.name)
    tell(app.name, "warning", version_note(about))
    column = about.get("columns", {}).get("text", "text")
    known = column in ("text", "1", "file")  # what is looked for anyway
    args.text = args.text or (None if known else column)
    return model, text_batches(args)


def _steps(batches: Iterable[list[str]]) -> Iterator[list[str]]:
    """Cut batches into steps of the progress bar."""
    for texts in batches:
        steps = range(0, len(texts), _BATCH)
        shown = shows_progress() and len(steps) > 1
        for start in progress_bar(steps, title="predict", unit=" steps", shown=shown, leave=False):
            yield texts[start : start + _BATCH]


# -- predict ---------------------------------------------------------------------------------


def _header(model: Any) -> str:
    return "\t".join(["label", "probability", *map(one_line, model.classes_), "text"]) + "\n"


def _as_json(model: Any, texts: Sequence[str], scores: bool) -> str:
    records = (
        {"label": str(label), "probability": float(p)}
        | ({"scores": dict(zip(model.classes_.tolist(), every, strict=True))} if scores else {})
        | {"text": text}
        for label, p, every, text in _answers(model, texts, scores)
    )
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _as_tsv(model: Any, texts: Sequence[str], scores: bool) -> str:
    return "".join(
        "\t".join([label, f"{p:.4f}", *(f"{x:.4f}" for x in every), one_line(text)]) + "\n"
        for label, p, every, text in _answers(model, texts, scores)
    )


def _answers(model: Any, texts: Sequence[str], scores: bool) -> Iterator[tuple[Any, ...]]:
    """Yield label, its probability, those of all classes if wanted, and the text."""
    labels, probabilities = predict(model, texts)
    every = model.predict_proba(texts) if scores else np.empty((len(texts), 0))
    return zip(labels.tolist(), probabilities.tolist(), every.tolist(), texts, strict=True)


# -- explain ---------------------------------------------------------------------------------


def _explanations(model: Any, batches: Iterable[list[str]]) -> Iterator[Example]:
    for texts in batches:
        for text, label, p in zip(texts, *predict(model, texts), strict=True):
            yield Example(text, "", str(label), float(p), _marks(model, text, str(label)))


def _marks(model: Any, text: str, label: str) -> Any:
    """Return the marks for a label; of several for the first."""
    first = label.split(model.separator)[0] if hasattr(model, "labels_of") else label
    return marks_of(model, text, first)


def _explained(example: Example) -> str:
    record = {
        "label": example.predicted,
        "probability": example.probability,
        "text": example.text,
        "words": [
            {"word": example.text[mark.start : mark.end], **asdict(mark)} for mark in example.marks
        ],
    }
    return json.dumps(without_nan(record), ensure_ascii=False) + "\n"
