"""Checks for any estimator that takes raw texts: vectorizers, classifiers, pipelines.

scikit-learn's `check_estimator` feeds numbers, so it leaves out nearly all of its checks for an
estimator whose tags say that it takes texts. These checks feed texts. They hold the estimators of
this package to their contract and can be run on any other::

    import pytest
    from subword.testing import text_estimator_checks

    @pytest.mark.parametrize(("estimator", "check"), text_estimator_checks(MyVectorizer()))
    def test_my_vectorizer(estimator, check):
        check(estimator)
"""

from __future__ import annotations

import inspect
import pickle
import random
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from importlib import import_module
from itertools import pairwise, product
from typing import Any, NamedTuple
from unittest import SkipTest

import numpy as np
import scipy.sparse as sp
from sklearn import config_context, get_config
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

TEXTS = [
    "low lower lowest river",
    "the newest tower, the widest tower",
    "a low and slow river runs",
    "new towers: high, higher, highest",
    "slow rivers run low today",
    "the highest tower is the newest",
    "the river runs lower and slower",
    "wide and high, a new tower",
]
LABELS = ["river", "tower"] * 4
UNSEEN = ["a newer river", "Lower towers!", "", "qqq 42", "the the the low", "wide\nriver\t\x00"]

Check = Callable[[Any], None]
CHECKS: dict[str, Check] = {}

_METHODS = ("transform", "decision_function", "predict_proba", "predict")
_REFUSALS = (TypeError, ValueError)


class TextCheckError(AssertionError):
    """A text estimator does not pass a check."""


class CheckResult(NamedTuple):
    """What came of one check.

    Attributes
    ----------
    name : str
        The name of the check.
    status : {"passed", "failed", "skipped"}
        Skipped is what the estimator has no method, or the environment no package for.
    message : str
        Why it failed or was skipped.

    """

    name: str
    status: str
    message: str


def check_text_estimator(
    estimator: Any, *, on_fail: str | None = "raise", known: Mapping[str, str] | None = None
) -> list[CheckResult]:
    """Run all checks on an estimator of raw texts.

    Parameters
    ----------
    estimator : estimator object
        An instance; it is cloned and stays as it is.
    on_fail : {"raise", None}, default="raise"
        Whether failures are raised, all at once when every check has run, or only reported.
    known : mapping of str to str, default=None
        Checks that are to be skipped, and why.

    Returns
    -------
    list of CheckResult
        In the order of the checks.

    Raises
    ------
    TextCheckError
        With the name and the reason of every failure.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> report = check_text_estimator(CountVectorizer(), on_fail=None)
    >>> for name, status, message in report:
    ...     if status == "failed":
    ...         print(name)
    check_single_text_is_refused
    check_missing_values
    check_two_dimensional_input
    check_nothing_to_learn_from

    """
    if on_fail not in ("raise", None):
        raise ValueError(f"on_fail must be 'raise' or None, got {on_fail!r}")
    known = known or {}
    if wrong := [*known.keys() - CHECKS.keys()]:
        raise ValueError(f"known names no check: {', '.join(sorted(wrong))}")
    report = [
        CheckResult(name, "skipped", known[name]) if name in known else _run(check, estimator)
        for name, check in CHECKS.items()
    ]
    failures = [result.message for result in report if result.status == "failed"]
    if failures and on_fail == "raise":
        lines = "\n  ".join(failures)
        raise TextCheckError(f"{estimator!r}: {len(failures)} checks failed:\n  {lines}")
    return report


def text_estimator_checks(*estimators: Any) -> list[tuple[Any, Check]]:
    """Return every pair of an estimator and a check, for `pytest.mark.parametrize`.

    Parameters
    ----------
    *estimators : estimator objects
        Instances; checks clone them.

    Returns
    -------
    list of (estimator, check)
        ``check(estimator)`` raises `TextCheckError`, or `unittest.SkipTest`, which pytest knows.

    Examples
    --------
    >>> from subword import SubwordVectorizer
    >>> pairs = text_estimator_checks(SubwordVectorizer(), SubwordVectorizer(level="byte"))
    >>> estimator, check = pairs[0]
    >>> check(estimator)
    >>> check.__name__, check.__doc__
    ('check_init_only_stores', '`__init__` takes any value, keeps it as it is, sets nothing else.')

    """
    return [*product(estimators, CHECKS.values())]


def _run(check: Check, estimator: Any) -> CheckResult:
    name = getattr(check, "__name__", "")
    try:
        check(estimator)
    except TextCheckError as error:
        return CheckResult(name, "failed", str(error))
    except SkipTest as reason:
        return CheckResult(name, "skipped", str(reason))
    return CheckResult(name, "passed", "")


# -- what checks are made of -------------------------------------------------------------------


def _check(function: Check) -> Check:
    """Enter a check; its failures, and errors nobody expected, carry its name."""

    @wraps(function)
    def run(estimator: Any) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(clone(estimator))
        except AssertionError as failure:
            raise TextCheckError(f"{function.__name__}: {failure}") from failure
        except SkipTest:
            raise
        except Exception as error:
            raise TextCheckError(f"{function.__name__}: raised {_shown(error)}") from error

    CHECKS[function.__name__] = run
    return run


def _claim(condition: object, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def _only_if(condition: object, reason: str) -> None:
    if not condition:
        raise SkipTest(reason)


def _refuses(what: str, call: Callable[..., Any], *args: Any, errors: Any = _REFUSALS) -> str:
    """Return the message with which a call is refused; it is a failure if it is not, or oddly."""
    try:
        call(*args)
    except errors as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"{what} should be refused, but raised {_shown(error)}") from error
    raise AssertionError(f"{what} should be refused, but was taken")


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _takes_labels(estimator: Any) -> bool:
    return bool(get_tags(estimator).target_tags.required) or is_classifier(estimator)


def _fit(estimator: Any, X: Any = TEXTS, y: Any = LABELS) -> Any:
    """Fit a clone."""
    return clone(estimator).fit(X, y) if _takes_labels(estimator) else clone(estimator).fit(X)


def _names_columns(estimator: Any) -> bool:
    return hasattr(estimator, "transform") and hasattr(estimator, "get_feature_names_out")


def _use(fitted: Any, X: Any) -> Any:
    """Return what an estimator makes of texts: a matrix, scores or labels."""
    method = next((name for name in _METHODS if hasattr(fitted, name)), None)
    _only_if(method, "it neither transforms nor predicts")
    return getattr(fitted, str(method))(X)


def _same(one: Any, other: Any, what: str, rtol: float = 0) -> None:
    if sp.issparse(one) and sp.issparse(other) and one.shape == other.shape:
        one, other = (one - other).data, 0  # there may be a million columns
    else:
        one, other = _dense(one), _dense(other)
        _claim(one.shape == other.shape, f"{what}: {one.shape} against {other.shape}")
    if rtol and one.dtype.kind == "f":
        _claim(np.allclose(one, other, rtol=rtol, atol=rtol), what)
    else:
        _claim((one == other).all(), what)


def _dense(result: Any) -> Any:
    return result.toarray() if sp.issparse(result) else np.asarray(result)


def _objects(values: Iterable[Any]) -> Any:
    """Return a one-dimensional array of objects."""
    values = list(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _pandas() -> Any:
    """Return pandas; None where it is not installed."""
    try:
        return import_module("pandas")
    except ImportError:
        return None


# -- parameters --------------------------------------------------------------------------------


@_check
def check_init_only_stores(estimator: Any) -> None:
    """`__init__` takes any value, keeps it as it is, sets nothing else."""
    for name in estimator.get_params(deep=False):
        given = object()
        fresh = type(estimator)(**estimator.get_params(deep=False) | {name: given})
        _claim(getattr(fresh, name) is given, f"the parameter {name} is not stored as given")
    kept, known = vars(estimator).keys(), estimator.get_params(deep=False).keys()
    _claim(kept == known, f"__init__ sets {sorted(kept ^ known)}, which are no parameters")


@_check
def check_defaults_are_immutable(estimator: Any) -> None:
    """No list, dict or set is a default, which all instances would share."""
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        mutable = isinstance(parameter.default, (list, dict, set))
        _claim(not mutable, f"the default of {name} can be changed in place")


@_check
def check_clone(estimator: Any) -> None:
    """A clone of a fitted estimator has its parameters and is not fitted."""
    fitted = _fit(estimator)
    fresh = clone(fitted)
    learnt = {name for name in vars(fresh) if name.endswith("_") and not name.endswith("__")}
    _claim(not learnt, f"a clone keeps {sorted(learnt)}")
    _claim(repr(fresh) == repr(estimator), f"a clone is {fresh!r}, the original {estimator!r}")
    _same(_use(_fit(fresh), UNSEEN), _use(fitted, UNSEEN), "a clone learns something else")


@_check
def check_set_params(estimator: Any) -> None:
    """`set_params` takes what `get_params` gives, returns self, and refuses unknown names."""
    before = estimator.get_params(deep=False)
    _claim(estimator.set_params(**before) is estimator, "set_params does not return self")
    changed = _changed(estimator, before)
    _claim(not changed, f"set_params(**get_params()) changes {changed}")
    unknown = {"no_such_parameter": 1}
    _refuses("an unknown parameter", lambda: estimator.set_params(**unknown), errors=ValueError)


def _changed(estimator: Any, before: Mapping[str, Any]) -> list[str]:
    """Return the parameters that are not what they were."""
    after = estimator.get_params(deep=False)
    return [name for name, old in before.items() if not (after[name] is old or after[name] == old)]


@_check
def check_fit_changes_no_parameter(estimator: Any) -> None:
    """`fit` returns self, leaves the parameters alone, and what it learns ends in ``_``."""
    before = estimator.get_params(deep=False)
    returned = estimator.fit(TEXTS, LABELS if _takes_labels(estimator) else None)
    _claim(returned is estimator, "fit does not return self")
    changed = _changed(estimator, before)
    _claim(not changed, f"fit changes the parameters {changed}")
    public = {name for name in vars(estimator) if not name.startswith("_")} - before.keys()
    wrong = sorted(name for name in public if not name.endswith("_"))
    _claim(not wrong, f"fit sets public attributes without a final underscore: {wrong}")


@_check
def check_not_fitted(estimator: Any) -> None:
    """Every method that needs `fit` says so by `NotFittedError`."""
    _only_if(get_tags(estimator).requires_fit, "it needs no fit")
    calls: dict[str, tuple[Any, ...]] = dict.fromkeys(_METHODS, (TEXTS,))
    calls |= {"get_feature_names_out": (), "inverse_transform": (np.eye(1),)}
    for name, arguments in calls.items():
        if method := getattr(estimator, name, None):
            _refuses(f"{name} before fit", method, *arguments, errors=NotFittedError)


@_check
def check_tags(estimator: Any) -> None:
    """Tags say: texts and no tables; classifiers need labels."""
    _only_if(not isinstance(estimator, Pipeline), "pipelines do not pass these tags on")
    tags = get_tags(estimator)
    _claim(tags.input_tags.string, "input_tags.string is not True")
    _claim(not tags.input_tags.two_d_array, "input_tags.two_d_array is not False")
    if is_classifier(estimator):
        _claim(tags.target_tags.required, "target_tags.required of a classifier is not True")


@_check
def check_shown(estimator: Any) -> None:
    """`repr` and the HTML of a notebook name the class, before and after `fit`."""
    for shown in (estimator, _fit(estimator)):
        for text in (repr(shown), shown._repr_html_()):
            _claim(type(estimator).__name__ in text, f"it shows as {text:.60}")


# -- texts in ----------------------------------------------------------------------------------


@_check
def check_single_text_is_refused(estimator: Any) -> None:
    """A single str or bytes is an error, not a row of letters."""
    fitted, labels = _fit(estimator), ["river", "tower", "river"]
    for text in ("low", b"low"):
        kind = f"a single {type(text).__name__}"
        _refuses(f"{kind} in fit", _fit, estimator, text, labels)
        _refuses(f"{kind} in use", _use, fitted, text)


@_check
def check_generators(estimator: Any) -> None:
    """A generator is as good as a list, in learning and in use, and is read once."""
    expected, fitted = _use(_fit(estimator), UNSEEN), _fit(estimator, (text for text in TEXTS))
    _same(_use(fitted, UNSEEN), expected, "what is learnt from a generator differs")
    _same(_use(fitted, iter(UNSEEN)), expected, "what is made of a generator differs")


@_check
def check_used_up_generator(estimator: Any) -> None:
    """A generator without any text left raises in `fit`; in use it gives no rows, or raises."""
    used_up = iter(TEXTS)
    list(used_up)
    fitted = _fit(estimator)
    try:
        rows = _use(fitted, used_up).shape[0]
    except ValueError:
        rows = 0
    _claim(rows == 0, f"a generator that is used up gives {rows} rows")
    _only_if(get_tags(estimator).requires_fit, "it needs no fit")
    _refuses("a generator that is used up", _fit, estimator, used_up, [], errors=ValueError)


@_check
def check_containers(estimator: Any) -> None:
    """Lists, tuples, arrays of objects or str, and Series are alike."""
    kinds: dict[str, Callable[[Any], Any]] = {
        "a tuple": tuple,
        "an array of objects": _objects,
        "an array of str": np.array,
    }
    if pandas := _pandas():
        kinds["a Series"] = lambda X: pandas.Series(X, index=range(len(X), 0, -1))
    unseen = [text for text in UNSEEN if "\x00" not in text]  # numpy cuts it off
    expected = _use(_fit(estimator), unseen)
    for name, kind in kinds.items():
        fitted = _fit(estimator, kind(TEXTS), kind(LABELS))
        _same(_use(fitted, kind(unseen)), expected, f"{name} is not taken as a list is")


@_check
def check_missing_values(estimator: Any) -> None:
    """None, NaN and NA raise with row and type, or are empty texts if the tags allow NaN."""
    fitted, pandas = _fit(estimator), _pandas()
    for value in [None, float("nan"), *([pandas.NA] if pandas else [])]:
        texts, kind = [*TEXTS[:2], value, *TEXTS[3:]], type(value).__name__
        if get_tags(estimator).input_tags.allow_nan:
            empty = _use(fitted, [*TEXTS[:2], "", *TEXTS[3:]])
            _same(_use(fitted, texts), empty, f"{kind} is not taken as an empty text")
            continue
        for call, one in ((_fit, estimator), (_use, fitted)):
            told = _refuses(f"{kind} in a text's place", call, one, texts)
            named = re.search(r"\b2\b", told) and kind in told
            _claim(named, f"the error for {kind} in row 2 does not name row and type: {told}")


@_check
def check_two_dimensional_input(estimator: Any) -> None:
    """Tables raise and say that one column is wanted; names of columns are no texts."""
    tables: dict[str, Any] = {
        "a list of lists": [[text] for text in TEXTS],
        "a table": np.array([[text] for text in TEXTS], object),
    }
    if pandas := _pandas():
        tables["a DataFrame"] = pandas.DataFrame({"text": TEXTS})
    fitted = _fit(estimator)
    for name, table in tables.items():
        told = _refuses(f"{name} in fit", _fit, estimator, table)
        _claim(re.search("column|dimension", told), f"the error for {name} gives no hint: {told}")
        _refuses(f"{name} in use", _use, fitted, table)


@_check
def check_empty_texts(estimator: Any) -> None:
    """Empty texts get rows without NaN, and no texts get no rows."""
    fitted = _fit(estimator, ["", *TEXTS, " \n"], ["river", *LABELS, "tower"])
    result = _dense(_use(fitted, ["", " ", "low"]))
    _claim(result.shape[0] == 3, f"three texts, two of them empty, give {result.shape[0]} rows")
    if result.dtype.kind == "f":
        _claim(np.isfinite(result).all(), "empty texts give NaN")
    none = _dense(_use(fitted, []))
    _claim(none.shape == (0, *result.shape[1:]), f"no texts give a result of shape {none.shape}")


@_check
def check_nothing_to_learn_from(estimator: Any) -> None:
    """No texts, and empty ones only, raise `ValueError` with the number of texts."""
    _only_if(get_tags(estimator).requires_fit, "it needs no fit")
    for texts in ([], ["", "  "]):
        labels = LABELS[: len(texts)]
        told = _refuses(f"learning from {texts}", _fit, estimator, texts, labels, errors=ValueError)
        counted = re.search(rf"\b{len(texts)}\b", told)
        _claim(counted, f"the error for {texts} does not say how many texts there were: {told}")


@_check
def check_unusual_texts(estimator: Any) -> None:
    """Scripts without spaces, emoji, marks, NUL, control characters and long words are texts."""
    odd = ["東京は広い", "🙂🙂 x🙂", "e\u0301\u200d", "a\x00b", "\u2028\u0085", "low" * 5000, "१२३"]
    fitted = _fit(estimator, [*TEXTS, *odd], [*LABELS, *LABELS[: len(odd)]])
    rows = _use(fitted, odd).shape[0]
    _claim(rows == len(odd), f"{len(odd)} unusual texts give {rows} rows")


@_check
def check_input_is_left_alone(estimator: Any) -> None:
    """Neither `fit` nor use change the texts and labels they are given."""
    texts, labels, column = list(TEXTS), list(LABELS), _objects(TEXTS)
    _use(_fit(estimator, texts, labels), texts)
    _use(_fit(estimator, column, labels), column)
    _claim(texts == TEXTS and column.tolist() == TEXTS, "the texts were changed")
    _claim(labels == LABELS, "the labels were changed")


# -- the same again ----------------------------------------------------------------------------


@_check
def check_fits_are_alike(estimator: Any) -> None:
    """Two fits on the same texts give the same results."""
    one, other = _fit(estimator), _fit(estimator)
    _same(_use(one, UNSEEN), _use(other, UNSEEN), "two fits on the same texts differ")


@_check
def check_fitting_again(estimator: Any) -> None:
    """`fit` forgets what an earlier one learnt."""
    again, labels = _fit(estimator, TEXTS[:4], LABELS[:4]), _takes_labels(estimator)
    again.fit(TEXTS, LABELS) if labels else again.fit(TEXTS)
    _same(_use(again, UNSEEN), _use(_fit(estimator), UNSEEN), "an earlier fit leaves traces")


@_check
def check_fit_transform(estimator: Any) -> None:
    """`fit_transform` is `fit` and then `transform`."""
    _only_if(hasattr(estimator, "fit_transform"), "there is no fit_transform")
    _only_if(not getattr(estimator, "dropout", 0), "it drops merges while it learns")
    fitted = _fit(estimator)
    labels = (LABELS,) if _takes_labels(estimator) else ()
    at_once = clone(estimator).fit_transform(TEXTS, *labels)
    _same(at_once, fitted.transform(TEXTS), "fit_transform differs", rtol=1e-9)


@_check
def check_texts_are_independent(estimator: Any) -> None:
    """What becomes of a text depends neither on its neighbours nor on its place."""
    fitted, texts = _fit(estimator), [*UNSEEN, *TEXTS]
    whole = _use(fitted, texts)
    stacked = sp.vstack if sp.issparse(whole) else np.concatenate
    _same(_use(fitted, texts[::-1]), whole[::-1], "the order of texts matters", rtol=1e-9)
    single = stacked([_use(fitted, [text]) for text in texts])
    _same(single, whole, "texts alone and together differ", rtol=1e-9)


@_check
def check_order_of_learning(estimator: Any) -> None:
    """The columns do not depend on the order of the texts that are learnt from."""
    _only_if(_names_columns(estimator), "it names no columns")
    there, back = _fit(estimator), _fit(estimator, TEXTS[::-1], LABELS[::-1])
    names = (one.get_feature_names_out().tolist() for one in (there, back))
    _claim(len({*map(tuple, names)}) == 1, "the order of texts changes the columns")


@_check
def check_use_changes_nothing(estimator: Any) -> None:
    """The state of a fitted estimator is the same after use."""
    fitted = _fit(estimator)
    before = pickle.dumps(fitted)
    _use(fitted, UNSEEN)
    _claim(pickle.dumps(fitted) == before, "use changes the state")


@_check
def check_global_random_state(estimator: Any) -> None:
    """The generators of `random` and numpy stay as they are."""
    before = random.getstate(), np.random.get_state(legacy=False)
    _use(_fit(estimator), UNSEEN)
    after = random.getstate(), np.random.get_state(legacy=False)
    _claim(repr(before) == repr(after), "global random numbers were drawn")


@_check
def check_pickle(estimator: Any) -> None:
    """Copies by pickle, made before and after `fit`, work alike."""
    fitted = _fit(estimator)
    expected = _use(fitted, UNSEEN)
    copy = pickle.loads(pickle.dumps(fitted))
    _same(_use(copy, UNSEEN), expected, "a fitted copy differs")
    _claim(repr(copy) == repr(fitted), "a fitted copy has other parameters")
    fresh = pickle.loads(pickle.dumps(estimator))
    _same(_use(_fit(fresh), UNSEEN), expected, "a copy made before fit differs")


@_check
def check_equal_fits_pickle_alike(estimator: Any) -> None:
    """Fits on equal texts, used or not, have the same bytes."""
    fitted, used = _fit(estimator), _fit(estimator)
    _use(used, UNSEEN)
    _claim(pickle.dumps(fitted) == pickle.dumps(used), "pickles of equal fits differ")


@_check
def check_n_jobs(estimator: Any) -> None:
    """The number of threads changes no result."""
    _only_if("n_jobs" in estimator.get_params(deep=False), "there is no parameter n_jobs")
    expected = _use(_fit(estimator.set_params(n_jobs=None)), UNSEEN)
    for n_jobs in (2, -1):
        fitted = _fit(estimator.set_params(n_jobs=n_jobs))
        _same(_use(fitted, UNSEEN), expected, f"n_jobs={n_jobs} gives another result")


@_check
def check_threads_share_it(estimator: Any) -> None:
    """Threads that use one fitted estimator get what each would get alone."""
    fitted = _fit(estimator)
    batches = [UNSEEN[:2], TEXTS[:3], UNSEEN[2:], TEXTS[3:]] * 8
    alone = [_use(fitted, batch) for batch in batches]
    with ThreadPoolExecutor(8) as threads:
        shared = [*threads.map(lambda batch: _use(fitted, batch), batches)]
    for one, other in zip(shared, alone, strict=True):
        _same(one, other, "threads disturb each other")


@_check
def check_metadata_routing(estimator: Any) -> None:
    """Nothing changes when metadata routing is enabled."""
    expected = _use(_fit(estimator), UNSEEN)
    with config_context(enable_metadata_routing=True):
        clone(estimator).get_metadata_routing()
        _same(_use(_fit(estimator), UNSEEN), expected, "metadata routing changes the result")


# -- matrices out ------------------------------------------------------------------------------


def _matrix(estimator: Any, fitted: Any) -> Any:
    """Return what a vectorizer makes of the texts."""
    _only_if(hasattr(fitted, "transform"), "it does not transform")
    return fitted.transform(TEXTS)


@_check
def check_sparse_form(estimator: Any) -> None:
    """Sparse output is CSR with sorted indices, without duplicates, in int32."""
    X = _matrix(estimator, _fit(estimator))
    _only_if(sp.issparse(X), "its output is dense")
    _claim(X.format == "csr", f"the format is {X.format}")
    rows = [X.indices[start:end] for start, end in pairwise(X.indptr.tolist())]
    _claim(all((np.diff(row) > 0).all() for row in rows), "indices are not sorted and unique")
    _claim(X.indices.dtype == X.indptr.dtype == np.int32, f"indices are {X.indices.dtype}")


@_check
def check_sparse_interface(estimator: Any) -> None:
    """scikit-learn's setting decides between sparse matrices and sparse arrays."""
    _only_if("sparse_interface" in get_config(), "this scikit-learn has no such setting")
    _only_if(sp.issparse(_matrix(estimator, _fit(estimator))), "its output is dense")
    for interface, kind in (("spmatrix", sp.spmatrix), ("sparray", sp.sparray)):
        with config_context(sparse_interface=interface):
            X = _matrix(estimator, _fit(estimator))
        _claim(isinstance(X, kind), f"sparse_interface={interface!r} gives {type(X).__name__}")


@_check
def check_dtype(estimator: Any) -> None:
    """The matrix has the type that the parameter `dtype` asks for."""
    _only_if("dtype" in estimator.get_params(deep=False), "there is no parameter dtype")
    for dtype in (np.float32, np.float64):
        X = _matrix(estimator, _fit(estimator.set_params(dtype=dtype)))
        _claim(X.dtype == dtype, f"dtype={dtype.__name__} gives {X.dtype}")


@_check
def check_feature_names(estimator: Any) -> None:
    """Names are str, all different, one for each column."""
    _only_if(_names_columns(estimator), "it names no columns")
    fitted = _fit(estimator)
    names, width = fitted.get_feature_names_out(), _matrix(estimator, fitted).shape[1]
    _claim(names.dtype == object, f"names are an array of {names.dtype}, not of objects")
    _claim(all(isinstance(name, str) for name in names), "some names are not str")
    _claim(len(names) == width, f"{len(names)} names for {width} columns")
    _claim(len({*names}) == width, "two columns have the same name")


@_check
def check_inverse_transform(estimator: Any) -> None:
    """`inverse_transform` names the columns of each row that are not zero."""
    _only_if(hasattr(estimator, "inverse_transform"), "there is no inverse_transform")
    fitted = _fit(estimator)
    X, names = _matrix(estimator, fitted), fitted.get_feature_names_out()
    found = fitted.inverse_transform(X)
    _claim(len(found) == X.shape[0], f"{X.shape[0]} rows give {len(found)}")
    for row, shown in zip(_dense(X), found, strict=True):
        _claim({*shown} == {*names[row != 0]}, "names and columns that are not zero differ")


@_check
def check_set_output(estimator: Any) -> None:
    """With output set to pandas: a frame with the names, the plain result, or `ValueError`."""
    pandas = _pandas()
    _only_if(pandas, "pandas is not installed")
    expected = _matrix(estimator, _fit(estimator))
    with config_context(transform_output="pandas"):
        try:
            found = _matrix(estimator, _fit(estimator))
        except ValueError as error:
            _claim("sparse" in str(error), f"the error says nothing of sparse output: {error}")
            return
    if isinstance(found, pandas.DataFrame):
        _claim([*found.columns] == [*_fit(estimator).get_feature_names_out()], "names differ")
    _same(found, expected, "pandas output has other values")


# -- labels out --------------------------------------------------------------------------------


@_check
def check_labels(estimator: Any) -> None:
    """Labels of any kind come back as they were given, `classes_` sorted and unique."""
    _only_if(is_classifier(estimator), "it is no classifier")
    for classes in (["river", "tower"], [7, -1], [True, False], ["c", "a", "b"]):
        labels = [classes[i % len(classes)] for i in range(len(TEXTS))]
        fitted = _fit(estimator, TEXTS, labels)
        _claim([*fitted.classes_] == sorted(classes), f"classes_ of {classes} {fitted.classes_}")
        found = {*fitted.predict([*TEXTS, *UNSEEN]).tolist()}
        _claim(found <= {*classes}, f"it was told of {classes} and predicts {found}")


@_check
def check_labels_pair_up(estimator: Any) -> None:
    """Texts and labels of different number raise `ValueError`, as do missing labels."""
    _only_if(is_classifier(estimator), "it is no classifier")
    _refuses("one label too few", _fit, estimator, TEXTS, LABELS[1:], errors=ValueError)
    _refuses("one label too many", _fit, estimator, TEXTS[1:], LABELS, errors=ValueError)
    _refuses("y=None", _fit, estimator, TEXTS, None)


@_check
def check_probabilities(estimator: Any) -> None:
    """Probabilities lie between 0 and 1, sum to 1, and agree with the labels."""
    _only_if(hasattr(estimator, "predict_proba"), "there is no predict_proba")
    fitted, texts = _fit(estimator), [*TEXTS, *UNSEEN]
    shares = fitted.predict_proba(texts)
    _claim(shares.shape == (len(texts), len(fitted.classes_)), f"the shape is {shares.shape}")
    _claim(((shares >= 0) & (shares <= 1)).all(), "some are not between 0 and 1")
    _claim(np.allclose(shares.sum(axis=1), 1, rtol=0, atol=1e-6), "some rows do not sum to 1")
    strange = {*fitted.predict(texts).tolist()} - {*fitted.classes_.tolist()}
    _claim(not strange, f"it has no probability for {strange}, which it predicts")
    best = np.take_along_axis(shares, _codes(fitted, texts)[:, None], axis=1)[:, 0]
    _claim((best >= shares.max(axis=1) - 1e-9).all(), "labels are not the most probable ones")


def _codes(fitted: Any, texts: list[str]) -> Any:
    return np.searchsorted(fitted.classes_, fitted.predict(texts))
