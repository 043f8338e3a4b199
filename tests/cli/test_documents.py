"""Files are read as Python reads them, and written as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shapewise import documents
from shapewise.documents import UnreadableFile
from shapewise.edits.apply import OverlappingEdits
from shapewise.notebooks import blank_magics
from shapewise.vocabulary.findings import Edit
from shapewise.vocabulary.span import Span

RENAME = Edit(Span(2, 0, 2, 1), "yy")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x\ny\n", "x\ny\n"),
        (b"x\r\ny\r\n", "x\ny\n"),
        (b"x\ry\r", "x\ny\n"),
        (b"x\r\ny\nz\r", "x\ny\nz\n"),
        (b"\xef\xbb\xbfx\ny", "x\ny"),
        (b"\xef\xbb\xbf# coding: utf-8\ny", "# coding: utf-8\ny"),
        ("é\ny".encode(), "é\ny"),
        (b"# coding: latin-1\ny = '\xe9'", "# coding: latin-1\ny = 'é'"),
        (
            b"#!/bin/python\n # -*- coding: cp1252 -*-\n# \x80",
            "#!/bin/python\n # -*- coding: cp1252 -*-\n# €",
        ),
        (
            "# vim: set fileencoding=euc_jp :\ny = '数'".encode("euc_jp"),
            "# vim: set fileencoding=euc_jp :\ny = '数'",
        ),
        (b"# coding: latin-1\ry\r# \xe9", "# coding: latin-1\ny\n# é"),
        (b"x\x0c\ny\x0b\x1c\n", "x\x0c\ny\x0b\x1c\n"),
    ],
)
def test_a_file_is_read_and_written_as_it_was(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data)
    document = documents.read(path)
    assert document.source.text == text
    assert document.encoded() == data
    if text.startswith(("x\ny", "é")):
        fixed = document.edited([RENAME])
        assert fixed.encoded() == data.replace(b"y", b"yy", 1)


def test_new_lines_end_as_the_others(tmp_path: Path) -> None:
    document = documents.parse("a.py", b"x\r\ny\r\n").edited([Edit(Span(1, 1, 1, 1), "\nz")])
    assert document.encoded() == b"x\r\nz\r\ny\r\n"


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.py", b"x\0", "a.py is a binary file, not Python"),
        (
            "a.py",
            b"x\n\xff",
            "a.py is not utf-8, the encoding it is said to be in: see the byte 0xff on line 2",
        ),
        (
            "a.py",
            b"# coding: ascii\n#\r\n# \xe9",
            "not ascii, the encoding it is said to be in: see the byte 0xe9 on line 3",
        ),
        (
            "a.py",
            b"# coding: nope\n",
            "declares an encoding that Python does not know (unknown encoding: nope)",
        ),
        ("a.py", b"# coding: base64\n", "declares base64, which is not an encoding for text"),
        ("a.py", b"# coding: undefined\n", "declares undefined, which is not an encoding for text"),
        ("a.py", b"\xef\xbb\xbf# coding: latin-1\n", "byte order mark and declares another encoding"),
        ("a.py", b"\xff\xfex\0", "binary"),
        ("a.ipynb", b"{", "its JSON is broken"),
        ("a.ipynb", b"\xff", "not utf-8"),
        ("a.ipynb", b"[" * 100_000, "its JSON"),
        ("a.ipynb", b"{}", "has no nbformat"),
        ("a.ipynb", b'{"nbformat": 4}', "has no cells"),
        ("a.ipynb", b'{"nbformat": 2, "cells": []}', "nbformat 2 is not known"),
        ("a.ipynb", b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}', "cell 1 has no text"),
        (
            "a.ipynb",
            b'{"nbformat": 4, "cells": [], "metadata": {"language_info": {"name": "R"}}}',
            "written in R",
        ),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(name: str, data: bytes, words: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        documents.parse(name, data)
    sentence = str(caught.value)
    assert words in sentence
    assert sentence.startswith(name)
    assert "\n" not in sentence


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path, "is a folder"),
        (tmp_path / "no", "does not exist"),
        ("a\0b", "not a path"),
    ):
        with pytest.raises(UnreadableFile, match=words):
            documents.read(path)
    with pytest.raises(UnreadableFile, match="not a regular file"):
        documents.read("/dev/null")


def test_a_letter_that_the_encoding_lacks(tmp_path: Path) -> None:
    document = documents.parse("a.py", b"# coding: latin-1\nx\n").edited(
        [Edit(Span(2, 0, 2, 1), "\N{SNOWMAN}")]
    )
    with pytest.raises(UnreadableFile, match="cannot hold"):
        document.encoded()


def code(*source: str, **rest: object) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "source": list(source), **rest}


CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["x\n"]},
    code("x\n", "y"),
    code(),
    code("é = 1\n", "%time\n", "w\n"),
]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize(
    "style",
    [
        {"indent": 1, "ensure_ascii": False},
        {"indent": 4},
        {"indent": "\t"},
        {"separators": (",", ":")},
        {},
    ],
)
def test_a_notebook_keeps_its_style(style: dict[str, object], end: str) -> None:
    before = json.dumps({"nbformat": 4, "n": 1.50, "cells": CELLS}, **style) + end
    document = documents.parse("n.ipynb", before.encode())
    source = document.source
    assert source.text == "x\ny\n\né = 1\n     \nw\n"
    assert [(cell.index, cell.first_line, cell.lines) for cell in source.cells] == [
        (1, 1, 2),
        (2, 3, 1),
        (3, 4, 4),
    ]
    edited = document.edited([Edit(Span(2, 0, 2, 1), "y = 'é'\nz"), Edit(Span(6, 0, 6, 1), "v")])
    after = [CELLS[0], code("x\n", "y = 'é'\n", "z"), code(), code("é = 1\n", "%time\n", "v\n")]
    expected = json.dumps({"nbformat": 4, "n": 1.50, "cells": after}, **style) + end
    # An ASCII cell stays ASCII: whether the file would take other letters does not show there.
    assert json.loads(edited.encoded()) == json.loads(expected)
    assert edited.encoded().decode().replace("\\u00e9", "é") == expected.replace("\\u00e9", "é")


def test_an_old_notebook_and_one_with_strings() -> None:
    cell = {"cell_type": "code", "input": "x\ny\n", "language": "python"}
    old = json.dumps({"nbformat": 3, "worksheets": [{"cells": [cell]}]})
    document = documents.parse("n.ipynb", old.encode())
    assert document.source.text == "x\ny\n"
    assert json.loads(document.edited([RENAME]).encoded())["worksheets"][0]["cells"][0]["input"] == "x\nyy\n"


def test_an_edit_stays_within_its_cell() -> None:
    document = documents.parse("n.ipynb", json.dumps({"nbformat": 4, "cells": CELLS}).encode())
    with pytest.raises(OverlappingEdits):
        document.edited([Edit(Span(2, 0, 3, 0), "")])


@pytest.mark.parametrize(
    ("cell", "blanked"),
    [
        ("x = 1", "x = 1"),
        ("%matplotlib inline\nx", "                  \nx"),
        ("!pip install \\\n  torch\nx", "              \n  0    \nx"),
        ("?x\nx?\nx.y??\nx", "  \n  \n     \nx"),
        ("%%time\nx", "      \nx"),
        ("%%bash\nls\n", "      \n  \n"),
        ("%%html\n<b>", "      \n   "),
        ("if x:\n    !ls\n", "if x:\n    0  \n"),
        ("x = (7\n% 2)", "x = (7\n% 2)"),
        ("'''\n%time\n'''", "'''\n%time\n'''"),
        ("x = [\n  1\n]\n%time", "x = [\n  1\n]\n     "),
        ("x = !ls", "x = !ls"),
        ("x if y else z", "x if y else z"),
        ("# why?\nx", "# why?\nx"),
    ],
)
def test_magics_are_blanked_at_equal_length(cell: str, blanked: str) -> None:
    assert blank_magics(cell) == blanked
    assert [len(line) for line in blanked.split("\n")] == [len(line) for line in cell.split("\n")]
