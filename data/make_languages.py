"""Make `languages.model` from word counts: ``python data/make_languages.py FOLDER``.

FOLDER holds ``train.tsv.xz`` (language, source, text) and ``dictionaries.tsv.xz`` (source,
language, word, count); the package `wordfreq` gives the rest. `languages.md` says where all of it
comes from. Every tenth line of the texts, by hash, is held out, to choose settings and to learn
how sure to be; the model that is written has seen these lines too.
"""

from __future__ import annotations

import argparse
import lzma
import random
import sys
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import regex

from subword import LanguageIdentifier
from subword.langid.features import prepare, words_of

# How much each source counts; of dictionaries the most frequent words are taken.
WEIGHTS = {
    "texts": 1.0,
    "wordfreq": 1.0,
    "wikipedia": 1.0,
    "za-lid": 0.8,
    "frequencywords": 0.5,
    "za-sona": 0.4,
    "libreoffice": 0.15,
    "django": 0.03,
}
EXCEPTIONS = {("wikipedia", "af"): 0.4, ("frequencywords", "ms"): 0.0}  # much of it Indonesian
UNLICENSED = {"masakhane-news"}  # states no licence: not used
WORDFREQ_NAMES = {"tl": "fil", "sr": "sh"}
TOP_WORDS = 20_000
POWER = 0.4
MAX_SIZE = 4_750_000  # 6 MB in the file
# sr: written in both scripts, half of each as one language would be at home in neither.
LATIN, CYRILLIC = "sr@latin", "sr@cyrillic"
TO_CYRILLIC = str.maketrans("abvgdđežzijklmnoprstćufhcčš", "абвгдђежзијклмнопрстћуфхцчш")
DIGRAPHS = {"lj": "љ", "nj": "њ", "dž": "џ"}
DOT_BELOW = "\u0323"

Sources = dict[str, dict[str, Counter[str]]]  # language -> source -> word -> count


# -- reading -----------------------------------------------------------------------------------


def rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a table."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield line.rstrip("\n").split("\t")


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield language and text of the lines that may be used."""
    for language, source, text in rows(folder / "train.tsv.xz"):
        if source not in UNLICENSED:
            yield language, text


def is_held_out(text: str) -> bool:
    """Say whether a line is for choosing and calibrating."""
    return zlib.crc32(text.encode()) % 10 == 0


def variant(language: str, words: Iterable[str]) -> str:
    """Return the dictionary that words of a text belong to."""
    if language != "sr":
        return language
    cyrillic = [bool(regex.search(r"\p{Cyrillic}", word)) for word in words]
    return CYRILLIC if 2 * sum(cyrillic) > len(cyrillic) else LATIN


def read_sources(folder: Path, lines: Iterable[tuple[str, str]]) -> Sources:
    """Count the words of the lines, and add all dictionaries."""
    sources: Sources = defaultdict(lambda: defaultdict(Counter))
    for language, text in lines:
        words = words_of(prepare(text))
        sources[variant(language, words)]["texts"].update(words)
    for source, language, entry, count in rows(folder / "dictionaries.tsv.xz"):
        for word in words_of(prepare(entry)):
            sources[variant(language, [word])][source][word] += int(count)
    for name in [*sources]:
        for word, frequency in wordfreq_words(name.partition("@")[0], name):
            sources[name]["wordfreq"][word] += frequency  # type: ignore[assignment]
    return sources


def wordfreq_words(language: str, name: str) -> Iterator[tuple[str, float]]:
    """Yield the most frequent words that `wordfreq` has for a language."""
    import wordfreq

    code = WORDFREQ_NAMES.get(language, language)
    if name == LATIN or code not in wordfreq.available_languages("best"):
        return
    frequencies = wordfreq.get_frequency_dict(code, "best")
    ranked = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
    for entry, frequency in ranked[:TOP_WORDS]:
        for word in words_of(prepare(entry)):
            yield (to_cyrillic(word) if name == CYRILLIC else word), frequency


def to_cyrillic(word: str) -> str:
    """Return a Serbian word in Cyrillic."""
    for latin, letter in DIGRAPHS.items():
        word = word.replace(latin, letter)
    return word.translate(TO_CYRILLIC)


# -- blending ----------------------------------------------------------------------------------


def blend(sources: Sources) -> dict[str, dict[str, float]]:
    """Return one dictionary per language: sources are damped and scaled before they are added."""
    blended = {}
    for name, dictionaries in sources.items():
        words: Counter[str] = Counter()
        for source, counts in dictionaries.items():
            weight = EXCEPTIONS.get((source, name), WEIGHTS[source])
            for word, share in damped(counts, None if source == "texts" else TOP_WORDS):
                words[word] += weight * share  # type: ignore[assignment]
        blended[name] = dict(words) if name != "yo" else without_tones(words)
    return blended


def damped(counts: Counter[str], top: int | None) -> Iterator[tuple[str, float]]:
    """Yield the most frequent words with shares of 1, evened out."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:top]
    total = sum(count**POWER for _, count in ranked)
    return ((word, count**POWER / total) for word, count in ranked)


def without_tones(words: Counter[str]) -> dict[str, float]:
    """Return Yoruba as it is written on the web: with all marks, without tones, without any."""
    spelt: Counter[str] = Counter()
    for word, frequency in words.items():
        spelt[word] += frequency / 2  # type: ignore[assignment]
        spelt[without_marks(word, keep=DOT_BELOW)] += frequency / 4  # type: ignore[assignment]
        spelt[without_marks(word)] += frequency / 4  # type: ignore[assignment]
    return dict(spelt)


def without_marks(word: str, keep: str = "") -> str:
    """Return a word without its diacritics, some perhaps kept."""
    letters = unicodedata.normalize("NFD", word)
    kept = (c for c in letters if c in keep or unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", "".join(kept))


# -- making ------------------------------------------------------------------------------------


def learn(folder: Path, lines: Iterable[tuple[str, str]]) -> LanguageIdentifier:
    """Learn from these lines and all dictionaries."""
    dictionaries = blend(read_sources(folder, lines))
    identifier = LanguageIdentifier(power=1.0, max_size=MAX_SIZE)  # they are damped already
    return identifier.fit_dictionaries(dictionaries)


def samples(lines: Iterable[tuple[str, str]], most: int = 150) -> dict[str, list[tuple[str, str]]]:
    """Return sentences, word pairs and single words of lines: (language, text).

    Words of at least five letters; Chinese, Japanese and Thai, which have no spaces, are cut.
    """
    draw = random.Random(0)
    by_language = defaultdict(list)
    for language, text in lines:
        if language != "sr" or variant(language, words_of(prepare(text))) == CYRILLIC:
            by_language[language].append(text)
    found: dict[str, list[tuple[str, str]]] = {"sentences": [], "pairs": [], "words": []}
    for language, sentences in sorted(by_language.items()):
        draw.shuffle(sentences)
        words = [long_words(language, text) for text in sentences]
        pairs = [" ".join(row[i : i + 2]) for row in words for i in range(0, len(row) - 1, 2)]
        singles = sorted({word for row in words for word in row})
        for kind, items in zip(found, (sentences, pairs, singles), strict=True):
            chosen = draw.sample(items, min(most, len(items)))
            found[kind] += [(language, item) for item in chosen]
    return found


def long_words(language: str, text: str) -> list[str]:
    """Return the words of a text that are long enough to tell something."""
    words = words_of(prepare(text))
    step = {"zh": 2, "ja": 3, "th": 7}.get(language)
    if step:
        return [word[i : i + step] for word in words for i in range(0, len(word) - 1, 2 * step)]
    return [word for word in words if len(word) >= 5]


def accuracy(identifier: LanguageIdentifier, sample: list[tuple[str, str]]) -> float:
    """Return the share of right answers, the mean over languages."""
    languages = np.array([language for language, _ in sample])
    right = identifier.predict([text for _, text in sample]) == languages
    return float(np.mean([right[languages == name].mean() for name in np.unique(languages)]))


def main() -> int:
    """Make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path,
                        default=Path(__file__).with_name("languages.model"))  # fmt: skip
    args = parser.parse_args()
    lines = [*texts(args.folder)]
    held_out = samples(line for line in lines if is_held_out(line[1]))
    tried = learn(args.folder, [line for line in lines if not is_held_out(line[1])])
    mixed = [pair for sample in held_out.values() for pair in sample]
    tried.calibrate([text for _, text in mixed], [language for language, _ in mixed])
    for kind, sample in held_out.items():
        print(f"held out, {kind}: {100 * accuracy(tried, sample):.2f} %", flush=True)
    identifier = learn(args.folder, lines)
    unit = identifier.calibration_.unit
    identifier.calibration_ = tried.calibration_._replace(unit=unit)
    identifier.save(args.output)
    print(f"{args.output.name}: {args.output.stat().st_size:,} bytes, {identifier.calibration_}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
