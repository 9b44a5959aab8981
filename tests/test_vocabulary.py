"""Names of features that are given."""

from __future__ import annotations

import pytest

from subword import SubwordError
from subword.vocabulary import check_vocabulary, table_of

PIECES = ["lo@@", "w", "er"]


def test_given_names_have_their_columns_or_never_occur():
    columns = check_vocabulary({"lo@@ er": 1, "Low": 2, "w": 0, "w er lo@@": 3})
    table = table_of(columns, PIECES, (1, 2))
    assert [table.gram(i) for i in range(4)] == [[1], [0, 2], [], []]
    assert table.unmatched(columns) == ["Low", "w er lo@@"]


@pytest.mark.parametrize("names", [["w", "w"], ["w", "er", "w", "er"]])
def test_a_name_given_twice_is_named(names):
    with pytest.raises(SubwordError, match="Duplicate term in vocabulary: 'w'"):
        check_vocabulary(names)
