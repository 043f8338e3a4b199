"""Files as texts: `.py` in the encoding that they declare, `.ipynb` as their code cells."""

from __future__ import annotations

import io
import re
import stat
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from . import notebooks
from .edits.apply import apply
from .source import Source
from .vocabulary.findings import Edit

SUFFIXES = (".py", ".ipynb")

_NEWLINE = re.compile(r"\r\n?")


class UnreadableFile(Exception):
    """One clear sentence for the user: which file, and why it cannot be read or written."""


class Document(Protocol):
    """One file, and the way back into it."""

    @property
    def source(self) -> Source:
        """The text that shapewise works on: line ends are LF, positions are those of the file."""

    def edited(self, edits: Sequence[Edit]) -> Document:
        """The document with edits made to its source. Raises `edits.apply.OverlappingEdits`."""

    def encoded(self) -> bytes:
        """The bytes of the file, in the style in which they were read. Raises UnreadableFile."""


def read(path: str | Path) -> Document:
    """Read a file from disk. Raises UnreadableFile."""
    name = str(path)
    if not name:
        raise UnreadableFile("an empty path names no file")
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise UnreadableFile(f"{name} is a folder, not a file")
        if not stat.S_ISREG(mode):
            raise UnreadableFile(f"{name} is not a regular file")
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise UnreadableFile(f"{name} does not exist") from None
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise UnreadableFile(f"{name!r} is not a path: {error}") from None
    return parse(name, data)


def parse(name: str, data: bytes) -> Document:
    """The document that the bytes of a file are. Raises UnreadableFile."""
    if name.endswith(".ipynb"):
        return _Notebook(name, _notebook(name, data), data.startswith(b"\xef\xbb\xbf"))
    if b"\0" in data:
        raise UnreadableFile(f"{name} is a binary file, not Python")
    encoding = _declared_encoding(name, data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
        raise UnreadableFile(
            f"{name} is not {_plain(encoding)}, the encoding it is said to be in: see the byte"
            f" 0x{data[error.start]:02x} on line {line}"
        ) from None
    except (LookupError, ValueError):
        raise UnreadableFile(f"{name} declares {encoding}, which is not an encoding for text") from None
    return _PythonFile(name, text, encoding)


def write(path: str | Path, document: Document) -> None:
    """Put a document back on disk. Raises UnreadableFile."""
    data = document.encoded()
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be written: {error.strerror or error}") from None


def _declared_encoding(name: str, data: bytes) -> str:
    """By PEP 263: the byte order mark, a comment on one of the first two lines, or UTF-8."""
    lines = io.BytesIO(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    try:
        return tokenize.detect_encoding(lines.readline)[0]
    except SyntaxError as error:
        what = str(error.msg).removesuffix(f" for {name!r}")
        if what.startswith("unknown encoding"):
            raise UnreadableFile(f"{name} declares an encoding that Python does not know ({what})") from None
        if what.startswith("encoding problem"):
            raise UnreadableFile(
                f"{name} has a UTF-8 byte order mark and declares another encoding"
            ) from None
        # Bytes that are not UTF-8 on the first lines: decoding will say where.
        return "utf-8"


def _plain(encoding: str) -> str:
    return "utf-8" if encoding == "utf-8-sig" else encoding


@dataclass(frozen=True)
class _PythonFile:
    path: str
    raw: str
    encoding: str

    @property
    def source(self) -> Source:
        return Source(self.path, _NEWLINE.sub("\n", self.raw))

    def edited(self, edits: Sequence[Edit]) -> _PythonFile:
        return replace(self, raw=apply(self.raw, edits))

    def encoded(self) -> bytes:
        try:
            return self.raw.encode(self.encoding)
        except UnicodeEncodeError as error:
            letter = error.object[error.start]
            raise UnreadableFile(f"{self.path} cannot hold {letter!r} in {_plain(self.encoding)}") from None


def _notebook(name: str, data: bytes) -> notebooks.Notebook:
    """A notebook from its bytes. Raises UnreadableFile."""
    try:
        return notebooks.parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UnreadableFile(f"{name} is not a notebook: its bytes are not utf-8") from None
    except notebooks.NotANotebook as error:
        raise UnreadableFile(f"{name} is not a notebook that can be read: {error}") from None


@dataclass(frozen=True)
class _Notebook:
    path: str
    notebook: notebooks.Notebook
    bom: bool

    @property
    def source(self) -> Source:
        return notebooks.joined(self.path, self.notebook.cells)

    def edited(self, edits: Sequence[Edit]) -> _Notebook:
        return replace(self, notebook=self.notebook.edited(self.source.cells, edits))

    def encoded(self) -> bytes:
        return self.notebook.text.encode("utf-8-sig" if self.bom else "utf-8")
