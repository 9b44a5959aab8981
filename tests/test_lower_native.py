"""The engine lower-cases as `str.lower` does: every character, and the capital sigma in its surroundings."""

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

core = pytest.importorskip("subword.native._core")

CHARACTERS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
AROUND_SIGMA = "ΣΣΣσςaA.':·\u0301\u02b0\u00ad -1Éİ中ⅧⒶ"


def lower(text):
    """Lower-case as counting does."""
    table = core.WordTable("none", True)
    table.add_texts([text])
    return "".join(table.words())


def test_every_character():
    assert lower("".join(CHARACTERS)) == "".join(CHARACTERS).lower()
    for character in [*CHARACTERS[::97], *AROUND_SIGMA]:
        assert lower(character) == character.lower()


def test_sigma_beside_every_character():
    text = " ".join(f"{c}Σ a{c}Σ aΣ{c} aΣ{c}a" for c in CHARACTERS)
    assert lower(text) == text.lower()


@given(st.text(st.sampled_from(AROUND_SIGMA) | st.characters(exclude_categories=["Cs"])))
def test_any_text(text):
    assert lower(text) == text.lower()


@given(
    st.lists(st.binary(max_size=4) | st.sampled_from(AROUND_SIGMA).map(str.encode)).map(b"".join)
)
def test_any_bytes(text):
    assert lower(text) == text.decode("utf-8", "surrogateescape").lower()


def test_ascii_of_every_length_between_other_characters():
    rng = random.Random(1)
    for size in range(200):
        ascii_text = "".join(map(chr, rng.choices(range(128), k=size)))
        for text in (ascii_text, f"É{ascii_text}", f"{ascii_text}İ", f"{ascii_text}Σ{ascii_text}"):
            assert lower(text) == text.lower()


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("scanner", ["space", "words", "gpt2"])
def test_however_the_text_comes(tmp_path, scanner, n_jobs):
    rng = random.Random(2)
    words = ["".join(rng.choices("aBΣσİÉ'中", k=rng.randint(1, 9))) for _ in range(5000)]
    lines = [" ".join(rng.choices(words, k=20)) for _ in range(5000)]
    text = "\n".join(lines).encode()
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text, 1))
    given_lower, given_lines = core.WordTable(scanner), core.WordTable(scanner)
    given_lower.add_buffer(text.decode().lower().encode())
    given_lines.add_texts([line.lower() for line in lines])
    tables = [core.WordTable(scanner, True) for _ in range(4)]
    tables[0].add_texts(lines, n_jobs)
    tables[1].add_buffer(text, n_jobs)
    tables[2].add_file(plain, n_jobs=n_jobs)
    with gzip.open(packed) as file:
        tables[3].add_stream(file, n_jobs=n_jobs)
    for table, expected in zip(tables, [given_lines, *[given_lower] * 3]):
        assert table.words() == expected.words()
        assert table.counts().tolist() == expected.counts().tolist()
