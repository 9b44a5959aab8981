"""Classification: sort texts by topic, intent, anything that labels can name.

Learn from a labelled file or a folder tree, say how well that works, label new texts. A text may
have several labels, written a|b. Without a file the bundled requests to a town hall are used.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from subword import SubwordTextClassifier, reports

APP = reports.App(
    "classification", __doc__, SubwordTextClassifier, reports.usual_baselines, "requests.tsv",
    more_baselines=reports.strong_baselines, separator="|",
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the app and return its exit code: 0 done, 1 user error, 2 wrong usage."""
    return reports.main(APP, __package__, sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
