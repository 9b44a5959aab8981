"""What users hand in as documents, on its own and through the vectorizers."""

from __future__ import annotations

import io

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer

from subword import SubwordError, SubwordTfidfVectorizer, SubwordVectorizer
from subword.documents import read_documents

TEXTS = ["low low low low low", "lower lower", "newest " * 6, "widest widest widest"]
KINDS = pytest.mark.parametrize("kind", [SubwordVectorizer, SubwordTfidfVectorizer])


class Series:
    """What a column of a data frame looks like from outside."""

    def __init__(self, texts):
        self.texts, self.shape = texts, (len(texts),)

    def __iter__(self):
        return iter(self.texts)


class Frame(dict):
    shape = (2, 1)


class NAType:
    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    def __eq__(self, other):
        return self

    __ne__, __hash__ = __eq__, None


@KINDS
@pytest.mark.parametrize(
    "column",
    [tuple, iter, Series, np.array, lambda texts: np.array(texts, object),
     lambda texts: (text for text in texts), lambda texts: io.StringIO("\n".join(texts))],
)  # fmt: skip
def test_any_iterable_of_texts_gives_the_same(kind, column):
    vectorizer = kind()
    X = vectorizer.fit_transform(column(TEXTS))
    assert (kind().fit_transform(TEXTS) != X).nnz == 0
    assert (vectorizer.transform(column(TEXTS)) != X).nnz == 0


@KINDS
@pytest.mark.parametrize("text", ["one string", b"bytes"])
def test_a_single_text_is_refused(kind, text):
    fitted = kind().fit(TEXTS)
    for method in (kind().fit, kind().fit_transform, fitted.transform):
        with pytest.raises(TypeError, match=r"expected an iterable of texts, .* put it in a list"):
            method(text)


@KINDS
@pytest.mark.parametrize(
    "table", [Frame(text=["low", "lower"]), {"text": ["low"]}, np.array([["low"], ["lower"]])]
)
def test_tables_are_refused_with_the_way_out(kind, table):
    for method in (kind().fit, kind().fit(TEXTS).transform):
        with pytest.raises(
            ValueError, match=r'expected one column .* name it "text", not \["text"\]'
        ):
            method(table)


@pytest.mark.parametrize("value", [5, None, np.array("low")])
def test_what_is_no_iterable_is_refused(value):
    with pytest.raises(TypeError, match="expected an iterable of texts, got"):
        SubwordVectorizer().fit(value)


@KINDS
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "NoneType"),
        (float("nan"), "float"),
        (np.float64("nan"), "float64"),
        (NAType(), "NAType"),
    ],
)
def test_missing_texts_are_errors_or_empty(kind, value, shown):
    documents = ["low low", value, "lower"]
    fitted = kind().fit(TEXTS)
    for method in (kind().fit, fitted.transform):
        for given in (documents, np.array(documents, object), iter(documents)):
            with pytest.raises(
                TypeError, match=f"document 1: expected a str, got {shown} .*missing='empty'"
            ):
                method(given)
    empty = kind(missing="empty").fit(documents)
    assert (empty.transform(documents) != empty.transform(["low low", "", "lower"])).nnz == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [(3, "got int .3.$"), (["low"], "got list .*a document is one str"), (b"low", "got bytes")],
)
def test_documents_that_are_no_texts(value, message):
    for missing in ("error", "empty"):
        with pytest.raises(TypeError, match=f"document 1: expected a str, {message}"):
            SubwordVectorizer(missing=missing).fit(["low", value])


@KINDS
def test_lone_surrogates_are_errors_with_their_place(kind):
    fitted = kind().fit(TEXTS)
    for method in (kind().fit, fitted.transform):
        with pytest.raises(
            SubwordError, match=r"document 1: lone surrogate U\+D800 at character 3"
        ):
            method(["low", "low\ud800"])


def test_column_transformer_takes_one_column():
    table = np.array([["low lower", "x"], ["lower", "y"], ["low", "z"]], object)
    columns = ColumnTransformer([("pieces", SubwordVectorizer(), 0)])
    assert columns.fit_transform(table).shape == (3, 2)
    assert [*columns.get_feature_names_out()] == ["pieces__low", "pieces__lower"]
    with pytest.raises(ValueError, match="expected one column of texts"):
        ColumnTransformer([("pieces", SubwordVectorizer(), [0])]).fit(table)


def test_data_frames_of_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": [*TEXTS, None], "label": [0, 0, 1, 1, 1]})
    columns = ColumnTransformer([("pieces", SubwordVectorizer(missing="empty"), "text")])
    assert columns.fit_transform(frame).shape[0] == 5
    for wrong in (frame, frame[["text"]]):
        with pytest.raises(ValueError, match=r'"text", not \["text"\]'):
            SubwordVectorizer().fit(wrong)
    with pytest.raises(ValueError, match=r'"text", not \["text"\]'):
        ColumnTransformer([("pieces", SubwordVectorizer(), ["text"])]).fit(frame)
    for dtype in (object, "string"):
        with pytest.raises(TypeError, match="document 4: expected a str, got"):
            SubwordVectorizer().fit(frame["text"].astype(dtype))


def test_byte_models_take_bytes():
    vectorizer = SubwordVectorizer(level="byte", pretokenizer="space", min_frequency=1)
    vectorizer.fit([b"low \xff\xfe", "low"])
    assert [*vectorizer.vocabulary_] == ["<0xFF><0xFE>", "low"]
    with pytest.raises(TypeError, match="document 1: expected a str, got bytes .* level='byte'"):
        SubwordVectorizer().fit(["low", b"low"])


def test_missing_texts_do_not_meet_the_preprocessor():
    assert read_documents(["low", None], str.upper, missing="empty") == ["LOW", ""]
    with pytest.raises(TypeError, match="document 1: .*missing='empty'"):
        read_documents(["low", None], str.upper)


def test_bytes_stay_bytes_where_they_are_allowed():
    assert read_documents([b"low \xff", "low"], allow_bytes=True) == [b"low \xff", "low"]
