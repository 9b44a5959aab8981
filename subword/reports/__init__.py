"""What all apps share: loading, arguments, intervals, the report.

::

    app         `App`: what makes one app differ from another
    commands    its arguments; one file per command: evaluate, train, labelling
    skeleton    arguments of all apps, files in and out, errors as one line, exit codes
    findings    what is odd about the data; refusals before any work
    systems     the system as the arguments want it; multilabel, search (`--budget`)
    baselines   what it is compared with
    measures    cross-validation, scores with bootstrap intervals, paired differences
    classes     precision, recall, confusions, calibration; curve: the learning curve
    telling     the words that speak most for a label
    highlight   what each word of a text did, for terminals
    report      the report as plain data and as JSON
    text        the report as text
    html        the report as one page; svg: its plots, page.css: its looks
    models      .skops files
"""

from ..files import bundled
from .app import App
from .baselines import strong_baselines, usual_baselines
from .commands import main
from .findings import check_classes, describe
from .highlight import Mark, marked, marks_of, scores_of
from .html import as_html
from .measures import Difference, Interval, Outcome, Score, answer, measure, predict, splits
from .models import load_model, save_model
from .multilabel import MultiLabelClassifier
from .report import Example, Probe, Report, as_json, pick_examples
from .search import BudgetSearch
from .skeleton import publish, run
from .telling import telling_words
from .text import as_text

__all__ = [
    "App", "BudgetSearch", "Difference", "Example", "Interval", "Mark", "MultiLabelClassifier",
    "Outcome", "Probe", "Report", "Score", "answer", "as_html", "as_json", "as_text", "bundled",
    "check_classes", "describe", "load_model", "main", "marked", "marks_of", "measure",
    "pick_examples", "predict", "publish", "run", "save_model", "scores_of", "splits",
    "strong_baselines", "telling_words", "usual_baselines",
]  # fmt: skip
