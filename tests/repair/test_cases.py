"""What must survive of a text that does not parse, and which names become unknown."""

from __future__ import annotations

import ast

import pytest

from shapewise.repair import repair

# text, the repaired text (a dot: a blank that was not there before; those at the end of a row are left out), the names
CASES = {
    "nothing behind the dot": ("x = 1\nx.\ny = 2\n", "x = 1\n0\ny = 2\n", []),
    "nothing behind the sign": ("x =\ny = 2\n", "0\ny = 2\n", ["x"]),
    "half a call at the end": ("x = f(1,", "0", ["x"]),
    "a bracket left open": (
        "x = f(a\ny = 2\nz = 3\n",
        "0\ny = 2\nz = 3\n",
        ["x"],
    ),
    "open over rows": (
        "x = f(\n    a,\n    b\ny = 2\n",
        "0\n\n\ny = 2\n",
        ["x"],
    ),
    "a bracket too many": ("x = f(a))\ny = 2\n", "0\ny = 2\n", ["x"]),
    "brackets of two kinds": ("x = [f(a]\ny = 2\n", "0\ny = 2\n", ["x"]),
    "open before a definition": ("x = [1,\n\ndef f():\n    pass\n", "0\n\ndef f():\n    pass\n", ["x"]),
    "open def": ("def f(a, b:\n    return a\n", "def f(a,·):\n    return a\n", ["f", "b"]),
    "open def without room": ("def f(a\n    b = a\nc = 1\n", "def f():\n    b = a\nc = 1\n", ["f", "a"]),
    "open def with a comma": ("def f(a,\n    b = a\n    g()\n", "def f(a,):\n    b = a\n    g()\n", ["f"]),
    "a parameter without its default": (
        "class A:\n    def f(self, a: int, b=):\n        x = b\n",
        "class A:\n    def f(self, a: int, b=_):\n        x = b\n",
        ["_"],
    ),
    "a parameter that lacks one": ("def f(a=1, b):\n    x = b\n", "def f(a=1, b=_):\n    x = b\n", ["_"]),
    "a parameter amidst others": (
        "def f(\n    a: int =\n    b: int,\n    c: =\n):\n    x = b\n",
        "0\n\n\n\n\n    x = b\n",
        None,
    ),
    "what it returns": ("def f(a, b=(1, 2)) -> \n    x = b\n", "def f(a, b=(1, 2)):\n    x = b\n", ["_"]),
    "no colon": (
        "def f(a)\n    x = a\nfor i in g(x)\n    y = i\nwith h() as k, l()\n    z = 1\n",
        "def f(a):\n    x = a\nfor i in g(x):\n    y = i\nwith h() as k, l():\n    z = 1\n",
        [],
    ),
    "no colon and more to come": ("def f(a, )\n    x = a\n", "def f(a, ):\n    x = a\n", ["_"]),
    "no colon behind a condition": (
        "if a\n    x = 1\nelse\n    x = 2\n",
        "if _:\n    x = 1\nelse:\n    x = 2\n",
        ["_"],
    ),
    "a row of a call": (
        "net = f(\n    a(1),\n    a.\n)\ncut = f(\n    a(1),\n    a(\n    a(2),\n)\n",
        "net = f(\n    a(1),\n    _,\n)\ncut = f(\n    a(1),\n    _,\n    a(2),\n)\n",
        ["_", "_"],
    ),
    "a value by its name": (
        "x = dict(\n    a=1,\n    b=\n)\ny = {\n    'a': 1,\n    'b': g(,\n    'c': 3,\n}\n",
        "x = dict(\n    a=1,\n    b=_,\n)\ny = {\n    'a': 1,\n    'b':_,\n    'c': 3,\n}\n",
        ["_", "_"],
    ),
    "a row without its comma": (
        "x = f(\n    a(1),\n    b(\n        2\n    )\n    c(3),\n)\ny = f(\n    (1, 2)  # why\n    b(2),\n)\n",
        "x = f(\n    a(1),\n    b(\n        2\n    ),\n    c(3),\n)\ny = f(\n    (1, 2), # why\n    b(2),\n)\n",
        ["_", "_"],
    ),
    "a call that may lack arguments": (
        "x = f(\n    a(1)\n    b=3,\n)\ny = f(\n    a=g()  # why\n    b=3,\n)\n",
        "x = f(\n    _,\n    b=3,\n)\ny = f(\n    a=_,\n    b=3,\n)\n",
        ["_", "_"],
    ),
    "half a name in a row": (
        "x = f(\n    a(1),\n    b.c\n    d=3,\n)\ny = f(\n    a=1,\n    b=cfg.\n    c=True\n)\nz = f(\n    a=1,\n    b\n    c=1,\n)\n",
        "x = f(\n    a(1),\n    _,\n    d=3,\n)\ny = f(\n    a=1,\n    b=_,\n    c=True\n)\nz = f(\n    a=1,\n\n    c=1,\n)\n",
        ["_", "_", "_"],
    ),
    "a dot above the next row": (
        "x = f(\n    a(1),\n    b.\n    c(2),\n)\n'''\nb.\nc'''\n",
        "x = f(\n    a(1),\n    _,\n    c(2),\n)\n'''\nb.\nc'''\n",
        ["_"],
    ),
    "names over rows": ("x = (\n    a.\n    b\n)\n", "x = (\n    a.\n    b\n)\n", []),
    "half a key": (
        "x = {\n    'a': 1,\n    'b\n    'c': 3,\n}\n",
        "x = {\n    'a': 1,\n\n    'c': 3,\n}\n",
        ["_"],
    ),
    "a method amidst others": (
        "y = (\n    x\n    .a()\n    .\n    .b()\n)\nz = 1\n",
        "0\n\n\n\n\n\nz = 1\n",
        ["y"],
    ),
    "its last bracket is not there": (
        "def f():\n    x = g({\n        'a': 1,\n        'b': h(2),\n\n    y = x\n",
        "def f():\n    x = g({\n        'a': 1,\n        'b': h(2),})\n\n    y = x\n",
        ["_"],
    ),
    "two brackets are not there": ("x = f(\n    a(1,\n    2,\ny = 1\n", "0\n\n\ny = 1\n", ["x"]),
    "a parameter without its comma": (
        "def f(\n    a: int = 1,\n    b\n    c: int = 2,\n):\n    x = b\n",
        "def f(\n    a: int = 1,\n    b=_,\n    c: int = 2,\n):\n    x = b\n",
        ["_"],
    ),
    "which row it is is not sure": (
        "x = f(\n    g(\n        1,\n        2,\n    3,\n    4\n)\ny = 1\n",
        "0\n\n\n\n\n\n\ny = 1\n",
        ["x"],
    ),
    "open class": ("class A(B:\n    x = 1\n", "class A··:\n    x = 1\n", ["A"]),
    "half an if": ("if x >\n    y = 2\n", "if _:\n    y = 2\n", ["_"]),
    "an if without a suite": ("if x:\n\ny = 2\n", "0\n\ny = 2\n", []),
    "a def without a suite": ("def f(x):\ny = 2\n", "0\ny = 2\n", ["f"]),
    "half a for": ("for i, j in\n    y = i\n", "while _:\n    y = i\n", ["i", "j", "_"]),
    "half a with": ("with f( as g:\n    y = 1\n", "with _:\n    y = 1\n", ["g", "_"]),
    "half a while": ("while x <\n    y = 1\n", "while _:\n    y = 1\n", ["_"]),
    "a misspelled header": ("fro i in x:\n    y = i\n", "if _:\n    y = i\n", ["_"]),
    "half an elif": (
        "if a:\n    x = 1\nelif b >:\n    x = 2\nelse:\n    x = 3\n",
        "if a:\n    x = 1\nelif _:\n    x = 2\nelse:\n    x = 3\n",
        ["_"],
    ),
    "else alone": ("else:\n    y = 2\n", "if _:\n    y = 2\n", ["_"]),
    "try, one line so far": ("try:\n    x = 1\ny = 2\n", "if 1:\n    x = 1\ny = 2\n", []),
    "try, some lines so far": (
        "try:\n    x = 1\n    yyyyyyy = 2\nz = 1\n",
        "if 1:\n    x = 1\n    yyyyyyy = 2\nz = 1\n",
        [],
    ),
    "try and an empty except": (
        "try:\n    x = 1\n    y = 22222\nexcept:\nz = 1\n",
        "try:\n    x = 1\n    y = 22222\nexcept:0\nz = 1\n",
        [],
    ),
    "try and half an except": (
        "try:\n    x = 1\nexcept ValueError\nz = 1\n",
        "try:\n    x = 1\nexcept:0\nz = 1\n",
        [],
    ),
    "half a return": ("def f(x):\n    return x.\n", "def f(x):\n    return _\n", ["_"]),
    "half a yield": ("def f(x):\n    yield x[\n", "def f(x):\n    yield _\n", ["_"]),
    "half a method in place": ("a.b.resize_(3\n", "0\n", ["a.b"]),
    "half a match": (
        "match x:\n    case 1\n        y = 1\n    case 2:\n        y = 2\n",
        "match x:\n    case·_\n",
        None,
    ),
    "a decorator half typed": ("@f(\ndef g(): pass\n", "\ndef g(): pass\n", []),
    "a decorator alone": ("@f\nx = 1\n", "0\nx = 1\n", []),
    "a string left open": ("x = 'abc\ny = 1\n", "0\ny = 1\n", ["x"]),
    "a long string left open": ("x = '''abc\ny = 1\nz = 2\n", "0\ny = 1\nz = 2\n", ["x"]),
    "a docstring left open": (
        'def f():\n    """Doc\n    return 1\ndef g():\n    """Doc."""\n',
        'def f():\n    0\n    return 1\ndef g():\n    """Doc."""\n',
        [],
    ),
    "stray indentation": ("x = 1\n    y = 2\nz = 3\n", "x = 1\n\nz = 3\n", ["y"]),
    "the rest of what stands above": ("x = y\n    .view(3)\nz = 3\n", "x = y\n\nz = 3\n", ["x"]),
    "a paste too far left": (
        "def f():\n    x = 1\ny = 2\n    z = 3\n    w = 4\n",
        "def f():\n    x = 1\n\n    z = 3\n    w = 4\n",
        ["y"],
    ),
    "a paste too far left, before a return": (
        "def f(x):\n    y = x\na = 1\nb = 2\nprint(b)\n    z = y\n    return z\n",
        "def f(x):\n    y = x\n\n\n\n    z = y\n    return z\n",
        ["a", "b"],
    ),
    "a header behind a loop": (
        "def f():\n    for i in x:\n        y = i\n    y = 1\n    with\n        y = 2\n        y = 3\n",
        "def f():\n    for i in x:\n        y = i\n    y = 1\n    with _:\n        y = 2\n        y = 3\n",
        ["_"],
    ),
    "a merge": (
        "def f():\n    x = 1\n<<<<<<< HEAD\n    y = 2\n=======\n    y = 3\n>>>>>>> b\n    return y\n",
        "def f():\n    x = 1\n\n    y = 2\n\n    y = 3\n\n    return y\n",
        [],
    ),
    "a merge below a header": (
        "def f():\n<<<<<<< HEAD\n    y = 2\n=======\n    y = 3\n>>>>>>> b\n    return y\n",
        "def f():\n\n    y = 2\n\n    y = 3\n\n    return y\n",
        [],
    ),
    "a paste between a header and its suite": (
        "def f(x):\n    for i in x:\n  a = 1\n  b = 2\n        y = i\n        z = y\n    return z\n",
        "def f(x):\n    for i in x:\n\n\n        y = i\n        z = y\n    return z\n",
        ["a", "b"],
    ),
    "garbage": ("x = 1\n@#$% ^&\ny = 2\n", "x = 1\n0\ny = 2\n", []),
    "carriage returns": ("x = (\r\ny = 2\r\n", "0\r\ny = 2\r\n", ["x"]),
    "tabs": ("if x:\n\ty = (\n\tz = 1\n", "if x:\n\t0\n\tz = 1\n", ["y"]),
    "form feeds": ("x = (\n\fy = 1\n", "0\n\fy = 1\n", ["x"]),
    "a byte order mark": ("\ufeffx = 1\n", "\fx = 1\n", []),
    "a null": ("x = 1\0\ny = 2\n", "x = 1\ny = 2\n", []),
    "beyond the basic plane": ("é = '😀' + (\ny = 2\n", "0\ny = 2\n", ["é"]),
    "an attribute and an item": ("self.w, a.b[0] = f(\n", "0\n", ["self.w", "a.b"]),
    "augmented": ("x += f(\n", "0\n", ["x"]),
    "annotated": ("x: Tensor = f(\n", "0\n", ["x"]),
    "chained": ("a = b, *c = f(\n", "0\n", ["a", "b", "c"]),
    "imports": ("from a.b import (c as d, e\nx = 1\n", "0\nx = 1\n", ["d", "e"]),
    "import": ("import a.b, c as d,\n", "0\n", ["a", "d"]),
    "walrus": ("f(y := g(\n", "0\n", ["y"]),
    "del": ("del x, y.\n", "0\n", ["x", "y"]),
    "keyword arguments are no names": ("f(dim=1, keepdim=True\n", "0\n", []),
}


def trimmed(text: str) -> list[str]:
    return [row.rstrip() for row in text.split("\n")]


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    text, wanted, names = CASES[name]
    repaired = repair(text)
    ast.parse(repaired.text)
    if names is None:
        return
    rows = zip(text.split("\n"), repaired.text.split("\n"), strict=True)
    assert all(len(old) <= len(new) for old, new in rows), "a row grows at its end at most"
    assert trimmed(repaired.text) == trimmed(wanted.replace("·", " "))
    assert [name for broken in repaired.broken for name in broken.names] == names


def test_what_parses_is_left_alone():
    text = "x = [\n1,\n2]\nif x:\n  y = '''\ndef f():\n'''\n"
    assert repair(text).text is text
    assert repair(text).broken == ()


def test_spans_cover_what_was_blanked():
    repaired = repair("x = 1\n    \nif y:\n    zz = f(  # why\n    w = 2\n")
    (broken,) = repaired.broken
    span = broken.span
    assert (span.line, span.column, span.end_line, span.end_column) == (4, 4, 4, 18)
    assert broken.message == "'(' was never closed"


def test_unformatted_but_right_statements_survive_a_fault_elsewhere():
    text = "m = f([\n[1, 2],\n[3, 4]\n])\ns = '''\ndef g():\n'''\nx = (\n"
    assert repair(text).text == text[: -len("x = (\n")] + "0    \n"


def test_every_prefix_of_a_file_parses():
    text = '''"""Doc."""
import torch
from torch import (nn,
    optim)

class A(nn.Module):
    """Doc (unbalanced."""

    def __init__(self, n: int = 3) -> None:
        super().__init__()
        self.fc = nn.Linear(n, {"a": [1, 2]}["a"][0])

    @torch.no_grad()
    def forward(self, x):  # (B, T
        for i, layer in enumerate(self.layers):
            x = layer(x) if i else x \\
                + 1
        try:
            x = f"{x.shape!r:>{10}}"
        except (ValueError, TypeError) as error:
            raise
        else:
            return x
        match x:
            case [1, *rest] if rest:
                pass
'''
    for end in range(len(text)):
        repaired = repair(text[:end]).text
        ast.parse(repaired)
        assert repaired.count("\n") == text[:end].count("\n")


def test_a_backslash_before_an_empty_row_is_a_space_but_not_within_a_string():
    text = 'x = 1\\\n\ny = """a\\\n\nb"""\nz = 2 \\\n   \n'
    assert repair(text).text == 'x = 1 \n\ny = """a\\\n\nb"""\nz = 2  \n   \n'
    assert repair(text + "def (\n").text.count("\\") == 1
