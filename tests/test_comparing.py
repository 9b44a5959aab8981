"""The commands compare and audit: tables for people, JSON for others."""

from __future__ import annotations

import json

import pytest
from conftest import TOY

import subword
from subword.cli import main
from subword.cli.comparing import Meter, Sizes


@pytest.fixture
def run(capsys, tmp_path):
    """Run a command in a folder with two models and a corpus; return what it wrote."""
    subword.train(TOY, 10).save(tmp_path / "a")
    subword.train(TOY, 10, tie_break="first").save(tmp_path / "b")
    subword.train([" low lower"] * 2, level="byte", pretokenizer="gpt2").save(tmp_path / "raw")
    (tmp_path / "corpus").write_text("low lower newest\n\nlow widest " * 3, encoding="utf-8")

    def run(*argv: str) -> str:
        files = [str(tmp_path / a) if (tmp_path / a).exists() else a for a in argv]
        code = main(files)
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out.replace(f"{tmp_path}/", "")

    return run


def test_without_texts_only_merges_are_compared(run):
    lines = run("compare", "a", "b").splitlines()
    assert lines[0].split() == ["model", "a", "b"]
    assert lines[1].split() == ["merges", "10", "10"]
    assert "options: tie_break 'largest' | 'first'" in lines
    assert lines[-1].startswith("rank 0: s + t</w> (9) | e + s (9): a tie, broken by 'largest'")


def test_texts_tell_what_it_means(run):
    out = run("compare", "a", "b", "corpus")
    found = json.loads(run("compare", "--json", "a", "b", "corpus"))
    a, b = found["models"]
    assert (a["model"], a["merges"], a["level"], a["end_of_word"]) == ("a", 10, "char", "suffix")
    assert a["pieces"] == found["difference"]["corpus"]["pieces"][0]
    assert a["pieces_per_word"] == a["pieces"] / 15
    share = found["difference"]["corpus"]["share"]
    assert out.endswith(f"{1 - share:.2%} of the words are split alike\n")
    assert f"pieces per word  {a['pieces_per_word']:.3f}" in " ".join(out.split()).replace(
        "pieces per word ", "pieces per word  ", 1
    )
    assert "megabytes per second" not in out  # they are too short to time
    assert b["ids"] == len(subword.train(TOY, 10, tie_break="first"))


def test_speed_is_told_where_it_can_be_timed(run, monkeypatch):
    monkeypatch.setattr("subword.cli.comparing._SHORTEST", 1e-9)
    assert "megabytes per second" in run("compare", "a", "b", "corpus")
    found = json.loads(run("compare", "--json", "a", "b", "corpus"))
    assert min(model["megabytes_per_second"] for model in found["models"]) > 0


def test_each_model_goes_first_in_turn(monkeypatch):
    monkeypatch.setattr("subword.cli.comparing._BATCH", 1)
    meters, order = [Meter(name, subword.train(TOY)) for name in "ab"], []
    for meter in meters:
        monkeypatch.setattr(meter, "take", lambda texts, meter=meter: order.append(meter.path))
    assert len([*Sizes().measured(["low", "low"], meters)]) == 2
    assert "".join(order).startswith("abba")


def test_other_rules_for_words_are_compared_by_white_space(run):
    found = json.loads(run("compare", "--json", "a", "raw", "corpus"))["difference"]
    assert found["corpus"]["words"] == 15
    assert found["divergence"]["reason"].startswith("other words or symbols")


def test_a_model_is_equal_to_itself(run):
    assert "100.00% of the words are split alike" in run("compare", "a", "a", "corpus")


def test_an_audit_of_a_model_and_of_what_a_corpus_uses(run):
    assert run("audit", "-m", "a") == f"{subword.audit(subword.train(TOY, 10))}\n"
    counts = {"low": 4, "lower": 3, "newest": 3, "widest": 3}
    found = json.loads(run("audit", "-m", "a", "--json", "corpus"))
    assert found == subword.audit(subword.train(TOY, 10), counts).as_dict()
    assert len(found["unused"]) == 6
    assert json.loads(run("audit", "-m", "a", "--json"))["unused"] is None


def test_bytes_need_models_of_bytes(run, capsys, tmp_path):
    (tmp_path / "odd").write_bytes(b"low \xff\n")
    out = run("compare", "raw", "raw", "odd", "--errors", "bytes")
    assert "0.00% of 2 words" in out
    files = [str(tmp_path / name) for name in ("a", "raw", "odd")]
    assert main(["compare", *files, "--errors", "bytes"]) == 1
    assert "--errors bytes needs two models of level byte" in capsys.readouterr().err


def test_a_missing_model_is_named(capsys, tmp_path):
    subword.train(TOY).save(tmp_path / "a")
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "none")]) == 1
    assert (
        capsys.readouterr().err == f"subword: error: {tmp_path}/none: No such file or directory\n"
    )
