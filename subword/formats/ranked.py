"""From ranked tokens to merges: what tiktoken and SentencePiece leave out of their files.

Such models join the two neighbours that make the token of lowest rank, whatever these are. But a
token comes about in one way only: by the pair that is left when all tokens of lower rank have been
made inside it. So it is the merge of that pair.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Generic, TypeVar

from ..reference import Merge, Pair

Text = TypeVar("Text", str, bytes)


class Ranked(Generic[Text]):
    """Tokens that are added in the order of their ranks, and the merge that makes each.

    Parameters
    ----------
    units : mapping of str or bytes to int
        The ids of what tokens are made of: characters or bytes.

    Examples
    --------
    >>> ranked = Ranked({"a": 0, "b": 1, "c": 2})
    >>> ranked.add("bc", 3), ranked.add("abc", 4), ranked.add("cab", 5)
    (True, True, False)
    >>> ranked.merges()[1]
    Merge(left=0, right=3, result=4, count=0, applied=0)

    """

    def __init__(self, units: Mapping[Text, int]) -> None:
        self.ids: dict[Text, int] = dict(units)
        self.time = dict.fromkeys(units.values(), -1)  # when a token was added; units always were
        self.longest = 1
        self.halves: dict[int, Pair] = {}
        self.made: dict[Pair, int] = {}

    def add(self, text: Text, i: int) -> bool:
        """Add the token of the next rank; return False where no merge makes it."""
        ids, get, size = self.ids, self.ids.get, len(text)
        for cut in range(max(1, size - self.longest), min(size - 1, self.longest) + 1):
            left = get(text[:cut])
            if left is None:
                continue
            right = get(text[cut:])
            if right is not None and self._stay_apart(left, right):
                ids[text] = i
                self.longest = max(self.longest, size)
                self.time[i] = len(self.made)
                self.halves[i] = left, right
                self.made[left, right] = i
                return True
        return False

    def _stay_apart(self, left: int, right: int) -> bool:
        """Say whether two tokens come about side by side, with nothing joined over their border.

        Taken apart again, the younger first, the two pieces that meet at the border must at no
        time be a merge that comes before the next one.
        """
        limit, time, halves, made = sys.maxsize, self.time, self.halves, self.made
        while True:
            joined = made.get((left, right))
            if joined is not None and time[joined] < limit:
                return False
            before, after = time[left], time[right]
            if before > after:
                limit, left = before, halves[left][1]
            elif after >= 0:
                # A merge over the border with this very result stands further left: it is first.
                limit, right = after + 1, halves[right][0]
            else:
                return True

    def merges(self) -> list[Merge]:
        """Return the merges by rank."""
        return [Merge(*pair, i, 0, 0) for pair, i in self.made.items()]
