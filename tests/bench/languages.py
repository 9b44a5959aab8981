"""Languages told apart, and the time it takes: `python tests/bench/languages.py`.

`LanguageIdentifier.pretrained()` beside py3langid, cld2 and lingua, on sentences, word pairs and
single words in 75 languages. Each tool is asked on the same core in turn, one thread, after a
first round that is not timed; accuracy is the mean over the languages. A tool that knows fewer
languages than there are in the test is wrong about the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import machine
import numpy as np
from harness import ONE_THREAD, installed, pin

SHARED = Path(os.environ.get("SUBWORD_SHARED", Path(__file__).parents[3] / "shared")) / "data"
KINDS = ("sentences", "word_pairs", "single_words")
Ask = Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True)
class Figures:
    """What one tool did on one kind of text."""

    tool: str
    version: str | None
    kind: str
    accuracy: float
    microseconds: float  # of CPU time for a text, the median of the runs


# -- the tools ---------------------------------------------------------------------------------


def subword_asks() -> Ask:
    """Ours, as a batch."""
    from subword import LanguageIdentifier

    return LanguageIdentifier.pretrained().predict


def py3langid_asks() -> Ask:
    """py3langid, a text at a time."""
    import py3langid

    return lambda texts: [renamed(py3langid.classify(text)[0]) for text in texts]


def cld2_asks() -> Ask:
    """cld2, a text at a time, told to guess where it would not answer."""
    import pycld2

    def ask(text: str) -> str:
        try:
            return renamed(pycld2.detect(text, bestEffort=True)[2][0][1])
        except pycld2.error:
            return "und"

    return lambda texts: [ask(text) for text in texts]


def lingua_asks() -> Ask:
    """Lingua at its best, a text at a time."""
    from lingua import LanguageDetectorBuilder

    builder = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models()
    detector = builder.build()

    def ask(text: str) -> str:
        found = detector.detect_language_of(text)
        return found.iso_code_639_1.name.lower() if found else "und"

    return lambda texts: [ask(text) for text in texts]


def renamed(code: str) -> str:
    """Return the code that the test has for a language."""
    code = code.partition("-")[0]
    return {"no": "nb", "iw": "he", "fil": "tl"}.get(code, code)


TOOLS = {
    "subword": (subword_asks, "subword"),
    "py3langid": (py3langid_asks, "py3langid"),
    "cld2": (cld2_asks, "pycld2"),
    "lingua": (lingua_asks, "lingua-language-detector"),
}


# -- measuring ---------------------------------------------------------------------------------


def rows(kind: str, most: int) -> Iterator[tuple[str, str]]:
    """Yield language and text of the first lines of each language; 0: of all lines."""
    seen: dict[str, int] = defaultdict(int)
    path = SHARED / "langid" / f"test_{kind}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            language, text = line.rstrip("\n").split("\t", 1)
            seen[language] += 1
            if not most or seen[language] <= most:
                yield language, text


def measure(tools: dict[str, Ask], kind: str, most: int, runs: int) -> Iterator[Figures]:
    """Ask all tools in turn, again and again."""
    languages, texts = zip(*rows(kind, most), strict=True)
    answers = {name: ask(texts) for name, ask in tools.items()}
    seconds: dict[str, list[float]] = {name: [] for name in tools}
    for _ in range(runs):
        for name, ask in tools.items():
            started = time.process_time()
            ask(texts)
            seconds[name].append(time.process_time() - started)
    for name in tools:
        pace = 1e6 * statistics.median(seconds[name]) / len(texts)
        accuracy = mean_accuracy(languages, answers[name])
        yield Figures(name, installed(TOOLS[name][1]), kind, accuracy, pace)


def mean_accuracy(languages: Sequence[str], answers: Sequence[str]) -> float:
    """Return the mean over languages of the share of right answers."""
    truth = np.array(languages)
    right = np.asarray(answers, dtype=str) == truth
    return float(np.mean([right[truth == name].mean() for name in np.unique(truth)]))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=[*TOOLS])
    parser.add_argument("--lines", type=int, default=200, help="of each language; 0: all")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print data instead of a table")
    args = parser.parse_args(argv)
    if not (SHARED / "langid").is_dir():
        print(f"languages: no data: {SHARED} is not there; set SUBWORD_SHARED", file=sys.stderr)
        return 1
    os.environ.update(ONE_THREAD)
    core = max(os.sched_getaffinity(0))
    pin([core])
    tools = {name: TOOLS[name][0]() for name in args.tools if installed(TOOLS[name][1])}
    figures = []
    if not args.json:
        about = machine.describe(core)
        print(f"{about['cpu']}, {about['python']}, core {core}; CPU time\n")
        print(f"{'tool':10} {'version':10} {'texts':14} {'right %':>8} {'µs a text':>10}")
    for kind in KINDS:
        for figure in measure(tools, kind, args.lines, args.runs):
            figures.append(asdict(figure))
            if not args.json:
                print(f"{figure.tool:10} {figure.version!s:10} {kind:14} "
                      f"{100 * figure.accuracy:8.2f} {figure.microseconds:10.1f}", flush=True)  # fmt: skip
    if args.json:
        print(json.dumps(figures, indent=1))
        return 0
    for name in tools:
        mean = statistics.mean(figure["accuracy"] for figure in figures if figure["tool"] == name)
        print(f"{name:10} mean of the three: {100 * mean:.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
