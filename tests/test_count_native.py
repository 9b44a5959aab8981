"""The native word table counts what Counter counts, in the same order, however the text comes."""

import io
import mmap
import os
import random
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

core = pytest.importorskip("subword.native._core")

SCANNERS = ["space", "whitespace", "words", "gpt2", "cl100k", "o200k", "none"]
each_scanner = pytest.mark.parametrize("scanner", SCANNERS)


def items(table):
    return list(zip(table.words(), table.counts().tolist()))


def counted(scanner, text, **options):
    table = core.WordTable(scanner)
    table.add_buffer(text.encode(), **options)
    return items(table)


def words_of(rng, distinct, size):
    """Words of 1 to 40 bytes, some of them far more frequent than others."""
    words = [
        "".join(rng.choices("abcé'1中", k=rng.choice([1, 2, 3, 5, 8, 16, 17, 40])))
        for _ in range(distinct)
    ]
    return rng.choices(words, weights=[1 / rank for rank in range(1, distinct + 1)], k=size)


@pytest.fixture(scope="module")
def large_text():
    rng = random.Random(2)
    return "".join(
        word + rng.choice([" ", " ", "  ", "\n", " \n ", "\t"])
        for word in words_of(rng, 60_000, 400_000)
    )


@pytest.fixture
def large_file(tmp_path, large_text):
    path = tmp_path / "large.txt"
    path.write_bytes(large_text.encode())
    return path


@each_scanner
def test_equals_counter(scanner, large_text):
    assert counted(scanner, large_text) == list(Counter(core.scan(scanner, large_text)).items())


def test_sum_is_the_number_of_words(large_text):
    table = core.WordTable("whitespace")
    table.add_buffer(large_text.encode())
    assert table.total() == table.counts().sum() == len(large_text.split())
    assert len(table) == len(set(large_text.split()))


@pytest.mark.parametrize("size", [*range(5), *range(30, 35), *range(62, 67)])
def test_every_batch_is_flushed(size):
    words = [f"w{i % 7}" for i in range(size)]
    expected = list(Counter(words).items())
    assert counted("whitespace", " ".join(words)) == expected
    table = core.WordTable("whitespace")
    table.add_texts(words)
    assert items(table) == expected


@each_scanner
@pytest.mark.parametrize("n_jobs", [2, 3, 7])
def test_threads_change_nothing(scanner, n_jobs, large_text):
    assert counted(scanner, large_text, n_jobs=n_jobs) == counted(scanner, large_text)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_list_of_texts(n_jobs, large_text):
    texts = large_text.split("\n")
    expected = list(Counter(word for text in texts for word in core.scan("gpt2", text)).items())
    for given_texts in texts, [text.encode() for text in texts]:
        table = core.WordTable("gpt2")
        table.add_texts(given_texts, n_jobs=n_jobs)
        assert items(table) == expected


@each_scanner
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_file_and_stream(scanner, n_jobs, large_file, large_text):
    size = os.path.getsize(large_file)
    mapped, streamed = core.WordTable(scanner), core.WordTable(scanner)
    assert mapped.add_file(large_file, n_jobs=n_jobs) == size
    assert streamed.add_stream(io.BytesIO(large_file.read_bytes()), n_jobs=n_jobs) == size
    assert items(mapped) == items(streamed) == counted(scanner, large_text)


def test_file_from_an_offset(tmp_path):
    path = tmp_path / "bom.txt"
    path.write_bytes("\ufeffa b a".encode())
    table = core.WordTable("space")
    assert table.add_file(path, offset=3) == 5
    assert items(table) == [("a", 2), ("b", 1)]
    assert table.add_file(path, offset=99) == 0


def test_empty_file_and_pipe(tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    table = core.WordTable("space")
    assert table.add_file(empty) == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"low low lower",))
    writer.start()
    assert table.add_file(pipe) == 13
    writer.join()
    assert items(table) == [("low", 2), ("lower", 1)]


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize("at", [0, 5, 300_000, 999_998])
def test_invalid_utf8_in_a_file(tmp_path, at, n_jobs):
    path = tmp_path / "bad.txt"
    text = bytearray(b"word " * 200_000)
    text[at] = text[-1] = 0xFF
    path.write_bytes(text)
    for method, source in ("add_file", path), ("add_stream", io.BytesIO(text)):
        with pytest.raises(ValueError) as caught:
            getattr(core.WordTable("space"), method)(source, n_jobs=n_jobs)
        assert caught.value.args == (at,)
    table = core.WordTable("space")
    table.add_file(path, validate=False)
    assert table.total() == len(text.split())


def test_lone_surrogate_names_document_and_position():
    with pytest.raises(ValueError) as caught:
        core.WordTable("space").add_texts(["low", "é \ud83d"])
    assert caught.value.args == (1, 2)


def test_invalid_bytes_in_texts():
    table = core.WordTable("space")
    table.add_texts([b"a", b"a \xff"])
    assert items(table) == [("a", 2), ("\udcff", 1)]
    with pytest.raises(ValueError) as caught:
        table.add_texts([b"a", b"a \xff"], validate=True)
    assert caught.value.args == (1, 2)


@each_scanner
@given(st.lists(st.binary(max_size=40), max_size=40).map(b" ".join))
def test_any_bytes(scanner, text):
    table = core.WordTable(scanner)
    table.add_buffer(text)
    words = [word.decode(errors="surrogateescape") for word in core.scan(scanner, text)]
    assert items(table) == list(Counter(words).items())


def test_nul_bytes_are_characters():
    assert counted("space", "a\0b a a\0b a\0 \0 \0\0") == [
        ("a\0b", 2),
        ("a", 1),
        ("a\0", 1),
        ("\0", 1),
        ("\0\0", 1),
    ]


def test_words_of_every_length():
    words = ["x" * length for length in [*range(1, 70), 5_000_000]]
    assert counted("space", " ".join(words + words)) == [(word, 2) for word in words]


def test_long_words_that_differ_in_one_byte():
    words = ["x" * i + "y" + "x" * (60 - i) for i in range(61)]
    assert counted("space", " ".join(words + words[::-1])) == [(word, 2) for word in words]


@pytest.mark.parametrize("size", range(1, 20))
def test_word_at_the_end_of_a_page(size):
    """Behind the page lies memory that must not be read."""
    with mmap.mmap(-1, 2 * mmap.PAGESIZE) as memory:
        text = (b"low " * mmap.PAGESIZE)[: mmap.PAGESIZE - size - 1] + b" " + b"z" * size
        memory[: mmap.PAGESIZE] = text
        table = core.WordTable("space")
        with memoryview(memory) as view, view[: mmap.PAGESIZE] as page:
            table.add_buffer(page)
    assert table.words()[-1] == "z" * size


@given(
    st.dictionaries(st.text("abc中", min_size=1, max_size=20), st.integers(0, 2**62), max_size=50)
)
def test_add_words(counts):
    table = core.WordTable("space")
    table.add_words(list(counts), np.array(list(counts.values()), dtype=np.int64))
    assert items(table) == [(word, count) for word, count in counts.items() if count]


def test_merge(large_text):
    half = large_text.index("\n", len(large_text) // 2)
    table, other = core.WordTable("gpt2"), core.WordTable("gpt2")
    table.add_buffer(large_text[:half].encode())
    other.add_buffer(large_text[half:].encode())
    table.merge(other)
    assert items(table) == list(
        Counter(core.scan("gpt2", large_text[:half]) + core.scan("gpt2", large_text[half:])).items()
    )
    before = table.counts()
    table.merge(table)
    assert (table.counts() == 2 * before).all()


def test_flat():
    table = core.WordTable("space")
    table.add_buffer("low é low".encode())
    text, offsets, counts = table.flat()
    assert (bytes(text), offsets.tolist(), counts.tolist()) == ("lowé".encode(), [0, 3, 5], [2, 1])


def test_overflow():
    table = core.WordTable("space")
    table.add_words(["low"], np.array([2**63 - 1]))
    with pytest.raises(OverflowError):
        table.add_buffer(b"low")
    with pytest.raises(OverflowError):
        table.merge(table)
    table.add_words(["lower"], np.array([1]))
    with pytest.raises(OverflowError):
        table.total()


@pytest.mark.parametrize(
    ("words", "counts"), [([""], [1]), (["a"], [-1]), (["a"], [1, 2]), (["\ud800"], [1])]
)
def test_bad_words(words, counts):
    with pytest.raises(ValueError):
        core.WordTable("space").add_words(words, np.array(counts))


def test_wrong_types():
    table = core.WordTable("space")
    for call in (
        lambda: table.add_buffer("text"),
        lambda: table.add_texts([1]),
        lambda: core.WordTable(None),
    ):
        with pytest.raises(TypeError):
            call()


def test_progress_may_stop_the_work(large_text):
    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        core.WordTable("words").add_buffer(100 * large_text.encode(), n_jobs=2, progress=stop)


def test_tables_are_safe_between_threads(large_text):
    table = core.WordTable("space")
    threads = [
        threading.Thread(target=table.add_buffer, args=(large_text.encode(),)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
        len(table), table.words()
    for thread in threads:
        thread.join()
    assert items(table) == [(word, 4 * count) for word, count in counted("space", large_text)]


def test_none_is_no_table_and_no_scanner():
    for call in (
        lambda: core.WordTable("space").merge(None),
        lambda: core.scan(None, "a"),
        lambda: core.last_cut(None, b"a"),
    ):
        with pytest.raises(TypeError, match="None"):
            call()


def test_counts_that_do_not_fit_are_not_cut():
    table = core.WordTable("space")
    with pytest.raises(OverflowError, match="18446744073709551615"):
        table.add_words(["a"], np.array([2**64 - 1], np.uint64))
    with pytest.raises(TypeError, match="integers"):
        table.add_words(["a"], [1.5])


def test_streams_report_progress():
    seen = []
    core.WordTable("space").add_stream(io.BytesIO(b"low " * 5_000_000), progress=seen.append)
    assert seen == sorted(seen)
    assert len(seen) >= 2  # after each block


@pytest.mark.slow
def test_progress_must_not_change_the_table():
    table = core.WordTable("whitespace")
    text = " ".join(map(str, range(6_000_000))).encode()  # long enough for a report

    def meddle(done):
        table.add_words(["low"], np.array([1]))

    with pytest.raises(RuntimeError, match="must not change the table"):
        table.add_buffer(text, progress=meddle)
    table.add_words(["low"], np.array([1]))
