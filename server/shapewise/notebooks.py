"""Notebooks: code cells as one text, and edits put back without touching the rest of the JSON."""

from __future__ import annotations

import io
import json
import re
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .edits.apply import OverlappingEdits, apply
from .source import Cell, Source
from .vocabulary.findings import Edit

_NEWLINE = re.compile(r"\r\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\r\n]*")
_MAGIC = re.compile(r"[ \t]*(?:[%!]|\?{1,2}[\w.*]|[\w.]+\?{1,2}[ \t]*$)")
_LIST = re.compile(r"\[(\s*)\"(?:[^\"\\]|\\.)*\"(?:(\s*,\s*)\".*)?(?<=\")(\s*)\]", re.DOTALL)
"""A list of strings: what stands before the first, between the first two, and behind the last."""
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "python", "python3", "pypy", "debug", "memit", "mprun"}
"""Cell magics whose cell is Python all the same."""


class NotANotebook(ValueError):
    """Why a text is not a notebook, in a few words."""


@dataclass(frozen=True, slots=True)
class CodeCell:
    """One code cell: its place among all cells, its text, and where that stands in the JSON."""

    index: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Notebook:
    """The JSON text of a notebook, and its code cells."""

    text: str
    cells: tuple[CodeCell, ...]

    def edited(self, cells: Sequence[Cell], edits: Iterable[Edit]) -> Notebook:
        """The notebook with edits made to the text that `joined` gave, whose cells these are.

        Raises OverlappingEdits also for an edit that reaches over two cells.
        """
        edits_of: dict[int, list[Edit]] = {}
        for edit in edits:
            number = next(
                (n for n, cell in enumerate(cells) if 0 <= edit.span.line - cell.first_line < cell.lines),
                None,
            )
            if number is None or edit.span.end_line >= cells[number].first_line + cells[number].lines:
                raise OverlappingEdits("an edit reaches over two cells")
            edits_of.setdefault(number, []).append(_shifted(edit, 1 - cells[number].first_line))
        text = self.text
        for number in sorted(edits_of, reverse=True):
            cell = self.cells[number]
            new = apply(cell.text, edits_of[number])
            text = text[: cell.start] + _written_like(self.text, cell, new) + text[cell.end :]
        return parse(text)


def parse(text: str) -> Notebook:
    """Read a notebook of format 3 or 4. Raises NotANotebook."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise NotANotebook(f"its JSON is broken, {error}") from None
    except RecursionError:
        raise NotANotebook("its JSON is nested too deeply") from None
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise NotANotebook("it has no nbformat")
    if data["nbformat"] not in (3, 4):
        raise NotANotebook(f"nbformat {data['nbformat']} is not known, only 3 and 4")
    language = _language(data)
    if language not in (None, "python"):
        raise NotANotebook(f"it is written in {language}, not in Python")

    spans = _Spans(text)
    cells = []
    places: list[tuple[str | int, ...]] = []
    if data["nbformat"] == 4:
        places += (("cells", index) for index in range(len(_list(data, "cells"))))
    elif sheets := _list(data, "worksheets"):
        places += (("worksheets", 0, "cells", index) for index in range(len(_list(sheets[0], "cells"))))
    key = "source" if data["nbformat"] == 4 else "input"
    for index, place in enumerate(places):
        cell: Any = data
        for step in place:
            cell = cell[step]
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get(key, "")
        lines = [source] if isinstance(source, str) else source
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise NotANotebook(f"cell {index + 1} has no text")
        start, end = spans.of((*place, key)) if key in cell else (0, 0)
        cells.append(CodeCell(index, "".join(lines), start, end))
    return Notebook(text, tuple(cells))


def joined(path: str, cells: Iterable[CodeCell]) -> Source:
    """The code cells one below the other, magics blanked at equal length."""
    texts, places, line = [], [], 1
    for cell in cells:
        text = blank_magics(_NEWLINE.sub("\n", _SURROGATE.sub("\ufffd", cell.text)))
        lines = text.count("\n") + 1
        texts.append(text)
        places.append(Cell(cell.index, line, lines))
        line += lines
    return Source(path, "\n".join(texts), tuple(places))


def blank_magics(text: str) -> str:
    """Put spaces where a cell speaks to IPython (`%`, `!`, `?`, `%%`) and not Python.

    `x = !ls` stays: it does not parse, so that repair makes `x` unknown.
    """
    lines = text.split("\n")
    if not any(_MAGIC.match(line) for line in lines):
        return text
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        name = re.match(r"%%(\w*)", lines[first])
        if name is None or name.group(1) not in _PYTHON_CELLS:
            return "\n".join(" " * len(line) for line in lines)
        lines[first] = " " * len(lines[first])
    continued = False
    for number, line in enumerate(lines):
        if continued or (_MAGIC.match(line) and not _is_within("\n".join(lines[:number]))):
            continued = line.endswith("\\")
            indent = len(line) - len(line.lstrip())
            # An indented one may be all that its suite has.
            lines[number] = line[:indent] + ("0" if indent else " ") + " " * (len(line) - indent - 1)
    return "\n".join(lines)


def _is_within(before: str) -> bool:
    """Whether the text ends within a string of several lines or an open bracket."""
    try:
        for _ in tokenize.generate_tokens(io.StringIO(before + "\n").readline):
            pass
    except tokenize.TokenError as error:
        return "multi-line" in str(error) or "triple-quoted" in str(error)
    except SyntaxError:
        return False
    return False


def _language(data: dict[str, Any]) -> str | None:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict):
        return None
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(key)
        name = part.get(field) if isinstance(part, dict) else None
        if isinstance(name, str) and name:
            return "python" if name.lower() in {"python", "ipython", "python3"} else name
    return None


def _list(data: Any, key: str) -> list[Any]:
    value = data.get(key) if isinstance(data, dict) else None
    if not isinstance(value, list):
        raise NotANotebook(f"it has no {key}")
    return value


def _shifted(edit: Edit, lines: int) -> Edit:
    return replace(edit, span=edit.span.down(lines))


def _written_like(text: str, cell: CodeCell, new: str) -> str:
    """A cell's text as JSON in the style of what stands there: a string, or a list a line each."""
    old = text[cell.start : cell.end]
    ascii_only = old.isascii()
    if not old.startswith("["):
        return json.dumps(new, ensure_ascii=ascii_only)
    lines = [json.dumps(line, ensure_ascii=ascii_only) for line in re.findall(r"[^\n]*\n|[^\n]+", new)]
    style = _LIST.fullmatch(old)
    if not lines or style is None:
        return f"[{', '.join(lines)}]"
    before, between, after = style.groups()
    if between is None:  # one line so far: as in the brackets, or as behind the colon before them
        between = f",{before}" if before else "," if text[cell.start - 1] == ":" else ", "
    return f"[{before}{between.join(lines)}{after}]"


class _Spans:
    """Finds values in a JSON text that is known to be valid, without reading what lies beside."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decode = json.JSONDecoder().raw_decode
        self._children: dict[int, dict[str | int, tuple[int, int]]] = {}

    def of(self, path: Iterable[str | int]) -> tuple[int, int]:
        """Where the value at a path of keys and indices begins and ends."""
        span = (self._skip(0), len(self._text))
        for step in path:
            children = self._children.get(span[0])
            if children is None:
                children = self._children[span[0]] = self._read(span[0])
            span = children[step]
        return span

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _read(self, at: int) -> dict[str | int, tuple[int, int]]:
        """The children of the object or list that begins here. The last of equal keys wins."""
        is_object = self._text[at] == "{"
        children: dict[str | int, tuple[int, int]] = {}
        at = self._skip(at + 1)
        while self._text[at] not in "]}":
            key: str | int = len(children)
            if is_object:
                key, at = self._decode(self._text, at)
                at = self._skip(self._skip(at) + 1)
            _, end = self._decode(self._text, at)
            children[key] = (at, end)
            at = self._skip(end)
            if self._text[at] == ",":
                at = self._skip(at + 1)
        return children
