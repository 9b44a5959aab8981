"""`App`: what makes one app differ from another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .report import Probe

Systems = Callable[[], dict[str, Any]]


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
        Returns its own estimator, not fitted: raw texts in, labels and probabilities out.
    baselines : callable
        Returns the estimators it is always compared with, by name; "words" comes first.
    data : str
        The bundled file that it learns from where no other is given.
    more_baselines : callable, optional
        Returns those it is compared with on request.
    probe : callable, optional
        Takes a fitted estimator and texts it has learnt from, and asks it about texts of the app's
        own; returns what a report says of that, or None where labels or language are others.
    separator : str, optional
        What stands between the labels of a text that has several.

    """

    name: str
    about: str
    system: Callable[[], Any]
    baselines: Systems
    data: str
    more_baselines: Systems | None = None
    probe: Callable[[Any, Sequence[str]], Probe | None] | None = None
    separator: str | None = None
