"""Edits keep the text around them as it was written."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from shapewise.edits.apply import apply
from shapewise.edits.calls import add_keyword, append, replace_attribute
from shapewise.edits.statements import put_under


def last_node(text: str, kind: type) -> ast.AST:
    """The outermost node of a kind in the last statement."""
    return next(node for node in ast.walk(ast.parse(text).body[-1]) if isinstance(node, kind))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.sum()", "x.sum(keepdim=True)"),
        ("x.sum( )", "x.sum(keepdim=True )"),
        ("x.sum(1)", "x.sum(1, keepdim=True)"),
        ("x.sum(dim=1)", "x.sum(dim=1, keepdim=True)"),
        ("x.sum(1,)", "x.sum(1, keepdim=True,)"),
        ("x.sum((0, 1))", "x.sum((0, 1), keepdim=True)"),
        ("x.sum(*dims)", "x.sum(*dims, keepdim=True)"),
        ("x.sum(**options)", "x.sum(**options, keepdim=True)"),
        ("x.sum(1, keepdim=False)", "x.sum(1, keepdim=True)"),
        ("x.sum(keepdim = False, dim=1)", "x.sum(keepdim=True, dim=1)"),
        ("f(a for a in b)", "f((a for a in b), keepdim=True)"),
        ("f((a for a in b))", "f((a for a in b), keepdim=True)"),
        ("(x.sum)(1)", "(x.sum)(1, keepdim=True)"),
        ("x.sum(')')", "x.sum(')', keepdim=True)"),
        ("x.sum(f'{a(1)}')", "x.sum(f'{a(1)}', keepdim=True)"),
        ("α + x.sum('é', 1) + β", "α + x.sum('é', 1, keepdim=True) + β"),
        ("'𝔘𝔘', x.sum(1), '𝔘'", "'𝔘𝔘', x.sum(1, keepdim=True), '𝔘'"),
        ("x.sum(1  # rows\n)", "x.sum(1, keepdim=True  # rows\n)"),
        ("x.sum(\n    dim=1\n)", "x.sum(\n    dim=1, keepdim=True\n)"),
        ("x.sum(\n    dim=1,\n)", "x.sum(\n    dim=1,\n    keepdim=True,\n)"),
        ("x.sum(\n    1,  # rows\n)", "x.sum(\n    1,  # rows\n    keepdim=True,\n)"),
        ("x.sum(\r\n    dim=1,\r\n)", "x.sum(\r\n    dim=1,\r\n    keepdim=True,\r\n)"),
        ("(x\n .relu()\n    .sum(1))", "(x\n .relu()\n    .sum(1, keepdim=True))"),
        ("torch.sum(f(x), g[1])", "torch.sum(f(x), g[1], keepdim=True)"),
        ("x.sum(1) ; y", "x.sum(1, keepdim=True) ; y"),
        ("x.sum(lambda: (yield))", "x.sum(lambda: (yield), keepdim=True)"),
    ],
)
def test_a_keyword_is_added(before: str, after: str) -> None:
    call = next(node for node in ast.walk(ast.parse(before).body[0]) if isinstance(node, ast.Call))
    fixed = apply(before, [add_keyword(before, call, "keepdim=True")])
    assert fixed == after
    ast.parse(fixed)


def test_a_keyword_is_added_within_a_suite() -> None:
    text = textwrap.dedent("""\
        class A:
            def f(self, x):
                s = "ü" + 0; return x / x.sum(
                    dim=-1,
                    # the last one
                )
    """)
    division = next(
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    )
    fixed = apply(text, [add_keyword(text, division.right, "keepdim=True")])
    assert "dim=-1,\n            keepdim=True,\n            # the last one\n" in fixed
    ast.parse(fixed)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.view(1)", "x.reshape(1)"),
        ("x.view(1).view(2)", "x.view(1).reshape(2)"),
        ("'é', x . view(2)", "'é', x . reshape(2)"),
        ("(x\n  .view  # here\n  (2))", "(x\n  .reshape  # here\n  (2))"),
        ("x.view\\\n(2)", "x.reshape\\\n(2)"),
    ],
)
def test_an_attribute_gets_another_name(before: str, after: str) -> None:
    assert apply(before, [replace_attribute(before, last_node(before, ast.Attribute), "reshape")]) == after


@pytest.mark.parametrize(
    ("before", "kind", "after"),
    [
        ("f(a)", ast.Call, "f(a).mT"),
        ("a + b", ast.BinOp, "(a + b).mT"),
        ("z @ (a + b)", ast.BinOp, "(z @ (a + b)).mT"),
        ("x[0]", ast.Subscript, "x[0].mT"),
        ("-x", ast.UnaryOp, "(-x).mT"),
    ],
)
def test_something_is_called_on_an_expression(before: str, kind: type, after: str) -> None:
    assert apply(before, [append(before, last_node(before, kind), ".mT")]) == after


SOURCES = sorted((Path(__file__).parents[2] / "server" / "shapewise" / "fixes").glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_edits_of_real_code_change_one_node(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)][::3]:
        fixed = apply(text, [add_keyword(text, call, "added_here=1")])
        call.keywords.append(ast.keyword("added_here", ast.Constant(1)))
        assert ast.dump(ast.parse(fixed)) == ast.dump(tree)
        call.keywords.pop()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("w += 1  # a step", "with no_grad():\n    w += 1  # a step"),
        ("if x:\n    w += 1\n", "if x:\n    with no_grad():\n        w += 1\n"),
        ("if x:\n\tw += 1\n", "if x:\n\twith no_grad():\n\t\tw += 1\n"),
        ("if x: w += 1", None),
        ("a = 1; w += 1", None),
        ("w += 1; a = 1", None),
        ("w += (\n    1\n)", None),
    ],
)
def test_a_statement_is_put_into_a_block_where_it_has_its_line_alone(before: str, after: str | None) -> None:
    statement = last_node(before, ast.AugAssign) if "; a" not in before else ast.parse(before).body[0]
    assert isinstance(statement, ast.stmt)
    edit = put_under(before, [statement], "with no_grad():")
    assert (apply(before, [edit]) if edit else None) == after


def test_statements_below_each_other_are_put_into_one_block() -> None:
    text = "if x:\n    w += 1  # a step\n    b += 1\n"
    row = ast.parse(text).body[0].body  # type: ignore[attr-defined]
    edit = put_under(text, row, "with no_grad():")
    meant = "if x:\n    with no_grad():\n        w += 1  # a step\n        b += 1\n"
    assert edit is not None and apply(text, [edit]) == meant
    apart = "w += 1\n\nb += 1\n"
    assert put_under(apart, ast.parse(apart).body, "with no_grad():") is None
