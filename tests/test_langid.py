"""Language identification: learning, answers, probabilities, spans, files, bad input."""

from __future__ import annotations

import itertools
import json
import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import subword
from subword import LanguageIdentifier, ModelFileError, SubwordError, WordCounts
from subword.files import bundled
from subword.langid import storage
from subword.langid.calibration import Calibration
from subword.langid.evaluation import evaluate
from subword.langid.features import Kind, features, prepare, words_of
from subword.langid.scoring import Scorer, make_scorer
from subword.langid.spans import find_words, likeliest_path
from subword.langid.table import Entries, WeightTable
from subword.langid.weights import count_features, learn_weights

DICTIONARIES = {
    "de": {"der": 20, "und": 15, "wein": 3, "gekühlter": 1, "käse": 2, "morgen": 4, "guten": 4},
    "en": {"the": 20, "and": 15, "wine": 3, "cooled": 1, "cheese": 2, "morning": 4, "good": 4},
    "ru": {"и": 20, "вино": 3, "утро": 4, "доброе": 4},
    "sr@cyrillic": {"и": 20, "вино": 3, "јутро": 4, "добро": 4},
    "sr@latin": {"i": 20, "vino": 3, "jutro": 4, "dobro": 4},
}
NO_LETTERS = [
    "",
    "   ",
    "404",
    "3 x 5 = 15"[:1],
    "🙂🙂",
    "\n",
    "!?",
    "https://a.b/c?d=1",
    "me@low.org",
]


@pytest.fixture(scope="module")
def model():
    return LanguageIdentifier(num_merges=30).fit_dictionaries(DICTIONARIES)


@pytest.fixture(scope="module")
def pretrained():
    return LanguageIdentifier.pretrained()


# -- words and features ------------------------------------------------------------------------


def test_words_are_letters_marks_and_inner_apostrophes():
    text = "Don’t PANIC: 42 naïve, L'eau—42nd!"
    assert words_of(prepare(text)) == ["don't", "panic", "naïve", "l'eau", "nd"]


def test_letters_in_other_forms_and_both_apostrophes_are_the_same():
    assert words_of(prepare("ＬＯＷ 𝓵𝓸𝔀𝓮𝓻 ﬁn")) == ["low", "lower", "fin"]
    assert words_of(prepare("cafe\u0301 it’s")) == words_of(prepare("café it's"))


@pytest.mark.parametrize("address", ["https://low.er/new?x=1", "www.low.er", "low.er@new.est"])
def test_addresses_are_no_words(address):
    assert words_of(prepare(f"see {address}, low")) == ["see", "low"]
    assert len(prepare(address)) == len(address)


def test_many_signs_that_could_begin_an_address_take_no_time():
    assert prepare("a" * 100_000 + "@" * 50_000)
    assert prepare("www." * 50_000 + "://" * 10_000) is not None


def test_features_of_a_word_by_hand():
    bpe = subword.train({"low": 5, "lower": 2}, num_merges=2)  # lo, low</w>
    assert bpe.tokenize("lower") == ["lo", "w", "e", "r</w>"]
    found = features(bpe, ["lower", "low"])
    by_word = Counter(zip(found.words.tolist(), found.kinds.tolist()))
    assert by_word == {
        (0, Kind.PIECE): 4, (0, Kind.PAIR): 4, (0, Kind.WORD): 1, (0, Kind.BLOCK): 1,
        (1, Kind.PIECE): 1, (1, Kind.PAIR): 1, (1, Kind.WORD): 1, (1, Kind.BLOCK): 1,
    }  # fmt: skip
    blocks = found.keys[found.kinds == Kind.BLOCK]
    assert blocks[0] == blocks[1]
    others = found.keys[found.kinds != Kind.BLOCK]
    assert len(set(others.tolist())) == len(others)


def test_weights_by_hand():
    bpe = subword.train({"ab": 1}, num_merges=0)  # a, b</w>
    dictionaries = [{"ab": 1.0}, {"ab": 0.5, "cb": 0.5}]
    counts = count_features(bpe, dictionaries)
    of_b = features(bpe, ["b"]).keys[0]  # the piece b</w>, in one word of each and one more
    entries = counts.rows == np.flatnonzero(counts.keys == of_b)[0]
    assert counts.counts[entries].tolist() == [1.0, 1.0]
    table, unit = learn_weights(bpe, dictionaries, alpha=0.1)
    row = np.flatnonzero(table.entries.keys == of_b)[0]
    first, second = table.entries.indptr[row : row + 2]
    assert table.entries.languages[first:second].tolist() == [0, 1]
    expected = 0.5 * np.log1p(1e5 / 0.1) / unit
    assert table.entries.weights[first:second].tolist() == [round(expected)] * 2


# -- the table ---------------------------------------------------------------------------------


@st.composite
def tables(draw):
    keys = sorted(draw(st.sets(st.integers(0, 2**30 - 1), max_size=40)))
    rows = [sorted(draw(st.sets(st.integers(0, 255), max_size=5))) for _ in keys]
    languages = [*itertools.chain.from_iterable(rows)]
    weights = [draw(st.integers(1, 127)) for _ in languages]
    return Entries(
        np.array(keys, np.uint32), np.cumsum([0, *map(len, rows)]),
        np.array(languages, np.uint8), np.array(weights, np.uint8),
    )  # fmt: skip


@given(tables())
def test_packing_loses_nothing(entries):
    table = WeightTable.pack(entries)
    assert len(table) == len(entries.keys)
    for packed, given_ in zip(table.entries, entries):
        assert packed.tolist() == given_.tolist()


@given(tables())
def test_a_file_holds_the_table(entries):
    names = [f"{i:03}" for i in range(256)]
    learnt = storage.Learnt(
        names, subword.train({"low": 2}), WeightTable.pack(entries), Calibration(1)
    )
    read = storage.read(storage.write(learnt))
    assert (read.names, read.bpe, read.calibration) == (names, learnt.bpe, learnt.calibration)
    assert read.table.units.tolist() == learnt.table.units.tolist()
    assert read.table.starts.tolist() == learnt.table.starts.tolist()


def test_damaged_files_are_refused(model, tmp_path):
    path = tmp_path / "some.model"
    model.save(path)
    data = path.read_bytes()
    broken = bytearray(data)
    broken[len(data) // 2] ^= 1
    for bad in (b"", b"low", data[:-1], bytes(broken), data + b"x"):
        path.write_bytes(bad)
        with pytest.raises(ModelFileError, match="some.model: "):
            LanguageIdentifier.load(path)


# -- answers -----------------------------------------------------------------------------------


def test_languages_by_words_and_by_pieces_of_unknown_words(model):
    texts = ["The wine", "Der Wein", "доброе утро", "ВИНО и", "jutro", "weingekühlter"]
    assert model.predict(texts).tolist() == ["en", "de", "ru", "ru", "sr", "de"]
    assert model.classes_.tolist() == ["de", "en", "ru", "sr"]
    assert model.variants_ == ["de", "en", "ru", "sr@cyrillic", "sr@latin"]
    assert model.predict(["јутро", "jutro"]).tolist() == ["sr", "sr"]


@pytest.mark.parametrize("text", NO_LETTERS)
def test_texts_without_letters_are_undetermined(model, text):
    assert model.predict([text]).tolist() == ["und"]
    assert model.predict_proba([text]).tolist() == [[0.25] * 4]
    assert model.identify_spans(text) == []


def test_probabilities_are_probabilities(model):
    texts = ["the", "der wein", "и", "x", "вино " * 500]
    probabilities = model.predict_proba(texts)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert (
        model.classes_[probabilities.argmax(axis=1)][:3].tolist()
        == model.predict(texts)[:3].tolist()
    )


def test_case_line_breaks_and_repetition_change_no_answer(model):
    for text in ("the good wine", "guten morgen"):
        (expected,) = model.predict([text])
        for other in (text.upper(), text.replace(" ", "\n"), " ".join([text] * 3), f"  {text}\t"):
            assert model.predict([other]) == [expected]


def test_allowed_languages_share_all_probability(model):
    model = LanguageIdentifier(num_merges=30).fit_dictionaries(DICTIONARIES)
    everything = model.predict_proba(["the und wine"])[0]
    model.set_params(languages=["de", "ru"])
    some = model.predict_proba(["the und wine"])[0]
    assert some[[1, 3]].tolist() == [0, 0]
    assert some[0] == pytest.approx(everything[0] / (everything[0] + everything[2]))
    assert model.predict(["the und wine", "the", "42"]).tolist()[0] == "de"
    assert set(model.predict(["jutro", "xyz", "вино"])) <= {"de", "ru", "und"}


def test_a_language_without_evidence_is_not_named(model):
    model = LanguageIdentifier(num_merges=30, languages=["de", "en"]).fit_dictionaries(DICTIONARIES)
    assert model.predict(["доброе утро"]).tolist() == ["und"]
    assert model.predict_proba(["доброе"]).tolist() == [[0.5, 0.5, 0, 0]]


def test_answers_that_are_not_sure_enough_are_withheld():
    model = LanguageIdentifier(num_merges=30, min_confidence=0.9).fit_dictionaries(DICTIONARIES)
    texts = ["the", "e", "m", "guten morgen"]
    sure = model.predict_proba(texts).max(axis=1) >= 0.9
    assert sure.any()
    assert not sure.all()
    assert ((model.predict(texts) != "und") == sure).all()


def test_other_numbers_of_texts_and_threads_change_nothing(model):
    texts = [
        " ".join(pair)
        for pair in itertools.product(["der", "und", "the", "вино", "jutro"], repeat=2)
    ] * 9
    whole = model.predict_proba(texts)
    one_by_one = np.concatenate([model.predict_proba([text]) for text in texts])
    assert (whole == one_by_one).all()
    threaded = pickle.loads(pickle.dumps(model)).set_params(n_jobs=3)
    assert (whole == threaded.predict_proba(texts)).all()
    assert model.predict_proba([]).shape == (0, 4)
    assert model.predict([]).tolist() == []


def test_both_engines_agree_on_random_texts(model):
    draw = random.Random(3)
    words = [word for words in DICTIONARIES.values() for word in words]
    letters = "aeéðшиוक中ー한’'-1 \u0301\U0001f642ßİ"
    texts = [
        "".join(draw.choice([*words, *letters, " "]) for _ in range(draw.randrange(12)))
        for _ in range(500)
    ]
    prepared = [*map(prepare, texts), "low" * 5000, "é" * 9 + "中" * 700]
    bpe, table = model.bpe_, model._learnt.table
    ours, theirs = Scorer(bpe, table, 5).score(prepared), make_scorer(bpe, table, 5).score(prepared)
    for one, other in zip(ours, theirs):
        assert one.tolist() == other.tolist()
        assert one.dtype == other.dtype


FOREIGN_SCRIPTS = {
    "Lao": "ສະບາຍດີ", "Khmer": "សួស្តី", "Burmese": "မင်္ဂလာပါ", "Cherokee": "ᎣᏏᏲ", "Amharic": "ሰላም",
    "Tibetan": "བཀྲ་ཤིས་བདེ་ལེགས།", "Malayalam": "നമസ്കാരം", "Sinhala": "ආයුබෝවන්",
    "Odia": "ନମସ୍କାର", "Syriac": "ܫܠܡܐ", "Thaana": "އައްސަލާމް", "Runic": "ᚺᚨᛁᛚ",
}  # fmt: skip


def test_bytes_of_unknown_characters_are_told_from_pieces():
    bpe = subword.train({"ab": 2}, num_merges=0)
    found = features(bpe, ["aé", "ab"])  # a, C3, A9, </w>; a, b</w>
    pieces, pairs = found.of_bytes[:6], found.of_bytes[6:12]
    assert pieces.tolist() == [False, True, True, True, False, False]
    assert pairs.tolist() == [False, True, True, True, False, False]
    assert not found.of_bytes[12:].any()


def test_bytes_count_in_scripts_that_were_learnt():
    bpe = subword.train({"low": 1}, num_merges=0)  # to which 低 is its bytes
    table, _ = learn_weights(bpe, [{"low": 1.0}, {"低": 1.0}], alpha=0.1)
    for scorer in (Scorer(bpe, table, 2), make_scorer(bpe, table, 2)):
        scores, known = scorer.score(["低", "佊", "\U000204ce"])  # two that share bytes with it
        assert known.tolist()[0] == 10  # 3 bytes, the end, as many pairs, block, word
        assert 0 < known[1] < known[0]  # in its block
        assert known[2] == scores[2].sum() == 0


@pytest.mark.parametrize("script", FOREIGN_SCRIPTS)
def test_scripts_that_were_never_seen_are_undetermined(pretrained, script):
    text = FOREIGN_SCRIPTS[script]
    sure = pickle.loads(pickle.dumps(pretrained)).set_params(min_confidence=0.7)
    assert sure.predict([text, " ".join([text] * 50)]).tolist() == ["und", "und"]


def test_both_engines_agree_on_unknown_scripts(pretrained):
    draw = random.Random(5)
    letters = "".join(FOREIGN_SCRIPTS.values()) + "aé中ーшಕ한ꮀ\U00020123\u0301 "
    texts = ["".join(draw.choices(letters, k=draw.randrange(30))) for _ in range(500)]
    prepared = [*map(prepare, texts)]
    bpe, table, size = pretrained.bpe_, pretrained._learnt.table, len(pretrained.variants_)
    ours = Scorer(bpe, table, size).score(prepared)
    theirs = make_scorer(bpe, table, size).score(prepared)
    for one, other in zip(ours, theirs):
        assert (one == other).all()


def test_a_small_table_keeps_what_is_needed_most():
    full = LanguageIdentifier(num_merges=30).fit_dictionaries(DICTIONARIES)._learnt.table
    size = len(full.units) - 6
    small = LanguageIdentifier(num_merges=30, max_size=size).fit_dictionaries(DICTIONARIES)
    assert size - 6 <= len(small._learnt.table.units) <= size
    assert set(small._learnt.table.entries.keys.tolist()) < set(full.entries.keys.tolist())
    assert small.predict(["jutro", "вино и"]).tolist() == ["sr", "ru"]


# -- spans -------------------------------------------------------------------------------------


def test_spans_have_the_places_of_the_original(model):
    text = "Good morning! 42 «Guten Morgen, der WEIN» и вино"
    spans = model.identify_spans(text, penalty=1.0)
    assert [(text[start:end], language) for start, end, language in spans] == [
        ("Good morning", "en"), ("Guten Morgen, der WEIN", "de"), ("и вино", "ru"),
    ]  # fmt: skip


def test_spans_that_are_not_sure_enough_are_undetermined():
    model = LanguageIdentifier(num_merges=30).fit_dictionaries(DICTIONARIES)
    text = "good morning, вино ქართული ՀԱՅ"
    spans = model.identify_spans(text, penalty=1.0)
    assert [(text[start:end], language) for start, end, language in spans] == [
        ("good morning", "en"), ("вино ქართული ՀԱՅ", "ru"),  # as likely Serbian
    ]  # fmt: skip
    model.set_params(min_confidence=0.7)
    spans = model.identify_spans(text, penalty=1.0)
    assert [(text[start:end], language) for start, end, language in spans] == [
        ("good morning", "en"), ("вино ქართული ՀԱՅ", "und"),
    ]  # fmt: skip
    model.set_params(min_confidence=1.0)
    assert model.identify_spans(text, penalty=1.0) == [(0, len(text), "und")]


def test_the_words_of_a_span_make_it_sure_together(pretrained):
    sure = pickle.loads(pickle.dumps(pretrained)).set_params(min_confidence=0.7)
    words = ["the", "show", "must", "go", "on"]
    assert sure.predict_proba(words).max(axis=1).min() < 0.7
    spans = sure.identify_spans("Sie sagte: the show must go on.")
    assert [span.language for span in spans] == ["de", "en"]


def test_a_span_of_nothing_known_is_undetermined(model, pretrained):
    assert model.identify_spans("ქართული 42 ՀԱՅ!") == [(0, 14, "und")]
    text = "ສະບາຍດີ"
    assert pretrained.identify_spans(text) == [(0, len(text), "und")]


@pytest.mark.parametrize("penalty", [-1, float("nan"), float("inf"), "6", None, True])
def test_a_penalty_is_a_number_of_at_least_0(model, penalty):
    with pytest.raises(SubwordError, match="penalty must be a number of at least 0"):
        model.identify_spans("the", penalty=penalty)


def test_spans_of_missing_texts(model):
    with pytest.raises(TypeError, match="missing='empty'"):
        model.identify_spans(None)
    model = pickle.loads(pickle.dumps(model)).set_params(missing="empty")
    assert model.identify_spans(None) == []


def test_places_survive_lower_casing_and_normalisation():
    text = "İ www.x.org Cafe\u0301 it’s"
    assert [(text[w.start : w.end], w.word) for w in find_words(text)] == [
        ("İ", "i̇"), ("Cafe\u0301", "café"), ("it’s", "it's"),
    ]  # fmt: skip


@given(st.integers(1, 5), st.integers(1, 3), st.floats(0, 3), st.randoms(use_true_random=False))
def test_the_likeliest_path_by_trying_all(words, languages, penalty, draw):
    probabilities = np.array(
        [[draw.uniform(0.01, 1) for _ in range(languages)] for _ in range(words)]
    )

    def value(path):
        changes = sum(a != b for a, b in itertools.pairwise(path))
        return np.log(probabilities[np.arange(words), path]).sum() - penalty * changes

    best = max(value(path) for path in itertools.product(range(languages), repeat=words))
    assert value(likeliest_path(probabilities, penalty)) == pytest.approx(best)


# -- learning ----------------------------------------------------------------------------------


def test_texts_and_dictionaries_teach_the_same():
    texts = ["the wine and the cheese", "der Wein und der Käse", "Вино"]
    labels = ["en", "de", "ru"]
    counts = {label: WordCounts.from_texts([prepare(text)], pretokenizer="words")
              for label, text in zip(labels, texts)}  # fmt: skip
    one = LanguageIdentifier(num_merges=20).fit(texts, labels)
    other = LanguageIdentifier(num_merges=20).fit_dictionaries(counts)
    assert storage.write(one._learnt) == storage.write(other._learnt)


def test_order_of_languages_changes_nothing():
    one = LanguageIdentifier(num_merges=20).fit_dictionaries(DICTIONARIES)
    other = LanguageIdentifier(num_merges=20).fit_dictionaries(dict(reversed(DICTIONARIES.items())))
    assert storage.write(one._learnt) == storage.write(other._learnt)


def test_variants_stand_beside_each_other_whatever_else_is_called_alike():
    dictionaries = {"sr@latin": {"reka": 1}, "sr-x": {"xerox": 1}, "sr": {"река": 1}}
    model = LanguageIdentifier(num_merges=3).fit_dictionaries(dictionaries)
    assert model.variants_ == ["sr", "sr@latin", "sr-x"]
    assert model.predict(["reka", "река", "xerox"]).tolist() == ["sr", "sr", "sr-x"]


def test_calibration_makes_the_right_answers_likelier(model):
    model = pickle.loads(pickle.dumps(model))
    texts, labels = ["the", "der", "a", "o", "и", "vino"], ["en", "de", "de", "en", "sr", "ru"]
    columns = [model.classes_.tolist().index(label) for label in labels]

    def loss():
        return -np.log(model.predict_proba(texts)[range(6), columns]).mean()

    before, answers = loss(), model.predict(texts).tolist()
    assert model.calibrate(texts, labels) is model
    assert loss() < before - 0.1
    assert model.predict(texts).tolist() == answers
    with pytest.raises(SubwordError, match="not learnt: xx"):
        model.calibrate(["the"], ["xx"])


@pytest.mark.parametrize(
    "copy", [lambda m: pickle.loads(pickle.dumps(m)), lambda m: m], ids=["pickle", "same"]
)
def test_state_is_packed(model, copy):
    copied = copy(model)
    state = copied.__getstate__()
    assert isinstance(state["_learnt"], bytes)
    assert (copied.predict_proba(["the wein"]) == model.predict_proba(["the wein"])).all()
    assert not hasattr(clone(copied), "classes_")


def test_skops_needs_to_trust_the_class_alone(model):
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(model)
    assert skops.get_untrusted_types(data=data) == ["subword.langid.identifier.LanguageIdentifier"]
    loaded = skops.loads(data, trusted=["subword.langid.identifier.LanguageIdentifier"])
    assert loaded.predict(["the wine"]).tolist() == ["en"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_merges": -1}, "num_merges must be at least 0"),
        ({"power": 0}, "power must be a number above 0"),
        ({"alpha": float("inf")}, "alpha must be a number above 0"),
        ({"max_size": 0}, "max_size must be at least 1"),
        ({"power": "1"}, "power must be a number above 0"),
        ({"alpha": True}, "alpha must be a number above 0"),
        ({"alpha": None}, "alpha must be a number above 0"),
        ({"min_confidence": float("nan")}, "min_confidence must be a number from 0 to 1"),
        ({"missing": "drop"}, "missing must be one of 'error', 'empty'"),
        ({"n_jobs": 0}, "n_jobs must be None, a number of threads"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(SubwordError, match=message):
        LanguageIdentifier(**parameters).fit_dictionaries(DICTIONARIES)
    with pytest.raises(SubwordError, match=message):
        LanguageIdentifier(**parameters).fit(["the", "der"], ["en", "de"])


@pytest.mark.parametrize(
    ("dictionaries", "message"),
    [
        ({"a": ["x"]}, "a: expected a mapping from words to frequencies, got list"),
        ({"a": {"x": 1}, "b": "x"}, "b: expected a mapping from words to frequencies, got str"),
        ({"a": {"x": 1}, "b": {"x": "1"}}, "b: a str and its frequency are needed, got 'x': '1'"),
        ({"a": {"x": 1}, "b": {1: 1}}, "b: a str and its frequency are needed, got 1: 1"),
        ([{"x": 1}], "expected a mapping from languages"),
    ],
)
def test_dictionaries_of_wrong_types(dictionaries, message):
    with pytest.raises(TypeError, match=message):
        LanguageIdentifier().fit_dictionaries(dictionaries)


@pytest.mark.parametrize(
    ("dictionaries", "message"),
    [
        ({"en": {"the": 1}}, "at least 2 languages"),
        ({"sr@latin": {"i": 1}, "sr@cyrillic": {"и": 1}}, "at least 2 languages"),
        ({"en": {"the": 1}, "und": {"x": 1}}, "can be named 'und'"),
        ({"en": {"the": 1}, "de": {"42": 1}}, "no word of letters for 'de'"),
        ({"en": {"the": 1}, "de": {"der": 0}}, "no word of letters for 'de'"),
        ({"en": {"the": 1}, "de": {"der": -1}}, "'der' has the frequency -1"),
        ({"en": {"the": 1}, "de": {"der": float("nan")}}, "'der' has the frequency nan"),
        ({f"x{i}": {"the": 1} for i in range(257)}, "at most 256"),
    ],
)
def test_dictionaries_that_cannot_be_learnt(dictionaries, message):
    with pytest.raises(SubwordError, match=message):
        LanguageIdentifier().fit_dictionaries(dictionaries)


@pytest.mark.parametrize(
    ("texts", "labels", "error", "message"),
    [
        (["a", "b"], ["x"], SubwordError, "2 texts, but 1 labels"),
        (["a", "b"], ["x", None], SubwordError, "label 1 is missing"),
        (["a", "b"], ["x", 1], TypeError, "label 1: a language is named by a str"),
        (["a", "b"], None, SubwordError, "a label for every text"),
        ("ab", ["x", "y"], TypeError, r"put it in a list"),
        (["a", None], ["x", "y"], TypeError, "missing='empty'"),
        ([["a"], "b"], ["x", "y"], TypeError, "one-dimensional"),
    ],
)
def test_bad_texts_and_labels(texts, labels, error, message):
    with pytest.raises(error, match=message):
        LanguageIdentifier().fit(texts, labels)


def test_bad_use(model):
    with pytest.raises(TypeError, match="put it in a list"):
        model.predict("the")
    with pytest.raises(SubwordError, match="surrogate"):
        model.predict(["\ud800"])
    for parameters, message in [
        ({"languages": ["xx"]}, "not learnt: xx; known are de, en"),
        ({"languages": "en"}, "must be a list"),
        ({"languages": []}, "must be a list"),
        ({"languages": 5}, "must be a list"),
        ({"languages": np.array([])}, "must be a list"),
        ({"languages": [["en"]]}, "not learnt: "),
        ({"min_confidence": 2}, "from 0 to 1"),
        ({"min_confidence": "0.5"}, "from 0 to 1"),
        ({"missing": "drop"}, "missing must be one of"),
        ({"n_jobs": 1.5}, "n_jobs must be an integer"),
    ]:
        wrong = pickle.loads(pickle.dumps(model)).set_params(**parameters)
        with pytest.raises(SubwordError, match=message):
            wrong.predict(["the"])
    some = pickle.loads(pickle.dumps(model)).set_params(languages=np.array(["en", "ru"]))
    assert some.predict_proba(["the der"])[0, [0, 3]].tolist() == [0, 0]
    assert some.predict(["the"]).tolist() == ["en"]
    missing = pickle.loads(pickle.dumps(model)).set_params(missing="empty")
    assert missing.predict([None, "the"]).tolist() == ["und", "en"]


def test_not_fitted():
    from sklearn.exceptions import NotFittedError

    for use in (lambda m: m.predict(["a"]), lambda m: m.calibration_, lambda m: m.save("x")):
        with pytest.raises(NotFittedError):
            use(LanguageIdentifier())


def test_evaluation_counts(model):
    found = evaluate(model, ["the", "der", "и", "42", "good"], ["en", "de", "sr", "en", "xx"])
    assert (found.overall.rows, found.overall.right, found.undetermined) == (5, 2, 1)
    assert found.unknown == ["xx"]
    assert {share.name: share.right for share in found.languages} == {
        "de": 1,
        "en": 1,
        "sr": 0,
        "xx": 0,
    }
    assert found.mean == pytest.approx((1 + 1 / 2) / 4)
    assert ("en", "und", 1) in found.confusions
    assert sum(share.rows for share in found.lengths) == sum(s.rows for s in found.confidences) == 5


# -- the model that comes with the package -----------------------------------------------------


def test_pretrained_knows_75_languages(pretrained):
    assert len(pretrained.classes_) == 75
    paragraphs = bundled("languages.tsv").read_text(encoding="utf-8").splitlines()[1:]
    languages, texts = zip(*(line.split("\t") for line in paragraphs))
    assert pretrained.predict(texts).tolist() == list(languages)


@pytest.mark.parametrize("text", ["", "   ", "404", "https://a.b/c?d=1", "🙂🙂"])
def test_pretrained_abstains_without_letters(pretrained, text):
    assert pretrained.predict([text]).tolist() == ["und"]


@pytest.mark.parametrize("text", ["3 x 5 = 15", "ok", "Hi", "want", "Zesty nachos"])
def test_pretrained_is_not_sure_of_short_texts(pretrained, text):
    assert pretrained.predict_proba([text]).max() < 0.9


def test_pretrained_on_foreign_letters_capitals_and_line_breaks(pretrained):
    texts = [
        "Ein gut gekühlter Roséwein zum Käse",
        "This is\nan English\r\ntext",
        "THIS IS AN ENGLISH TEXT",
    ]
    assert pretrained.predict(texts).tolist() == ["de", "en", "en"]
    allowed = LanguageIdentifier.pretrained(languages=["en", "zh"])
    assert allowed.predict(["Elle"])[0] in ("en", "zh", "und")


def test_pretrained_probabilities_are_not_all_one(pretrained):
    words = ["house", "Haus", "maison", "casa", "hus", "dom", "talo", "ház", "casă", "rumah"]
    best = pretrained.predict_proba(words).max(axis=1)
    assert best.min() < 0.9
    assert len(set(best.round(3))) > 5


def test_the_card_names_the_file(pretrained):
    card = bundled("languages.md").read_text(encoding="utf-8")
    for part in ("CC BY-SA 4.0", "wordfreq", "Tatoeba", "OpenSubtitles", "und"):
        assert part in card
    assert json.dumps(len(pretrained.classes_)) in card


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_a_file_may_be_packed(tmp_path, suffix):
    path = tmp_path / f"mine.model{suffix}"
    words = {"de": {"guten": 2, "morgen": 1}, "en": {"good": 2, "morning": 1}}
    LanguageIdentifier(num_merges=9).fit_dictionaries(words).save(path)
    assert LanguageIdentifier.load(path).predict(["Guten", "good"]).tolist() == ["de", "en"]
