"""Two sides of one job, each in a process of its own: equality first, then speed."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

# Every tool gets one thread; where two are compared, the engine is told so by n_jobs.
ONE_THREAD = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
QUIET = {"TQDM_DISABLE": "1", "PYTHONWARNINGS": "ignore"}
# Spawned, so that a process starts small and its peak of memory is its own. A child's peak counts
# from that of its parent, which therefore never holds a text or an answer.
PROCESSES = multiprocessing.get_context("spawn")


class SideFailedError(Exception):
    """A side of a row raised or died."""


def nothing() -> None:
    """Prepare nothing."""


def children_time() -> float:
    """CPU seconds of the programs that were started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


CLOCKS = {"cpu": time.process_time, "children": children_time, "wall": time.perf_counter}


@dataclass(frozen=True)
class Side:
    """One tool at one job; its functions are pickled, so they stand at the top of a module.

    `run` alone is timed. It gets what `prepare` made and its result goes to `answer`, which turns
    it into lines that can be compared. `warm` keeps process and preparation from run to run.
    """

    name: str
    run: Callable[[Any], Any]
    answer: Callable[[Any], Iterable[str]]
    prepare: Callable[[], Any] = nothing
    needs: str = "subword"
    warm: bool = False
    clock: str = "cpu"


@dataclass(frozen=True)
class Row:
    """A job for two sides. Goals are pairs (must, aim); `checked` says what has to be equal."""

    title: str
    ours: Side
    peer: Side
    checked: str
    goal: tuple[float, float] | None = None  # ratio, at least
    seconds: tuple[float, float] | None = None  # of our side, at most
    memory: tuple[float, float] | None = None  # peak MB of our side, at most
    share: tuple[float, float] | None = None  # peak of our side per peak of the peer, at most
    size: int = 0  # bytes of text
    cores: int = 1
    peaks: bool = False  # whether the peaks of memory say something: files in, nothing prepared
    peer_runs: int | None = None  # for peers that are there to compare results only
    lacks: str = ""  # what is not here, so that the row cannot run


class Run(NamedTuple):
    """What one run took: seconds, and MB at the peak of the process."""

    seconds: float
    peak: float


@dataclass
class Result:
    """What came of a row; `problem` says why there are no times."""

    row: Row
    problem: str = ""
    ours: list[Run] = field(default_factory=list)
    peer: list[Run] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Seconds of the peer per second of ours, pair by pair."""
        pairs = zip(self.ours, self.peer, strict=False)
        return [theirs.seconds / max(ours.seconds, 1e-9) for ours, theirs in pairs]


def median_seconds(runs: list[Run]) -> float:
    """Return the median of the seconds."""
    return statistics.median(run.seconds for run in runs)


def median_peak(runs: list[Run]) -> float:
    """Return the median of the peaks of memory."""
    return statistics.median(run.peak for run in runs)


def measure(row: Row, runs: int, cores: list[int], folder: Path) -> Result:
    """Run both sides in turn, A B A B; their answers are compared before a time is believed."""
    if lack := missing(row, cores):
        return Result(row, lack)
    result, used = Result(row), cores[: row.cores]
    answers = folder / "ours", folder / "theirs"
    try:
        with Seat(row.ours, used) as ours, Seat(row.peer, used) as peer:
            result.ours.append(ours.run(answers[0]))
            result.peer.append(peer.run(answers[1]))
            if found := apart(difference, *answers):
                return Result(row, f"DIFFERENT, so no times: {found}")
            for number in range(1, runs):
                result.ours.append(ours.run())
                if number < (row.peer_runs or runs):
                    result.peer.append(peer.run())
    except SideFailedError as error:
        return Result(row, f"FAILED: {error}")
    return result


def missing(row: Row, cores: list[int]) -> str:
    """Say what a row lacks."""
    if row.lacks:
        return f"skipped: {row.lacks}"
    for side in (row.ours, row.peer):
        if side.needs and installed(side.needs) is None:
            return f"skipped: {side.needs} is not installed"
    if row.cores > max(1, len(cores)):
        return f"skipped: needs {row.cores} cores"
    return ""


def installed(distribution: str) -> str | None:
    """Return the version of a distribution, None where it is not there."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def difference(first: Path, second: Path) -> str:
    """Say where two answers differ first; nothing if they do not."""
    with (
        open(first, encoding="utf-8", newline="\n") as ours,
        open(second, encoding="utf-8", newline="\n") as theirs,
    ):
        for number, (one, other) in enumerate(zip_longest(ours, theirs, fillvalue="(the end)"), 1):
            if one != other:
                unlike = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
                start = max(0, next(unlike, 0) - 20)
                shown = [repr(text[start : start + 60]) for text in (one, other)]
                return f"line {number}: ours {shown[0]}, theirs {shown[1]}"
    return ""


class Seat:
    """Where a side runs: a fresh process for each run, or the same one for all (warm)."""

    def __init__(self, side: Side, cores: list[int]) -> None:
        self.side, self.cores = side, cores
        self.process: Any = None

    def __enter__(self) -> Seat:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def run(self, answer: Path | None = None) -> Run:
        """Run once; write the answer if a path is given."""
        if self.process is None:
            self.pipe, theirs = PROCESSES.Pipe()
            self.process = PROCESSES.Process(target=serve, args=(theirs, self.side, self.cores))
            # A process that starts on one core may keep its threads there for a while.
            with on_cores(self.cores):
                self.process.start()
            theirs.close()
        try:
            self.pipe.send(answer)
            reply = self.pipe.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            raise SideFailedError(f"{self.side.name} ended with {self.process.exitcode}") from None
        if isinstance(reply, str):
            raise SideFailedError(f"{self.side.name}: {reply}")
        if not self.side.warm:
            self.leave()
        return Run(*reply)

    def leave(self) -> None:
        """End the process."""
        if self.process is not None:
            self.pipe.close()
            self.process.join()
            self.process = None


def serve(pipe: Any, side: Side, cores: list[int]) -> None:
    """Run a side whenever asked, until the pipe closes (in the other process)."""
    pin(cores)
    prepared: Any = None
    try:
        while True:
            answer = pipe.recv()
            try:
                prepared = side.prepare() if prepared is None else prepared
                pipe.send(run_once(side, prepared, answer))
            except Exception as error:
                pipe.send(f"{type(error).__name__}: {error}")
    except EOFError:
        pass


def run_once(side: Side, prepared: Any, answer: Path | None) -> tuple[float, float]:
    """Time one run; the peak of memory is taken before the answer is written."""
    clock = CLOCKS[side.clock]
    start = clock()
    result = side.run(prepared)
    seconds = clock() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if answer:
        with open(answer, "w", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{line}\n" for line in side.answer(result))
    return seconds, peak


@contextlib.contextmanager
def on_cores(cores: list[int]) -> Iterator[None]:
    """Stay on these cores for a while."""
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else []
    pin(cores)
    try:
        yield
    finally:
        pin([*before])


def pin(cores: list[int]) -> None:
    """Stay on these cores, where the system knows how."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def apart(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in a process of its own: this one stays small, and so do its children."""
    pipe, theirs = PROCESSES.Pipe()
    process = PROCESSES.Process(target=report, args=(theirs, function, args))
    process.start()
    theirs.close()
    try:
        done, value = pipe.recv()
    except EOFError:
        done, value = False, "died"
    process.join()
    if not done:
        raise SideFailedError(f"{function.__name__}: {value}")
    return value


def report(pipe: Any, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Send what a function returns (in the other process)."""
    try:
        pipe.send((True, function(*args)))
    except Exception as error:
        pipe.send((False, f"{type(error).__name__}: {error}"))
