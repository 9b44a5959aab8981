"""The models that are encoded with, handed to the peers in the format of Hugging Face."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora import SHARED, Corpus, Setup
from harness import apart

GPT2 = SHARED / "data" / "golden" / "gpt2" / "vocab.bpe.gz"


@dataclass(frozen=True)
class Model:
    """A model of ours and the same as a tokenizer.json."""

    path: Path
    json: Path


def marked(setup: Setup) -> Model:
    """Learn from the English text: white space splits, words end in ``</w>``."""
    model = Model(setup.folder / "marked.subword", setup.folder / "marked.json")
    if not model.json.exists():
        apart(learn, setup.english, setup.merges, model, {"pretokenizer": "whitespace"})
    return model


def gpt2(setup: Setup) -> Model:
    """Take GPT-2's own merges where they are, else learn as many of that kind."""
    model = Model(
        GPT2 if GPT2.exists() else setup.folder / "gpt2.subword", setup.folder / "gpt2.json"
    )
    if not model.json.exists():
        if GPT2.exists():
            apart(hand_over, model)
        else:
            options = {"level": "byte", "pretokenizer": "gpt2"}
            apart(learn, setup.english or setup.multilingual, setup.merges, model, options)
    return model


def learn(corpus: Corpus, merges: int, model: Model, options: dict[str, Any]) -> None:
    """Learn, save and export."""
    import subword

    subword.train_files(corpus.path, merges, **options).save(model.path)
    hand_over(model)


def hand_over(model: Model) -> None:
    """Export for the peers."""
    load(model).export(model.json, format="huggingface")


def load(model: Model) -> Any:
    """Load with ours, ready to encode, as are the others: an empty text fills no cache."""
    import subword

    bpe = subword.load(model.path)
    bpe.encode("")
    return bpe


def load_tokenizers(model: Model) -> Any:
    """Load with tokenizers."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model.json))
    tokenizer.encode_batch_fast([""])
    return tokenizer


def load_gigatoken(model: Model) -> Any:
    """Load with gigatoken; its first batch imports awkward, which is not to be timed."""
    import gigatoken

    tokenizer = gigatoken.Tokenizer.from_json(model.json.read_text(encoding="utf-8"))
    tokenizer.encode_batch([""], parallel=False)
    return tokenizer


def load_tiktoken(model: Model) -> Any:
    """Load with tiktoken, which takes symbols for ranks: in the order of the merges they are."""
    import tiktoken

    from subword.pretokenize import PATTERNS

    bpe = load(model)
    ranks = {
        symbol: i for i, (symbol, _) in enumerate(bpe.symbols[: len(bpe) - len(bpe.special_tokens)])
    }
    return tiktoken.Encoding(
        "gpt2", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={}
    )


def load_subword_nmt(model: Model) -> Any:
    """Load with subword-nmt, by way of its codes."""
    from subword_nmt.apply_bpe import BPE

    path = model.path.with_suffix(".codes")
    load(model).export(path, format="subword-nmt")
    with open(path, encoding="utf-8") as codes:
        return BPE(codes)
