"""Checks that the same comes out again: in another order, a copy, another thread or fit."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone

from .harness import (
    LABELS,
    TEXTS,
    UNSEEN,
    check,
    claim,
    fit,
    names_columns,
    only_if,
    same,
    takes_labels,
    use,
)


@check
def check_fits_are_alike(estimator: Any) -> None:
    """Two fits on the same texts give the same results."""
    one, other = fit(estimator), fit(estimator)
    same(use(one, UNSEEN), use(other, UNSEEN), "two fits on the same texts differ")


@check
def check_fitting_again(estimator: Any) -> None:
    """`fit` forgets what an earlier one learnt."""
    again, labels = fit(estimator, TEXTS[:4], LABELS[:4]), takes_labels(estimator)
    again.fit(TEXTS, LABELS) if labels else again.fit(TEXTS)
    same(use(again, UNSEEN), use(fit(estimator), UNSEEN), "an earlier fit leaves traces")


@check
def check_fit_transform(estimator: Any) -> None:
    """`fit_transform` is `fit` and then `transform`."""
    only_if(hasattr(estimator, "fit_transform"), "there is no fit_transform")
    only_if(not getattr(estimator, "dropout", 0), "it drops merges while it learns")
    fitted = fit(estimator)
    labels = (LABELS,) if takes_labels(estimator) else ()
    at_once = clone(estimator).fit_transform(TEXTS, *labels)
    same(at_once, fitted.transform(TEXTS), "fit_transform differs", rtol=1e-9)


@check
def check_texts_are_independent(estimator: Any) -> None:
    """What becomes of a text depends neither on its neighbours nor on its place."""
    fitted, texts = fit(estimator), [*UNSEEN, *TEXTS]
    whole = use(fitted, texts)
    stacked = sp.vstack if sp.issparse(whole) else np.concatenate
    same(use(fitted, texts[::-1]), whole[::-1], "the order of texts matters", rtol=1e-9)
    single = stacked([use(fitted, [text]) for text in texts])
    same(single, whole, "texts alone and together differ", rtol=1e-9)


@check
def check_order_of_learning(estimator: Any) -> None:
    """The columns do not depend on the order of the texts that are learnt from."""
    only_if(names_columns(estimator), "it names no columns")
    there, back = fit(estimator), fit(estimator, TEXTS[::-1], LABELS[::-1])
    names = (one.get_feature_names_out().tolist() for one in (there, back))
    claim(len({*map(tuple, names)}) == 1, "the order of texts changes the columns")


@check
def check_use_changes_nothing(estimator: Any) -> None:
    """The state of a fitted estimator is the same after use."""
    fitted = fit(estimator)
    before = pickle.dumps(fitted)
    use(fitted, UNSEEN)
    claim(pickle.dumps(fitted) == before, "use changes the state")


@check
def check_global_random_state(estimator: Any) -> None:
    """The generators of `random` and numpy stay as they are."""
    before = random.getstate(), np.random.get_state(legacy=False)
    use(fit(estimator), UNSEEN)
    after = random.getstate(), np.random.get_state(legacy=False)
    claim(repr(before) == repr(after), "global random numbers were drawn")


@check
def check_pickle(estimator: Any) -> None:
    """Copies by pickle, made before and after `fit`, work alike."""
    fitted = fit(estimator)
    expected = use(fitted, UNSEEN)
    copy = pickle.loads(pickle.dumps(fitted))
    same(use(copy, UNSEEN), expected, "a fitted copy differs")
    claim(repr(copy) == repr(fitted), "a fitted copy has other parameters")
    fresh = pickle.loads(pickle.dumps(estimator))
    same(use(fit(fresh), UNSEEN), expected, "a copy made before fit differs")


@check
def check_equal_fits_pickle_alike(estimator: Any) -> None:
    """Fits on equal texts, used or not, have the same bytes."""
    fitted, used = fit(estimator), fit(estimator)
    use(used, UNSEEN)
    claim(pickle.dumps(fitted) == pickle.dumps(used), "pickles of equal fits differ")


@check
def check_n_jobs(estimator: Any) -> None:
    """The number of threads changes no result."""
    only_if("n_jobs" in estimator.get_params(deep=False), "there is no parameter n_jobs")
    expected = use(fit(estimator.set_params(n_jobs=None)), UNSEEN)
    for n_jobs in (2, -1):
        fitted = fit(estimator.set_params(n_jobs=n_jobs))
        same(use(fitted, UNSEEN), expected, f"n_jobs={n_jobs} gives another result")


@check
def check_threads_share_it(estimator: Any) -> None:
    """Threads that use one fitted estimator get what each would get alone."""
    fitted = fit(estimator)
    batches = [UNSEEN[:2], TEXTS[:3], UNSEEN[2:], TEXTS[3:]] * 8
    alone = [use(fitted, batch) for batch in batches]
    with ThreadPoolExecutor(8) as threads:
        shared = [*threads.map(lambda batch: use(fitted, batch), batches)]
    for one, other in zip(shared, alone, strict=True):
        same(one, other, "threads disturb each other")


@check
def check_metadata_routing(estimator: Any) -> None:
    """Nothing changes when metadata routing is enabled."""
    expected = use(fit(estimator), UNSEEN)
    with config_context(enable_metadata_routing=True):
        clone(estimator).get_metadata_routing()
        same(use(fit(estimator), UNSEEN), expected, "metadata routing changes the result")
