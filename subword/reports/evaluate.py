"""The command evaluate: measure a system beside others, on rows it has not seen."""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..columns import counted
from ..errors import SubwordWarning
from ..files import bundled
from ..progress import progress_bar
from ..tables import Table
from ..terminal import shows_progress
from .app import App
from .classes import calibration, class_scores, confusion
from .curve import curve_sizes, learning_curve
from .findings import check_classes, describe, with_separator, without_rare
from .measures import Outcome, Split, answer, measure, predict, splits
from .models import load_model, version_note
from .multilabel import ABOUT_PROBABILITY
from .report import Report, pick_examples
from .search import chosen, search_notes
from .skeleton import check_outputs, publish, read
from .systems import build
from .telling import telling_words


def evaluate(app: App, args: argparse.Namespace) -> None:
    """Measure how well labels are learnt, beside the baselines, and report."""
    started = time.perf_counter()
    _check_choice(args)
    check_outputs(args.output, args.html)
    report = _measure_saved(app, args) if args.model else _measure(app, args)
    report.seconds = time.perf_counter() - started
    publish(report, args)


def _check_choice(args: argparse.Namespace) -> None:
    if args.file and (args.train or (args.model and args.test)):
        args.refuse("FILE is the same as --train, with --model the same as --test: give one")
    learns = {"--train": args.train, "--curve": args.curve, "--budget": args.budget,
              "--unlabelled": args.unlabelled, "--baselines": args.baselines}  # fmt: skip
    if args.model and any(learns.values()):
        name = next(name for name, value in learns.items() if value)
        args.refuse(f"--model learns nothing, so there is nothing for {name} to do")


@dataclass(frozen=True)
class _Rows:
    """All rows, and which of them are learnt from and tested on."""

    texts: list[str]
    labels: list[str]
    parts: list[Split]
    separator: str | None

    @property
    def tested(self) -> list[int]:
        """The rows that are tested, in the order of the parts."""
        found: list[int] = np.concatenate([test for _, test in self.parts]).tolist()
        return found


def _measure(app: App, args: argparse.Namespace) -> Report:
    train = with_separator(read(args, args.train or args.file or bundled(app.data)), app.separator)
    test = with_separator(read(args, args.test), train.separator) if args.test else None
    if args.leave_out_rare and not test:
        train = without_rare(train, args.folds)
    check_classes(train, None if test else args.folds)
    rows = _rows(args, train, test)
    systems = _systems(app, args, rows)
    outcomes, fitted, curve = _ask(systems, rows, args)
    method = "trained once, tested once" if test else f"{args.folds}-fold cross-validation"
    report = _report(app, args, method, rows, outcomes, fitted)
    report.data, notes = describe(train, test)
    report.notes = notes + _repeats(args, report.data) + search_notes(fitted)
    report.notes += [ABOUT_PROBABILITY] * bool(rows.separator)
    if args.unlabelled:
        report.notes.append(f"the merges were learnt from {args.unlabelled}, unlabelled")
    report.curve = curve
    return report


def _repeats(args: argparse.Namespace, data: dict[str, Any]) -> list[str]:
    again = data["train"]["repeated_texts"]
    if args.test or not again:
        return []
    return [f"{counted(again, 'row')} with the text of an earlier row: folds may test on texts "
            "that they have learnt from"]  # fmt: skip


def _rows(args: argparse.Namespace, train: Table, test: Table | None) -> _Rows:
    texts, labels = train.texts, train.labels
    if test:
        texts, labels = texts + test.texts, labels + test.labels
    return _Rows(texts, labels, splits(train, test, args.folds, args.seed), train.separator)


def _systems(app: App, args: argparse.Namespace, rows: _Rows) -> dict[str, Any]:
    systems = {"subword": build(app, args, rows.separator, len(rows.parts))}
    if not args.alone:
        systems |= app.baselines()
        if args.baselines and app.more_baselines:
            systems |= app.more_baselines()
    return systems


def _ask(systems: dict[str, Any], rows: _Rows, args: argparse.Namespace) -> tuple[Any, Any, Any]:
    """Ask every system; return what they said, the first as it was fitted last, and the curve."""
    outcomes, own, curve = {}, None, []
    few = dict(list(systems.items())[:2])
    steps = len(curve_sizes(len(rows.parts[-1][0]))) * len(few) if args.curve else 0
    total = len(systems) * len(rows.parts) + steps
    with (
        progress_bar(title="evaluate", unit=" fits", shown=shows_progress(), leave=False,
                     total=total) as bar,
        warnings.catch_warnings(),
    ):  # fmt: skip
        if not args.test:  # what a fold has too little of the whole may have, and is fitted too
            warnings.simplefilter("ignore", SubwordWarning)
        for name, system in systems.items():
            outcomes[name], model = answer(
                system, rows.texts, rows.labels, rows.parts, bar,
                calibrated=own is None and not args.uncalibrated,
            )  # fmt: skip
            own = model if own is None else own  # the others may go: they can be large
        if args.curve:
            few["subword"] = chosen(own)
            curve = learning_curve(few, rows.texts, rows.labels, rows.parts[-1], bar,
                                   seed=args.seed, separator=rows.separator)  # fmt: skip
    return outcomes, own, curve


def _measure_saved(app: App, args: argparse.Namespace) -> Report:
    model, about = load_model(args.model, app.name)
    test = with_separator(read(args, args.test or args.file or bundled(app.data)), app.separator)
    started = time.perf_counter()
    answers = predict(model, test.texts, not args.uncalibrated)
    outcome = Outcome(*answers, time.perf_counter() - started)
    method = f"a saved model that has learnt from {about.get('rows', '?')} rows"
    every = np.arange(len(test))
    rows = _Rows(test.texts, test.labels, [(every, every)], test.separator)
    report = _report(app, args, method, rows, {"subword": outcome}, model)
    report.data, notes = describe(None, test)
    report.notes = notes + version_note(about) + [ABOUT_PROBABILITY] * bool(rows.separator)
    return report


def _report(
    app: App, args: argparse.Namespace, method: str, rows: _Rows, outcomes: dict[str, Outcome],
    model: Any,
) -> Report:  # fmt: skip
    from .. import __version__

    own, truth = outcomes["subword"], [rows.labels[i] for i in rows.tested]
    learnt = [rows.texts[i] for i in rows.parts[-1][0]]
    scores, differences = measure(truth, outcomes, seed=args.seed, separator=rows.separator)
    return Report(
        app=app.name, version=__version__, method=method, data={}, scores=scores,
        differences=[d for d in differences if d.systems[1] != "majority"],
        classes=class_scores(truth, own, rows.separator),
        confusion=None if rows.separator else confusion(truth, own),
        calibration=[] if rows.separator else calibration(truth, own),
        pieces=telling_words(model, learnt),
        probe=app.probe(chosen(model), learnt) if app.probe else None,
        examples=_examples(rows, own, model),
    )  # fmt: skip


def _examples(rows: _Rows, own: Outcome, model: Any) -> Any:
    """Return examples of the last part, whose model is at hand and has not seen them."""
    test = rows.parts[-1][1].tolist()
    last = replace(own, predicted=own.predicted[-len(test) :],
                   probability=own.probability[-len(test) :])  # fmt: skip
    explains = None if rows.separator else chosen(model)
    return pick_examples(
        [rows.texts[i] for i in test], [rows.labels[i] for i in test], last, model=explains
    )
