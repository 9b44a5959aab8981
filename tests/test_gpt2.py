"""GPT-2's two files: the same ids as there, either file will do, what is wrong is named."""

from __future__ import annotations

import gzip
import json

import pytest
from conftest import read
from damage import survive
from foreign import check_encodings, lines, references, small

import subword
from subword import ModelFileError, SubwordError
from subword.formats import gpt2
from subword.formats.texts import LARGEST

LOW = ("l o", "lo w")


def pair(folder, merges=LOW, tokens=("<|endoftext|>",), names=("vocab.json", "merges.txt")):
    """Write a small model; return its vocabulary, which can be changed, and the paths."""
    folder.mkdir(exist_ok=True)
    made = [*gpt2.BYTES[::-1], *(merge.replace(" ", "") for merge in merges), *tokens]
    paths = [folder / name for name in names]
    paths[0].write_text(json.dumps({token: i for i, token in enumerate(made)}))
    paths[1].write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")
    return paths


def test_bytes_are_spelt_as_characters_that_print():
    raw = bytes(range(256))
    spelt = gpt2.spell(raw)
    assert spelt.isprintable()
    assert len(set(spelt)) == 256
    assert gpt2.unspell(spelt) == raw
    assert gpt2.spell("\u00a0é\u00ad".encode()) == "ÂłÃ©ÂŃ"
    for other in ("北", " ", "\x80", "\u00ad", "\ufffd"):
        with pytest.raises(ValueError, match="codec"):
            gpt2.unspell(other)


@pytest.mark.parametrize(
    "names",
    [
        ("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"), ("gpt2-vocab.json", "gpt2-merges.txt"),
    ],
)  # fmt: skip
def test_either_file_will_do(tmp_path, names):
    paths = pair(tmp_path, names=names)
    first, second = map(subword.load, paths)
    assert first == second
    assert first.merges == (("l", "o"), ("lo", "w"))
    assert first.special_tokens == ("<|endoftext|>",)
    assert first.pretokenizer == "gpt2"


@pytest.mark.parametrize("packing", ["", ".gz"])
@pytest.mark.parametrize("names", gpt2.NAMES[:2])
def test_a_folder_will_do(tmp_path, names, packing):
    bpe = subword.load(pair(tmp_path, names=names)[0])
    if packing:
        for path in list(tmp_path.iterdir()):
            path.with_name(path.name + packing).write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    assert subword.load(tmp_path) == bpe


def test_a_folder_must_exist(tmp_path):
    bpe = subword.load(pair(tmp_path)[0])
    with pytest.raises(ModelFileError, match="a folder that exists"):
        bpe.export(tmp_path / "new", "gpt2")
    assert not (tmp_path / "new").exists()


def test_foreign_ids_are_kept(tmp_path):
    bpe = subword.load(pair(tmp_path)[0])
    assert bpe.encode("low<é") == [257, 255 - ord("<"), 255 - 0xC3, 255 - 0xA9]
    assert bpe.encode("low<|endoftext|>", allowed_special="all") == [257, 258]
    again = subword.loads(bpe.dumps())
    assert again == bpe
    assert again.encode("low<é") == bpe.encode("low<é")


def test_special_tokens_may_stand_anywhere(tmp_path):
    vocabulary, _ = pair(tmp_path)
    ids = {"<s>": 0, "</s>": 1} | {t: i + 2 for t, i in json.loads(vocabulary.read_text()).items()}
    ids |= {"low": ids["lo"], "lo": ids["low"]}
    vocabulary.write_text(json.dumps(ids))
    bpe = subword.load(vocabulary)
    assert bpe.special_tokens == ("<s>", "</s>", "<|endoftext|>")
    assert bpe.encode("<s>low</s>", allowed_special="all") == [0, ids["low"], 1]
    assert bpe.decode([0, ids["low"], 1]) == "<s>low</s>"
    assert len(bpe) == len(bpe.vocab) == len(bpe.symbols) == len(ids)
    again = subword.loads(bpe.dumps())
    assert again == bpe
    assert (again.vocab, again.special_tokens) == (bpe.vocab, bpe.special_tokens)
    assert json.loads(gpt2.write(bpe)[0]) == ids
    assert bpe.truncate(1).encode("<s>lo", allowed_special="all") == [0, ids["lo"]]


def test_one_may_be_packed_and_the_other_not(tmp_path):
    vocabulary, merges = pair(tmp_path)
    bpe = subword.load(vocabulary)
    packed = tmp_path / "merges.txt.gz"
    packed.write_bytes(gzip.compress(merges.read_bytes()))
    merges.unlink()
    assert subword.load(vocabulary) == subword.load(packed) == bpe


def test_line_ends_and_byte_order_marks_do_not_matter(tmp_path):
    vocabulary, merges = pair(tmp_path)
    bpe = subword.load(vocabulary)
    for path in (vocabulary, merges):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert subword.load(vocabulary) == subword.load(merges) == bpe
    merges.write_text("l o\nlo w")
    assert subword.load(merges) == bpe


def test_words_may_be_made_another_way(tmp_path):
    bpe = subword.load(pair(tmp_path)[0], pretokenizer="cl100k")
    assert bpe.pretokenizer == "cl100k"
    with pytest.raises(ModelFileError, match="says pretokenizer='gpt2'|take pretokenizer='gpt2'"):
        gpt2.write(bpe)


def test_a_missing_half_is_named(tmp_path):
    vocabulary, merges = pair(tmp_path, merges=("Ġ l",))
    kept = vocabulary.read_text()
    vocabulary.unlink()
    with pytest.raises(ModelFileError, match="looked for .*vocab.json"):
        subword.load(merges)
    vocabulary.write_text(kept)
    merges.unlink()
    with pytest.raises(ModelFileError, match="looked for .*merges.txt"):
        subword.load(vocabulary)
    with pytest.raises(ModelFileError, match="subword.load"):
        subword.loads(kept)
    vocabulary.rename(tmp_path / "words.json")
    with pytest.raises(ModelFileError, match="vocab.json \\+ merges.txt and encoder.json"):
        subword.load(tmp_path / "words.json")


def test_codes_of_subword_nmt_are_told_apart(tmp_path):
    paths = pair(tmp_path)
    paths[1].write_text("#version: 0.2\nl o\nlo w</w>\n")
    assert subword.load(paths[1]).end_of_word == "suffix"
    assert subword.loads("#version: 0.2\nl o\n").end_of_word == "suffix"
    with pytest.raises(ModelFileError, match="ends of words are not marked"):
        subword.load(paths[0])


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        (["l o", "low"], 3, "expected two tokens"), (["l o", "", "lo w"], 3, "expected two tokens"),
        (["l o w"], 2, "expected two tokens"), (["l  o"], 2, "expected two tokens"),
        (["l o", "lo w", "l o"], 4, "duplicate merge: it already stands in line 2"),
        (["lo w", "l o"], 2, "impossible merge: 'lo' is no byte"),
        (["l o", "lo 北"], 3, "impossible merge: '北' is no byte"),
        (["l o", "lo w", "low e"], 4, "its result 'lowe' is not in the vocabulary"),
    ],
)  # fmt: skip
def test_wrong_merges_are_refused_with_their_line(tmp_path, rows, line, reason):
    vocabulary, merges = pair(tmp_path)
    merges.write_text("\n".join(["#version: 0.2", *rows, ""]), encoding="utf-8")
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.load(vocabulary)
    assert (caught.value.path, caught.value.line) == (str(merges), line)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda ids: ids | {"low": 999}, "expected an id below 259"),
        (lambda ids: ids | {"low": -1}, "expected an id below"),
        (lambda ids: ids | {"low": 257.0}, "expected an id below"),
        (lambda ids: ids | {"low": True}, "expected an id below"),
        (lambda ids: ids | {"low": 256}, "'lo' and 'low' both|'low' and 'lo' both"),
        (lambda ids: {t: i for t, i in ids.items() if t != "Ġ"}, "expected an id below 258"),
        (lambda ids: {t.replace("Ġ", "x" * 9): i for t, i in ids.items()}, "byte 0x20, spelt 'Ġ'"),
        (lambda ids: {t.replace("<|endoftext|>", ""): i for t, i in ids.items()}, "must not be empty"),
        (lambda ids: {t.replace("<|endoftext|>", "\ud800"): i for t, i in ids.items()}, "surrogate"),
        (lambda ids: {"model": {"vocab": ids}}, "this tokenizer.json cannot be read"),
        (lambda ids: [*ids], "broken JSON|no model file"),
    ],
)  # fmt: skip
def test_wrong_vocabularies_are_refused(tmp_path, change, reason):
    vocabulary, _ = pair(tmp_path)
    vocabulary.write_text(json.dumps(change(json.loads(vocabulary.read_text())), indent=1))
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.load(vocabulary)
    assert caught.value.path == str(vocabulary)
    assert caught.value.line or "tokenizer.json" in reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"low": 1, "low": 1}', "'low' stands twice"), ('{"a":' * 10**5, "nested too deeply"),
        ('{"low": 1', "broken JSON"), ('{"low": ' + "1" * 5000 + "}", "cannot be used"),
        ('{"low": NaN}', "expected an id"), ("{}", "byte 0x00"),
    ],
    ids=["twice", "deep", "cut", "long number", "NaN", "empty"],
)  # fmt: skip
def test_json_bombs_are_refused(tmp_path, text, reason):
    vocabulary, merges = pair(tmp_path)
    vocabulary.write_text(text)
    for path in (vocabulary, merges):
        with pytest.raises(ModelFileError, match=reason):
            subword.load(path)


@pytest.mark.slow
def test_what_unpacks_without_end_is_refused(tmp_path):
    with gzip.open(tmp_path / "vocab.json.gz", "wb", compresslevel=1) as file:
        for _ in range((LARGEST >> 20) + 1):
            file.write(bytes(1 << 20))
    with pytest.raises(ModelFileError, match="no model is that large"):
        subword.load(tmp_path / "vocab.json.gz")


# -- writing -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "files"),
    [
        (".", ("vocab.json", "merges.txt")), ("vocab.json", ("vocab.json", "merges.txt")),
        ("vocab.bpe", ("encoder.json", "vocab.bpe")),
        ("my-vocab.json.gz", ("my-vocab.json.gz", "my-merges.txt.gz")),
    ],
)  # fmt: skip
def test_what_is_written_is_read_and_written_the_same(tmp_path, name, files):
    bpe = small(special_tokens=["<s>", "</s>"])
    folder = tmp_path / "one"
    folder.mkdir()
    bpe.export(folder / name, "gpt2")
    assert {path.name for path in folder.iterdir()} == set(files)
    again = subword.load(folder / files[0])
    assert again.symbols == bpe.symbols
    assert again.special_tokens == bpe.special_tokens
    assert again.merges == bpe.merges
    (tmp_path / "two").mkdir()
    again.export(tmp_path / "two" / name, "gpt2")
    for file in files:
        assert (tmp_path / "two" / file).read_bytes() == (folder / file).read_bytes()


def test_both_files_are_written_or_none(tmp_path):
    vocabulary, merges = pair(tmp_path)
    kept = vocabulary.read_bytes()
    merges.unlink()
    merges.mkdir()
    with pytest.raises(OSError, match=r"merges\.txt"):
        small().export(tmp_path, "gpt2")
    assert vocabulary.read_bytes() == kept
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"level": "char"}, "char level .* format='huggingface'"),
        ({"end_of_word": "suffix"}, "end_of_word='suffix'"),
        ({"pretokenizer": "cl100k"}, "cl100k.* format='huggingface'"),
        ({"lowercase": True}, "lowercase=True"), ({"unknown": "unk"}, "'<unk>' is no byte"),
        ({"special_tokens": ["Ġthe"]}, "special token 'Ġthe': another token is spelt so"),
    ],
)  # fmt: skip
def test_what_the_files_cannot_hold_is_refused(tmp_path, options, reason):
    with pytest.raises(ModelFileError, match=reason):
        small(**options).export(tmp_path, "gpt2")
    with pytest.raises(SubwordError, match="vocab.json"):
        small().export(tmp_path / "model.json", "gpt2")
    assert not [*tmp_path.iterdir()]


# -- against GPT-2 -------------------------------------------------------------------------


def test_the_ids_of_gpt2(shared):
    folder = shared / "golden" / "gpt2"
    bpe = subword.load(folder / "vocab.bpe.gz")
    assert bpe.merges == subword.load(folder / "encoder.json.gz").merges
    assert (bpe.num_merges, bpe.special_tokens) == (50000, ("<|endoftext|>",))
    check_encodings(bpe, *references(shared, "gpt2"))
    assert gpt2.write(bpe) == (read(folder / "encoder.json.gz"), read(folder / "vocab.bpe.gz"))


def test_tokenizers_reads_the_same_model(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    bpe = small()
    bpe.export(tmp_path, "gpt2")
    theirs = tokenizers.ByteLevelBPETokenizer.from_file(
        str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    )
    for text in lines():
        assert theirs.encode(text).ids == bpe.encode(text)
    theirs.save_model(str(tmp_path))  # their spelling of the same files
    again = subword.load(tmp_path / "merges.txt")
    assert (again.symbols, again.merges) == (bpe.symbols, bpe.merges)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vocab.json", "merges.txt"])
def test_damaged_files_load_or_are_refused(tmp_path, name):
    small(special_tokens=["<s>"]).export(tmp_path, "gpt2")
    assert survive(tmp_path / name, seed=len(name)) > 50
