"""The command train: learn from all rows and save the model."""

from __future__ import annotations

import argparse
from typing import Any

from ..files import bundled
from ..terminal import tell
from .app import App
from .findings import check_classes, describe, with_separator
from .models import check_model_path, require_skops, save_model
from .search import BudgetSearch, chosen, search_notes
from .skeleton import check_outputs, read, write
from .systems import build, classifier_of


def train(app: App, args: argparse.Namespace) -> None:
    """Learn from all rows and save the model."""
    require_skops()
    check_outputs(check_model_path(args.save))
    table = with_separator(read(args, args.file or bundled(app.data)), app.separator)
    check_classes(table)
    data, notes = describe(table)
    model = _calibrated(build(app, args, table.separator)).fit(table.texts, table.labels)
    tell(app.name, "note", notes + search_notes(model))
    text, label = table.columns
    labels = data["train"]["labels"]
    about = {
        "app": app.name,
        "rows": len(table),
        "labels": labels,
        "columns": {"text": text, "label": label},
    }
    save_model(args.save, chosen(model), about)
    write([f"{args.save}: learnt from {len(table):,} rows with {len(labels)} labels\n"])


def _calibrated(model: Any) -> Any:
    """Have probabilities learnt in `fit`: a saved model has no texts to learn them from later."""
    classifier = classifier_of(model.estimator if isinstance(model, BudgetSearch) else model)
    if "calibrate" in classifier.get_params():
        classifier.set_params(calibrate=True)
    return model


def learn_bundled(app: App) -> tuple[Any, list[str]]:
    """Return the app's system, fitted to its bundled data, and the texts it has learnt from."""
    ways = argparse.Namespace(text=None, label=None, header=None, errors="strict")
    table = with_separator(read(ways, bundled(app.data)), app.separator)
    tell(app.name, "note", [f"no --model: learnt from {len(table)} bundled rows"])
    return _calibrated(app.system()).fit(table.texts, table.labels), table.texts
