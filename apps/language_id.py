"""Language identification: which language a text is in, or which parts of it are in which.

An argument that names a file is read, one text a line, and a folder, one text a file; any other is
a text itself.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import chain

from subword import LanguageIdentifier, reports
from subword.arguments import add_command, add_errors, add_header, make_parser
from subword.columns import one_line
from subword.files import write_atomic
from subword.langid.evaluation import evaluate
from subword.reports.languages import as_html, as_json, as_text
from subword.reports.models import check_model_path, require_skops, version_note
from subword.reports.skeleton import (
    add_output_arguments,
    check_outputs,
    read,
    text_batches,
    write,
)
from subword.tables import Table
from subword.terminal import tell

NAME = "language_id"
_EXAMPLES = """\
examples:
  {app} "Ein gut gekühlter Wein"
  {app} letters.txt --languages de,en,fr --min-confidence 0.7
  {app} --spans "Sie sagte: the show must go on."
  tail -f messages.log | {app}
  {app} evaluate labelled.tsv --json
  {app} train labelled.tsv --save mine.skops
"""
_LABEL_NAMES = ("label", "language", "lang")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the app and return its exit code: 0 done, 1 user error, 2 wrong usage."""
    argv = sys.argv[1:] if argv is None else argv
    return reports.run(NAME, build_parser(__package__), argv, ("identify", "evaluate", "train"))


def build_parser(package: str | None) -> argparse.ArgumentParser:
    """Return the parser of the commands."""
    program = f"python -m {package}.{NAME}"
    parser, commands = make_parser(program, __doc__ or "", _EXAMPLES.format(app=program))
    command = add_command(
        commands, "identify", identify,
        "say the language of texts: language, probability, text; the command if none is given",
    )  # fmt: skip
    command.add_argument("texts", nargs="*", metavar="TEXT | FILE", help="none, or -, for stdin")
    command.add_argument("--spans", action="store_true",
                         help="language by stretch of text: text number, start, end, language, "
                         "text")  # fmt: skip
    _add_model_arguments(command)
    add_errors(command)
    add_output_arguments(command)
    command = add_command(commands, "evaluate", measure, "measure on texts with known languages")
    command.add_argument("file", metavar="FILE", help="a table: language, text")
    _add_model_arguments(command)
    _add_table_arguments(command)
    add_output_arguments(command, html=True)
    command = add_command(commands, "train", train, "learn from texts with known languages")
    command.add_argument("file", metavar="FILE", help="a table: language, text")
    command.add_argument("--save", required=True, metavar="FILE", help="a .skops file")
    _add_table_arguments(command)
    return parser


def _add_model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="FILE", help="a saved one (default: the bundled one)")
    parser.add_argument("--languages", metavar="CODES",
                        help="the only ones to choose from, such as de,en,fr")  # fmt: skip
    parser.add_argument("--min-confidence", type=float, default=0.0, metavar="P",
                        help="say 'und' below this probability")  # fmt: skip


def _add_table_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tables", "TSV, CSV or JSON lines, by suffix; may be packed.")
    group.add_argument("--label", metavar="COLUMN",
                       help="name or number (default: label, language or lang; the first "
                       "if columns have no names)")  # fmt: skip
    group.add_argument(
        "--text",
        metavar="COLUMN",
        help="name or number (default: text; the second if columns have no names)",
    )
    add_header(group)
    add_errors(group)


# -- identify ----------------------------------------------------------------------------------


def identify(args: argparse.Namespace) -> None:
    """Write the language of each text."""
    check_outputs(args.output)
    identifier = load(args)
    render = _spans if args.spans else _languages
    write(render(identifier, _batches(args), args.json), args.output)


def _batches(args: argparse.Namespace) -> Iterator[list[str]]:
    """Yield texts as they come: arguments, lines of files, lines of stdin."""
    for given in args.texts or ["-"]:
        place = argparse.Namespace(file=given, text=None, header=False, errors=args.errors)
        yield from text_batches(place)


def _languages(
    identifier: LanguageIdentifier, batches: Iterator[list[str]], as_json: bool
) -> Iterator[str]:
    for texts in batches:
        sure = identifier.predict_proba(texts).max(axis=1).tolist()
        for language, p, text in zip(identifier.predict(texts), sure, texts, strict=True):
            if as_json:
                yield _json({"language": language, "probability": p, "text": text})
            else:
                yield f"{language}\t{p:.4f}\t{one_line(text)}\n"


def _spans(
    identifier: LanguageIdentifier, batches: Iterator[list[str]], as_json: bool
) -> Iterator[str]:
    for number, text in enumerate(chain.from_iterable(batches), 1):
        spans = identifier.identify_spans(text)
        if as_json:
            yield _json({"text": text, "spans": [span._asdict() for span in spans]})
        for start, end, language in spans if not as_json else ():
            yield f"{number}\t{start}\t{end}\t{language}\t{one_line(text[start:end])}\n"


def _json(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def load(args: argparse.Namespace) -> LanguageIdentifier:
    """Return the identifier that the arguments ask for."""
    identifier: LanguageIdentifier
    if args.model:
        identifier, about = reports.load_model(args.model, NAME)
        tell(NAME, "note", version_note(about))
    else:
        identifier = LanguageIdentifier.pretrained()
    codes = args.languages.replace(",", " ").split() if args.languages is not None else None
    identifier.set_params(languages=codes, min_confidence=args.min_confidence)
    return identifier


# -- evaluate and train ------------------------------------------------------------------------


def measure(args: argparse.Namespace) -> None:
    """Report how well languages are told apart."""
    check_outputs(args.output, args.html)
    table = _table(args)
    result = evaluate(load(args), table.texts, table.labels)
    notes = [*table.notes]
    if result.unknown:
        notes.append(f"the model does not know {', '.join(result.unknown)}: no answer is right")
    tell(NAME, "note", notes)
    if args.html:
        write_atomic(args.html, as_html(result, table.path))
    write([(as_json if args.json else as_text)(result, table.path)], args.output)


def train(args: argparse.Namespace) -> None:
    """Learn from all rows and save the model."""
    require_skops()
    check_outputs(check_model_path(args.save))
    table = _table(args)
    tell(NAME, "note", table.notes)
    identifier = LanguageIdentifier().fit(table.texts, table.labels)
    languages = [str(name) for name in identifier.classes_]
    reports.save_model(args.save, identifier,
                       {"app": NAME, "rows": len(table), "labels": languages})  # fmt: skip
    write([f"{args.save}: learnt {len(languages)} languages from {len(table):,} rows\n"])


def _table(args: argparse.Namespace) -> Table:
    """Read a table; the language comes first where nothing else is said."""
    first = args.label != "2" and args.text != "1"
    return read(args, args.file, label_names=_LABEL_NAMES, label_first=first)


if __name__ == "__main__":
    sys.exit(main())
