"""What is run through the engine under the sanitizers (see `run`): short inputs at its seams.

A crash ends the process with the sanitizer's report, a leak is found by running everything again.
"""

from __future__ import annotations

import ctypes
import gc
import io
import itertools
import random
import sys
import tempfile

import numpy as np

SCANNERS = ("space", "whitespace", "words", "gpt2", "cl100k", "o200k", "none")
LEVELS, ENDS = ("char", "byte"), (None, "suffix", "separate")
TIES = ("largest", "largest_id", "smallest_id", "first")
BYTES = [(bytes([byte]), False) for byte in range(256)]
MARKER = (b"", True)
# Whatever a scanner tells apart, characters of 1 to 4 bytes, NUL, white space of all kinds.
LETTERS = "aaabAé北😀'’sſl 1²\u0301_-/\n\r\t\x1c\x85\xa0\u2028\u3000\0"
LENGTHS = (*range(20), *range(30, 36), *range(46, 50), *range(62, 67), *range(126, 131), 1000)
SLACK = 5000  # bytes that Python and numpy may take for themselves in a run, until they have enough
CUT = (
    b"\xff",
    b"\x80",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
)


def texts(seed):
    """Random texts of each length, and the same with bytes that are no UTF-8."""
    rng = random.Random(seed)
    valid = ["".join(rng.choices(LETTERS, k=length)) for length in LENGTHS]
    valid += ["low " + "a" * length for length in range(40)]  # words that end where the text does
    broken = [text.encode() + rng.choice(CUT) for text in valid]
    return valid, broken + [
        cut + text for cut, text in itertools.product(CUT, (b"", b"a", b" a" * 40))
    ]


def scanning(core):
    valid, broken = texts(1)
    for scanner, text in itertools.product(SCANNERS, [*valid, *broken]):
        assert core.scan(scanner, text) == core.scan(scanner, text, simd=False)
    for scanner, text in itertools.product(SCANNERS, broken):
        core.last_cut(scanner, text)
        core.validate_utf8(text)


def counting(core):
    valid, broken = texts(2)
    whole = b" ".join(text.encode() for text in valid) * 100  # more than a piece: several threads
    for scanner, lower in itertools.product(SCANNERS, (False, True)):
        table, other = core.WordTable(scanner, lower), core.WordTable(scanner, lower)
        for text in (*(text.encode() for text in valid), *broken):
            table.add_buffer(np.frombuffer(text, np.uint8).copy())  # ends where its memory does
        table.add_texts([*valid, *broken], 3)
        table.add_stream(io.BytesIO(whole + broken[-1]), n_jobs=2, validate=False)
        with tempfile.NamedTemporaryFile() as file:
            file.write(whole)
            file.flush()
            other.add_file(file.name, n_jobs=3)
        other.add_words(["low", b"\xff" * 40], np.array([2**60, 1]))
        table.merge(other)
        table.merge(table if scanner == "none" else other)
        assert len(table.words()) == len(table.counts()) == len(table.flat()[1]) - 1
        rows = core.rows_by_count(*table.flat())
        assert len(rows) > table.flat()[1][-1]
    assert core.rows_by_count(*core.WordTable("none").flat()) == b""
    assert core.fingerprint(valid) == core.fingerprint([*map("".join, valid)])
    assert core.fingerprint([]) != core.fingerprint([""])


def learning(core):
    rng = random.Random(3)
    for level, end, tie, letters in itertools.product(
        LEVELS, ENDS, TIES, ("ab", "aé😀", "ab\0北c")
    ):
        words = [
            "".join(rng.choices(letters, k=length)).encode() for length in (1, 2, 3, 9, 60, 400)
        ]
        units = (
            {c.encode() for c in letters}
            if level == "char"
            else {bytes([b]) for b in b"".join(words)}
        )
        flat = b"".join(words), np.array([0, *itertools.accumulate(map(len, words))], np.uint64)
        symbols = [(b"ab", False), *sorted(itertools.product(units, (False, True))), MARKER]
        for counts, longest in (([1] * 6, 0), ([3, 1, 0, 2**33, 1, 2], 5)):
            options = (symbols, level, end, tie, 200, -1, 1, longest)
            merges = core.learn(flat, np.array(counts), *options)
            known = [i for i, two in enumerate(zip(*merges[:3])) if max(two) < len(symbols)]
            frozen = tuple(column[known] for column in merges[:2])
            core.learn(flat, np.array(counts), *options, frozen=frozen)
    core.learn([], [], [], "char", None, "first", -1, -1, 1)


def encoding(core):
    valid, broken = texts(4)
    left = [97, 256, 97, 97, 256, 0x20, 98]
    right = [97, 97, 256, 98, 256, 97, 98]  # aa, aaa twice, ab, aaaa, " a", and a last one
    joined = [b"aa", b"aaa", b"ab", b"aaaa", b" a", b"bb"]
    result = [256, 257, 257, 258, 259, 260, 261]
    symbols = [
        *BYTES,
        *((text, False) for text in joined),
        *((text, True) for text, _ in BYTES),
        MARKER,
    ]
    for level, end, scanner in itertools.product(LEVELS, ENDS, SCANNERS):
        given = valid if level == "char" else [*valid, *broken]
        for unknown, cache in ((-1, 1 << 20), (5, 3)):
            encoder = core.Encoder(
                symbols, left, right, result, level, end, unknown, scanner, cache, cache == 3
            )
            for lower in (False, True):
                ids, indptr = encoder.encode_batch(given, 3, lower)
                assert indptr[-1] == len(ids) == sum(encoder.count(text, lower) for text in given)
            encoder.encode_words(given)
            remembering(encoder, len(symbols), given)
            encoder.encode_batch_dropout(given, given[::-1], 0.3, 7, 2, 5)
            for text in given:
                encoder.spans(text)
            encoder.decode_bytes(ids)


def remembering(encoder, known, words):
    """Let an encoder know words by the ids of a larger model, of which each merge joins the last id."""
    further = 3
    left = [98, *range(known, known + further - 1)]
    ids = np.resize([98, known + further - 1, known], 4 * len(words))
    ends = np.arange(4, 4 * len(words) + 1, 4) // 3 * 3
    words = [
        b"%d" % i + (text if isinstance(text, bytes) else text.encode())
        for i, text in enumerate(words)
    ]
    encoder.remember(words, ids, ends, left, [99] * further)
    encoder.remember([], [], [], left, [99] * further)
    for word in words[:50]:
        encoder.encode_words([word.decode("utf-8", "replace")])


def long_words(core):
    word = "ab" * 50_000
    core.learn(
        [word.encode()], [2], [(b"a", False), (b"b", False)], "char", None, "first", 50, -1, 1
    )
    encoder = core.Encoder(
        [(b"a", False), (b"b", False), (b"ab", False)], [0], [1], [2], "char", None
    )
    assert encoder.encode(word * 12) == [2] * 600_000  # so many that the array is mapped
    encoder.encode_batch_dropout([word], [word], 0.5, 1)


def writing(core):
    valid, broken = texts(6)
    merges = [97, 97, 256], [97, 256, 98], [256, 257, 258]  # aa, aaa, aab
    symbols = [*BYTES, (b"aa", False), (b"aaa", False), (b"aab", False), MARKER]
    spelt = [b"<%d>" % i for i in range(len(symbols))]

    def isolate(words):
        return [[(word[:1], True), (word[1:], False)] if len(word) > 2 else None for word in words]

    for level, scanner, rules in itertools.product(
        LEVELS, SCANNERS, ((), (spelt,), ((), [1, 2, 3, 0] * 65), ((), [0] * 260, isolate))
    ):
        joins = bool(rules)
        encoder = core.Encoder(
            symbols, *merges, level, None, 9 if joins else -1, scanner, join_unknown=joins
        )
        form = core.TextForm(encoder, scanner, *merges, "@@", *rules)
        for text in [*valid, *broken, " ".join(valid)]:
            assert form.segment(text) == form.segment(text)
            form.segment(text, (0.3, 7, 1, 2))


def matrices(core):
    valid, broken = texts(5)
    encoder = core.Encoder(
        [*BYTES, (b"aa", False)], [97], [97], [256], "byte", None, scanner="words"
    )
    for given in [*valid, "aa b" * 300], broken, [], [""]:
        ids, indptr = encoder.encode_batch(given)
        found, table = core.NgramIndex(257), core.NgramIndex(257)
        _, totals = found.find(ids, indptr, [(1, 4)])
        flat, sizes = found.spell(np.arange(len(totals)))
        core.order_ngrams(flat, sizes, np.arange(257))
        table.set_columns(table.add(flat, sizes), 1, 4)
        for dtype, n_jobs in itertools.product(("int64", "float32", "float64"), (1, 3)):
            data, columns, _ = table.count(ids, indptr, dtype, n_jobs)
            assert len(data) == len(columns)
            assert data.sum() == totals.sum()
            table.count_texts(encoder, given, True, dtype, n_jobs)
        streams_of_words(core, encoder, given)


def streams_of_words(core, encoder, given):
    streams = [(encoder, 0, 514, None), (encoder, 257, 515, None)]
    ids, indptr = core.encode_texts(streams, given, False, 2)
    found = core.NgramIndex(516, 2, 2)
    frequencies, _ = found.find(ids, indptr, [(1, 3), (2, 2)])
    numbers = np.flatnonzero(frequencies).astype(np.int32)
    found.set_columns(numbers, 1, 3)
    counted = found.count(ids, indptr)
    for ours, theirs in zip(found.count_texts(streams, given, False), counted, strict=True):
        assert (ours == theirs).all()
    again = found.count_found(ids, indptr, numbers, "float32", 2)
    assert (again[0] == counted[0]).all()
    names = [f"{i:x}é" for i in range(516)]
    hasher = core.NgramHasher(names, [(1, 3), (2, 2)], 2, 100, True)
    hashed = hasher.count(ids, indptr, n_jobs=3)
    for ours, theirs in zip(hasher.count_texts(streams, given, False), hashed, strict=True):
        assert (ours == theirs).all()
    pieces = core.NgramHasher(names, [(1, 1), (1, 1)], 2, 100, True)  # counted at few places
    for ours, theirs in zip(
        pieces.count_texts(streams, given, False, "float32", 2),
        pieces.count(ids, indptr),
        strict=True,
    ):
        assert (ours == theirs).all()
    assert len(core.join_names(*found.spell(numbers), names)) == len(numbers)
    assert sorted(core.rank_names(names).tolist()) == [*range(len(names))]


def known(core):
    """Known texts give the same as texts, by their own model and by a larger one."""
    merges = [97, 257, 98, 257, 260], [97, 97, 98, 98, 260], [257, 258, 259, 260, 261]
    made = [(text, False) for text in (b"aa", b"aaa", b"bb", b"aab", b"aabaab")]
    symbols = [*BYTES, MARKER, *made]
    valid, _ = texts(6)
    valid += ["aab aabaab bb " * 9, "xyzxyz" * 9, "xy " * 40, "x" * 200, *valid]
    for scanner, lowercase in itertools.product(SCANNERS, (False, True)):
        larger, smaller = (
            core.Encoder(
                symbols[: 257 + n], *(side[:n] for side in merges), "byte", None, -1, scanner
            )
            for n in (5, 2)
        )
        store = core.KnownTexts(scanner, lowercase)
        assert store.find(valid) is None
        assert store.add(valid)
        more = larger, np.array(merges[0][2:], np.int32), np.array(merges[1][2:], np.int32)
        for n_jobs, how in itertools.product((1, 3), (None, more)):
            streams = [(smaller, 0, 516, how), (smaller, 259, -1, how)]
            for ours, theirs in zip(
                core.encode_texts(streams, store.find(valid), lowercase, n_jobs),
                core.encode_texts(streams, valid, lowercase, n_jobs),
                strict=True,
            ):
                assert (ours == theirs).all()
    assert store.add(["a" * 700_000]) is False  # more than there is room for
    assert store.find(valid) is None


def weighing(core):
    rng = np.random.default_rng(6)
    for kind, places, norm in itertools.product(
        ("float32", "float64"), ("int32", "int64"), (None, "l1", "l2")
    ):
        for sizes in ([], [0], [3, 0, 17, 1]):
            indptr = np.cumsum([0, *sizes]).astype(places)
            columns = rng.integers(0, 9, indptr[-1]).astype(places)
            for idf in (None, rng.random(9)):
                core.weigh(rng.random(indptr[-1]).astype(kind), columns, indptr, idf, norm)
            assert core.count_columns(columns, 9).sum() == indptr[-1]
            numbers = np.array([0, -1, 1, -1, -1, 2, 3, 4, -1], places)
            values, kept = rng.random(indptr[-1]).astype(kind), (numbers[columns] >= 0).sum()
            assert core.renumber_columns(values, columns, indptr, numbers) == kept


def weights(languages, features=16):
    """Return a table of random features and weights, so many features a bucket."""
    rng = np.random.default_rng(7)
    heads = 0x8000 | rng.integers(0, 1 << 12, features << 18)
    entries = rng.integers(0, languages, features << 18) << 7 | rng.integers(1, 128, features << 18)
    units = np.stack([heads, entries], axis=1).astype(np.uint16).ravel()
    return np.arange(0, len(units) + 1, 2 * features, dtype=np.uint32), units


def languages(core):
    valid, _ = texts(6)
    encoder = core.Encoder([*BYTES, MARKER, (b"aa", False)], [97], [97], [257], "char", "suffix")
    for number in (1, 75, 256):
        scorer = core.LanguageScorer(encoder, *weights(number), number)
        sums, known = scorer.score(valid * 20, 3)
        again = np.concatenate([scorer.score([text])[0] for text in valid])
        assert (sums[: len(valid)] == again).all()
        assert known.sum() > 0
        scorer.score([])


def refusals(core):
    encoder, table = (
        core.Encoder([(b"a", False)], [], [], [], "char", None),
        core.WordTable("space"),
    )
    full = core.WordTable("space")
    full.add_words(["a"], np.array([2**63 - 1]))
    starts, units = weights(2)
    pair = [(b"a", False), (b"aa", False)]

    def learn(words, counts, symbols, **options):
        core.learn(
            words,
            counts,
            symbols,
            *({"level": "char", "end_of_word": None, "tie_break": "first"} | options).values(),
            -1,
            -1,
            1,
        )

    def stop(done):
        raise KeyboardInterrupt

    for refused in (
        lambda: encoder.encode("ab"), lambda: encoder.encode("\ud800"), lambda: encoder.encode(b"\xff"),
        lambda: encoder.encode_batch(["a", None]), lambda: encoder.encode_batch(["a", "b"] * 9, 3),
        lambda: encoder.decode_bytes([0, -1]), lambda: encoder.decode_bytes([2**31 - 1]),
        lambda: encoder.decode_bytes(np.array([2**32])), lambda: encoder.decode_bytes([[0]]),
        lambda: encoder.encode_batch_dropout(["a"], ["a"], float("nan"), 1), lambda: encoder.encode_batch(["a"], 0),
        lambda: core.Encoder(pair, [0], [9], [1], "char", None), lambda: core.Encoder(pair, [0], [0], [0], "char", None),
        lambda: core.Encoder(pair, [0], [0, 0], [1], "char", None), lambda: core.Encoder(pair, [-1], [0], [1], "char", None),
        lambda: core.Encoder(pair, [], [], [], "char", "separate"), lambda: core.Encoder(pair, [], [], [], "char", None, 2),
        lambda: core.Encoder([("a", False)], [], [], [], "char", None), lambda: core.Encoder(None, [], [], [], "char", None),
        lambda: learn(["a"], [1], pair), lambda: learn([b"ab"], [-1], pair), lambda: learn([b"ab"], [1, 2], pair),
        lambda: learn([b"aaa"], [2**62], pair), lambda: learn([b"a"], [1], pair, end_of_word="separate"),
        lambda: learn((b"aa", np.array([0, 3], np.uint64)), [1], pair), lambda: learn([b"a"], [1], pair, level="word"),
        lambda: table.add_texts(["a", "\udfff"]), lambda: table.add_texts([None]), lambda: table.add_buffer("a"),
        lambda: table.add_words(["a", ""], [1, 1]), lambda: table.add_stream(io.BytesIO(b"a \xff")),
        lambda: full.add_buffer(b"a a"), lambda: full.merge(full), lambda: core.WordTable("words").merge(None),
        lambda: table.add_stream(io.BytesIO(b"low " * 9_000_000), n_jobs=2, progress=stop),
        lambda: core.NgramIndex(5).find([2**32], [0, 1], 2),
        lambda: core.NgramIndex(5).find([5], [0, 1], 2),
        lambda: core.NgramIndex(5).find([1], [0, 2], 2),
        lambda: core.NgramIndex(5).spell([5]),
        lambda: core.NgramIndex(5).count([0], [0, 1]),
        lambda: core.order_ngrams([1, 2], [2], [0]),
        lambda: core.TextForm(encoder, "space", [0], [0], [9], "", (), [3]),
        lambda: core.TextForm(encoder, "space", [0], [], [0], ""),
        lambda: core.TextForm(encoder, "space", [], [], [], "", [b"a", b"b"]),
        lambda: core.TextForm(encoder, "space", [], [], [], "").segment("\ud800"),
        lambda: core.TextForm(encoder, "space", [], [], [], "").segment("a", (2.0, 1, 1, 1)),
        lambda: core.TextForm(encoder, "space", [], [], [], "", (), (), len).segment("a"),
        lambda: core.weigh(np.ones(1), np.array([2]), np.array([0, 1]), np.ones(2), None),
        lambda: core.weigh(np.ones(1), np.array([-1]), np.array([0, 1]), np.ones(2), "l2"),
        lambda: core.weigh(np.ones(1), np.array([0]), np.array([0, 2]), None, "l2"),
        lambda: core.weigh(np.ones(1), np.array([0]), np.array([0, 1]), [], "l2"),
        lambda: core.weigh(np.ones(1), np.array([0]), np.array([0, 1]), None, "max"),
        lambda: core.rows_by_count(np.zeros(2, np.uint8), [0, 3], [1]),
        lambda: encoder.remember([b"a"], [1], [1]), lambda: encoder.remember([b"a"], [0], [2]),
        lambda: encoder.remember([b"a"], [1], [1], [1], [0]), lambda: encoder.remember([b"a"], [0], [1], [0], []),
        lambda: encoder.remember([b"a", b"b"], [0], [1]), lambda: core.rank_names(["a", "\ud800"]),
        lambda: core.LanguageScorer(encoder, starts[:-1], units, 2),
        lambda: core.LanguageScorer(encoder, starts, units[:-1], 2),
        lambda: core.LanguageScorer(encoder, starts[::-1].copy(), units, 2),
        lambda: core.LanguageScorer(encoder, starts, units, 1),
        lambda: core.LanguageScorer(None, starts, units, 2),
        lambda: core.LanguageScorer(encoder, starts, units, 2).score([b"a"]),
        lambda: core.LanguageScorer(encoder, starts, units, 2).score(["\ud800"]),
        lambda: core.scan("other", "a"), lambda: core.scan("space", 1),
    ):  # fmt: skip
        try:
            refused()
        except (ValueError, TypeError, IndexError, OverflowError, KeyboardInterrupt):
            continue
        raise AssertionError(
            f"line {refused.__code__.co_firstlineno}: this should have been refused"
        )


def allocated():
    """Return the bytes in use, which the sanitizer counts."""
    gc.collect()
    count = ctypes.CDLL(None).__sanitizer_get_current_allocated_bytes
    count.restype = ctypes.c_size_t
    return count()


def main():
    """Run each input once for its crashes and three times for its leaks."""
    from subword.native import _core as core

    print("under the sanitizers:", core.__file__)
    for inputs in (
        scanning, counting, learning, encoding, long_words, writing, matrices, known, weighing, languages,
        refusals,
    ):  # fmt: skip
        inputs(core)
        sizes = [allocated()]
        for _ in range(3):
            inputs(core)
            sizes.append(allocated())
        print(f"{inputs.__name__:>12}  {sizes[-1] - sizes[0]:+} bytes")
        if all(more > less + SLACK for less, more in itertools.pairwise(sizes)):
            sys.exit(f"{inputs.__name__} leaks: {sizes} bytes in use after each run")


if __name__ == "__main__":
    main()
