"""Saved models: ``.skops`` files, which hold data and no code, with a description beside it."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import ModelFileError, SubwordError
from ..files import load_extra, write_atomic

TRUSTED = (
    "subword.classifier.SubwordTextClassifier",
    "subword.langid.identifier.LanguageIdentifier",
    "subword.nbsvm.NBSVMClassifier",
    "subword.negation.NegationMarker",
    "subword.reports.multilabel.MultiLabelClassifier",
    "subword.vectorizer.SubwordTfidfVectorizer",
    "subword.vectorizer.SubwordVectorizer",
)
_DESCRIPTION = "subword.json"  # one more member of the archive; skops reads past it


def require_skops() -> Any:
    """Import skops.io, or say how to get it."""
    return load_extra("skops.io", "apps", "saved models")


def check_model_path(path: str) -> str:
    """Return the path of a model to be, if its suffix says what it will be."""
    if Path(path).suffix != ".skops":
        raise SubwordError(f"models are saved as .skops files, got {path!r}; nothing is pickled")
    return path


def save_model(path: str | os.PathLike[str], model: Any, about: Mapping[str, Any]) -> None:
    """Write a fitted pipeline and its description.

    Parameters
    ----------
    path : path
        Ends in ``.skops``.
    model : estimator
        Made of scikit-learn's estimators and ours.
    about : mapping
        JSON values, among them "app"; "version", that of this package, is added.

    """
    from .. import __version__

    skops = require_skops()
    packed = io.BytesIO(skops.dumps(model, compression=zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_DESCRIPTION, json.dumps({**about, "version": __version__}, indent=1))
    write_atomic(check_model_path(os.fspath(path)), packed.getvalue())


def load_model(path: str | os.PathLike[str], app: str) -> tuple[Any, dict[str, Any]]:
    """Read a pipeline and its description; only types we know are made.

    Raises
    ------
    ModelFileError
        When the file is no model, a model of another app, or holds other types.

    """
    skops, name = require_skops(), os.fspath(path)
    data = Path(path).read_bytes()
    about = _description(data, name)
    if about.get("app") != app:
        raise ModelFileError(f"a model of {about.get('app')!r}, {app!r} is needed", name)
    try:
        strangers = set(skops.get_untrusted_types(data=data)) - set(TRUSTED)
        if not strangers:
            return skops.loads(data, trusted=list(TRUSTED)), about
    except Exception as error:  # a damaged archive fails in any way
        raise ModelFileError(f"the model cannot be read: {error}", name) from error
    raise ModelFileError(f"holds types that are not trusted: {', '.join(sorted(strangers))}", name)


def _description(data: bytes, path: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            about = json.loads(archive.read(_DESCRIPTION))
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise ModelFileError("not a model saved by an app of this package", path) from None
    return dict(about)


def version_note(about: Mapping[str, Any]) -> list[str]:
    """Say that a model comes from another version, if it does."""
    from .. import __version__

    if about.get("version") == __version__:
        return []
    return [
        f"the model was saved by subword {about.get('version')}, this is {__version__}; "
        "train it again if its answers look odd"
    ]
