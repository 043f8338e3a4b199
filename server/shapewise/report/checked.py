"""What a report is made of: files, and what was found in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..analysis import Elsewhere
from ..edits.text import text_map
from ..source import Source
from ..vocabulary.facts import Fact
from ..vocabulary.findings import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """One file that was checked, and what is said about it. `seconds`: what the trace took.

    `elsewhere`: what its trace says of other files of the project.
    """

    source: Source
    findings: tuple[Finding, ...]
    facts: tuple[Fact, ...] = ()
    torch: str = ""
    seconds: float = 0.0
    elsewhere: tuple[Elsewhere, ...] = ()


def each(files: Iterable[Checked]) -> Iterator[tuple[Checked, Finding]]:
    """Every finding with its file."""
    for file in files:
        for finding in file.findings:
            yield file, finding


def headline(finding: Finding) -> str:
    """The first line of a message; the others show what it means here."""
    return finding.message.partition("\n")[0]


def shown(path: str) -> str:
    """A path as people want to read it: relative to where they stand, if it lies below."""
    try:
        return str(Path(path).absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return path


def printable(text: str) -> str:
    """A line with every character visible and of known width: names and texts of a file must not steer a terminal."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else "    " if letter == "\t" else "\ufffd" for letter in text
    )


def uri_path(path: str) -> str:
    """A path as other tools want it: relative to where we stand, with slashes."""
    return Path(shown(path)).as_posix()


def cell_of(source: Source, line: int) -> tuple[int, int] | None:
    """Which code cell of a notebook a line is in (from 1), and which of its lines; None in a file."""
    for number, cell in enumerate(source.cells, start=1):
        if cell.first_line <= line < cell.first_line + cell.lines:
            return number, line - cell.first_line + 1
    return None


def place(source: Source, line: int, column: int) -> str:
    """A place as text: `model.py:14:12`, `model.ipynb:cell 3:2:5`. Columns count from 1 there."""
    cell = cell_of(source, line)
    where = f"{line}" if cell is None else f"cell {cell[0]}:{cell[1]}"
    return f"{printable(shown(source.path))}:{where}:{column + 1}"


def line_text(source: Source, line: int) -> str:
    """The text of a line, empty beyond the end."""
    places = text_map(source.text)
    return places.line(line) if 1 <= line <= len(places) else ""


def fingerprints(files: Sequence[Checked]) -> Iterator[tuple[Checked, Finding, str]]:
    """Every finding with a mark that survives edits elsewhere in the file.

    Made of the path, the rule and the text of the line; equal ones are numbered.
    """
    seen: dict[tuple[str, str, str], int] = {}
    for file, finding in each(files):
        key = (uri_path(file.source.path), finding.rule, line_text(file.source, finding.span.line).strip())
        seen[key] = seen.get(key, 0) + 1
        digest = hashlib.sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass"))
        yield file, finding, digest.hexdigest()[:32]
