"""The commands of an app that learns labels: evaluate, train, predict."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from tqdm import tqdm

from ..errors import SubwordWarning
from ..files import bundled
from ..tables import Table
from ..terminal import shows_progress, tell
from .findings import check_classes, describe
from .layout import one_line
from .measures import Outcome, answer, measure, predict, splits
from .models import check_model_path, load_model, require_skops, save_model, version_note
from .report import Report, pick_examples, telling_features
from .skeleton import (
    add_command,
    add_output_arguments,
    add_table_arguments,
    app_parser,
    check_output,
    publish,
    read,
    run,
    text_batches,
    whole,
    write,
)

_EXAMPLES = """\
examples:
  {app}
  {app} evaluate mine.csv --text review --label stars
  {app} evaluate --train train.tsv --test test.tsv --json
  {app} train mine.csv --save model.skops
  {app} predict new.csv --model model.skops
  echo "Not bad at all." | {app} predict
"""


@dataclass(frozen=True)
class App:
    """What makes one app differ from another.

    Parameters
    ----------
    name : str
        Its module.
    about : str
        The first lines of its help.
    system : callable
        Returns its own pipeline, not fitted: a subword vectorizer and a linear classifier that
        knows probabilities.
    baselines : callable
        Returns the pipelines it is compared with, by name; "words" comes first.
    data : str
        The bundled file that it learns from where no other is given.

    """

    name: str
    about: str
    system: Callable[[], Any]
    baselines: Callable[[], dict[str, Any]]
    data: str


def main(app: App, package: str | None, argv: Sequence[str]) -> int:
    """Run an app and return its exit code: 0 done, 1 user error.

    Parameters
    ----------
    app : App
        Which.
    package : str
        Where it lives, ``apps`` or ``subword.apps``: for the help.
    argv : sequence of str
        The arguments; without a command ``evaluate`` is meant.

    """
    return run(app.name, build_parser(app, package), argv, ("evaluate", "train", "predict"))


def build_parser(app: App, package: str | None) -> argparse.ArgumentParser:
    """Return the parser of an app's commands."""
    program = f"python -m {package}.{app.name}"
    parser, commands = app_parser(program, app.about, _EXAMPLES.format(app=program))
    command = add_command(
        commands, "evaluate", partial(evaluate, app),
        "measure by cross-validation, or on other texts; the command if none is given",
    )  # fmt: skip
    command.add_argument("file", nargs="?", metavar="FILE", help="labelled texts")
    command.add_argument("--train", metavar="FILE", help="the same as FILE")
    command.add_argument("--test", metavar="FILE", help="measure on these, in place of folds")
    command.add_argument("--model", metavar="FILE", help="measure this saved model, learn nothing")
    command.add_argument("--folds", type=whole(2), default=5, metavar="N", help="default: 5")
    command.add_argument("--seed", type=whole(0), default=0, metavar="N", help="default: 0")
    add_table_arguments(command)
    add_output_arguments(command)
    command = add_command(commands, "train", partial(train, app), "learn from all rows and save")
    command.add_argument("file", nargs="?", metavar="FILE", help="labelled texts")
    command.add_argument("--save", required=True, metavar="FILE", help="a .skops file")
    add_table_arguments(command)
    command = add_command(
        commands, "predict", partial(label_texts, app), "label texts: label, probability, text"
    )
    command.add_argument(
        "file", nargs="?", metavar="FILE", help="a table, or one text a line; none, or -, for stdin"
    )
    command.add_argument(
        "--model", metavar="FILE", help="a saved one (default: learn the bundled data)"
    )
    add_table_arguments(command, labelled=False)
    add_output_arguments(command)
    return parser


# -- evaluate --------------------------------------------------------------------------------


def evaluate(app: App, args: argparse.Namespace) -> None:
    """Measure how well labels are learnt, beside the baselines, and report."""
    started = time.perf_counter()
    _check_choice(args)
    check_output(args.output)
    report = _measure_saved(app, args) if args.model else _measure(app, args)
    report.seconds = time.perf_counter() - started
    publish(report, args)


def _check_choice(args: argparse.Namespace) -> None:
    if args.file and (args.train or (args.model and args.test)):
        args.refuse("FILE is the same as --train, with --model the same as --test: give one")
    if args.model and args.train:
        args.refuse("--model learns nothing, so there is nothing to --train on")


def _measure(app: App, args: argparse.Namespace) -> Report:
    train = read(args, args.train or args.file or bundled(app.data))
    test = read(args, args.test) if args.test else None
    check_classes(train, None if test else args.folds)
    texts, labels = train.texts, train.labels
    if test:
        texts, labels = texts + test.texts, labels + test.labels
    parts = splits(train, test, args.folds, args.seed)
    systems = {"subword": app.system(), **app.baselines()}
    outcomes, fitted = _answers(systems, texts, labels, parts, quiet=not test)
    rows = np.concatenate([tested for _, tested in parts]).tolist()
    method = "trained once, tested once" if test else f"{args.folds}-fold cross-validation"
    report = _report(
        app, args, method, [texts[i] for i in rows], [labels[i] for i in rows], outcomes
    )
    report.data, report.notes = describe(train, test)
    report.pieces = telling_features(fitted if test else app.system().fit(texts, labels))
    return report


def _answers(
    systems: dict[str, Any], texts: Sequence[str], labels: Sequence[str], parts: Any, quiet: bool
) -> tuple[dict[str, Outcome], Any]:
    """Ask every system, and return the first as it was fitted last."""
    outcomes, own = {}, None
    total = len(systems) * len(parts)
    with (
        tqdm(
            total=total, desc="evaluate", unit=" fits", leave=False, disable=not shows_progress()
        ) as bar,
        warnings.catch_warnings(),
    ):
        if quiet:  # what a fold has too little of the whole may have, and that is fitted as well
            warnings.simplefilter("ignore", SubwordWarning)
        for name, system in systems.items():
            outcomes[name], model = answer(system, texts, labels, parts, bar)
            own = model if own is None else own  # the others may go: they can be large
    return outcomes, own


def _measure_saved(app: App, args: argparse.Namespace) -> Report:
    model, about = load_model(args.model, app.name)
    test = read(args, args.test or args.file or bundled(app.data))
    started = time.perf_counter()
    outcome = Outcome(*predict(model, test.texts), time.perf_counter() - started)
    method = f"a saved model that has learnt from {about.get('rows', '?')} rows"
    report = _report(app, args, method, test.texts, test.labels, {"subword": outcome})
    report.data, report.notes = describe(None, test)
    report.notes += version_note(about)
    report.pieces = telling_features(model)
    return report


def _report(
    app: App, args: argparse.Namespace, method: str, texts: Sequence[str], labels: Sequence[str],
    outcomes: dict[str, Outcome],
) -> Report:  # fmt: skip
    from .. import __version__

    scores, differences = measure(labels, outcomes, seed=args.seed)
    examples = pick_examples(texts, labels, outcomes["subword"])
    return Report(
        app=app.name, version=__version__, method=method, data={}, scores=scores,
        differences=differences[:1], examples=examples,
    )  # fmt: skip


# -- train and predict -----------------------------------------------------------------------


def train(app: App, args: argparse.Namespace) -> None:
    """Learn from all rows and save the model."""
    require_skops()
    check_output(check_model_path(args.save))
    table = read(args, args.file or bundled(app.data))
    check_classes(table)
    data, notes = describe(table)
    tell(app.name, "note", notes)
    text, label = table.columns
    about = {
        "app": app.name,
        "rows": len(table),
        "labels": data["train"]["labels"],
        "columns": {"text": text, "label": label},
    }
    save_model(args.save, _fit(app, table), about)
    write([f"{args.save}: learnt from {len(table):,} rows with {len(about['labels'])} labels\n"])


def _fit(app: App, table: Table) -> Any:
    return app.system().fit(table.texts, table.labels)


def label_texts(app: App, args: argparse.Namespace) -> None:
    """Label texts: for each a line with the label, its probability and the text."""
    check_output(args.output)
    if args.model:
        model, about = load_model(args.model, app.name)
        tell(app.name, "note", version_note(about))
        column = about.get("columns", {}).get("text", "text")
        args.text = args.text or (None if column in ("text", "1") else column)  # the defaults
        batches = text_batches(args)
    else:
        batches = text_batches(args)
        table = read(argparse.Namespace(text=None, header=None, errors="strict"), bundled(app.data))
        model = _fit(app, table)
        tell(app.name, "note", [f"no --model: learnt from {len(table)} bundled rows"])
    render = _as_json if args.json else _as_tsv
    write((render(texts, *predict(model, texts)) for texts in batches), args.output)


def _as_json(texts: Sequence[str], labels: Any, probabilities: Any) -> str:
    rows = zip(labels.tolist(), probabilities.tolist(), texts, strict=True)
    records = (dict(zip(("label", "probability", "text"), row, strict=True)) for row in rows)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _as_tsv(texts: Sequence[str], labels: Any, probabilities: Any) -> str:
    rows = zip(labels, probabilities, texts, strict=True)
    return "".join(f"{label}\t{p:.4f}\t{one_line(text)}\n" for label, p, text in rows)
