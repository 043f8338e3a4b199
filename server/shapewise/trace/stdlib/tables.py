"""csv: rows of what the file has written itself, and rows of texts where nobody knows what a file says."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from ..unknowns import texts
from ..unknowns.grown import grown, is_grown
from ..wall import allowed
from . import list_member, stand_in
from .files import File
from .plain import is_plain

_WHY = "what a table says"


def _lines(source: Any) -> list[str] | None:
    """The lines that a reader is given; None where they are not known."""
    if isinstance(source, File):
        source = source.readlines()
    plain = type(source) in (list, tuple) and is_plain(source)
    return list(source) if plain and all(type(line) is str for line in source) else None


def _reader(source: Any, *dialect: Any, **options: Any) -> Any:
    lines = _lines(source)
    if lines is None or not is_plain([*dialect, *options.values()]):
        return texts.some(texts.some(texts.text(_WHY), _WHY), _WHY)
    return iter(list(csv.reader(lines, *dialect, **options)))


class DictReader:
    """`csv.DictReader` over known lines."""

    def __init__(self, rows: csv.DictReader[str]) -> None:
        self.fieldnames = list(rows.fieldnames or ())
        self._rows = iter(list(rows))

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def __next__(self) -> Any:
        return next(self._rows)


def _dict_reader(source: Any, *args: Any, **options: Any) -> Any:
    lines = _lines(source)
    if lines is not None and is_plain([*args, *options.values()]):
        return DictReader(csv.DictReader(lines, *args, **options))
    row: dict[str, Any] = {}
    grown(row, _WHY, of=texts.text(_WHY))
    return texts.some(row, _WHY)


class Writer:
    """`csv.writer` and `csv.DictWriter`."""

    def __init__(self, f: Any, fieldnames: Any = None, *args: Any, **options: Any) -> None:
        self.fieldnames = fieldnames
        self._file = f
        self._options = (args, options)

    def writerow(self, row: Any) -> Any:
        self.writerows([row])

    def writeheader(self) -> None:
        self.writerow(
            self.fieldnames if self.fieldnames is None else dict(zip(self.fieldnames, self.fieldnames))
        )

    def writerows(self, rows: Any) -> None:
        if not isinstance(self._file, File):
            return
        args, options = self._options
        if is_grown(rows) is not None or not is_plain([rows, self.fieldnames, *args, *options.values()]):
            self._file.lose()
            return
        made = io.StringIO(newline="")
        if self.fieldnames is None:
            csv.writer(made, *args, **options).writerows(rows)
        else:
            csv.DictWriter(made, self.fieldnames, *args, **options).writerows(rows)
        self._file.write(made.getvalue())


def _writer(file: Any, *args: Any, **options: Any) -> Any:
    return Writer(file, None, *args, **options)


allowed.QUICK_OWNERS.update((File, DictReader, Writer))
for _class in (DictReader, Writer):
    list_member(_class, f"csv.{_class.__name__}")
stand_in(
    "csv",
    {
        "reader": _reader,
        "DictReader": _dict_reader,
        "writer": _writer,
        "DictWriter": Writer,
        **{
            name: getattr(csv, name) for name in "QUOTE_ALL QUOTE_MINIMAL QUOTE_NONNUMERIC QUOTE_NONE".split()
        },
    },
)
