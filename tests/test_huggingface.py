"""tokenizer.json: what is written there, what is refused, and equal ids in `tokenizers`."""

from __future__ import annotations

import json
import random

import pytest
from foreign import lines, reviews, small

import subword
from subword import ModelFileError, SubwordWarning
from subword.formats import huggingface
from subword.formats.huggingface.normalizers import NORMALIZERS
from subword.formats.huggingface.words import LLAMA3, _means_the_same, read_pre_tokenizer
from subword.pretokenize import PATTERNS, Splitter

SPLITTERS = [*PATTERNS]


def live(bpe: subword.BPE, path) -> object:
    """Export a model and load it there."""
    tokenizers = pytest.importorskip("tokenizers")
    bpe.export(path / "tokenizer.json", "huggingface")
    return tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))


def test_a_byte_level_model_reads_like_gpt2():
    written = json.loads(huggingface.write(small(special_tokens=["<s>"])))
    assert written["pre_tokenizer"]["use_regex"]
    assert written["decoder"]["type"] == "ByteLevel"
    assert written["model"]["vocab"]["Ġ"] == 0x20
    assert written["model"]["merges"][0] == ["Ġ", "a"]
    assert [(token["id"], token["content"]) for token in written["added_tokens"]] == [(756, "<s>")]


def test_a_suffix_model_reads_like_its_codes(bpe, tmp_path):
    with pytest.warns(SubwordWarning, match="vanish .* unknown='unk' or level='byte'") as told:
        bpe.export(tmp_path / "tokenizer.json", "huggingface")
    assert told[0].filename == __file__
    with pytest.warns(SubwordWarning, match="vanish"):
        model = json.loads(huggingface.write(bpe))["model"]
    assert model["end_of_word_suffix"] == "</w>"
    assert model["merges"][:2] == [["s", "t</w>"], ["e", "st</w>"]]
    assert [*model["vocab"]] == [*bpe.vocab]
    assert [*model["vocab"].values()] == [*range(len(bpe))]


@pytest.mark.parametrize(
    ("texts", "options", "reason"),
    [
        (["low low"], {"end_of_word": "separate"}, "format='subword-nmt'"),
        (["low low"], {"pretokenizer": r"\w+"}, "regular expressions are not those of the regex"),
        ({"a</w>b": 9, "a</w>c": 9, "a": 9}, {}, "both would be spelt 'a</w>'"),
        (["low low"], {"special_tokens": ["low</w>"]}, "special token 'low</w>': a symbol is spelt so"),
        ({"<unk>b": 9, "<unk>c": 9}, {}, "both would be spelt '<unk>'"),
    ],
)  # fmt: skip
def test_what_the_file_cannot_hold_is_refused(tmp_path, texts, options, reason):
    bpe = subword.train(texts, unknown="unk", **options)
    with pytest.raises(ModelFileError, match=reason):
        bpe.export(tmp_path / "tokenizer.json", "huggingface")
    assert not [*tmp_path.iterdir()]


def test_merges_out_of_order_are_refused():
    codes = subword.loads("#version: 0.2\nlo w</w>\nl o\n")
    with pytest.raises(ModelFileError, match="merge 0, 'lo \\+ w</w>', stands before"):
        huggingface.write(codes)


# -- against tokenizers --------------------------------------------------------------------


@pytest.mark.parametrize("pretokenizer", SPLITTERS)
@pytest.mark.parametrize(
    ("level", "end_of_word", "unknown"),
    [("byte", None, "bytes"), ("byte", "suffix", "bytes"), ("char", "suffix", "unk"), ("char", None, "bytes")],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:pretokenizer .* drops spaces")
def test_tokenizers_gives_the_same_ids_and_text(
    tmp_path, level, end_of_word, unknown, pretokenizer
):
    bpe = small(level=level, end_of_word=end_of_word, unknown=unknown, pretokenizer=pretokenizer)
    theirs = live(bpe, tmp_path)
    for text in lines():
        ids = bpe.encode(text)
        assert theirs.encode(text, add_special_tokens=False).ids == ids
        assert theirs.decode(ids, skip_special_tokens=False) == bpe.decode(ids)


@pytest.mark.parametrize("pretokenizer", ["space", "whitespace", "words"])
@pytest.mark.filterwarnings("ignore:characters that this model does not know")
def test_texts_of_known_characters_agree_where_others_vanish(tmp_path, pretokenizer):
    texts = lines()
    bpe = subword.train([*texts, "a é é"], 500, pretokenizer=pretokenizer)
    theirs = live(bpe, tmp_path)
    assert [theirs.encode(text).ids for text in texts] == [bpe.encode(text) for text in texts]
    assert theirs.encode("low ☃").ids == bpe.encode("low")


@pytest.mark.parametrize(
    "form", ["NFC", "NFD", "NFKC", "NFKD", "strip_accents", "squeeze", "lower"]
)
def test_normalisation_goes_along(tmp_path, form):
    rules = {"lowercase": True} if form == "lower" else {"normalization": form}
    bpe = small(special_tokens=["<s>", "<s> a"], **rules)
    theirs = live(bpe, tmp_path)
    for text in [*lines(), "Ǆé ﬁ Å ỤBER ñ\u0323  ਆਰਟੀਕਲ <s> a İ<s>"]:
        assert theirs.encode(text).ids == bpe.encode(text, allowed_special="all")
    assert Splitter("gpt2", **rules).rewrites


# -- reading -------------------------------------------------------------------------------


def file(tokens=("l", "o", "w", "lo", "low"), rows=("l o", "lo w"), **changes) -> str:
    """Return a small tokenizer.json; `changes` go where they belong."""
    model = {"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0}, "merges": list(rows)}
    model["vocab"] |= {token: i for i, token in enumerate(tokens, 1)}
    root = {"added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "WhitespaceSplit"}}
    for name, value in changes.items():
        (root if name in root else model)[name] = value
    return json.dumps(root | {"model": model}, indent=1)


def added(*tokens: tuple[str, int], **flags) -> list[dict]:
    return [{"id": i, "content": token, "special": True, **flags} for token, i in tokens]


def test_both_spellings_of_merges_are_read():
    bpe = subword.loads(file())
    assert bpe == subword.loads(file(merges=[["l", "o"], ["lo", "w"]]))
    assert bpe.encode("low lo xl") == [5, 4, 0, 1]
    assert subword.loads("\ufeff" + file().replace("\n", "\r\n")) == bpe


def test_added_tokens_keep_their_ids():
    text = file(added_tokens=added(("w", 3), ("<pad>", 6), ("</s>", 7)), merges=["l o"])
    bpe = subword.loads(text)
    assert bpe.special_tokens == ("w", "<pad>", "</s>")
    assert bpe.encode("low<pad></s>", allowed_special="all") == [4, 3, 6, 7]
    assert bpe.decode([4, 3, 6]) == "low<pad>"
    assert json.loads(huggingface.write(bpe))["model"]["vocab"]["w"] == 3
    assert subword.loads(huggingface.write(bpe)) == bpe


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"type": "Unigram"}, "'Unigram' model; only BPE"), ({"dropout": 0.1}, "dropout is on"),
        ({"continuing_subword_prefix": "##"}, "have a prefix"),
        ({"byte_fallback": True}, "without all 256 bytes"), ({"merges": None}, "'merges' to be a list"),
        ({"vocab": []}, "'vocab' to be a dict"), ({"merges": ["l o w"]}, "expected two tokens"),
        ({"merges": [["l", 5]]}, "expected two tokens"), ({"merges": ["l x"]}, "'x' is not in the vocabulary"),
        ({"merges": ["w l"]}, "'wl' is not in the vocabulary"), ({"merges": ["l o", "l o"]}, "stands twice"),
        ({"added_tokens": added(("lo", 4))}, "'lo' is an added token too"),
        ({"added_tokens": added(("low", 4))}, "has the id 4, in the vocabulary 5"),
        ({"added_tokens": added(("<s>", 9))}, "expected an id below 7"),
        ({"added_tokens": added(("<s>", 6), ("<s>", 7))}, "has two ids"),
        ({"added_tokens": [5]}, "added tokens to be objects"), ({"added_tokens": added(("", 6))}, "empty"),
        ({"normalizer": {"type": "Strip"}}, "normalizer .* has no equal"), ({"normalizer": 5}, "object with a type"),
        ({"normalizer": {"type": "Sequence", "normalizers": {}}}, "without its list"),
        ({"pre_tokenizer": {"type": "UnicodeScripts"}}, "pre_tokenizer .* has no equal"),
        ({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"\w+"}, "behavior": "Isolated"}}, "something else"),
        ({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"}}, "something else"),
        ({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Kept"}}, "behavior 'Kept'"),
        ({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Contiguous", "invert": True}}, "no equal"),
        ({"pre_tokenizer": {"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated"}}, "something else"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}, {"type": "Digits"}]}}, "cut characters in two"),
        ({"pre_tokenizer": {"type": "Metaspace", "replacement": "_"}}, "no equal"),
        ({"ignore_merges": True, "merges": ["l o"]}, "'low' one token, but its merges"),
        ({"merges": [["<unk>", "l"]], "vocab": {"<unk>": 0, "l": 1, "<unk>l": 2}}, "yet is a text too"),
        ({"unk_token": "l", "vocab": {"l": 0, "<unk>": 1}, "merges": []}, "yet is a text too"),
        ({"merges": ["lo w", "l o"]}, "'lo', 'w'.* stands before one that makes a part"),
    ],
)  # fmt: skip
def test_what_is_wrong_or_has_no_equal_is_refused(changes, reason):
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.loads(file(**changes), "tokenizer.json")
    assert caught.value.path == "tokenizer.json"


METASPACE = {"type": "Metaspace", "replacement": "▁", "split": False}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"added_tokens": added(("<m>", 6), lstrip=True)}, "look at the spaces around them, <m>"),
        (
            {"added_tokens": added(("<m>", 6)), "pre_tokenizer": METASPACE | {"prepend_scheme": "first"}},
            "so does what follows an added token",
        ),
        ({"unk_token": None}, "vanish .* the 253 bytes it lacks have the ids from 6 on"),
    ],
)  # fmt: skip
def test_what_is_not_quite_alike_is_warned_of(changes, reason):
    with pytest.warns(SubwordWarning, match=reason) as told:
        bpe = subword.loads(file(**changes))
    assert {warning.filename for warning in told} == {__file__}
    assert bpe.encode("low")[-1] == 5
    assert subword.loads(bpe.dumps()) == bpe


def test_useless_merges_of_sentencepiece_are_left_out():
    merges = ["lo w", "l ow", "l o", "o w"]  # every way to make a token, by its rank
    bpe = subword.loads(file(("l", "o", "w", "lo", "low", "ow"), merges[2:] + merges[:2]))
    assert bpe.num_merges == 4
    bpe = subword.loads(file(("l", "o", "w", "low", "lo", "ow"), ["l o", "l ow", "lo w", "o w"]))
    assert bpe.merges == (("l", "o"), ("lo", "w"), ("o", "w"))
    assert bpe.encode("low ow") == [4, 6]


@pytest.mark.parametrize(
    ("pattern", "same"),
    [
        (r"\p{L}+|\d{1,3}| ?[^\s\p{L}]+(?!\S)", True), (r"(?i:'s|'ll)|[a-z&&[^b]]", False), (r"a*", False),
        (r"a|b*(?=c)", False), (r"(?=[A)])", False), (r"\s+(?=(?:a|b)c)", True), (r"(?i:first)", False),
        (r"^a", False), (r"a$", False), (r"\w+", False), (r"a{2}+", False), (r"(a", False), (r"(?<=a)b", False), (r"(?P<n>a)", False),
        (r"a(*SKIP)", False), (r"(?i:ß)", False), (r"a{2}?", False), (r"(?!a)*b", False),
        (LLAMA3, True),
    ],
)  # fmt: skip
def test_only_patterns_that_mean_the_same_are_taken_over(pattern, same):
    assert _means_the_same(pattern) == same


ATOMS = [
    r"\p{L}", r"\p{N}", r"\s", r"\S", r"[^\s\p{L}]", r"[a-m]", r"[\r\n]", " ", "a", "b", r"\p{Lu}", "[^a]", ".", r"\d",
    "'", "(?i:s)", "(?:ab|c)", r"(?!\S)", r"(?=\p{L})", "é", r"\t", r"[\p{P}\p{S}]", r"\-", "[!-/]", "[]x]", "[^]x]",
]  # fmt: skip
BEHAVIORS = {
    ("Isolated", False): "isolated", ("Removed", True): "removed", ("Removed", False): "removed",
    ("Contiguous", False): "contiguous", ("MergedWithPrevious", False): "merged_with_previous",
    ("MergedWithNext", False): "merged_with_next",
}  # fmt: skip
REPEATS = ["", "", "", "+", "*", "?", "{1,3}", "{2}", "+?", "*?", "++", "?+", "*+", "{2,}"]


@pytest.mark.slow
def test_patterns_split_as_they_do_there():
    tokenizers = pytest.importorskip("tokenizers")
    rng, texts, compared = (
        random.Random(5),
        [*lines(40), "it's 12345 ABC-def  \n\n x", "a]x]b[x"],
        0,
    )
    for _ in range(400):
        pattern = "|".join(
            "".join(rng.choice(ATOMS) + rng.choice(REPEATS) for _ in range(rng.randrange(1, 4)))
            for _ in range(rng.randrange(1, 4))
        )
        for behavior, invert in BEHAVIORS:
            if not _means_the_same(pattern):
                continue
            there = tokenizers.pre_tokenizers.Split(
                tokenizers.Regex(pattern), BEHAVIORS[behavior, invert], invert
            )
            step = {
                "type": "Split",
                "pattern": {"Regex": pattern},
                "behavior": behavior,
                "invert": invert,
            }
            words = Splitter(read_pre_tokenizer(step, False, pytest.fail).pretokenizer).split
            for text in texts:
                assert words(text) == [word for word, _ in there.pre_tokenize_str(text)], (
                    pattern,
                    text,
                )
            compared += 1
    assert compared > 200


STEPS = [
    {"type": "WhitespaceSplit"}, {"type": "Whitespace"}, {"type": "BertPreTokenizer"},
    {"type": "CharDelimiterSplit", "delimiter": "]"}, {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False}, {"type": "Punctuation", "behavior": "Contiguous"},
    {"type": "Split", "pattern": {"String": "^"}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"String": "-"}, "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": {"String": ".."}, "behavior": "MergedWithNext", "invert": False},
    {"type": "Split", "pattern": {"Regex": r"\s?\p{L}+"}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"Regex": r"\d{1,2}"}, "behavior": "MergedWithPrevious", "invert": False},
    {"type": "Split", "pattern": {"Regex": r"\s+$"}, "behavior": "Isolated", "invert": False},
]  # fmt: skip


@pytest.mark.slow
def test_sequences_split_as_they_do_there():
    tokenizers = pytest.importorskip("tokenizers")
    rng, texts = random.Random(3), [*lines(40), "it's 12345² ABC-def..!  \n\n x [a]^b]"]
    for _ in range(100):
        node = {"type": "Sequence", "pretokenizers": rng.choices(STEPS, k=rng.randrange(1, 4))}
        there = tokenizers.Tokenizer.from_str(file(pre_tokenizer=node)).pre_tokenizer
        words = Splitter(read_pre_tokenizer(node, False, pytest.fail).pretokenizer).split
        for text in texts:
            assert words(text) == [word for word, _ in there.pre_tokenize_str(text)], (node, text)


def test_spaces_made_visible_are_spaces_here():
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    split = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious"}
    text = file(("▁", "l", "▁l"), ["▁ l"], normalizer=replace, pre_tokenizer=split)
    bpe = subword.loads(text)
    assert bpe.merges == ((" ", "l"),)
    assert bpe.encode("l l▁l") == [2, 3, 3]
    assert subword.loads(huggingface.write(bpe)) == bpe


def test_a_character_that_is_a_byte_token_too_is_a_word_of_its_own():
    tokens = [*(f"<0x{byte:02X}>" for byte in range(256)), "\t", "l", "\tl"]
    flags = {"byte_fallback": True, "ignore_merges": True, "added_tokens": added(("<unk>", 0))}
    bpe = subword.loads(file(tokens, ["\t l"], pre_tokenizer=None, **flags))
    assert bpe.encode("\tl\t") == [259, 257]
    assert bpe.encode("\r") == [14]


def test_json_bombs_are_refused():
    deep = '{"model": {"a": ' + '{"a": ' * 10**5
    with pytest.raises(ModelFileError, match="nested too deeply"):
        subword.loads(deep)
    nested = {"type": "NFC"}
    for _ in range(300):
        nested = {"type": "Sequence", "normalizers": [nested]}
    with pytest.raises(ModelFileError, match="nested too deeply"):
        subword.loads(file(normalizer=nested))
    for part in ("[", "(?:a", "[a[b]", "a|"):
        step = {"type": "Split", "pattern": {"Regex": part * 10**6}, "behavior": "Isolated"}
        with pytest.raises(ModelFileError, match="something else"):
            subword.loads(file(pre_tokenizer=step))
    wide = {"type": "Sequence", "pretokenizers": [{"type": "Digits"}] * 2000}
    with pytest.raises(ModelFileError, match="more than 64 steps"):
        subword.loads(file(pre_tokenizer=wide))


READ = {
    "RoBERTa": ({}, "ByteLevel", {}, {"special_tokens": ["<s>", "<pad>", "</s>", "<unk>"]}),
    "Llama 3": ({}, ["Split", LLAMA3, "isolated"], {}, {}),
    "StarCoder": ({}, "Digits", {}, {}),
    "BERT": ({"unk_token": "<unk>", "end_of_word_suffix": "</w>"}, "BertPreTokenizer", {"BertNormalizer": {}},
             {"special_tokens": ["<unk>"], "end_of_word_suffix": "</w>"}),
    "Whitespace": ({"unk_token": "[UNK]"}, "Whitespace", {"NFKC": {}, "Lowercase": {}},
                   {"special_tokens": ["[PAD]", "[UNK]"]}),
    "Punctuation": ({"unk_token": "<unk>"}, "Punctuation", {"NFD": {}, "StripAccents": {}}, {"special_tokens": ["<unk>"]}),
    "Metaspace": ({"unk_token": "<unk>"}, "Metaspace", {}, {"special_tokens": ["<unk>"]}),
    "removed": ({"unk_token": "<unk>"}, ["Split", r"[aeiou]+\s*", "removed"], {}, {"special_tokens": ["<unk>"]}),
    "isolated": ({"unk_token": "<unk>"}, ["Split", r"[aeiou]+|\p{Lu}", "isolated"], {}, {"special_tokens": ["<unk>"]}),
}  # fmt: skip


def theirs(model, splitter, normalizers, options):
    """Train a model there."""
    tokenizers = pytest.importorskip("tokenizers")
    pre, norm = tokenizers.pre_tokenizers, tokenizers.normalizers
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(**model))
    is_byte = splitter in ("ByteLevel", "Digits") or LLAMA3 in splitter
    if isinstance(splitter, list):
        steps = [pre.Split(tokenizers.Regex(splitter[1]), splitter[2])]
    else:
        steps = (
            []
            if splitter == "ByteLevel"
            else [getattr(pre, splitter)(*[True] * (splitter == "Digits"))]
        )
    if is_byte:
        steps.append(
            pre.ByteLevel(add_prefix_space=not steps, use_regex=not isinstance(splitter, list))
        )
        options = options | {"initial_alphabet": pre.ByteLevel.alphabet()}
    tokenizer.pre_tokenizer = pre.Sequence(steps)
    tokenizer.normalizer = norm.Sequence(
        [getattr(norm, name)(**given) for name, given in normalizers.items()]
    )
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=900, show_progress=False, **options)
    tokenizer.train_from_iterator(reviews()[:300], trainer)
    return tokenizer


@pytest.mark.parametrize("name", READ)
def test_models_made_there_give_the_same_ids_here(name):
    tokenizer = theirs(*READ[name])
    bpe = subword.loads(tokenizer.to_str())
    for text in [*lines(), "", "  ", "ΟΔΟΣ ΣΑΣ 123", "a<s>b </s> c"]:
        expected = tokenizer.encode(text, add_special_tokens=False).ids
        assert bpe.encode(text, allowed_special="all") == expected
    assert subword.loads(bpe.dumps()) == bpe


def split(pattern: str, behavior: str = "Isolated") -> dict:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
# How published models make words with several steps, or with spellings of Oniguruma's own.
CASED = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
FAMILIES = {
    "DeepSeek V3": [
        split(r"\p{N}{1,3}"), split("[一-龥\u3040-ゟ゠-ヿ]+"),
        split(r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
              r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"),
    ],
    "DeepSeek Coder": [
        split("[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"), split("[一-龥ࠀ-一가-퟿]+"),
        {"type": "Digits", "individual_digits": True},
    ],
    "DeepSeek LLM": [split("[\r\n]"), split(r"\s?[A-Za-zÀ-ÖØ-öø-ƺ]+"), split(r"\s+$"), split(r"\p{N}+")],
    "BLOOM": [split(r" ?[^(\s|[.,!?…。，、।۔،])]+")],
    "tekken": [split(rf"[^\r\n\p{{L}}\p{{N}}]?{CASED}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")],
    "EXAONE": [split(r"(?:\r?\n)+(?!\r?\n)"), split(r"(?:\r?\n)+", "Removed"), "gpt2"],
    "digits apart": [{"type": "Digits", "individual_digits": False}, "gpt2"],
    "marks with words": [split(r"\p{P}", "MergedWithNext"), split(r"\p{Lu}+", "MergedWithPrevious"), "gpt2"],
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_words_of_published_models_are_made_alike(name, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    steps = [step for step in FAMILIES[name] if step != "gpt2"]
    steps += [BYTE_LEVEL | {"use_regex": "gpt2" in FAMILIES[name]}]
    file = json.loads(tokenizers.Tokenizer(tokenizers.models.BPE()).to_str())
    file["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    there = tokenizers.Tokenizer.from_str(json.dumps(file))
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    there.train_from_iterator(
        [*reviews()[:300], "中文 ひらカタ 1234"] * 2,
        tokenizers.trainers.BpeTrainer(
            vocab_size=900, show_progress=False, initial_alphabet=alphabet
        ),
    )
    bpe = subword.loads(there.to_str())
    theirs = live(bpe, tmp_path)
    for text in [*lines(), "it's 12345² ABC-def..!  \n\n x", "中文ひらカタ 12\r\n\r\n3456 a \n"]:
        assert there.encode(text).ids == bpe.encode(text) == theirs.encode(text).ids
    assert subword.loads(bpe.dumps()) == subword.loads(huggingface.write(bpe)) == bpe


@pytest.mark.parametrize("pretokenizer", [*PATTERNS, ("gpt2", r"\d|\D+"), ("words", "cl100k")])
@pytest.mark.parametrize(
    ("level", "end_of_word"), [("byte", None), ("char", "suffix"), ("char", None)]
)
@pytest.mark.filterwarnings("ignore:.* vanish", "ignore:pretokenizer .* drops spaces")
def test_what_is_written_is_read_and_written_the_same(level, end_of_word, pretokenizer):
    bpe = small(
        level=level, end_of_word=end_of_word, pretokenizer=pretokenizer, lowercase=True,
        normalization=("NFC", "squeeze"), special_tokens=["<s>"],
    )  # fmt: skip
    text = huggingface.write(bpe)
    again = subword.loads(text)
    assert again.options.splitter == bpe.options.splitter
    assert (again.symbols, again.merges) == (bpe.symbols, bpe.merges)
    assert huggingface.write(again) == text


def test_every_normalization_comes_back():
    for name in NORMALIZERS:
        rules = {"lowercase": True} if name == "lowercase" else {"normalization": (name,)}
        bpe = small(**rules)
        again = subword.loads(huggingface.write(bpe))
        assert again.options.splitter == bpe.options.splitter


def test_a_sigma_at_the_end_of_a_word_is_lower_cased_alike(tmp_path):
    bpe = small(lowercase=True)
    theirs = live(bpe, tmp_path)
    for text in ["ΟΔΟΣ", "ΣΑΣ. ΑΣΑ", "Α'Σ ΑΣ'Α", "1Σ Σ", "ΑΣ\u0301 ΑΣΣ", "a\u00adΣ"]:
        assert theirs.encode(text).ids == bpe.encode(text)
    there = small(normalization="lower_characters")
    assert live(there, tmp_path).encode("ΟΔΟΣ").ids == there.encode("ΟΔΟΣ") != bpe.encode("ΟΔΟΣ")
