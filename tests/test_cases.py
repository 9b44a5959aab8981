"""Faults that users of other tools met, C01 to C56, and what happens here: one test for each."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
import unicodedata
import warnings

import pytest
import recount
from conftest import environment

import subword
from subword import CorpusError, ModelFileError, SubwordError, SubwordWarning, WordCounts
from subword.cli import main
from subword.reference import spell

LOW = "#version: 0.2\nl o\nlo w</w>\n"
PAPER = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@pytest.fixture
def low() -> subword.BPE:
    return subword.loads(LOW)


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def write(content: str | bytes, name: str = "file") -> str:
        raw = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(raw)
        return str(tmp_path / name)

    return write


def learn(*texts: str, **options) -> subword.BPE:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubwordWarning)  # of merges that there are not
        return subword.train(texts, **{"min_frequency": 1} | options)


def python(code: str, **variables: str) -> str:
    run = [sys.executable, "-c", code]
    return subprocess.run(
        run, env=environment() | variables, capture_output=True, text=True, check=True
    ).stdout


# -- white space and Unicode -----------------------------------------------------------------


def test_c01_only_space_splits_words():
    bpe = learn("10\u00a0km 10\u00a0km")
    assert bpe.merges == (("\u00a0", "k"), ("\u00a0k", "m</w>"), ("1", "0"), ("10", "\u00a0km</w>"))


def test_c02_a_line_separator_is_a_symbol_of_codes(write, tmp_path):
    text = "#version: 0.2\n. \u2028</w>\n"
    bpe = subword.load(write(text))
    assert bpe.num_merges == 1
    bpe.export(tmp_path / "again", "subword-nmt")
    assert (tmp_path / "again").read_bytes() == text.encode()


def test_c03_c04_lines_stay_as_many(write, capsys, low):
    model = write(LOW, "codes")
    for text, ends in (("a\u2028b\nc\x85d\n\ne", 3), ("\n\n\n", 3)):
        for command in (["segment", "-m"], ["apply-bpe", "-c"], ["encode", "-m"]):
            given = ["-i"] * (command[0] == "apply-bpe")
            assert main([*command, model, *given, write(text)]) == 0
            assert capsys.readouterr().out.count("\n") == ends
        assert len(low.encode_batch(text.split("\n"))[1]) == ends + 2


def test_c05_runs_of_spaces_make_no_empty_word(low):
    assert low.segment("  low  low \r\n") == "  low low \r\n"
    assert dict(WordCounts.from_texts(["  low  low \r\n"])) == {"low": 2}


def test_c06_a_tab_is_no_boundary(low):
    assert low.segment("low\tlow") == "lo@@ w@@ \t@@ low"


def test_c07_crlf_is_in_no_symbol(write, low):
    models = [
        subword.train_files([write(text)], 2, min_frequency=1)
        for text in ("low\r\nlow\r\n", "low\nlow\n")
    ]
    assert models[0] == models[1]
    assert models[0].merges == (("o", "w</w>"), ("l", "ow</w>"))
    assert low.segment("low\r\n") == "low\r\n"


def test_c08_a_byte_order_mark_is_no_character(write):
    marked, plain = (WordCounts.from_files([write(text)]) for text in ("\ufefflow low", "low low"))
    assert marked == plain
    assert "\ufefflow" in WordCounts.from_texts(["\ufefflow"])
    assert "low\ufeff" in WordCounts.from_files([write("low\ufeff")])


@pytest.mark.parametrize("text", ["ක්\u200dෂ", "می\u200cخواهم", "a\u200bb\u2060c"])
def test_c09_joiners_stay(text):
    for options in ({}, {"level": "byte", "pretokenizer": "gpt2"}, {"pretokenizer": "whitespace"}):
        bpe = learn(text, **options)
        assert bpe.decode(bpe.encode(text)) == text
    assert len(WordCounts.from_texts([text], pretokenizer="whitespace")) == 1


def test_c10_composed_and_decomposed():
    texts = ["café", "cafe\u0301"]
    plain = learn(*texts)
    assert [plain.decode(plain.encode(text)) for text in texts] == texts
    bpe = subword.loads(learn(*texts, normalization="NFC").dumps())
    assert bpe.encode(texts[0]) == bpe.encode(texts[1])


def test_c11_nothing_is_normalised_in_silence():
    text = "︰ ŀ ŉ ﬁ ² Ａ"
    assert learn("x").decode(learn("x").encode(text)) == text


def test_c12_lone_surrogates_are_refused_at_every_door(low):
    text = "low \ud83d"
    doors = [
        low.encode, low.tokenize, low.segment, low.count, low.encode_with_offsets, low.explain, low.trace,
        lambda text: low.encode_batch(["low", text]), lambda text: subword.train(["low", text]),
        lambda text: WordCounts({text: 1}), lambda text: WordCounts.from_texts([text]),
        lambda text: subword.SubwordVectorizer().fit([text]),
        lambda text: subword.SubwordVectorizer(bpe=low).fit(["low"]).transform([text]),
    ]  # fmt: skip
    for door in doors:
        with pytest.raises(SubwordError, match="surrogate"):
            door(text)


def test_c13_bytes_that_are_no_text_are_placed_or_kept(write):
    raw = b"low \xff\xfe low\n"
    path = write(raw)
    with pytest.raises(CorpusError, match="line 1") as caught:
        WordCounts.from_files([path])
    assert (caught.value.path, caught.value.byte) == (path, 4)
    counts = WordCounts.from_files([path], errors="bytes", pretokenizer="none")
    bpe = subword.train(counts, level="byte", min_frequency=1, num_merges=2)
    assert bpe.decode_bytes(bpe.encode(raw)) == raw


def test_c14_nul_is_a_symbol():
    bpe = learn("a\0b a\0b")
    assert bpe.decode(bpe.encode("a\0b")) == "a\0b"
    assert subword.loads(bpe.dumps()) == bpe


def test_c15_one_emoji_is_one_symbol():
    bpe = learn("😀😀 😀😀")
    assert bpe.merges == (("😀", "😀</w>"),)
    assert bpe.segment("😀😀 x😀") == "😀😀 x@@ 😀"


@pytest.mark.filterwarnings("ignore:nothing to learn")
def test_c16_single_letters_and_digits_are_features():
    names = subword.SubwordVectorizer().fit(["a 1", "1 2"]).get_feature_names_out()
    assert {"a", "1", "2"} <= {*names}


# -- corpora, dictionaries, codes ------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "   \n  \n", "a b c"])
def test_c17_c18_nothing_to_learn_is_a_model(text):
    with pytest.warns(SubwordWarning):
        bpe = subword.train([text])
    assert bpe.num_merges == 0
    assert bpe.segment("low") == "l@@ o@@ w"
    codes = subword.formats.subword_nmt.write(bpe)
    assert codes == "#version: 0.2\n"
    assert subword.loads(codes).num_merges == 0


@pytest.mark.parametrize("line", ["l", "l o 12", "l\to", "", "l  o"])
def test_c19_malformed_lines_name_their_place(line):
    with pytest.raises(ModelFileError, match="expected|three columns") as caught:
        subword.loads(f"#version: 0.2\n{line}\nlo w</w>\n", "codes")
    assert (caught.value.path, caught.value.line) == ("codes", 2)


def test_c20_a_missing_header_is_mentioned():
    with pytest.warns(SubwordWarning, match="no header"):
        bpe = subword.loads("l o\nlo w</w>\n")
    assert bpe.segment("low lo") == "lo@@ w lo"


def test_c21_unknown_versions():
    with pytest.raises(ModelFileError, match=r"version '0\.3'"):
        subword.loads("#version: 0.3\nl o\n")


def test_c22_of_duplicate_merges_the_first_counts(low):
    again = subword.loads(f"{LOW}l o\n")
    for text in ("low lo", "lolow", "low"):
        assert again.segment(text) == low.segment(text)


@pytest.mark.parametrize(
    "codes",
    [LOW.replace("\n", "\r\n"), LOW.replace("\n", " \n"), LOW.replace("l o", " l o"), "\ufeff" + LOW],
)  # fmt: skip
def test_c23_c24_line_ends_blanks_and_marks_do_no_harm(low, codes, write):
    assert subword.loads(codes) == subword.load(write(codes)) == low


def test_c25_a_line_like_a_header_is_text():
    bpe = learn("#version: 0.2 #version: 0.2")
    codes = subword.formats.subword_nmt.write(bpe)
    assert codes.count("#version: 0.2\n") == 1
    assert ("0.", "2</w>") in bpe.merges
    assert subword.loads(codes).merges == bpe.merges


@pytest.mark.parametrize("row", ["two words 3", "bc -2", "x 1.5", "word", "3"])
def test_c26_bad_rows_name_their_line(write, row):
    with pytest.raises(CorpusError, match="line 2"):
        WordCounts.load(write(f"low 5\n{row}\n"))


def test_c26_good_rows_add_up(write):
    assert dict(WordCounts.load(write("word\t3\naaa 0\nab 2\nab 3\n"))) == {"word": 3, "ab": 5}


def test_c27_one_line_without_end_takes_little_memory(write):
    path = write("ab " * 7_000_000)
    code = (
        "import resource, sys, subword; base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "counts = subword.WordCounts.from_files([sys.argv[1]]);"
        "print(dict(counts), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base)"
    )
    out = python(f"import sys; sys.argv = ['', {path!r}]; {code}")
    counted, grown = out.rsplit(" ", 1)
    assert counted == "{'ab': 7000000}"
    assert int(grown) < 60_000  # kB
    letters = "".join(random.Random(1).choices("abcdefgh", k=200_000))
    assert learn(letters, num_merges=5).num_merges == 5


def test_c28_a_killed_writer_leaves_the_old_file(write, tmp_path):
    path = write(learn("low low").dumps(), "m")
    code = (
        "import sys, subword; bpe = subword.train({'low': 5, 'lower': 2});\n"
        f"while True: bpe.save({path!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env=environment())
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        subword.load(path)  # whole at any time
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert subword.load(path).num_merges > 0


@pytest.mark.parametrize(
    "load", [subword.load, WordCounts.load, lambda p: WordCounts.from_files([p])]
)
def test_c29_wrong_paths_are_the_usual_errors(load, tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        load(tmp_path / "nothing")
    with pytest.raises((IsADirectoryError, ModelFileError)):
        load(tmp_path)


# -- learning --------------------------------------------------------------------------------


def test_c30_more_merges_than_there_are():
    with pytest.warns(SubwordWarning, match="2 merges learnt, 10000 asked for") as caught:
        bpe = subword.train(["low low"], 10_000)
    assert (bpe.num_merges, len(caught)) == (2, 1)


def test_c31_minimum_frequency():
    assert learn("ab ab cd", min_frequency=2).merges == (("a", "b</w>"),)
    assert learn("ab ab cd", min_frequency=3).merges == ()


@pytest.mark.parametrize("tie_break", ["largest", "smallest_id", "largest_id"])
def test_c32_every_merge_is_the_most_frequent_pair(tie_break):
    rng = random.Random(tie_break)
    words = {
        "".join(rng.choices("abc", k=rng.randrange(1, 9))): rng.randrange(1, 9) for _ in range(40)
    }
    bpe = learn_counts(words, tie_break=tie_break)
    spelt = [(spell(word, "char", "suffix"), count) for word, count in words.items()]
    made = recount.learn(spelt, bpe.symbols[: -bpe.num_merges], tie_break, 1000, min_frequency=2)
    assert [count for _, _, count in made] == bpe.merge_counts.tolist()
    assert [pair for pair, _, _ in made] == [tuple(row[:2]) for row in bpe._table.tolist()]


def learn_counts(words, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubwordWarning)
        return subword.train(words, **options)


def test_c33_ties():
    assert learn("ab cd ef").merges == (("e", "f</w>"), ("c", "d</w>"), ("a", "b</w>"))
    ids = learn("ab cd ef", tie_break="smallest_id", end_of_word=None)
    assert ids.merges == (("a", "b"), ("c", "d"), ("e", "f"))
    assert subword.loads(ids.dumps()).options.tie_break == "smallest_id"


def test_c34_the_same_in_every_process():
    code = (
        "import subword, hashlib; texts = ['low lower newest', 'widest low é'] * 50;"
        "bpe = subword.train(texts, 20, n_jobs={jobs}); print(hashlib.sha256(bpe.dumps().encode())"
        ".hexdigest(), bpe.encode('lowest é'))"
    )
    found = {
        python(code.format(jobs=jobs), PYTHONHASHSEED=seed)
        for jobs, seed in ((1, "0"), (2, "1"), (8, "42"))
    }
    assert len(found) == 1


def test_c35_the_order_of_the_corpus_does_not_matter():
    lines = ["low lower", "newest widest", "low newest lowest"]
    same = learn(*lines)
    assert learn(*lines[::-1]).merges == same.merges
    assert learn(*(" ".join(line.split()[::-1]) for line in lines)).merges == same.merges
    assert learn(*lines * 5, min_frequency=5).merges == same.merges


def test_c36_overlapping_pairs():
    assert learn("aaaa aaaa").merges == (("a", "a"), ("aa", "a"), ("aaa", "a</w>"))
    bpe = subword.loads("#version: 0.2\na a\naa aa\n")
    assert [bpe.segment("a" * n) for n in (3, 5, 7)] == ["aa@@ a", "aaaa@@ a", "aaaa@@ aa@@ a"]


def test_c37_the_example_of_the_paper():
    merges = "s t</w>,e st</w>,l o,w est</w>,n e,ne west</w>,lo w</w>,w i,wi d,wid est</w>"
    assert [" ".join(pair) for pair in subword.train(PAPER, 10).merges] == merges.split(",")


def test_c38_counts_past_32_bits():
    bpe = learn_counts({"aaa": 3_000_000_000, "bc": 2})
    assert bpe.merges == (("a", "a</w>"), ("a", "aa</w>"), ("b", "c</w>"))
    both = learn_counts({"ab": 2**31, "abc": 2**31})
    assert both.merges[0] == ("a", "b</w>") or both.merge_counts[0] == 2**31
    with pytest.raises(OverflowError):
        subword.train({"ab": 2**62, "abx": 2**62, "aby": 2**62})


def test_c39_c40_sizes_that_cannot_be():
    letters = "".join(map(chr, range(97, 123))) + "0123456789äöüß"
    with pytest.raises(SubwordError, match="vocab_size"):
        subword.train([letters, letters], vocab_size=10)
    with pytest.raises(SubwordError, match="vocab_size"):
        subword.train(["low low"], vocab_size=10, level="byte")
    with pytest.raises(SubwordError, match="num_merges"):
        subword.train(["low low"], -1)
    assert subword.train(["low low"], 0).num_merges == 0
    size = 320
    bpe = subword.train(
        {"newest": 6, "widest": 3, "low": 5, "lower": 2} | {"news": 4}, vocab_size=size - 40
    )
    assert len(bpe) == size - 40


# -- segmentation, vocabularies, glossaries, dropout -----------------------------------------


def test_c41_fewer_merges(low):
    assert [low.truncate(n).segment("low") for n in (0, 1, 2)] == ["l@@ o@@ w", "lo@@ w", "low"]
    assert subword.train(PAPER, 10).truncate(4) == subword.train(PAPER, 4)


def test_c42_very_long_words():
    letters = "".join(random.Random(1).choices("abcd", k=20_000))
    bpe = learn(letters, num_merges=256)
    for word in ("a" * 100_000, letters):
        start = time.process_time()
        assert bpe.decode(bpe.encode(word)) == word
        assert time.process_time() - start < 20


def test_c43_a_vocabulary_filters(low):
    assert low.segment("low", vocabulary={"l@@", "o@@", "w", "lo@@"}) == "lo@@ w"
    assert low.segment("low q", vocabulary={"zz"}) == "l@@ o@@ w q"
    assert dict(WordCounts({"a": 2, "b": 1}).prune(2)) == {"a": 2}


def test_c44_glossaries(low):
    assert low.segment("lowlow lo", glossaries=["low"]) == "low@@ low l@@ o"
    number = [r"<num>\d+</num>"]
    text = "<num>12</num> low <num>3</num>low"
    assert low.segment(text, glossaries=number) == "<num>12</num> low <num>3</num>@@ low"
    assert low.segment("abc", glossaries=["a.c"]) == "abc"
    many = low.segmenter(glossaries=[f"word{i}x" for i in range(5000)])
    start = time.process_time()
    assert many.segment("low word4999x " * 2000).startswith("low word4999x low")
    assert time.process_time() - start < 10


def test_c45_words_that_hold_the_separator(low):
    bpe = subword.loads("#version: 0.2\na @\na@ @</w>\n")
    assert bpe.segment("a@@ low") == "a@@ l@@ o@@ w"
    assert bpe.segment("a@@ low", separator="￭") == "a@@ l￭ o￭ w"
    full = learn("a@@ low")
    assert full.decode(full.encode("a@@ low")) == "a@@ low"


def test_c46_dropout(low):
    bpe, text, state = subword.train(PAPER), "lowest newest widest lower" * 3, random.getstate()
    assert bpe.encode(text, dropout=0.5, seed=1) == bpe.encode(text, dropout=0.5, seed=1)
    assert bpe.encode(text, dropout=0.0, seed=1) == bpe.encode(text)
    assert low.segment("low", dropout=1) == "l@@ o@@ w"
    with pytest.raises(SubwordError, match="dropout"):
        bpe.encode(text, dropout=1.5)
    assert random.getstate() == state


def test_c47_dropout_never_touches_predictions():
    texts = ["low lowest newest", "wider widest lower"] * 4
    vectorizer = subword.SubwordVectorizer(num_merges=10, dropout=0.5, random_state=1).fit(texts)
    first = vectorizer.transform(texts)
    assert all((vectorizer.transform(texts) != first).nnz == 0 for _ in range(10))


# -- bytes, ids, special tokens --------------------------------------------------------------


def test_c48_a_cut_character():
    bpe = subword.train(["low low"], level="byte", pretokenizer="gpt2")
    ids = bpe.encode("杝")
    assert bpe.decode(ids[:2]) == "\ufffd"
    assert bpe.decode_bytes(ids[:2]) == "杝".encode()[:2]
    with pytest.raises(UnicodeDecodeError):
        bpe.decode(ids[:2], errors="strict")
    stream = bpe.decoder()
    assert [stream.push(i) for i in ids] == ["", "", "杝"]


@pytest.mark.parametrize("i", [10**9, -1])
def test_c49_unknown_ids_are_named(low, i):
    with pytest.raises(IndexError, match=str(i)):
        low.decode([i])


def test_c50_special_tokens_are_text_unless_allowed():
    bpe = subword.train(["low low"], special_tokens=["<|endoftext|>", "</s>"])
    text = "a </s> b <|endoftext|>"
    assert bpe.decode(bpe.encode(text)) == text
    assert not {*bpe.encode(text)} & {len(bpe) - 1, len(bpe) - 2}
    assert bpe.encode(text, allowed_special={"</s>"}).count(len(bpe) - 1) == 1


def test_c51_c52_special_tokens_and_ids_outlive_a_file(tmp_path):
    bpe = subword.train(["is <SEP> ok is<SEP>ok"] * 3, special_tokens=["<SEP>"])
    bpe.save(tmp_path / "m")
    assert "<" not in "".join(
        piece for piece in bpe.vocab[257:] if piece != "<SEP>" and "</w>" not in piece
    )
    code = (
        f"import subword; bpe = subword.load({str(tmp_path / 'm')!r});"
        "print(bpe.encode('is<SEP>ok', allowed_special='all'), [bpe.encode(f'is {i} ok') for i in range(1000)])"
    )
    here = (
        bpe.encode("is<SEP>ok", allowed_special="all"),
        [bpe.encode(f"is {i} ok") for i in range(1000)],
    )
    assert python(code, PYTHONHASHSEED="7") == f"{here[0]} {here[1]}\n"
    assert here[0].count(bpe.piece_to_id("<SEP>")) == 1
    more = bpe.add_special_tokens(["<X>"])
    assert more.vocab[: len(bpe)] == bpe.vocab


@pytest.mark.parametrize("pretokenizer", ["none", "gpt2"])
def test_c53_symbols_with_spaces_come_back_or_are_refused(pretokenizer, tmp_path):
    bpe = learn("a \n\n  b", level="byte", pretokenizer=pretokenizer)
    assert subword.loads(bpe.dumps()) == bpe
    suffix = learn("a \n\n  b", level="byte", pretokenizer="none", end_of_word="suffix")
    with pytest.raises(ModelFileError, match="spaces, line ends"):
        suffix.export(tmp_path / "codes", "subword-nmt")
    assert not (tmp_path / "codes").exists()


def test_c54_the_marker_is_used():
    bpe = learn("low low lower")
    assert "low</w>" in bpe.vocab
    assert bpe.tokenize("low lowx a")[0] == "low</w>"
    assert not any(piece == "low</w>" for piece in bpe.tokenize("lowx"))
    assert bpe.decode(bpe.encode("low lowx a")) == "low lowx a"


def test_c55_unknown_characters_are_kept():
    text = "low xyz low"
    bpe = learn("low low")
    assert bpe.decode(bpe.encode(text)) == text
    unk = learn("low low", unknown="unk")
    assert unk.encode(text).count(unk.piece_to_id("<unk>")) == 3


def test_c56_offsets_are_in_the_original_text():
    bpe = learn("i", level="byte", pretokenizer="gpt2")
    ids, offsets = bpe.encode_with_offsets("i ⭢ j")
    assert len(ids) == len(offsets)
    assert offsets.count((2, 3)) == 3
    decomposed = unicodedata.normalize("NFD", "한국")
    hangul = learn("한국", normalization="NFC")
    assert {(a, b) for a, b in hangul.truncate(0).encode_with_offsets(decomposed)[1]} == {
        (0, 3),
        (3, 6),
    }
