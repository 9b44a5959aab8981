"""Folders of texts: one file each, and the folder it lies in is the label."""

from __future__ import annotations

from pathlib import Path

from ..errors import SubwordError
from ..files import read_blocks


def read_folder(path: str, errors: str, labelled: bool) -> tuple[list[str], list[str]]:
    """Read the texts below a folder, in the order of their paths.

    Parameters
    ----------
    path : str
        The folder. Names that begin with a dot are passed over.
    errors : {"strict", "replace"}
        Invalid UTF-8: an error, or U+FFFD.
    labelled : bool
        Take the first folder on the way to a file as its label, as `load_files` of scikit-learn
        does.

    Returns
    -------
    texts, labels : list of str
        Of the same length; no labels where none are wanted.

    Raises
    ------
    CorpusError
        For a file that is not UTF-8.
    SubwordError
        When there are no texts, or texts that lie in no folder of their label.

    """
    root = Path(path)
    files = [file for file in sorted(root.rglob("*")) if file.is_file() and not _hidden(file, root)]
    if not files:
        raise SubwordError(f"{path}: there are no files in this folder")
    ways = [file.relative_to(root).parts for file in files]
    loose = [parts[0] for parts in ways if len(parts) == 1]
    if labelled and loose:
        raise SubwordError(
            f"{path}: {loose[0]!r} lies in no folder of its label; a folder of texts holds one "
            "folder per label (label/text.txt), or name a single file"
        )
    texts = ["".join(read_blocks(file, errors)) for file in files]
    return texts, [parts[0] for parts in ways] if labelled else []


def _hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)
