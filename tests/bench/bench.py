"""Ours against its peers, equality first, then speed: `python tests/bench/bench.py count`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import classifying
import counting
import decoding
import dropin
import encoding
import learning
import machine
import scanning
import searching
import storing
import table
import vectorizing
from corpora import NoDataError, make_setup
from harness import ONE_THREAD, QUIET, SideFailedError, apart, measure, pin

BOTH = ("english", "multilingual")
TASKS = {
    "count": (counting.rows, ("english",)),
    "learn": (learning.rows, BOTH),
    "encode": (encoding.rows, BOTH),
    "scan": (scanning.rows, BOTH),
    "decode": (decoding.rows, ("english",)),
    "vectorize": (vectorizing.rows, ("english",)),
    "grid": (searching.rows, ("english",)),
    "nbsvm": (classifying.rows, ()),
    "store": (storing.rows, ("english",)),
    "dropin": (dropin.rows, BOTH),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tasks that are asked for; return the exit code."""
    args = parse(argv)
    os.environ.update(ONE_THREAD | QUIET)
    cores = choose_cores(args.core)
    pin(cores[:1])
    with TemporaryDirectory(prefix="subword-bench-") as folder:
        try:
            run(args, cores, Path(folder))
        except (NoDataError, SideFailedError) as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="+", choices=[*TASKS, "all"], metavar="task",
                        help=f"{', '.join(TASKS)}, or all")  # fmt: skip
    parser.add_argument("--english", type=Path, help="text file (default: the shared data)")
    parser.add_argument("--multilingual", type=Path, help="text file (default: the shared data)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (default: 5)")
    parser.add_argument("--core", type=int, help="the core to stay on (default: the last)")
    parser.add_argument("--limit-mb", type=float, default=0, help="cut the texts, for a quick look")
    parser.add_argument("--only", default="", help="rows whose title or peer has this in it")
    parser.add_argument("--json", action="store_true", help="print data instead of a table")
    args = parser.parse_args(argv)
    if args.runs < 1:
        parser.error("--runs must be at least 1")
    return args


def choose_cores(core: int | None) -> list[int]:
    """Return the cores that may be used, the chosen one first."""
    there = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if core is not None and core not in there:
        sys.exit(f"bench: there is no core {core}; choose from {', '.join(map(str, there))}")
    return sorted(there, key=lambda other: (other != core, -other))


def run(args: argparse.Namespace, cores: list[int], folder: Path) -> None:
    """Measure row by row and print each when it is done."""
    tasks = [*TASKS] if "all" in args.tasks else [*dict.fromkeys(args.tasks)]
    names = [name for name in BOTH if any(name in TASKS[task][1] for task in tasks)]
    setup = make_setup(folder, {name: vars(args)[name] for name in names}, int(args.limit_mb * 1e6))
    about = machine.describe(cores[0] if cores else None) | apart(machine.engine)
    report = {"machine": about, "texts": setup.described(), "runs": args.runs, "tasks": {}}
    show = (lambda text: None) if args.json else (lambda text: print(text, flush=True))
    absent = [name for name in names if name not in report["texts"]]
    show(
        table.preface(about, report["texts"], absent)
        + f"\nCPU seconds, medians of {args.runs} runs"
    )
    for task in tasks:
        show(table.heading(task))
        results = []
        for row in TASKS[task][0](setup):
            if args.only.lower() in f"{row.title} {row.peer.name}".lower():
                results.append(measure(row, args.runs, cores, folder))
                show("\n".join(table.lines(results[-1])))
        report["tasks"][task] = [table.data(result) for result in results]
    if args.json:
        print(json.dumps(report, indent=1, default=str))


if __name__ == "__main__":
    sys.exit(main())
