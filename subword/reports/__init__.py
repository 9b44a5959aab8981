"""What all apps share: loading, arguments, intervals, the report.

::

    commands    evaluate, train, predict: an app is what it puts into `App`
    skeleton    arguments, files in and out, errors as one line, exit codes
    findings    what is odd about the data; refusals before any work
    measures    cross-validation, scores with bootstrap intervals, paired differences
    report      the report as plain data, as text, as JSON
    layout      columns that line up in every script
    models      .skops files
"""

from ..files import bundled
from .commands import App, main
from .findings import check_classes, describe
from .measures import Difference, Interval, Outcome, Score, answer, measure, predict, splits
from .models import load_model, save_model
from .report import Example, Report, as_json, as_text, pick_examples, telling_features
from .skeleton import publish, run

__all__ = [
    "App",
    "Difference",
    "Example",
    "Interval",
    "Outcome",
    "Report",
    "Score",
    "answer",
    "as_json",
    "as_text",
    "bundled",
    "check_classes",
    "describe",
    "load_model",
    "main",
    "measure",
    "pick_examples",
    "predict",
    "publish",
    "run",
    "save_model",
    "splits",
    "telling_features",
]
