"""A bar on stderr while something takes its time; tqdm is loaded only to show one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class Silent:
    """What stands in for a bar that is not shown."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = items
        self.n = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, n: int = 1) -> None:
        """Note that so many more are done."""
        self.n += n


def progress_bar(
    items: Iterable[Any] | None = None, *, title: str, unit: str = "", shown: bool, **more: Any
) -> Any:
    """Return a bar over items, or one that is moved on by its `update`; `more` is for tqdm.

    >>> list(progress_bar(["low", "lower"], title="count", unit=" texts", shown=False))
    ['low', 'lower']
    """
    if not shown:
        return Silent(items or ())
    from tqdm import tqdm

    return tqdm(items, title, unit=unit, **more)
