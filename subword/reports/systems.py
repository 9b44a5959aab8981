"""The system an app measures or trains: its own, as the arguments change it."""

from __future__ import annotations

import argparse
import os
from typing import Any

from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

from ..errors import SubwordError
from ..model import BPE
from ..nbsvm import NBSVMClassifier
from ..trainer import train_files
from ..vectorizer import SubwordVectorizer
from .app import App
from .multilabel import MultiLabelClassifier
from .search import BudgetSearch

_MANY, _FEW = 8000, 500  # merges of the two sizes of pieces: nearly words, and short pieces


def build(app: App, args: argparse.Namespace, separator: str | None, fits: int = 1) -> Any:
    """Return the system of an app as the arguments want it, not fitted.

    Parameters
    ----------
    app : App
        Which.
    args : Namespace
        fast, unlabelled, budget.
    separator : str or None
        What stands between labels, where texts have several.
    fits : int
        Into how many fits the seconds of the budget are shared out.

    """
    system = app.system()
    if separator or args.unlabelled:
        if args.fast or args.budget:
            what = "several labels a text" if separator else "--unlabelled"
            raise SubwordError(f"{what}: there is one recipe only, no --fast and no --budget")
        system = _of_two_sizes(_merges_of(args.unlabelled), separator, system)
    elif args.fast:
        classifier_of(system).set_params(fast=True)
    if args.budget:
        return BudgetSearch(system, args.budget / fits, random_state=args.seed)
    return system


def classifier_of(system: Any) -> Any:
    """Return the last step of a pipeline, or what is none as it is."""
    return system[-1] if isinstance(system, Pipeline) else system


def _merges_of(corpus: str | None) -> BPE | None:
    if corpus is None:
        return None
    if not os.path.isfile(corpus):
        raise SubwordError(f"--unlabelled: there is no file {corpus!r} to learn merges from")
    return train_files([corpus], _MANY, pretokenizer="words", lowercase=True)


def _of_two_sizes(bpe: BPE | None, separator: str | None, system: Any) -> Any:
    """Return features of two sizes of pieces and the classifier that `system` would have.

    `SubwordTextClassifier` learns its own merges and knows one label a text; this is its nearest
    kin, with n-grams of large pieces in place of words.
    """
    many = SubwordVectorizer(bpe=bpe, num_merges=_MANY, ngram_range=(1, 2), binary=True)
    few = SubwordVectorizer(bpe=bpe, num_merges=_FEW, ngram_range=(1, 3), binary=True)
    if bpe is not None:
        many.num_merges = min(_MANY, len(bpe.merges))
        few.num_merges = min(_FEW, len(bpe.merges))
    features = FeatureUnion([("large pieces", many), ("small pieces", few)])
    classifier = NBSVMClassifier(C=1.0, alpha=2.0, beta=0.5, smoothing="shared", norm="l2")
    if separator:
        return MultiLabelClassifier(features, classifier, separator)
    before = [*system][:-1] if isinstance(system, Pipeline) else []
    return make_pipeline(*before, features, classifier)
