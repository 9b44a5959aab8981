import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import subword
from subword import SubwordError, SubwordTextClassifier
from subword.negation import NegationMarker, mark_negated


def plain(text):
    """Spell what is marked as before, in small letters."""
    return "".join(chr(ord(c) - 0x1D5BA + 97) if 0x1D5BA <= ord(c) < 0x1D5D4 else c for c in text)


def marked_words(text, scope=4):
    return [plain(word) for word in mark_negated(text, scope).split() if any(map(is_marked, word))]


def is_marked(character):
    return 0x1D5BA <= ord(character) < 0x1D5D4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I liked it", []),
        ("I did not like it", ["like", "it"]),
        ("I didn't like it", ["like", "it"]),
        ("I didn’t like it", ["like", "it"]),
        ("did n't LIKE it", ["like", "it"]),
        ("'not' bad", ["bad"]),
        ("not a, good film", ["a,"]),
        ("never one two three four five", ["one", "two", "three", "four"]),
        ("no problem and never dull", ["problem", "and", "dull"]),
        ("nothing. It was great", []),
        ("a knot, notable", []),
    ],
)
def test_the_words_behind_a_negation_are_marked(text, words):
    assert marked_words(text) == words


@given(st.text())
def test_every_character_keeps_its_place(text):
    marked = mark_negated(text)
    assert len(marked) == len(text)
    assert all(
        a == b or (is_marked(b) and a.isascii() and a.isalpha()) for a, b in zip(text, marked)
    )


def test_marked_words_share_no_piece_with_plain_ones():
    bpe = subword.train(["good", mark_negated("not good")[4:]] * 9)
    pieces = [set(bpe.tokenize(text)) for text in ("good", mark_negated("not good")[4:])]
    assert not pieces[0] & pieces[1]


def test_it_is_an_estimator():
    marker = clone(NegationMarker(scope=2))
    assert marker.fit(["a"]).transform(["not a b c"]) == pickle.loads(
        pickle.dumps(marker)
    ).transform(["not a b c"])
    assert NegationMarker(scope=0).fit_transform(["not a"]) == ["not a"]
    with pytest.raises(SubwordError, match="scope"):
        NegationMarker(scope=-1).fit(["a"])
    with pytest.raises(TypeError):
        marker.transform("not a list")


def test_negation_turns_what_was_seen_negated():
    texts = ["good", "bad", "not good", "not bad"] * 5
    model = make_pipeline(NegationMarker(), SubwordTextClassifier())
    model.fit(texts, ["pos", "neg", "neg", "pos"] * 5)
    assert model.predict(["so good", "so not good", "isn’t bad", "isn't bad"]).tolist() == [
        "pos", "neg", "pos", "pos"
    ]  # fmt: skip


def test_what_it_cannot_do_is_said_without_fit():
    with pytest.raises(subword.SubwordError, match="scope"):
        NegationMarker(scope=-1).transform(["not good"])
    with pytest.raises(TypeError, match="drop missing values$"):
        NegationMarker().transform([None])
