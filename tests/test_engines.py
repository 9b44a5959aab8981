"""Two engines, one result: the compiled engine against the readable one, on random input."""

from __future__ import annotations

import gzip
import lzma
import threading
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import subword
from subword import native, reference
from subword.alphabet import alphabet
from subword.coder import Coder, Dropout, NativeCoder
from subword.options import END_OF_WORD, LEVELS, TIE_BREAKS, Options
from subword.pretokenize import Splitter
from subword.tally import NativeTally, Tally
from subword.trainer import _learn_in_python, _learn_natively, with_results

pytestmark = pytest.mark.skipif(native.core() is None, reason="pure Python runs")

LETTERS = "abAB é北😀\u0301'’-_1²٣ \n\r\t\u00a0\u2028\x1c\x85\0İΣß</w>@"
texts = st.lists(
    st.text(st.sampled_from(LETTERS) | st.characters(exclude_categories=["Cs"]), max_size=30),
    max_size=6,
)
tiny = st.text(st.sampled_from("aab"), min_size=1, max_size=12)
dictionaries = st.dictionaries(
    tiny | st.text(st.sampled_from("aé😀<"), min_size=1, max_size=6),
    st.integers(1, 5),
    min_size=1,
    max_size=12,
)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Bar:
    """Stands for a progress bar."""

    n = 0

    def update(self, more: int = 1) -> None:
        self.n += more


def learn_both(counts, options, limits=(25, 10**6), longest=0):
    words = subword.WordCounts(counts).words()
    base = alphabet("".join(counts), options.level, options.end_of_word, options.unknown)
    results = [
        learn(words, base, options, limits, longest, Bar())[0]
        for learn in (_learn_in_python, _learn_natively)
    ]
    return words, base, results


@quick
@given(
    counts=dictionaries, level=st.sampled_from(LEVELS), end=st.sampled_from(END_OF_WORD),
    tie=st.sampled_from(TIE_BREAKS), least=st.integers(1, 4), longest=st.sampled_from([0, 0, 2, 3]),
)  # fmt: skip
def test_learning(counts, level, end, tie, least, longest):
    options = Options(level, end, tie_break=tie, min_frequency=least)
    _, _, (slow, fast) = learn_both(counts, options, longest=longest)
    assert slow.ids.tolist() == fast.ids.tolist()
    assert slow.counts.tolist() == fast.counts.tolist()
    assert slow.applied.tolist() == fast.applied.tolist()


@quick
@given(counts=dictionaries, size=st.integers(0, 12))
def test_learning_up_to_a_number_of_symbols(counts, size):
    options = Options(min_frequency=1)
    base = len(alphabet("".join(counts), "char", "suffix", "bytes"))
    _, _, (slow, fast) = learn_both(counts, options, limits=(10**6, base + size))
    assert slow.ids.tolist() == fast.ids.tolist()


@quick
@given(
    counts=dictionaries, level=st.sampled_from(LEVELS), end=st.sampled_from(END_OF_WORD),
    unknown=st.sampled_from(["bytes", "unk", "unk_run"]), tie=st.sampled_from(TIE_BREAKS),
)  # fmt: skip
def test_what_training_remembers_is_what_encoding_finds(counts, level, end, unknown, tie):
    if level == "byte":
        unknown = "bytes"
    with warnings.catch_warnings(action="ignore"):  # fewer merges than asked for, lost spaces
        bpe = subword.train(
            subword.WordCounts(counts, pretokenizer="none"), 30, min_frequency=1, level=level,
            end_of_word=end, tie_break=tie, unknown=unknown,
        )  # fmt: skip
    seen, words = bpe._seen, subword.WordCounts(counts).words()
    slow = Coder(bpe._plain, bpe._table, bpe.options)
    if seen:
        assert seen.text.tolist() == words.text.tolist()
        assert seen.offsets.tolist() == words.offsets.tolist()
        for word, first, last in zip(counts, [0, *seen.ends], seen.ends, strict=False):
            assert seen.ids[first:last].tolist() == slow.encode_word(word)
    assert [bpe.encode(word) for word in counts] == [slow.encode_word(word) for word in counts]


@quick
@given(
    counts=dictionaries, documents=texts, level=st.sampled_from(LEVELS), end=st.sampled_from(END_OF_WORD),
    unknown=st.sampled_from(["bytes", "unk", "unk_run"]), rate=st.sampled_from([0.1, 0.5, 0.9, 1.0]),
    pretokenizer=st.sampled_from([*native.SCANNERS, r"\w+|\W"]), lower=st.booleans(),
)  # fmt: skip
def test_encoding(counts, documents, level, end, unknown, rate, pretokenizer, lower):
    if level == "byte":
        unknown = "bytes"
    options = Options(level, end, Splitter(pretokenizer), unknown, min_frequency=1)
    _, base, (merges, _) = learn_both(counts, options)
    symbols, table = with_results(base, merges.ids), merges.ids
    if unknown != "bytes":
        symbols, table = [(b"<unk>", False), *symbols], table + np.int32(1)
    slow, fast = Coder(symbols, table, options), NativeCoder(symbols, table, options)
    for n_jobs in (1, 2):
        for left, right in zip(
            slow.encode_batch(documents, 1), fast.encode_batch(documents, n_jobs), strict=True
        ):
            assert (left.dtype, left.tolist()) == (right.dtype, right.tolist())
    if fast.engine:
        found = [slow.encode(text.lower() if lower else text) for text in documents]
        assert [fast.engine.encode(text, lower) for text in documents] == found
        assert [fast.engine.count(text, lower) for text in documents] == [*map(len, found)]
        ids, indptr = fast.engine.encode_batch(documents, 2, lower)
        assert [ids[a:b].tolist() for a, b in pairwise(indptr)] == found
    for text in documents:
        assert slow.encode(text) == fast.encode(text)
        assert slow.count(text) == fast.count(text)
        assert slow.encode_spans(text, None, 0) == fast.encode_spans(text, None, 0)
        assert slow.hash_text(text) == fast.hash_text(text)
        words = options.splitter.split(text)
        drop = Dropout(rate, 2**63 + 5, slow.hash_text(text))
        assert list(slow.drop_words(words, drop, 3)) == list(fast.drop_words(words, drop, 3))


@quick
@given(
    documents=st.lists(texts.map(" ".join) | st.binary(max_size=30), max_size=6),
    pretokenizer=st.sampled_from(native.SCANNERS),
    lower=st.booleans(),
    normalization=st.sampled_from([(), (), ("NFKC",)]),
    n_jobs=st.sampled_from([1, 2]),
    listed=st.booleans(),
)
def test_counting(documents, pretokenizer, lower, normalization, n_jobs, listed):
    splitter = Splitter(pretokenizer, lower, normalization)
    slow, fast = Tally(splitter), NativeTally(splitter)
    slow.add_texts(documents)
    fast.add_texts(documents if listed else iter(documents), n_jobs)
    assert len(slow) == len(fast)
    assert list(slow.counts().items()) == list(fast.counts().items())
    assert slow.words().text.tobytes() == fast.words().text.tobytes()


@pytest.mark.parametrize("pretokenizer", ["space", "gpt2"])
@pytest.mark.parametrize("errors", ["strict", "bytes", "replace"])
@pytest.mark.parametrize("lower", [False, True])
def test_counting_files(tmp_path, pretokenizer, errors, lower):
    path = tmp_path / "corpus"
    path.write_bytes(
        "\ufeffLow ΌΣΟΣ İ lower\r\nné 北 low\n".encode() * 50
        + (b"" if errors == "strict" else b"a\xff \xe2\x82 b")
    )
    rules = {"pretokenizer": pretokenizer, "lowercase": lower}
    fast = subword.WordCounts.from_files(path, **rules, errors=errors, n_jobs=2)
    text = path.read_bytes().decode("utf-8-sig", {"bytes": "surrogateescape"}.get(errors, errors))
    slow = Tally(Splitter(**rules))
    slow.add_texts([native.as_utf8(text)])
    assert list(fast.items()) == list(slow.counts().items())


def test_invalid_bytes_in_a_file_are_named_alike(tmp_path):
    path = tmp_path / "corpus"
    path.write_bytes(b"\xef\xbb\xbflow\n" * 3 + b"low \xff\xfe low\n")
    with pytest.raises(subword.CorpusError, match="line 4, byte 25: invalid UTF-8") as caught:
        subword.WordCounts.from_files(path)
    assert caught.value.byte == 25


def test_bytes_that_are_no_text():
    bpe = subword.train([b"a\xff\xfe \xe2\x82 a\xff\xfe"], level="byte", pretokenizer="gpt2")
    assert bpe.decode_bytes(bpe.encode(b"\xffa\xff\xfe \xe2")) == b"\xffa\xff\xfe \xe2"
    slow = Coder(bpe._plain, bpe._table, bpe.options)
    texts = [b"a\xff\xfe", "é", b"\xe2\x82\xff"]
    words = [
        text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
        for text in texts
    ]
    assert bpe.encode_batch(texts)[0].tolist() == slow.encode_batch(words, 1)[0].tolist()
    assert bpe.encode_with_offsets(b"a\xff\xfe")[1] == [(0, 1), (1, 3)]


def test_decoding_arrays_is_decoding_lists():
    bpe = subword.train(["low lower naïve " * 3], special_tokens=["<s>"])
    plain = subword.train(["low lower naïve " * 3])
    for model in (bpe, plain):
        ids, _ = model.encode_batch(["low naïve ☃ lower"])
        assert (
            model.decode_bytes(ids)
            == model.decode_bytes(ids.tolist())
            == "low naïve ☃ lower".encode()
        )
        assert model.decode_bytes(ids) == reference.decode(ids.tolist(), model.symbols)
        with pytest.raises(IndexError, match="99999"):
            model.decode(np.array([99999], np.int32))


def test_long_words_are_no_problem():
    bpe = subword.train({"aaaa": 4, "ab": 3})
    assert bpe.decode(bpe.encode("a" * 100_001 + "b")) == "a" * 100_001 + "b"
    long = subword.train({"ab" * 50_000: 2})
    assert long.merge_counts[0] == 2 * 49_999  # the last b ends the word


def test_counts_near_the_limit_overflow_in_both():
    with pytest.raises(OverflowError):
        learn_both({"ab": 2**62, "cab": 2**62}, Options())
    words = subword.WordCounts({"ab": 2**62, "cab": 2**62}).words()
    with pytest.raises(OverflowError):
        _learn_natively(
            words, alphabet("abc", "char", "suffix", "bytes"), Options(), (5, 999), 0, Bar()
        )


def test_learning_can_be_interrupted():
    def stop(done: int) -> None:
        raise KeyboardInterrupt

    bar = Bar()
    bar.update = stop
    words = subword.WordCounts(
        {f"w{i:05}x{i * 7919 % 100_003:06}": 1 + i % 7 for i in range(60_000)}
    ).words()
    with pytest.raises(KeyboardInterrupt):
        _learn_natively(
            words,
            alphabet("wx0123456789", "char", None, "bytes"),
            Options(end_of_word=None),
            (10**6, 10**6),
            0,
            bar,
        )


def test_threads_share_an_engine():
    bpe = subword.train(["low lower newest widest naïve " * 5])
    documents = [f"low{i} newest lower{i % 7} é{i}" for i in range(500)]
    expected = bpe.encode_batch(documents)[0].tolist()
    results = []
    threads = [
        threading.Thread(
            target=lambda: results.append(bpe.encode_batch(documents, n_jobs=2)[0].tolist())
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


@pytest.mark.parametrize("level", LEVELS)
def test_the_unknown_id_stands_for_no_byte(level):
    symbols = [(b"<unk>", False), *alphabet("a", level, None, "unk")]
    options, table = Options(level, None, Splitter("none"), "unk"), np.empty((0, 3), np.int32)
    for text in ("a\udcffa", "\udcff", "aÿ") if level == "byte" else ("aba", "ÿ"):
        encoded = [coder(symbols, table, options).encode(text) for coder in (Coder, NativeCoder)]
        assert encoded[0] == encoded[1]


def test_a_base_symbol_may_be_what_a_merge_makes():
    words = subword.WordCounts({"b\0b\0aabbbaab\0bbbaa": 2}).words()
    base = [*alphabet("ab\0", "char", None, "bytes"), (b"b\0", False)]
    for tie_break in TIE_BREAKS:
        options = Options(end_of_word=None, tie_break=tie_break)
        slow, fast = (
            learn(words, base, options, (99, 999), 3, Bar())[0]
            for learn in (_learn_in_python, _learn_natively)
        )
        assert slow.ids.tolist() == fast.ids.tolist()


def test_bytes_are_for_byte_level():
    bpe = subword.train({"low": 5, "lower": 2})
    for encode in (
        bpe.encode,
        bpe.count,
        bpe.encode_with_offsets,
        lambda text: bpe.encode_batch(["a", text]),
    ):
        with pytest.raises(TypeError, match="bytes.*decode it first, or use level='byte'"):
            encode(b"low")


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files_are_streamed(tmp_path, suffix, pack):
    path = tmp_path / f"corpus{suffix}"
    text = "\ufefflow lower\nné " * 100_000
    path.write_bytes(pack(text.encode()))
    counts = dict(subword.WordCounts.from_files(path, n_jobs=2))
    assert counts == {"low": 1, "lower": 100_000, "né": 100_000, "\ufefflow": 99_999}
    path.write_bytes(pack(b"\xef\xbb\xbflow\nlow \xff"))
    with pytest.raises(subword.CorpusError, match="line 2, byte 11: invalid UTF-8"):
        subword.WordCounts.from_files(path)
    assert dict(subword.WordCounts.from_files(path, errors="bytes")) == {"low": 2, "\udcff": 1}
    path.write_bytes(pack(text.encode())[:-20])
    with pytest.raises(subword.CorpusError, match="cannot be unpacked"):
        subword.WordCounts.from_files(path)
