"""The commands of an app that learns labels: evaluate, train, predict, explain."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any

from ..arguments import add_command, make_parser
from .app import App
from .evaluate import evaluate
from .labelling import explain, label_texts
from .multilabel import ABOUT_PROBABILITY
from .skeleton import (
    add_output_arguments,
    add_table_arguments,
    run,
    seconds,
    whole,
)
from .train import train

_COMMANDS = ("evaluate", "train", "predict", "explain")
_EXAMPLES = """\
examples:
  {app}
  {app} evaluate mine.csv --text body --label kind --html report.html
  {app} evaluate --train train.tsv --test test.tsv --baselines --json
  {app} train mine.parquet --save model.skops
  {app} predict new.csv --model model.skops
  {app} explain "a text in quotes"
"""


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
    return run(app.name, build_parser(app, package), argv, _COMMANDS)


def build_parser(app: App, package: str | None) -> argparse.ArgumentParser:
    """Return the parser of an app's commands."""
    program = f"python -m {package}.{app.name}"
    parser, commands = make_parser(program, app.about, _EXAMPLES.format(app=program))
    _add_evaluate(commands, app)
    command = add_command(commands, "train", partial(train, app), "learn from all rows and save")
    _add_labelled(command)
    command.add_argument("--save", required=True, metavar="FILE", help="a .skops file")
    _add_system_arguments(command)
    add_table_arguments(command)
    command = add_command(
        commands, "predict", partial(label_texts, app), "label texts: label, probability, text"
    )
    _add_texts(command, app)
    command.add_argument(
        "--scores", action="store_true", help="the probabilities of all labels as well"
    )
    add_table_arguments(command, labelled=False)
    add_output_arguments(command)
    command = add_command(
        commands, "explain", partial(explain, app), "label texts and mark the words that decided"
    )
    _add_texts(command, app)
    add_table_arguments(command, labelled=False)
    add_output_arguments(command, html=True)
    return parser


def _add_evaluate(commands: Any, app: App) -> None:
    command = add_command(
        commands, "evaluate", partial(evaluate, app),
        "measure by cross-validation, or on other texts; the command if none is given",
    )  # fmt: skip
    _add_labelled(command)
    command.add_argument("--train", metavar="FILE", help="the same as FILE")
    command.add_argument("--test", metavar="FILE", help="measure on these, in place of folds")
    command.add_argument("--model", metavar="FILE", help="measure this saved model, learn nothing")
    command.add_argument("--folds", type=whole(2), default=5, metavar="N", help="to measure by")
    command.add_argument(
        "--leave-out-rare", action="store_true",
        help="leave out labels with fewer rows than folds, and say which",
    )  # fmt: skip
    command.add_argument(
        "--baselines", action="store_true", help="compare with more systems: words, characters, ..."
    )
    command.add_argument("--alone", action="store_true", help="compare with nothing, to save time")
    command.add_argument(
        "--uncalibrated", action="store_true", help="learn no probabilities, to save time"
    )
    command.add_argument(
        "--curve", action="store_true", help="how accuracy grows with the rows learnt from"
    )
    _add_system_arguments(command)
    add_table_arguments(command)
    add_output_arguments(command, html=True)


def _add_labelled(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", nargs="?", metavar="FILE", help="labelled texts; or a folder with "
                         "one folder of texts per label")  # fmt: skip


def _add_texts(command: argparse.ArgumentParser, app: App) -> None:
    if app.separator:
        command.epilog = f"Mind: {ABOUT_PROBABILITY}."
    command.add_argument(
        "file", nargs="?", metavar="FILE",
        help="a table, a folder, or one text a line; none, or -, for stdin; or a text in quotes: "
        "what is no file, and is not named as one",
    )  # fmt: skip
    command.add_argument(
        "--model", metavar="FILE", help="a saved one (default: learn the bundled data)"
    )


def _add_system_arguments(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("system")
    group.add_argument("--fast", action="store_true", help="a cheaper recipe, a little less right")
    group.add_argument(
        "--budget", type=seconds, metavar="SECONDS",
        help="search merges, n-grams, C by successive halving on the training data, so long",
    )  # fmt: skip
    group.add_argument(
        "--unlabelled", metavar="CORPUS", help="a text file to learn the merges from"
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="of all draws")
