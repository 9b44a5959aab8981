"""The native encoder against the readable one, on random models, and against bad input."""

from __future__ import annotations

import itertools
import os
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import recount

from subword import reference
from subword.reference import MARKER, spell

core = pytest.importorskip("subword.native._core")

MODES = list(itertools.product(["char", "byte"], [None, "suffix", "separate"]))
LETTERS = ["a", "ab", "abc", "aé", "é☃a", "ab\0", "😀ab", "abcdefgh"]
UNKNOWN = "Zж"


class Naive:
    """A model as one reads it: the oracle of this file. Unknown symbols stand for themselves."""

    def __init__(self, symbols, merges, level, end, unknown_id):
        self.symbols, self.merges, self.level, self.end, self.unknown_id = (
            symbols,
            merges,
            level,
            end,
            unknown_id,
        )
        self.ids = {symbol: i for i, symbol in reversed(list(enumerate(symbols)))}
        self.ranks = {
            (left, right): (rank, result)
            for rank, (left, right, result) in reversed(list(enumerate(merges)))
        }

    def native(self, scanner=None, **options):
        left, right, result = np.array(self.merges, np.int32).reshape(-1, 3).T
        return core.Encoder(
            self.symbols,
            left,
            right,
            result,
            self.level,
            self.end,
            self.unknown_id,
            scanner,
            **options,
        )

    def start(self, word):
        return (
            [self.ids.get(symbol, symbol) for symbol in spell(word, self.level, self.end)]
            if word
            else self.empty()
        )

    def empty(self):
        return [self.ids[MARKER]] if self.end == "separate" else []

    def spell_out(self, ids):
        """The final ids of a word with their spans in bytes."""
        at, out = 0, []
        for symbol in ids:
            known = not isinstance(symbol, tuple)
            text, is_final = self.symbols[symbol] if known else symbol
            span = (at, at := at + len(text))
            if known:
                out.append((symbol, *span))
            elif self.unknown_id >= 0:
                out.append((self.unknown_id, *span))
            else:
                out += [(self.ids[bytes([byte]), False], *span) for byte in text]
                out += [(self.ids[MARKER], at, at)] * is_final
        return out

    def spans(self, word):
        return self.spell_out(recount.encode(self.start(word), self.ranks))

    def encode(self, word):
        return [i for i, _, _ in self.spans(word)]

    def drop(self, word, p, *key):
        ids, draw = self.start(word), reference.draws(*key)
        while True:
            candidates = sorted(
                (self.ranks[pair][0], i)
                for i, pair in enumerate(itertools.pairwise(ids))
                if pair in self.ranks
            )
            kept = next((i for _, i in candidates if draw() >= p), None)
            if kept is None:
                return [i for i, _, _ in self.spell_out(ids)]
            ids[kept : kept + 2] = [self.ranks[ids[kept], ids[kept + 1]][1]]


def random_model(rng, level, end):
    """Merges of random pairs: interned results, duplicates and merges in an order that no training gives."""
    letters = rng.choice(LETTERS)
    start = {
        symbol
        for letter in letters
        for word in (letter, letter + "x")
        for symbol in spell(word, level, end)
    }
    symbols = list({*start, MARKER, *((bytes([byte]), False) for byte in range(256))})
    symbols.sort()
    rng.shuffle(symbols)
    merges, pool = [], [symbols.index(symbol) for symbol in sorted(start)]
    for _ in range(rng.choice([0, 3, 10, 40])):
        left, right = rng.choice(pool), rng.choice(pool)
        (head, is_final), (tail, ends) = symbols[left], symbols[right]
        if is_final or len(head + tail) > 16:
            continue
        if (head + tail, ends) not in symbols:
            symbols.append((head + tail, ends))
        merges.append((left, right, symbols.index((head + tail, ends))))
        pool.append(merges[-1][2])
    return letters, Naive(symbols, merges, level, end, rng.choice([-1, -1, 0]))


def random_words(rng, letters):
    lengths = [rng.choice([1, 2, 3, 8, 20, 47, 48, 49, 90]) for _ in range(12)]
    return [
        "".join(rng.choices(letters + rng.choice(["", UNKNOWN]), k=length)) for length in lengths
    ]


@pytest.fixture(params=range(12))
def rng(request):
    return random.Random(request.param)


@pytest.mark.parametrize(("level", "end"), MODES)
def test_equals_the_naive_encoder(rng, level, end):
    letters, model = random_model(rng, level, end)
    words = random_words(rng, letters)
    text = " ".join(words)
    expected = [model.encode(word) for word in words]
    flat = list(itertools.chain.from_iterable(expected))
    encoder = model.native("space", cache_words=rng.choice([0, 1, 5, 1000]))
    for _ in range(2):  # the second time from the cache
        assert encoder.encode(text) == flat
        if level == "byte":
            assert encoder.encode(text.encode()) == flat
        assert encoder.count(text) == len(flat)
        ids, indptr = encoder.encode_words([*words, ""])
        assert [ids[a:b].tolist() for a, b in itertools.pairwise(indptr)] == [
            *expected,
            model.empty(),
        ]


@pytest.mark.parametrize(("level", "end"), MODES)
def test_spans(rng, level, end):
    letters, model = random_model(rng, level, end)
    words = random_words(rng, letters)
    expected, at = [], 0
    for word in words:
        expected += [(i, at + begin, at + finish) for i, begin, finish in model.spans(word)]
        at += len(word.encode()) + 1
    encoder = model.native("space")
    for _ in range(2):
        assert (
            list(zip(*(column.tolist() for column in encoder.spans(" ".join(words))))) == expected
        )


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("level", "end"), MODES)
def test_dropout(rng, level, end, p):
    letters, model = random_model(rng, level, end)
    texts = [" ".join(random_words(rng, letters)) for _ in range(2)]
    encoder, seed = model.native("space"), rng.getrandbits(64)
    expected = []
    for text in texts:
        hashed = reference.hash_text(text.encode())
        expected.append(
            [
                i
                for n, word in enumerate(text.split(" "))
                for i in model.drop(word, p, seed, hashed, n)
            ]
        )
        assert (
            encoder.encode_words_dropout(text.split(" "), p, seed, hashed)[0].tolist()
            == expected[-1]
        )
    for n_jobs in (1, 3):
        ids, indptr = encoder.encode_batch_dropout(texts, texts, p, seed, n_jobs)
        assert [ids[a:b].tolist() for a, b in itertools.pairwise(indptr)] == expected


def test_dropout_is_keyed_by_the_original_and_opens_words(rng):
    letters, model = random_model(rng, "char", "suffix")
    words = random_words(rng, letters)
    hashed = reference.hash_text(b"Original")
    expected = [
        i for n, word in enumerate(words) for i in (999, *model.drop(word, 0.5, 7, hashed, n))
    ]
    encoder, texts = model.native("space"), [" ".join(words)]
    found = encoder.encode_batch_dropout(texts, ["Original"], 0.5, 7, opener=999)[0]
    assert found.tolist() == expected
    with pytest.raises(ValueError, match="1 texts cannot have 2 originals"):
        encoder.encode_batch_dropout(texts, texts * 2, 0.5, 7)


def test_dropout_of_none_and_of_all(rng):
    letters, model = random_model(rng, "char", "suffix")
    text = " ".join(random_words(rng, letters))
    encoder = model.native("space")
    start = [i for word in text.split(" ") for i, _, _ in model.spell_out(model.start(word))]
    assert encoder.encode_batch_dropout([text], [text], 0, 1)[0].tolist() == encoder.encode(text)
    assert encoder.encode_batch_dropout([text], [text], 1, 1)[0].tolist() == start
    for p in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            encoder.encode_batch_dropout([text], [text], p, 1)


def test_dropout_positions_go_on_from_the_first(rng):
    letters, model = random_model(rng, "byte", None)
    words, encoder = random_words(rng, letters), model.native("space")
    whole = encoder.encode_words_dropout(words, 0.5, 7, 99)[0].tolist()
    parts = [
        encoder.encode_words_dropout(words[a:b], 0.5, 7, 99, a)[0].tolist()
        for a, b in ((0, 5), (5, 12))
    ]
    assert parts[0] + parts[1] == whole


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 100])
def test_batches(n_jobs):
    rng = random.Random(n_jobs)
    letters, model = random_model(rng, "char", "suffix")
    texts = [*(" ".join(random_words(rng, letters)) for _ in range(50)), "", "  ", ""]
    rng.shuffle(texts)
    encoder = model.native("space")
    ids, indptr = encoder.encode_batch(texts, n_jobs)
    assert (ids.dtype, indptr.dtype) == (np.int32, np.int64)
    assert [ids[a:b].tolist() for a, b in itertools.pairwise(indptr)] == [
        encoder.encode(text) for text in texts
    ]
    assert [column.tolist() for column in encoder.encode_batch([], n_jobs)] == [[], [0]]


def english_like(size):
    rng = random.Random(5)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.choice([2, 3, 5, 9]))) for _ in range(3000)]
    return [" ".join(rng.choices(words, k=30)) for _ in range(size)]


def test_threads_share_an_encoder():
    _, model = random_model(random.Random(8), "byte", "suffix")
    encoder, texts = model.native("gpt2"), english_like(300)
    expected = model.native("gpt2").encode_batch(texts)[0].tolist()
    with ThreadPoolExecutor(8) as pool:
        results = list(
            pool.map(lambda n: encoder.encode_batch(texts, n % 3 + 1)[0].tolist(), range(24))
        )
    assert all(result == expected for result in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_child_can_encode():
    _, model = random_model(random.Random(8), "byte", None)
    encoder, texts = model.native("gpt2"), english_like(100)
    expected = encoder.encode_batch(texts, 2)[0].tolist()
    child = os.fork()
    if child == 0:
        os._exit(int(encoder.encode_batch(texts, 2)[0].tolist() != expected))
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_long_words(size):
    doubling = [(b"a" * 2**k, False) for k in range(12)]
    encoder = core.Encoder(doubling, range(11), range(11), range(1, 12), "char", None)
    ids = encoder.encode("a" * size)
    assert encoder.decode_bytes(ids) == b"a" * size
    assert ids == [11] * (size // 2**11) + [k for k in reversed(range(11)) if size >> k & 1]
    symbols = [(bytes([c]), False) for c in range(256)] + [
        (bytes(pair), False) for pair in itertools.product(b"abcdefgh", repeat=2)
    ]
    pairs = list(itertools.product(b"abcdefgh", repeat=2))
    encoder = core.Encoder(symbols, *np.array(pairs, np.int32).T, range(256, 320), "byte", None)
    text = bytes(random.Random(6).choices(b"abcdefgh", k=size))
    assert encoder.decode_bytes(encoder.encode(text)) == text


def test_equal_symbols_are_seen_but_for_holes():
    hole, marker = (b"", False), (b"", True)
    for symbols, expected in (
        ([(b"a", False), (b"a", True), hole, hole, marker], False),
        ([(b"a", False), marker, marker], True),
        ([(b"a", False), hole, (b"a", False)], True),
    ):
        encoder = core.Encoder(symbols, [], [], [], "char", None)
        assert encoder.has_equal_symbols is expected


def test_a_new_pair_waits_for_the_round_to_end():
    symbols = [(text, False) for text in (b"a", b"b", b"c", b"ab", b"abc")]
    merges = [(3, 2, 4), (0, 1, 3)]  # 'abc' ranks before the 'ab' that it needs
    for word in ("abcab", "abcab" * 20):
        model = Naive(symbols, merges, "char", None, -1)
        assert model.native().encode(word) == recount.encode(model.start(word), model.ranks)


def test_decode():
    encoder = core.Encoder(
        [(b"lo", False), (b"w", True), (b"\xff", False)], [], [], [], "char", None
    )
    assert encoder.decode_bytes(np.array([0, 1, 0, 1, 2], np.int32)) == b"low low \xff"
    assert encoder.decode_bytes([0, 1]) == b"low"
    assert encoder.decode_bytes([]) == b""
    for wrong in (-1, 3, 2**31 - 1):
        with pytest.raises(IndexError, match=str(wrong)):
            encoder.decode_bytes([0, wrong])


# --- Bad input


BYTES = [(bytes([byte]), False) for byte in range(256)]


def test_nul_and_any_bytes_at_byte_level():
    encoder = core.Encoder(BYTES, [], [], [], "byte", None, scanner="gpt2")
    for text in (b"\0", b"a\0b \xff\xfe \x80", bytes(range(256)) * 3):
        assert encoder.encode(text) == list(text)
        assert encoder.decode_bytes(encoder.encode(text)) == text


def test_bytes_are_for_byte_level():
    encoder = core.Encoder(BYTES, [], [], [], "char", None, scanner="space")
    with pytest.raises(TypeError, match="text 1 is not str but bytes"):
        encoder.encode_batch(["good", b"good"])


def test_ids_that_do_not_fit_are_not_cut():
    encoder = core.Encoder(BYTES, [], [], [], "byte", None)
    with pytest.raises(OverflowError, match="4294967296"):
        encoder.decode_bytes(np.array([2**32]))
    for wrong in (np.array([0.5]), ["0"], [None]):
        with pytest.raises(TypeError, match="integers"):
            encoder.decode_bytes(wrong)


@pytest.mark.parametrize("level", ["char", "byte"])
def test_lone_surrogates_are_refused(level):
    encoder = core.Encoder(BYTES, [], [], [], level, None, scanner="space")
    for call in (encoder.encode, encoder.count, encoder.spans):
        with pytest.raises(ValueError) as caught:
            call("ab\ud800")
        assert caught.value.args == (0, 2)
    with pytest.raises(ValueError) as caught:
        encoder.encode_batch(["", "é\udfff"])
    assert caught.value.args == (1, 1)


def test_other_types_are_refused():
    encoder = core.Encoder(BYTES, [], [], [], "byte", None)
    with pytest.raises(TypeError, match="text 1 is neither str nor bytes but int"):
        encoder.encode_batch(["a", 1])
    with pytest.raises(ValueError, match="n_jobs"):
        encoder.encode_batch(["a"], 0)


@pytest.mark.parametrize("ids", [(0, 1, 9), (9, 0, 1), (0, -1, 1), (0, 0, -5)])
def test_merges_of_no_symbols_are_refused(ids):
    with pytest.raises(ValueError, match="merge 0 .*no symbol"):
        core.Encoder([(b"a", False), (b"aa", False)], *([i] for i in ids), "char", None)


def test_results_that_are_not_joined_are_refused():
    with pytest.raises(ValueError, match="merge 0: the result"):
        core.Encoder([(b"a", False), (b"b", False)], [0], [0], [1], "char", None)


def test_unknown_characters_need_an_id():
    encoder = core.Encoder([(b"a", False)], [], [], [], "char", None)
    with pytest.raises(ValueError, match="unknown character"):
        encoder.encode("ab")
    assert encoder.encode("aa") == [0, 0]  # it is still in order
    with pytest.raises(ValueError, match="unk_id 7"):
        core.Encoder([(b"a", False)], [], [], [], "char", None, 7)


def test_separate_needs_the_marker():
    with pytest.raises(ValueError, match="marker"):
        core.Encoder([(b"a", False)], [], [], [], "char", "separate")


def test_other_scanners_are_refused():
    with pytest.raises(ValueError, match="no native scanner 'other'"):
        core.Encoder(BYTES, [], [], [], "byte", None, scanner="other")


def test_words_that_are_remembered_are_not_segmented_again():
    encoder = core.Encoder(
        [(b"a", False), (b"b", False), (b"ab", False)], [0], [1], [2], "char", None
    )
    long = b"ab" * 20
    encoder.remember([b"ab", b"aab", long], [0, 1, 2, 1, 0], [2, 2, 5])  # wrong, so that it shows
    assert encoder.encode("ab") == [0, 1]
    assert encoder.encode("aab") == [0, 2]
    assert encoder.encode(long.decode()) == [2, 1, 0]


@pytest.mark.parametrize(("ids", "ends"), [([0], [2]), ([0, 0], [2, 1]), ([0], [-1, 1])])
def test_wrong_ends_of_remembered_words_are_refused(ids, ends):
    encoder = core.Encoder([(b"a", False)], [], [], [], "char", None)
    with pytest.raises(ValueError, match="ends|offset|count"):
        encoder.remember([b"a"] * len(ends), ids, ends)


def test_ids_of_a_larger_model_are_remembered_as_what_they_are_made_of():
    encoder = core.Encoder([(b"a", False), (b"b", False)], [], [], [], "char", None)
    long = b"a" * 48 + b"b"
    doublings = [0, 2, 3, 4], [0, 2, 3, 4]  # aa = 2, aaaa = 3, ..., 16 times a = 5
    encoder.remember(
        [b"bb", long], [1, 0, 5, 5, 5, 1], [2, 6], *doublings
    )  # wrong, so that it shows
    assert encoder.encode("bb") == [1, 0]
    assert encoder.encode(long.decode()) == [0] * 48 + [1]
    left, right = [*range(1, 100_000)], [0] * 99_999  # as deep as can be
    encoder.remember([b"ab"], [100_000], [1], left, right)
    assert encoder.encode("ab") == [1] + [0] * 99_999


@pytest.mark.parametrize(
    ("ids", "left", "right"),
    [([3], [0], [1]), ([-1], [0], [1]), ([2], [2], [0]), ([2], [0], [-1]), ([2], [0, 1], [0])],
)
def test_wrong_ids_of_a_larger_model_are_refused(ids, left, right):
    encoder = core.Encoder([(b"a", False), (b"b", False)], [], [], [], "char", None)
    with pytest.raises(ValueError, match="must"):
        encoder.remember([b"ab"], ids, [1], left, right)


def test_threads_that_meet_new_words_find_no_others():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefgh", k=rng.randint(1, 8))) for _ in range(30_000)]
    texts = [" ".join(rng.choices(words, k=50)) for _ in range(4_000)]
    symbols = [*((bytes([byte]), False) for byte in range(256)), (b"ab", False)]
    found = [
        core.Encoder(symbols, [97], [98], [256], "byte", None, scanner="space").encode_batch(
            texts, n_jobs
        )
        for n_jobs in [1] + [2] * 40  # with a cache that starts empty: a race was seen in 1 of 10
    ]
    for ids, indptr in found[1:]:
        assert np.array_equal(ids, found[0][0])
        assert np.array_equal(indptr, found[0][1])
